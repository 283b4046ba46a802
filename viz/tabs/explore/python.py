"""Tab Explore, as Python: each panel's numbers and its picture for the same text, model and edits."""

from __future__ import annotations

import math
from typing import NamedTuple

import former
from former.hooks import STACKS
from viz.passes import blanks, edits, translation
from viz.passes.lens import TOP
from viz.passes.loaded import Loaded, Models
from viz.passes.measures import RUNS, blank
from viz.passes.run import TEXT_LIMIT, class_names, read_text, tokenize
from viz.passes.writes import TOP as WRITTEN
from viz.passes.writes import check_model as check_writes
from viz.tabs.explore import forming, scans
from viz.tabs.python import IMPORTS, Snippet, View, read_choice, read_index, read_model
from viz.text import Refusal

SHOWN = {
    "head": "shown = weights[{layer}, {head}]  # (t_query, t_key)",
    "mean": "shown = weights[{layer}].mean(0)  # (t_query, t_key)",
    "rollout": "shown = former.analysis.rollout(weights[: {layer} + 1])  # (t_query, t_key)",
}
ODDS = """
chosen = int(out[0].argmax())


def log_odds(log_probs):  # (b, num_classes) -> (b,), of the class the model chooses
    others = torch.cat((log_probs[:, :chosen], log_probs[:, chosen + 1 :]), 1)
    return log_probs[:, chosen] - others.logsumexp(1)

"""


BLANKS_WORTH = """
places = [i for i, token in enumerate(ids) if token == bundle.tokenizer.mask_token]
targets = [int(out[0, i].argmax()) if id is None else id for i, id in zip(places, truth, strict=True)]


def bits(logits):  # (1, t, num_tokens) -> bits a hidden piece
    return -float(logits[0, places].softmax(-1)[range(len(places)), targets].log2().mean())


effects = torch.zeros(weights.shape[:2])  # (layers, h)
for layer in range(len(weights)):
    for head in range(weights.shape[1]):
        removed = [*edits, former.edits.ablate_head(layer, head)]
        effects[layer, head] = bits(former.run_with_capture(bundle.model, inputs, (), edits=removed)[0]) - bits(out)
names = [f"layer {layer}, head {head}" for layer, row in enumerate(effects) for head in range(len(row))]
figure = figures.bars(effects.flatten(), names)
"""


SEGMENT_WORTH = """

def bits(edits):  # of each of the segment's bytes but the first, under edits
    (logits, _), _ = former.run_with_capture(bundle.model, inputs, (), edits=edits)
    probs = logits[0, :-1].softmax(-1)
    return -float(probs.gather(1, tokens[0, 1:, None]).log2().mean())


off = former.edits.ablate_head
effects = torch.tensor([
    [bits([*edits, off(layer, head)]) - bits(edits) for head in range(weights.shape[1])]
    for layer in range(len(weights))
])  # (layers, h)
names = [f"layer {layer}, head {head}" for layer, row in enumerate(effects) for head in range(len(row))]
figure = figures.bars(effects.flatten(), names)
"""


UNIFORM = (  # of each stack of a model that has several
    "s, t = source.shape[1], target.shape[1]",
    "seen = {'cross': torch.ones(t, s), 'encoder': torch.ones(s, s), 'decoder': torch.ones(t, t).tril()}",
    "uniform = {stack: mask / mask.sum(-1, keepdim=True) for stack, mask in seen.items()}",
)


class Start(NamedTuple):
    """How a panel's lines begin."""

    loaded: Loaded
    t: int  # rows of the map
    code: str  # runs the text
    t_key: int  # columns of the map
    stack: str = ""  # before the names of the points: "cross.", say
    sides: str = "labels"  # of the map: the labels of its rows, and of its columns where they are others


def start(models: Models, view: View) -> Start:
    """The model, the map's size, and the lines that run the text under the visitor's edits.

    Raises:
        Refusal: a view that is none.
    """
    loaded = read_model(models, view)
    if loaded.translates:
        return start_of_two(loaded, view)
    if loaded.fills:
        return start_of_blanks(loaded, view)
    if loaded.remembers:
        return start_of_segments(loaded, view)
    ids, _, total = tokenize(loaded, view.get("text", ""), end=loaded.judges)
    part = f"-{loaded.reads}:" if loaded.judges else f":{loaded.reads}"
    read = f"bundle.tokenizer.encode(text)[{part}]  # as many as are read"
    lines = [
        f"bundle = {loaded.code}",
        f"text = {view['text']!r}",
        f"ids = {ids if total > len(ids) and hasattr(loaded.bundle.tokenizer, 'cls_token') else read}",
        "tokens, labels = torch.tensor([ids]), bundle.tokenizer.labels(ids)",
        *run_under_edits(loaded, view, "tokens", len(ids)),
    ]
    return Start(loaded, len(ids), "\n".join([IMPORTS, *lines]) + "\n", len(ids))


def run_under_edits(loaded: Loaded, view: View, inputs: str, t: int) -> list[str]:
    """The lines that make the mask of t tokens and the edits, and run the inputs.

    Raises:
        Refusal: edits that are none.
    """
    config = loaded.bundle.config
    changes = edits.read(view.get("edits"), loaded.name, config)
    made = hasattr(loaded.bundle.model, "mask")
    mask = loaded.mask(t)
    done = [edit for edit in changes if edits.applies(edit, mask)]
    calls = [f"    {line}," for edit in done for line in change(edit, config.heads)]
    return [
        "mask = bundle.model.mask(len(ids))" if made else "mask = torch.ones(len(ids), len(ids), dtype=torch.bool)",
        *(["uniform = mask / mask.sum(-1, keepdim=True)"] if any(edit["do"] == "uniform" for edit in changes) else []),
        *(["edits = [", *calls, "]"] if calls else ["edits = []"]),
        f'out, capture = former.run_with_capture(bundle.model, {inputs}, ("weights", "q", "k", "v"), edits=edits)',
        'weights = capture.stack("weights")[:, 0]  # (layers, h, t_query, t_key)',
    ]


def start_of_segments(loaded: Loaded, view: View) -> Start:
    """The same of a text that is read segment by segment; the last one is shown.

    Raises:
        Refusal: a view that is none.
    """
    config = loaded.bundle.config
    ids, _, _ = read_text(loaded.bundle, view.get("text", ""), limit=TEXT_LIMIT * 4)
    t = (len(ids) - 1) % config.seq_length + 1
    memory = min(len(ids) - t, config.memory_length)
    changes = edits.read(view.get("edits"), loaded.name, config)
    everywhere = [edit for edit in changes if edit["do"] != "weight"]
    calls = [f"        {line}," for edit in everywhere for line in change(edit, config.heads)]
    mask = former.masks.named("causal", t, past=memory)
    single = [edit for edit in changes if edit["do"] == "weight" and edits.applies(edit, mask)]
    last = [f"        edits.append({line})" for edit in single for line in change(edit, config.heads)]
    uniform = any(edit["do"] == "uniform" for edit in changes)
    lines = [
        f"bundle = {loaded.code}",
        f"ids = bundle.tokenizer.encode({view['text']!r})",
        "memory, names = None, ('weights', 'q', 'k', 'v', 'scores')".replace("'", '"'),
        f"for number, tokens in enumerate(torch.tensor([ids]).split({config.seq_length}, 1)):  # the last is shown",
        "    past = 0 if memory is None else memory.shape[2]",
        '    mask = former.masks.named("causal", tokens.shape[1], past=past)',
        *(["    uniform = mask / mask.sum(-1, keepdim=True)"] if uniform else []),
        *(["    edits = [", *calls, "    ]"] if calls else ["    edits = []"]),
        *([f"    if number == {(len(ids) - t) // config.seq_length}:", *last] if last else []),
        "    inputs = (tokens, memory)",
        "    (out, memory), capture = former.run_with_capture(bundle.model, inputs, names, edits=edits)",
        'weights = capture.stack("weights")[:, 0]  # (layers, h, t_query, t_key)',
        "labels = bundle.tokenizer.labels(tokens[0].tolist())",
        "keys = bundle.tokenizer.labels(ids[-mask.shape[1] :])  # the memory's, then the segment's",
    ]
    return Start(loaded, t, "\n".join([IMPORTS, *lines]) + "\n", t + memory, "", "labels, keys")


def start_of_blanks(loaded: Loaded, view: View) -> Start:
    """The same of a text with hidden words.

    Raises:
        Refusal: a view that is none.
    """
    reading, tokenizer = blanks.read(loaded, view.get("text", "")), blanks.tokenizer_of(loaded)
    ids, (first, second) = reading.ids, blanks.masked(loaded, view["text"])
    if second is None:
        read = f"ids = bundle.tokenizer.encode({first!r})", "segments = [0] * len(ids)"
        same = tokenizer.encode(first) == ids
    else:
        read = (f"ids, segments = bundle.tokenizer.encode_pair({first!r}, {second!r})",)
        same = tokenizer.encode_pair(first, second)[0] == ids
    lines = [
        f"bundle = {loaded.code}",
        *(read if same else (f"ids = {ids}  # as many as are read", f"segments = {reading.segments}")),
        "tokens, labels = torch.tensor([ids]), bundle.tokenizer.labels(ids)",
        "inputs = (tokens, torch.tensor([segments]))",
        *run_under_edits(loaded, view, "inputs", len(ids)),
    ]
    return Start(loaded, len(ids), "\n".join([IMPORTS, *lines]) + "\n", len(ids))


def start_of_two(loaded: Loaded, view: View) -> Start:
    """The same of a text and its answer, for one of their three maps.

    Raises:
        Refusal: a view that is none.
    """
    stack = read_choice(view, "map", STACKS)
    source, target, _ = translation.read(loaded, view.get("text", ""))
    typed, answer = translation.split(view["text"])
    changes = edits.read(view.get("edits"), loaded.name, loaded.bundle.config)
    masks = translation.masks(len(source), len(target))
    done = [edit for edit in changes if edits.applies(edit, masks[edit["map"]])]
    calls = [f"    {line}," for edit in done for line in change(edit, loaded.bundle.config.heads)]
    own = "[tokenizer.begin, *write(bundle.model, source, tokenizer.begin, tokenizer.end)[0]]"
    rows, columns = ("source" if stack == "encoder" else "target"), ("target" if stack == "decoder" else "source")
    sizes = {"source": len(source), "target": len(target)}
    lines = [
        "from former.encoder_decoder import write",
        "",
        f"bundle = {loaded.code}",
        "tokenizer = bundle.tokenizer",
        f"source = torch.tensor([tokenizer.encode({typed!r})[:{loaded.reads}]])",
        f"target = torch.tensor([{own if answer is None else f'tokenizer.encode_target({answer!r})[:-1]'}])",
        f'points = [f"{stack}.{{point}}" for point in ("weights", "q", "k", "v")]',
        "inputs = (source, target)",
        *(UNIFORM if any(edit["do"] == "uniform" for edit in done) else []),
        *(["edits = [", *calls, "]"] if calls else ["edits = []"]),
        "out, capture = former.run_with_capture(bundle.model, inputs, points, edits=edits)",
        f'weights = capture.stack("{stack}.weights")[:, 0]  # (layers, h, t_query, t_key)',
        f"tokens, labels = {rows}, tokenizer.labels({rows}[0].tolist())",
        f"keys = tokenizer.labels({columns}[0].tolist())",
        "mask = torch.ones(weights.shape[-2:], dtype=torch.bool)" + (".tril()" if stack == "decoder" else ""),
    ]
    first = ["from dataclasses import replace\n"] if calls else []
    code = "\n".join([*first, IMPORTS.rstrip(), *lines]) + "\n"
    return Start(loaded, sizes[rows], code, sizes[columns], f"{stack}.", "labels, keys")


def change(edit: edits.Edit, heads: int) -> list[str]:
    """An edit as calls, one for each head it is about; each at its own stack, where the model has several."""
    each = range(heads) if edit["head"] is None else [edit["head"]]
    stack, point = edit.get("map"), "weights"
    if edit["do"] == "uniform":
        uniform = f"uniform[{stack!r}]" if stack else "uniform"
        calls = [f"former.edits.set_weights({edit['layer']}, {head}, {uniform})" for head in each]
    elif edit["do"] == "weight":
        rest = "" if edit["renormalise"] else ", renormalise=False"
        place = f"{edit['layer']}, {edit['head']}, {edit['query']}, {edit['key']}"
        calls = [f"former.edits.set_weight({place}, {edit['weight']!r}{rest})"]
    else:
        point = "out"
        calls = [f"former.edits.scale_head({edit['layer']}, {head}, {edit['factor']!r})" for head in each]
    return [f'replace({call}, point="{stack}.{point}")' for call in calls] if stack else calls


def shown(loaded: Loaded, view: View) -> str:
    """The line that gives what the map shows: one head, a mean, or a rollout."""
    config = loaded.bundle.config
    layer, head = read_index(view, "layer", config.depth), read_index(view, "head", config.heads)
    return SHOWN[read_choice(view, "of", SHOWN)].format(layer=layer, head=head) + "\n"


def overview(models: Models, view: View) -> str:
    """All heads."""
    begun = start(models, view)
    return f"{begun.code}figure = figures.heads(weights, {begun.sides}, mask=mask)\n"


def head_map(models: Models, view: View) -> str:
    """The map on screen, in its scale; of scores where these are shown."""
    loaded, _, code, _, stack, sides = start(models, view)
    line = shown(loaded, view)
    scale = read_choice(view, "scale", ("linear", "row", "root"))
    if view.get("show") == "scores" and view["of"] == "head":
        scale, layer, head = "scores", view["layer"], view["head"]
        line = (
            f'q, k = (capture.get(point, {layer})[0, {head}] for point in ("{stack}q", "{stack}k"))  # (t, s) each\n'
            "shown = q @ k.T / q.shape[-1] ** 0.5  # scores (t_query, t_key)\n"
        )
        if loaded.remembers:
            line = f'shown = capture.get("scores", {layer})[0, {head}]  # (t_query, t_key)\n'
    return f"{code}{line}figure = figures.attention(shown, {sides}, mask=mask, scale={scale!r})\n"


def export(models: Models, view: View) -> str:
    """The map on screen as a table, and as a picture that can be saved."""
    code = head_map(models, {**view, "show": "weights"})
    loaded = read_model(models, view)
    columns = "keys" if loaded.translates or loaded.remembers else "labels"
    return (
        f"import csv\nimport io\n\n{code}"
        "pairs = mask.nonzero().tolist()  # those that the mask lets pass\n"
        f"rows = [[query, key, labels[query], {columns}[key], float(shown[query, key])] for query, key in pairs]\n"
        "table = io.StringIO()\n"
        'csv.writer(table).writerows([["query", "key", "query_token", "key_token", "weight"], *rows])\n'
        '# open("weights.csv", "w").write(table.getvalue()); figure.write_html("map.html")\n'
    )


def statistics(models: Models, view: View) -> str:
    """What the head does."""
    loaded, _, code, *_ = start(models, view)
    return (
        f"{code}{shown(loaded, view)}"
        "measured = former.analysis.head_statistics(shown[None], tokens[0])\n"
        "statistics = {name: float(value[0]) for name, value in measured.items()}\n"
        "figure = figures.bars(list(statistics.values()), list(statistics))\n"
    )


def pair(models: Models, view: View) -> str:
    """From q and k to the weight, and with v to the output."""
    loaded, t, code, t_key, stack, _ = start(models, view)
    config = loaded.bundle.config
    layer, head = read_index(view, "layer", config.depth), read_index(view, "head", config.heads)
    query, key = read_index(view, "query", t), read_index(view, "key", t_key)
    return (
        f"{code}"
        f'q, k = (capture.get(point, {layer})[0, {head}] for point in ("{stack}q", "{stack}k"))  # (t, s) each\n'
        f"products = q[{query}] * k[{key}]  # (s,)\n"
        "score = float(products.sum()) / len(products) ** 0.5\n"
        f"weight = float(weights[{layer}, {head}, {query}, {key}])\n"
        f'values = capture.get("{stack}v", {layer})[0, {head}]  # (t, s)\n'
        f"output = weights[{layer}, {head}, {query}] @ values  # (s,): y = Σ w v\n"
        'figure = figures.bars(products, range(len(products)), axis="q · k")\n'
    )


def token_strip(models: Models, view: View) -> str:
    """Where a token looks, and who looks at it."""
    loaded, t, code, _, _, sides = start(models, view)
    token = read_index(view, "query", t)
    return (
        f"{code}{shown(loaded, view)}"
        f"looks, looked_at = shown[{token}], shown[:, {token}]  # (t,) each\n"
        f'figure = figures.bars(looks, {sides.split()[-1]}, axis="weight")\n'
    )


def fill_in(models: Models, view: View) -> str:
    """What the model says of each hidden word, before and after the edits; and whether one text follows another."""
    loaded, _, code, *_ = start(models, view)
    if not loaded.fills:
        raise Refusal("bad_request")
    follows = ""
    if loaded.bundle.model.sentence is not None and blanks.masked(loaded, view["text"])[1] is not None:
        follows = "follows = bundle.model.next_sentence(*inputs)[0].softmax(-1)[0]  # without the edits\n"
    return (
        f"{code}"
        "places = [i for i, token in enumerate(ids) if token == bundle.tokenizer.mask_token]\n"
        "probs = out[0, places].softmax(-1)  # (hidden, num_tokens)\n"
        "before, _ = former.run_with_capture(bundle.model, inputs, ())\n"
        f"{follows}"
        "vocabulary = bundle.tokenizer.labels(range(bundle.tokenizer.num_tokens))\n"
        "pictures = [\n"
        "    figures.next_tokens(after, vocabulary, before=plain)\n"
        "    for after, plain in zip(probs, before[0, places].softmax(-1), strict=True)\n"
        "]\n"
        "figure = pictures[0] if pictures else figures.heads(weights, labels)  # where nothing is hidden: all heads\n"
    )


def prediction(models: Models, view: View) -> str:
    """What the model says, before and after the edits."""
    loaded, _, code, *_ = start(models, view)
    if loaded.translates:
        return (
            f"{code}"
            "probs = out[0, -1].softmax(-1)\n"
            "vocabulary = [tokenizer.labels([i])[0] for i in range(len(probs))]\n"
            "figure = figures.next_tokens(probs, vocabulary)\n"
        )
    if loaded.remembers:
        return (
            f"{code}"
            "probs = out[0, -1].softmax(-1)\n"
            "vocabulary = [bundle.tokenizer.labels([i])[0] for i in range(len(probs))]\n"
            "figure = figures.next_tokens(probs, vocabulary)\n"
        )
    before = "before, _ = former.run_with_capture(bundle.model, tokens, ())\n"
    if loaded.judges:
        return (
            f"{code}{before}"
            f"classes = {class_names(loaded)!r}\n"
            "probs = out[0].exp()\n"
            "figure = figures.bars(probs, classes, before=before[0].exp())\n"
        )
    return (
        f"{code}{before}"
        "probs = out[0, -1].softmax(-1)\n"
        "vocabulary = [bundle.tokenizer.labels([i])[0] for i in range(len(probs))]\n"
        "figure = figures.next_tokens(probs, vocabulary, before=before[0, -1].softmax(-1))\n"
    )


def lens(models: Models, view: View) -> str:
    """What the model would say at each depth."""
    loaded, t, code, *_ = start(models, view)
    config = loaded.bundle.config
    layer = read_index(view, "layer", config.depth)
    if loaded.judges:
        return (
            f"{code}"
            f"values, said = former.logit_lens(bundle.model, tokens, top={config.num_classes}, edits=edits)\n"
            "probs = values.exp()  # (depth + 1, 1, classes): before the first block, then after each\n"
            f"classes = {class_names(loaded)!r}\n"
            "names = [[[classes[i] for i in row[0]]] for row in said.tolist()]\n"
            'figure = figures.logit_lens(probs, names, ["verdict"])\n'
        )
    if loaded.fills:
        return (
            f"{code}"
            "places = [i for i, token in enumerate(ids) if token == bundle.tokenizer.mask_token]\n"
            "places = places or list(range(len(ids)))  # where nothing is hidden: every token\n"
            f"top = {min(TOP, config.num_tokens)}\n"
            "values, said = former.logit_lens(bundle.model, inputs, top=top, edits=edits, log_probs=True)\n"
            "probs = values[:, 0, places].exp()  # (depth + 1, hidden, top): before the first block, then after each\n"
            "names = [[bundle.tokenizer.labels(best) for best in row] for row in said[:, 0, places].tolist()]\n"
            'figure = figures.logit_lens(probs, names, [f"{labels[i]} {i}" for i in places])\n'
        )
    query = -1 if view.get("map") == "encoder" else read_index(view, "query", t)  # -1: rows that say nothing
    read = "inputs" if loaded.translates or loaded.remembers else "tokens"
    said = "target" if loaded.translates else "tokens"
    return (
        f"{code}"
        f"top = {min(TOP, config.num_tokens)}\n"
        f"values, said = former.logit_lens(bundle.model, {read}, top=top, edits=edits, log_probs=True)\n"
        "probs = values[:, 0].exp()  # (depth + 1, t, top): before the first block, then after each\n"
        "names = [[[bundle.tokenizer.labels([i])[0] for i in best] for best in row] for row in said[:, 0].tolist()]\n"
        f"best = dict(zip(names[{layer + 1}][{query}], probs[{layer + 1}, {query}].tolist()))\n"
        f"figure = figures.logit_lens(probs, names, bundle.tokenizer.labels({said}[0].tolist()))\n"
    )


def writes(models: Models, view: View) -> str:
    """What the head adds to the logits at a token, and how all parts add up to one of them."""
    loaded, t, code, *_ = start(models, view)
    check_writes(loaded, view.get("map"))
    config = loaded.bundle.config
    layer, head = read_index(view, "layer", config.depth), read_index(view, "head", config.heads)
    query = read_index(view, "query", t)
    read, said = ("inputs", "target") if loaded.translates else ("tokens", "tokens")
    heads = "cross" if view.get("map") == "cross" else "heads"
    return (
        f"{code}"
        f"parts = former.logit_parts(bundle.model, {read}, {query}, edits=edits)  # (..., num_tokens) each\n"
        f'added = parts["{heads}"][{layer}, {head}]\n'
        "added = added - added.mean()  # a number added to all alike changes nothing\n"
        f"raised, lowered = added.topk({WRITTEN}), added.topk({WRITTEN}, largest=False)\n"
        f"logits = out[0, {query}]\n"
        f"follows = int({said}[0, {query} + 1]) if {query} + 1 < {said}.shape[1] else int(logits.argmax())\n"
        "terms = {name: part[..., follows] - part.mean(-1) for name, part in parts.items()}\n"
        'terms["common"] = logits.mean()\n'
        "total = sum(float(term.sum()) for term in terms.values())  # the logit of what follows\n"
        "names = [bundle.tokenizer.labels([int(i)])[0] for i in raised.indices]\n"
        'figure = figures.bars(raised.values, names, axis="logit")\n'
    )


def trace(models: Models, view: View) -> str:
    """A weight from q and k, these from what the attention reads, and what the head adds to the stream."""
    loaded, t, code, t_key, stack, _ = start(models, view)
    config = loaded.bundle.config
    layer, head = read_index(view, "layer", config.depth), read_index(view, "head", config.heads)
    query, key = read_index(view, "query", t), read_index(view, "key", t_key)
    blocks = {"": "transformer", "cross.": "decoder"}.get(stack, stack[:-1])
    kind = "cross" if stack == "cross." else "attention"
    read = "inputs" if loaded.translates else "tokens"
    unify = "attention.unifyheads.weight" if config.unify else f"torch.eye({config.emb})"
    return (
        f"{code}"
        f'q, k = (capture.get(point, {layer})[0, {head}] for point in ("{stack}q", "{stack}k"))  # (t, s) each\n'
        f"scores = q[{query}] @ k.T / {'q.shape[-1] ** 0.5' if config.scaled else '1'}\n"
        f'weight = scores.masked_fill(~mask[{query}], float("-inf")).softmax(-1)[{key}]\n'
        f'_, output = former.run_with_capture(bundle.model, {read}, ["{stack}out"], edits=edits)\n'
        f'out = output.get("{stack}out", {layer})[0, {head}, {query}]  # (s,)\n'
        f"attention = bundle.model.{blocks}.blocks[{layer}].{kind}\n"
        f"columns = slice({head} * len(out), {head + 1} * len(out))  # of this head\n"
        f"adds = {unify}[:, columns] @ out  # (e,)\n"
        'figure = figures.bars(adds.detach(), range(len(adds)), axis="adds to the residual stream")\n'
    )


def surprise(models: Models, view: View) -> str:
    """How many bits each token was worth."""
    loaded, _, code, *_ = start(models, view)
    said = "target" if loaded.translates else "tokens"
    return (
        f"import math\n\n{code}"
        "log_probs = out[0, :-1].log_softmax(-1)\n"
        f"bits = -log_probs.gather(1, {said}[0, 1:, None])[:, 0] / math.log(2)  # of each token but the first\n"
        f'figure = figures.bars(bits, bundle.tokenizer.labels({said}[0, 1:].tolist()), axis="bits")\n'
    )


def interventions(models: Models, view: View) -> str:
    """What each head is worth, by switching it off; of a model of several stacks, what the edits do."""
    loaded, _, code, *_ = start(models, view)
    if loaded.translates:
        return prediction(models, view)
    if loaded.fills:
        reading, mask = blanks.read(loaded, view["text"]), blanks.tokenizer_of(loaded).mask_token
        truth = [reading.pieces[i].truth for i in reading.blanks(mask)]
        return f"{code}truth = {truth}  # the ids of the hidden pieces\n{BLANKS_WORTH}"
    if loaded.remembers:
        return f"{code}{SEGMENT_WORTH}"
    odds = ODDS if loaded.judges else ""
    measure = "lambda log_probs: -log_odds(log_probs)" if loaded.judges else "None"
    return (
        f"{code}{odds}"
        f"rows = former.analysis.ablation_by_layer(bundle.model, tokens, {measure}, edits=edits)\n"
        "effects = torch.stack(list(rows))  # (layers, h)\n"
        'names = [f"layer {layer}, head {head}" for layer, row in enumerate(effects) for head in range(len(row))]\n'
        "figure = figures.bars(effects.flatten(), names)\n"
    )


def words(models: Models, view: View) -> str:
    """What carried a verdict: by attention, and by leaving words out."""
    loaded, t, code, *_ = start(models, view)
    size = math.ceil(t / RUNS)
    return (
        f"{code}{ODDS}"
        "shares = former.analysis.rollout(weights).mean(0)  # (t,)\n"
        "changes = []\n"
        f"for i in range(0, len(ids), {size}):\n"
        "    without = tokens.clone()\n"
        f"    without[0, i : i + {size}] = {blank(loaded.bundle.tokenizer)}  # says nothing\n"
        "    left, _ = former.run_with_capture(bundle.model, without, (), edits=edits)\n"
        "    changes.append(float(log_odds(out) - log_odds(left)))\n"
        f'figure = figures.bars(changes, labels[::{size}], axis="log-odds")\n'
    )


PANELS: dict[str, Snippet] = {
    "overview": overview,
    "head-map": head_map,
    "lines": head_map,
    "statistics": statistics,
    "pair": pair,
    "token-strip": token_strip,
    "blanks": fill_in,
    "lens": lens,
    "writes": writes,
    "trace": trace,
    "scan": scans.python,
    "forming": forming.python,
    "prediction": prediction,
    "surprise": surprise,
    "interventions": interventions,
    "words": words,
    "export": export,
}
