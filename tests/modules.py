"""Runs the page's modules that need no page in Deno."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from viz.text import LANGUAGES

VIZ = Path(__file__).parents[1] / "viz"
DENO = Path(sys.executable).with_name("deno")


def evaluate(module: str, function: str, given: Any, language: str = "en", page: str = "") -> Any:
    """Calls a JavaScript function with a module's exports and `given`; returns its result.

    Args:
        module: its path below viz.
        function: `(exports, given) => result`, or a promise of it, both as JSON has them.
        given: its second argument.
        language: of the messages that the page would have.
        page: what else of a page the module reads when it is loaded, as a script that makes it.
    """
    values = {"formerLanguage": language, "formerTexts": LANGUAGES[language], "given": given}
    script = f"""
        globalThis.window = Object.assign(globalThis, {json.dumps(values)});
        {page}
        const exports = await import({json.dumps((VIZ / module).as_uri())});
        console.log(JSON.stringify(await ({function})(exports, given)));
    """
    ran = subprocess.run([DENO, "run", "--quiet", "-"], input=script.encode(), capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
    return json.loads(ran.stdout)
