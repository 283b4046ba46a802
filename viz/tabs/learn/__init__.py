"""Tab Learn: the article section by section, every panel live.

How a section is added, say "films":

1. `sections/films.py` holds SECTION, a `section.Section`: the article's heading, the equation, the functions of
   `former` whose source is shown, and the functions that answer for it.
2. `sections/films.js` is the body of a function (section, props): it draws into section.panel and gives the tries,
   the check and the links to other tabs (see lib/learn.js); `props` is what SECTION.opening gave.
3. `sections/films.css` styles it, every rule under .former-learn-films.
4. `viz/text/en/learn/films.py` holds its MESSAGES: learn_films_title, learn_films_text, and its own, learn_films_*.
5. Its name goes into NAMES in `sections/__init__.py`, in the order of the article: that is the one shared line.
6. Its numbers are `former`'s: asked of the server, or made by lib/arithmetic.js, which is tested equal to `former`.
7. tests/viz/tabs/learn/ holds what it answers, tests/browser/test_learn_films.py what it shows, each recomputed.
"""

from viz.tabs.base import Tab
from viz.tabs.learn import page, routes
from viz.tabs.learn.sections import SECTIONS

TAB = Tab(
    "learn",
    page.render,
    routes.attach,
    ("arithmetic.js", "plane.js", "numbers_table.js", "learn.js", "code.js", "check.js"),
    tuple(section.panel for section in SECTIONS),
)
