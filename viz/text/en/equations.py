"""The words within the equations of tab Learn; `viz.tabs.learn.page` derives a word's key from its English form."""

from __future__ import annotations

MESSAGES = {
    "equation_about": "about",
    "equation_all_that_is_not_hidden": "all that is not hidden",
    "equation_answer": "answer",
    "equation_bits": "bits",
    "equation_blocks": "blocks",
    "equation_byte": "byte",
    "equation_bytes": "bytes",
    "equation_bytes_a_number": "bytes a number",
    "equation_cells_of": "cells of",
    "equation_chosen": "chosen",
    "equation_film": "film",
    "equation_follows_or_not": "follows or not",
    "equation_head": "head",
    "equation_head_of": "head of",
    "equation_layers": "layers",
    "equation_lost": "lost",
    "equation_or": "or",
    "equation_parameters": "parameters",
    "equation_person": "person",
    "equation_token": "token",
    "equation_vocabulary": "vocabulary",
    "equation_returned": "returned",
    "equation_rival": "rival",
    "equation_strided": "strided:",
    "equation_where_there_is_an_edge_else": "where there is an edge, else",
}
