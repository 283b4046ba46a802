"""Messages of Learn's section "Sets, images, graphs"."""

from __future__ import annotations

MESSAGES = {
    "learn_graphs_title": "Sets, images, graphs",
    "learn_graphs_text": "For attention, a sentence is just a set of units.\n\nNothing marks them as words or puts them"
    " in a row: order comes from positions, structure from the mask. So draw a graph: an edge lets two units attend to"
    " each other. One layer reaches the neighbours, the next their neighbours. The map measures this: each unit is"
    " changed in turn, and outputs that it cannot reach stay exactly the same.\n\nIf you rename the units together with"
    " their edges, their outputs move along. A picture is a graph too: each pixel is linked to those around it. Vectors"
    " and weights are random here; nothing is trained.",
    "learn_graphs_units": "Units",
    "learn_graphs_layers": "Layers",
    "learn_graphs_rename": "Rename",
    "learn_graphs_rename_hint": "Reorders the units in the list, and their edges with them",
    "learn_graphs_graph": "Units and the edges between them. Enter selects a unit; E draws or removes the edge to the"
    " selected unit.",
    "learn_graphs_hint": "Drag from unit to unit to draw an edge or remove it. Click a unit to see what it reaches.",
    "learn_graphs_unit": "{name}{kind, select, chosen {, selected} reached {, reached by {other} after {need, plural,"
    " one {# layer} other {# layers}}} other {, not reached by {other}}}",
    "learn_graphs_map": "How much each output (row) changes with each input (column)",
    "learn_graphs_point": "Point at a cell to read it; a click draws or removes that edge.",
    "learn_graphs_read": "Changing {input} {kind, select, none {leaves the output of {output} exactly the same} other"
    " {changes the output of {output} by up to {moved}}}.",
    "learn_graphs_outputs": "Outputs",
    "learn_graphs_renamed": "Outputs, renamed",
    "learn_graphs_moved": "{kind, select, none {Rename the units to see their outputs move along.} other {Renamed with"
    " their edges, the outputs agree to within {moved}. If the edges had not been renamed, they would differ by"
    " {stayed}.}}",
    "learn_graphs_lesson": "After {layers, plural, one {# layer} other {# layers}} “{name}” can receive information"
    " from {reached} of the other {others, plural, one {# unit} other {# units}}.",
    "learn_graphs_lesson_both": "A picture and its caption in one set: after {layers, plural, one {# layer} other {#"
    " layers}} “{name}” can receive information from {pixels, plural, one {# pixel} other {# pixels}} and"
    " {characters, plural, one {# other character} other {# other characters}}.",
    "learn_graphs_try_set": "A set: all attend to all",
    "learn_graphs_try_picture": "A picture: {side} × {side} pixels",
    "learn_graphs_try_both": "Pixels and characters in one set",
    "learn_graphs_puzzle": "Use {count} units and at most {edges} edges so that every unit reaches every other within 2"
    " layers.",
    "learn_graphs_question": "Five units in a row, each linked to the next. After how many layers can the first depend"
    " on the last?",
    "learn_graphs_choice": "{count}",
    "learn_graphs_answer": "Changing the last unit changes the output of the first by {changes} after 1, 2, 3 and 4"
    " layers.",
}
