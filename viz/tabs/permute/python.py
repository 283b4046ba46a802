"""Tab Permute, as Python: each panel's numbers and its picture for the same text and order."""

from __future__ import annotations

from viz.passes.loaded import Models
from viz.tabs.permute import permuting, positions
from viz.tabs.python import IMPORTS, Snippet, View, read_choice, read_index
from viz.text import Refusal

OTHER_POSITIONS = """\
config = dataclasses.replace(bundle.config, positions={kind!r})  # the same weights without the trained positions
model = former.Classifier(config).eval()
model.load_state_dict(bundle.model.state_dict(), strict=False)
"""
OUTPUTS = """\
transformer, block = model.transformer, model.transformer.blocks[0]
vectors = lambda ids: transformer.token_embedding(ids) + transformer.positions(torch.arange(ids.shape[1]))
outputs = {
    "basic": lambda ids: former.basic_self_attention(vectors(ids), mask)[0],
    "layer": lambda ids: block.attention(block.norm1(vectors(ids)) if block.pre_norm else vectors(ids), mask),
    "block": lambda ids: block(vectors(ids), mask),
    "classifier": lambda ids: model(ids, mask=mask),
}
"""


def start(models: Models, view: View) -> tuple[permuting.Subject, str]:
    """What is run, and the lines that read the text and its order.

    Raises:
        Refusal: a view that is none, or no classifier to run it.
    """
    subject = permuting.find(models)
    if subject is None:
        raise Refusal("no_classifier")
    ids, _, _ = permuting.read_text(subject, view.get("text"))
    order, _ = permuting.read_order(view.get("order"), len(ids))
    return subject, (
        f"{IMPORTS}\n"
        f"bundle = {subject.loaded.code}\n"
        f"ids = torch.tensor([bundle.tokenizer.encode({view['text']!r})[:{subject.most}]])\n"
        "labels = bundle.tokenizer.labels(ids[0].tolist())\n"
        f"order = {order!r}  # place i gets word order[i]\n"
    )


def model_lines(subject: permuting.Subject, view: View) -> str:
    """The lines that make the model with the positions and the mask of a view."""
    kind = read_choice(view, "positions", subject.kinds)
    masked = read_choice(view, "mask", permuting.MASKS)
    own = kind == subject.loaded.bundle.model.config.positions
    model = "model = bundle.model\n" if own else OTHER_POSITIONS.format(kind=kind)
    mask = "former.masks.causal(ids.shape[1])" if masked == "causal" else "None"
    return f"{model}mask = {mask}\n"


def word_order(models: Models, view: View) -> str:
    """The words in their order, each with the place where it was typed."""
    _, code = start(models, view)
    return (
        f"{code}"
        "words = [labels[i] for i in order]\n"
        "moved = sum(i != place for place, i in enumerate(order))\n"
        'figure = figures.bars([i + 1 for i in order], words, axis="place as typed")\n'
    )


def permutation(models: Models, view: View) -> str:
    """The matrix P."""
    _, code = start(models, view)
    return (
        f"{code}"
        "matrix = torch.eye(len(order))[order]  # P: a row for each place\n"
        "figure = figures.attention(matrix, [labels[i] for i in order], labels, mask=matrix >= 0)\n"
    )


def equivariance(models: Models, view: View) -> str:
    """How far each output is from moving with its words."""
    subject, code = start(models, view)
    return (
        f"import dataclasses\n\n{code}{model_lines(subject, view)}{OUTPUTS}"
        "errors = {}\n"
        "with torch.inference_mode():\n"
        "    for name, f in outputs.items():\n"
        "        before, after = f(ids), f(ids[:, order])\n"
        "        errors[name] = float((after - (before[:, order] if before.dim() == 3 else before)).abs().max())\n"
        'figure = figures.bars(list(errors.values()), list(errors), axis="max |f(Px) - P f(x)|")\n'
    )


def moved_rows(models: Models, view: View) -> str:
    """The output of every word, before and after."""
    subject, code = start(models, view)
    output = read_choice(view, "output", permuting.OUTPUTS)
    f = (
        "f = lambda ids: model.norm(model.transformer(model.transformer.embed(ids), mask))\n"
        if output == "classifier"
        else f"f = outputs[{output!r}]\n"
    )
    return (
        f"import dataclasses\n\n{code}{model_lines(subject, view)}{OUTPUTS}{f}"
        "with torch.inference_mode():\n"
        "    before, after = f(ids)[0], f(ids[:, order])[0]  # (words, e)\n"
        "difference = (after - before[order]).abs().amax(1)  # of each place\n"
        'figure = figures.bars(difference, [labels[i] for i in order], axis="largest difference")\n'
    )


def verdicts(models: Models, view: View) -> str:
    """What the trained classifiers make of both orders."""
    subject, code = start(models, view)
    bundles = ", ".join(f"{loaded.name!r}: {loaded.code}" for loaded in (subject.loaded, subject.bag) if loaded)
    return (
        f"{code}"
        f"bundles = {{{bundles}}}\n"
        "before, after = {}, {}  # of each classifier, (num_classes,)\n"
        "for name, bundle in bundles.items():\n"
        "    with torch.inference_mode():\n"
        "        before[name], after[name] = bundle.model(ids)[0].exp(), bundle.model(ids[:, order])[0].exp()\n"
        "figure = figures.bars([p[-1] for p in after.values()], list(after), before=[p[-1] for p in before.values()])\n"
    )


def position_maps(models: Models, view: View) -> str:
    """How alike a position is to every other."""
    tables = {table.name: table for table in positions.tables(models, permuting.find(models))}
    table = tables[read_choice(view, "table", tables)]
    at = min(read_index(view, "at", 10_000), table.rows - 1)
    dot = read_choice(view, "product", ("cosine", "dot")) == "dot"
    vectors = (
        f"former.positions.sinusoidal(torch.arange({table.rows}), {table.emb}, torch.float64)"
        if table.kind == "sinusoidal"
        else f"{models[table.name].code}.model.transformer.positions.embedding.weight.detach()"
    )
    return (
        f"{IMPORTS}\n"
        f"vectors = {vectors}  # (positions, e)\n"
        + ("" if dot else "vectors = torch.nn.functional.normalize(vectors)  # for the cosine\n")
        + f"values = vectors @ vectors[{at}]\n"
        + f"figure = figures.similarity(values, {at}, trained={table.trained}, length={2 * table.trained})\n"
    )


PANELS: dict[str, Snippet] = {
    "word-order": word_order,
    "permutation": permutation,
    "equivariance": equivariance,
    "moved-rows": moved_rows,
    "verdicts": verdicts,
    "position-maps": position_maps,
}
