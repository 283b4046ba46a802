"""The scripts, as far as they can be wrong without a browser saying so."""

import re
from collections import defaultdict
from pathlib import Path

VIZ = Path(__file__).resolve().parents[2] / "viz"
ADDED = re.compile(r"(?<![\w.])former\.(\w+) = (?!=)")
CHANGED = {"opened"}  # by what follows another link


def test_no_two_scripts_add_the_same_name_to_the_page():
    adders = defaultdict(list)
    for path in sorted(VIZ.rglob("*.js")):
        for name in set(ADDED.findall(path.read_text(encoding="utf-8"))) - CHANGED:
            adders[name].append(path.name)
    assert len(adders) > 100
    assert {name: paths for name, paths in adders.items() if len(paths) > 1} == {}
