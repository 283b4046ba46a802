"""Tab Mask, as Python: each panel's numbers and its picture for the same text, model and mask."""

from __future__ import annotations

from viz.passes.loaded import Models
from viz.tabs.mask import consequence as measures
from viz.tabs.mask import masking
from viz.tabs.python import IMPORTS, Snippet, View, root


def start(models: Models, view: View) -> str:
    """The lines that load the model, read the text and make the mask.

    Raises:
        Refusal: a view that is none.
    """
    loaded, _, _, _ = masking.read_text(models, view)
    kind, size = masking.read_mask(view)
    return (
        f"{IMPORTS}\n"
        f"bundle = {loaded.code}\n"
        f"ids = bundle.tokenizer.encode({view['text']!r})[:{masking.SHOWN}]\n"
        "tokens, labels = torch.tensor([ids]), bundle.tokenizer.labels(ids)\n"
        f"mask = former.masks.named({kind!r}, len(ids), {size})\n"
    )


def stages(models: Models, view: View) -> str:
    """Scores, mask, softmax of a head."""
    code = start(models, view)
    config = models[view["model"]].bundle.config
    layer = masking.read_whole(view, "layer", 0, config.depth - 1)
    head = masking.read_whole(view, "head", 0, config.heads - 1)
    return (
        f"{code}"
        f'_, capture = former.run_with_capture(bundle.model, tokens, ("q", "k", "weights"), [{layer}], mask=mask)\n'
        f'q, k, weights = (capture.get(point, {layer})[0, {head}] for point in ("q", "k", "weights"))\n'
        f"scores = q @ k.T / {root(models[view['model']], layer)}  # before the mask\n"
        'before = figures.attention(scores, labels, scale="scores")\n'
        "figure = figures.attention(weights, labels, mask=mask)\n"
    )


def growth(models: Models, view: View) -> str:
    """What each mask costs."""
    masking.read_text(models, view)
    kind, size = masking.read_mask(view)
    own = (
        f'cells["own"] = [masks.count({kind!r}, t, {size}) for t in lengths]\n' if kind in masking.ROOT_STRIDES else ""
    )
    return (
        "import math\n\n"
        "from former import masks\n"
        "from viz import figures\n\n"
        f"lengths = sorted({{round(10 ** (i / {masking.PER_DECADE})) for i in range({masking.steps()} + 1)}})\n"
        f"roots = {masking.ROOT_STRIDES!r}  # their stride grows with the text\n"
        "cells = {\n"
        f"    kind: [masks.count(kind, t, math.isqrt(t) if kind in roots else {size}) for t in lengths]\n"
        "    for kind in masks.KINDS\n"
        "}\n"
        f"{own}"
        f"figure = figures.mask_cost(lengths, cells, chosen={('own' if own else kind)!r})\n"
    )


def proof(models: Models, view: View) -> str:
    """Which outputs move as an input changes, with the mask and without."""
    return (
        f"{start(models, view)}"
        "# row i, column j: how far output i moves as token j changes\n"
        "moves = former.analysis.influence(lambda ids: bundle.model(ids, mask=mask), tokens)\n"
        "free = former.masks.none(len(ids))\n"
        "without = former.analysis.influence(lambda ids: bundle.model(ids, mask=free), tokens)\n"
        'figure = figures.attention(moves, labels, mask=moves > 0, scale="scores")\n'
    )


def reach(models: Models, view: View) -> str:
    """After which layer information can have come from where."""
    depth = models[view["model"]].bundle.config.depth if view.get("model") in models else 1
    return (
        f"{start(models, view)}"
        f"reached = former.masks.reach(mask, {depth})  # (layers, t_query, t_key)\n"
        f"needs = {depth} + 1 - reached.sum(0)  # layers until query i depends on key j; one more: never\n"
        "figure = figures.attention(reached[-1].float(), labels, mask=reached[-1])\n"
    )


MEASURES = """\
def bits(model, ids, mask=None):
    # of each byte but the first; without a mask the model reads all answers but the last
    logits = model(torch.tensor([ids[:-1]]), mask=mask)[0]  # (t - 1, num_tokens)
    return torch.nn.functional.cross_entropy(logits.double(), torch.tensor(ids[1:]), reduction="none") / math.log(2)


def blind(model, ids):
    # the same where only the bytes before are read, all of them seen
    return torch.stack([bits(model, ids[: i + 1], former.masks.none(i))[-1] for i in range(1, len(ids))])


"""


def consequence(models: Models, view: View) -> str:
    """What a model trained without a mask is worth."""
    loaded = masking.read_model(models, view)
    seed = masking.read_whole(view, "seed", 0, measures.SEED_LIMIT)
    pair = measures.pair(models)
    count = measures.shown(loaded, pair)
    rules = f"temperature={measures.TEMPERATURE}, seed={seed}"
    own = "bytes_of(i)" if hasattr(loaded.bundle.tokenizer, "bytes_of") else "decode([i]).encode()"
    return (
        f"import math\n\n{IMPORTS}\n\n{MEASURES}"
        f"text = {masking.read_string(view, 'long')!r}\n"
        "means, written = {}, {}  # bits per byte; what each writes\n"
        "with torch.inference_mode():\n"
        f"    for name in {[each.name for each in pair]!r}:\n"
        "        bundle = former.load(name)\n"
        f"        model, ids = bundle.model, bundle.tokenizer.encode(text)[:{count}]\n"
        '        masked = model.config.mask == "causal"\n'
        "        own = bits(model, ids, None if masked else former.masks.none(len(ids) - 1))\n"
        '        means[f"{name}, own task"] = float(own.mean())\n'
        '        means[f"{name}, hidden"] = float((own if masked else blind(model, ids)).mean())\n'
        f"        steps = former.generate(model, ids, {measures.WRITTEN}, {rules})\n"
        "        written[name] = bundle.tokenizer.decode([step.token for step in steps])\n"
        f"    bundle = {loaded.code}\n"
        f"    ids = bundle.tokenizer.encode(text)[:{count}]\n"
        f"    size = sum(len(bundle.tokenizer.{own}) for i in ids[1:])  # bytes\n"
        '    means["with its mask"] = float(bits(bundle.model, ids).sum()) / size\n'
        '    means["mask taken off"] = float(bits(bundle.model, ids, former.masks.none(len(ids) - 1)).sum()) / size\n'
        'figure = figures.bars(list(means.values()), list(means), axis="bits per byte")\n'
    )


PANELS: dict[str, Snippet] = {
    "mask-stages": stages,
    "mask-growth": growth,
    "mask-proof": proof,
    "mask-reach": reach,
    "mask-consequence": consequence,
}
