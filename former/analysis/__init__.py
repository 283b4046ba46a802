"""Functions that answer questions about models and runs with numbers that can be checked.

statistics   how heads distribute their weights, rollout, rank correlation
dependence   which outputs depend on which inputs, and equivariance
difference   which tokens distinguish the predictions of two runs
effects      how removing a head, or a word, changes the prediction
lens         what the model would predict at each depth, also with a state of another run
parts        what each part of a model adds to a logit, and what one head writes
rare         which tokens hardly occur in the text that a model was trained on
trace        one number of a head, followed back to the weights and the embedding
circuits     which heads read the output of others, and which copy: from the weights, or on random tokens
scan         all heads over a corpus
"""

from former.analysis.circuits import composition, copying_score, induction_score
from former.analysis.dependence import equivariance_error, influence, steps_to_reach
from former.analysis.difference import Difference, predicted, tell_apart
from former.analysis.effects import (
    HeadEffect,
    ablation_by_layer,
    ablation_effects,
    head_effects,
    word_changes,
    word_shares,
)
from former.analysis.lens import carry_state, lens, logit_lens
from former.analysis.parts import head_adds, head_writes, logit_parts, stream_parts
from former.analysis.rare import rare_tokens
from former.analysis.statistics import head_statistics, rank_correlation, rollout, rollout_by_layer
from former.analysis.trace import trace
from former.runs.kind import Measure

__all__ = [
    "Difference",
    "HeadEffect",
    "Measure",
    "ablation_by_layer",
    "ablation_effects",
    "carry_state",
    "composition",
    "copying_score",
    "equivariance_error",
    "head_adds",
    "head_effects",
    "head_statistics",
    "head_writes",
    "induction_score",
    "influence",
    "lens",
    "logit_lens",
    "logit_parts",
    "predicted",
    "rank_correlation",
    "rare_tokens",
    "rollout",
    "rollout_by_layer",
    "steps_to_reach",
    "stream_parts",
    "tell_apart",
    "trace",
    "word_changes",
    "word_shares",
]
