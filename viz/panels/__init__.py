"""Panels as records, from which the page, its links and embeds, and "Copy as Python" are made.

panel    `Panel` and its `Question`s: a plain function, and a reader that turns a view of the page into its arguments
source   the source of a function, and the imports that it needs
writer   the program that "Copy as Python" prints, for every panel
routes   POST /ask/{panel}/{question} answers with the function's result, POST /python/{panel} with the program
"""

from viz.panels.panel import Draw, Field, Numbers, Panel, Question

__all__ = ["Draw", "Field", "Numbers", "Panel", "Question"]
