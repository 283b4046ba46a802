"""Runs a text through a model of any kind: `former.load("gpt").run("The cat")`.

run    `Run`, the recorded pass of a text through a model, and `Map`, the attention of one stack of layers
kind   the protocol for what differs between kinds of models; each kind has a file of its own:
              causal classifier masked translator memory; `kinds` finds the kind of a model
"""

from former.runs import kind
from former.runs.kind import Kind, Reading, Unanswerable
from former.runs.kinds import kind_of, read
from former.runs.run import Blank, Map, Run, start

__all__ = ["Blank", "Kind", "Map", "Reading", "Run", "Unanswerable", "kind", "kind_of", "read", "start"]
