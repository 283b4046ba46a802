"""A text through a model of any kind: `former.load("gpt").run("The cat")`.

run    `Run`, what a text did in a model, and `Map`, the attention of one stack of layers
kind   what is special about a kind of model, behind one protocol; each kind stands in a file of its own:
       causal classifier masked translator memory; `kinds` knows which a model is
"""

from former.runs import kind
from former.runs.kind import Kind, Reading, Unanswerable
from former.runs.kinds import kind_of
from former.runs.run import Blank, Map, Run, start

__all__ = ["Blank", "Kind", "Map", "Reading", "Run", "Unanswerable", "kind", "kind_of", "start"]
