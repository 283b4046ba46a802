"""Section "Which head does it?": its question offers the head that returns most, in whatever model is shipped."""

import torch

import former
from former import edits, patching
from viz.tabs.learn.sections import which_head


def test_the_question_offers_the_head_that_returns_most_and_the_one_that_is_needed_most():
    props = which_head.props({})
    bundle = former.load(props["model"])
    clean, corrupted = (bundle.run(text) for text in props["pairs"]["number"])
    metric = patching.logit_difference("␣are", "␣is")
    heads = bundle.config.heads
    returned = patching.heads(clean, corrupted, metric).flatten()
    off = [metric(clean.with_edits(edits.ablate_head(*divmod(i, heads)))) for i in range(len(returned))]
    offered = [layer * heads + head for layer, head in props["choices"]]
    assert sorted(set(offered)) == offered
    assert len(offered) == 3
    # the values may be equal up to float32's rounding: the section computes in another order
    assert float(returned[offered].max()) >= float(returned.max()) - 1e-4
    rest = torch.tensor(off)[[i for i in range(len(off)) if i not in offered]]
    assert float(torch.tensor(off)[offered].min()) <= float(rest.min()) + 1e-4
