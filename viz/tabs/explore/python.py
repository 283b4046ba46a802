"""Tab Explore, as Python: each panel's numbers and its picture for the same text, model and edits.

Here the panels that show maps and what stands in them; the others' lines are in the files that PANELS names.
"""

from __future__ import annotations

from viz.passes.loaded import Models
from viz.server.view import View, read_choice, read_index, read_model
from viz.tabs.explore import predictions
from viz.tabs.explore.starts import q_and_k, read_head, shown, start
from viz.tabs.python import root


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
        line = q_and_k(stack, layer, head) + f"shown = q @ k.T / {root(loaded, layer)}  # scores (t_query, t_key)\n"
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
    layer, head = read_head(loaded, view)
    query, key = read_index(view, "query", t), read_index(view, "key", t_key)
    score = f"float(products.sum()) / {root(loaded, layer)}"
    if loaded.remembers:  # distances have a part in it
        score = f'float(capture.get("scores", {layer})[0, {head}, {query}, {key}])'
    return (
        f"{code}{q_and_k(stack, layer, head)}"
        f"products = q[{query}] * k[{key}]  # (s,)\n"
        f"score = {score}\n"
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


def trace(models: Models, view: View) -> str:
    """A weight from q and k, these from what the attention reads, and what the head adds to the stream."""
    loaded, t, code, t_key, stack, _ = start(models, view)
    config, (layer, head) = loaded.bundle.config, read_head(loaded, view)
    query, key = read_index(view, "query", t), read_index(view, "key", t_key)
    blocks = {"": "transformer", "cross.": "decoder"}.get(stack, stack[:-1])
    kind = "cross" if stack == "cross." else "attention"
    read = "inputs" if loaded.translates or loaded.fills else "tokens"
    unify = "attention.unifyheads.weight" if config.unify else f"torch.eye({config.emb})"
    return (
        f"{code}{q_and_k(stack, layer, head)}"
        f"scores = q[{query}] @ k.T / {root(loaded, layer)}\n"
        f'weight = scores.masked_fill(~mask[{query}], float("-inf")).softmax(-1)[{key}]\n'
        f'_, output = former.run_with_capture(bundle.model, {read}, ["{stack}out"], edits=edits)\n'
        f'out = output.get("{stack}out", {layer})[0, {head}, {query}]  # (s,)\n'
        f"attention = bundle.model.{blocks}.blocks[{layer}].{kind}\n"
        f"columns = slice({head} * len(out), {head + 1} * len(out))  # of this head\n"
        f"adds = {unify}[:, columns] @ out  # (e,)\n"
        'figure = figures.bars(adds.detach(), range(len(adds)), axis="adds to the residual stream")\n'
    )


PANELS = {
    "overview": overview,
    "head-map": head_map,
    "lines": head_map,
    "statistics": statistics,
    "pair": pair,
    "token-strip": token_strip,
    "blanks": predictions.fill_in,
    "lens": predictions.lens,
    "writes": predictions.writes,
    "trace": trace,
    "prediction": predictions.prediction,
    "surprise": predictions.surprise,
    "interventions": predictions.interventions,
    "words": predictions.words,
    "export": export,
}
