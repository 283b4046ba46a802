"""The browser says every message as Python does."""

import json

import pytest

from tests.browser.pages import Exploring
from tests.viz.text.test_text import places
from viz.text import message, note
from viz.text.en import MESSAGES
from viz.text.form import parse

pytestmark = pytest.mark.browser
TAB = Exploring


def test_python_and_the_browser_say_the_same(tab):
    tab.open(text="abc")
    asked = [
        (key, {name: note("write_seed") if count is None else count for name in places(parse(said))})
        for key, said in MESSAGES.items()
        for count in (0, 1, 2, 12345, "last", "${1}<b>", None)
        if isinstance(count, int) or not any(kind in said for kind in (", plural", ", number"))
    ]
    said = tab.page.evaluate("(asked) => asked.map(([key, values]) => former.say(key, values))", asked)
    assert said == [message(key, **values) for key, values in json.loads(json.dumps(asked))]
