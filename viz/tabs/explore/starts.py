"""Explore's panels, as Python: the lines with which each begins, which run the text under the visitor's edits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import former
from former.hooks import STACKS
from former.runs.masked import HIDDEN, SEPARATOR
from former.tokens.labels import SPECIAL
from viz.passes import edits
from viz.passes.loaded import Loaded, Models
from viz.passes.run import TEXT_LIMIT, read_text, tokenize
from viz.passes.run import read as read_of
from viz.server.view import View, read_choice, read_index, read_model
from viz.tabs.python import IMPORTS

SHOWN = {
    "head": "shown = weights[{layer}, {head}]  # (t_query, t_key)",
    "mean": "shown = weights[{layer}].mean(0)  # (t_query, t_key)",
    "rollout": "shown = former.analysis.rollout(weights[: {layer} + 1])  # (t_query, t_key)",
}

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
        f"ids = {ids if total > len(ids) and getattr(loaded.bundle.tokenizer, 'closed', False) else read}",
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
    return [
        "mask = bundle.model.mask(len(ids))" if made else "mask = torch.ones(len(ids), len(ids), dtype=torch.bool)",
        *(["uniform = mask / mask.sum(-1, keepdim=True)"] if any(edit["do"] == "uniform" for edit in changes) else []),
        *edit_list(done, config.heads),
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
        *edit_list(everywhere, config.heads, indent="    "),
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
    reading: Any = read_of(loaded, view.get("text", ""))
    tokenizer: Any = loaded.bundle.tokenizer
    ids, (first, second) = reading.ids, masked(tokenizer, view["text"])
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


def masked(tokenizer: Any, text: str) -> tuple[str, str | None]:
    """The text with [MASK] for each hidden piece, and the second text, where there are two."""

    def hide(match: re.Match[str]) -> str:
        return match[0] if match[0] in SPECIAL else " ".join(["[MASK]"] * len(tokenizer.pieces(match[1])))

    first, _, second = HIDDEN.sub(hide, text).partition(SEPARATOR)
    return first, second if second.strip() else None


def start_of_two(loaded: Loaded, view: View) -> Start:
    """The same of a text and its answer, for one of their three maps.

    Raises:
        Refusal: a view that is none.
    """
    stack = read_choice(view, "map", STACKS)
    reading: Any = read_of(loaded, view.get("text", ""))
    source, target, typed, answer = reading.ids, reading.answer_ids, reading.source, reading.given
    changes = edits.read(view.get("edits"), loaded.name, loaded.bundle.config)
    done = [edit for edit in changes if edits.applies(edit, reading.sides[edit["map"]].allowed)]
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
        *edit_list(done, loaded.bundle.config.heads),
        "out, capture = former.run_with_capture(bundle.model, inputs, points, edits=edits)",
        f'weights = capture.stack("{stack}.weights")[:, 0]  # (layers, h, t_query, t_key)',
        f"tokens, labels = {rows}, tokenizer.labels({rows}[0].tolist())",
        f"keys = tokenizer.labels({columns}[0].tolist())",
        "mask = torch.ones(weights.shape[-2:], dtype=torch.bool)" + (".tril()" if stack == "decoder" else ""),
    ]
    code = "\n".join([IMPORTS.rstrip(), *lines]) + "\n"
    return Start(loaded, sizes[rows], code, sizes[columns], f"{stack}.", "labels, keys")


def edit_list(changes: Sequence[edits.Edit], heads: int, indent: str = "") -> list[str]:
    """The lines that make the list of edits, in a model with this many heads a layer."""
    calls = [f"{indent}    {call}," for edit in changes for call in change(edit, heads)]
    return [f"{indent}edits = [", *calls, f"{indent}]"] if calls else [f"{indent}edits = []"]


def change(edit: edits.Edit, heads: int) -> list[str]:
    """An edit as calls, one for each head it is about; each at its own stack, where the model has several."""
    each = range(heads) if edit["head"] is None else [edit["head"]]
    stack = edit.get("map")
    whose = f", stack={stack!r}" if stack else ""
    if edit["do"] == "uniform":
        uniform = f"uniform[{stack!r}]" if stack else "uniform"
        return [f"former.edits.set_weights({edit['layer']}, {head}, {uniform}{whose})" for head in each]
    if edit["do"] == "weight":
        rest = "" if edit["renormalise"] else ", renormalise=False"
        place = f"{edit['layer']}, {edit['head']}, {edit['query']}, {edit['key']}"
        return [f"former.edits.set_weight({place}, {edit['weight']!r}{rest}{whose})"]
    return [f"former.edits.scale_head({edit['layer']}, {head}, {edit['factor']!r}{whose})" for head in each]


def shown(loaded: Loaded, view: View) -> str:
    """The line that gives what the map shows: one head, a mean, or a rollout."""
    layer, head = read_head(loaded, view)
    return SHOWN[read_choice(view, "of", SHOWN)].format(layer=layer, head=head) + "\n"


def read_head(loaded: Loaded, view: View) -> tuple[int, int]:
    """The "layer" and "head" of a view.

    Raises:
        Refusal: they are none of the model's.
    """
    config = loaded.bundle.config
    return read_index(view, "layer", config.depth), read_index(view, "head", config.heads)


def q_and_k(stack: str, layer: int, head: int) -> str:
    """The line that gives a head's q and k, of a stack as `Start` names it."""
    return f'q, k = (capture.get(point, {layer})[0, {head}] for point in ("{stack}q", "{stack}k"))  # (t, s) each\n'
