"""Panels as records: what the page shows, what a visitor may copy as Python, and what links and embeds name.

panel    `Panel` and its `Question`s: a plain function, and how a view of the page becomes its arguments
source   the source of a function, and what it needs imported
writer   the program that "Copy as Python" prints, for every panel
routes   POST /ask/{panel}/{question}, answered by the function's result; POST /python/{panel}, by the program
"""

from viz.panels.panel import Draw, Field, Numbers, Panel, Question

__all__ = ["Draw", "Field", "Numbers", "Panel", "Question"]
