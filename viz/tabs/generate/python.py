"""Tab Generate, as Python: each panel's numbers and its picture for the same text, rules and seed."""

from __future__ import annotations

from viz.passes.loaded import Loaded, Models, writers
from viz.tabs.generate import writing
from viz.tabs.python import IMPORTS, Snippet, View, read_choice, read_index, read_model
from viz.text import Refusal


def start(models: Models, view: View, more: str = "") -> tuple[Loaded, writing.Order, str]:
    """The model, what is asked of it, and the lines that have it read the text up to the outlined token.

    Raises:
        Refusal: a view that is none.
    """
    loaded = read_model(writers(models), view)
    order = writing.read_order(loaded, view)
    begin = f"{more}{IMPORTS}from former.generate import next_token_probs, reader\n\n"
    return loaded, order, f"{begin}{read(loaded, order, view)}"


def read(loaded: Loaded, order: writing.Order, view: View) -> str:
    """The lines in which a model reads the prompt and what it has written."""
    return (
        f"bundle = {loaded.code}\n"
        f"prompt = bundle.tokenizer.encode({view['text']!r})\n"
        f"ids = prompt + {order.ids[order.prompt :]!r}  # and what was written\n"
        "window, capture = reader(bundle.model, len(prompt)), former.Capture()\n"
        "with torch.inference_mode():\n"
        "    logits = window.read(ids, capture)  # of the next token\n"
    )


def written_text(models: Models, view: View) -> str:
    """Where the outlined token looks; and the newest of the second model, where one writes beside the first."""
    loaded, _, code = start(models, view)
    config = loaded.bundle.config
    layer, head = read_index(view, "layer", config.depth), read_index(view, "head", config.heads)
    of = read_choice(view, "of", ("head", "mean"))
    code += looks(layer, head, of)
    if not view.get("second"):
        return code
    other = read_model(writers(models), {"model": view["second"]})
    order = writing.read_order(other, {**view, "written": view.get("second_written", [])})
    config = other.bundle.config  # what it lacks gives way to its last, as on the page
    return (
        f"{code}"
        "first = looks, labels, figure\n\n"
        f"{read(other, order, view)}"
        f"{looks(min(layer, config.depth - 1), min(head, config.heads - 1), of)}"
        "second = looks, labels, figure\n"
    )


def looks(layer: int, head: int, of: str) -> str:
    """The lines that say where the newest token looks: by one head, or by the mean of its layer's."""
    return (
        f'weights = capture.get("weights", {layer})[0, :, -1]  # (h, t): of the newest token\n'
        f"looks = {f'weights[{head}]' if of == 'head' else 'weights.mean(0)'}\n"
        "labels = bundle.tokenizer.labels(ids[window.start :])\n"
        'figure = figures.bars(looks, labels, axis="weight")\n'
    )


def next_token(models: Models, view: View) -> str:
    """What comes next: the model's distribution, what the rules leave of it, and the token that the seed draws."""
    _, order, code = start(models, view, "import hashlib\n\n")
    temperature, top_k, top_p = order.rules
    return (
        f"{code}"
        "probs = logits.softmax(-1)\n"
        f"kept = next_token_probs(logits, {temperature!r}, top_k={top_k!r}, top_p={top_p!r})\n"
        f'dice = hashlib.blake2b(f"{order.seed}:{{len(ids)}}".encode(), digest_size=8).digest()\n'
        'generator = torch.Generator().manual_seed(int.from_bytes(dice, "little"))\n'
        "drawn = int(torch.multinomial(kept, 1, generator=generator))\n"
        "vocabulary = [bundle.tokenizer.labels([i])[0] for i in range(len(probs))]\n"
        f"figure = figures.next_tokens(kept, vocabulary, before=probs, top={writing.CANDIDATES})\n"
    )


def trail(models: Models, view: View) -> str:
    """The branches: what each of them holds."""
    loaded = read_model(writers(models), view)
    writing.read_order(loaded, view)
    ways = read_branches(view.get("branches"), loaded.bundle.config.num_tokens)
    return (
        "import former\n"
        "from viz import figures\n\n"
        f"tokenizer = {loaded.code}.tokenizer\n"
        f"prompt = tokenizer.encode({view['text']!r})\n"
        "branches = []  # the tokens that each has after the prompt\n"
        "for parent, at, own in [  # the branch that it leaves, after how many tokens, and its own\n"
        + "".join(f"    {way!r},\n" for way in ways)
        + "]:\n"
        "    branches.append(branches[parent][:at] + own if branches else own)\n"
        "texts = [tokenizer.decode(prompt + tokens) for tokens in branches]\n"
        'names = [f"branch {i + 1}" for i in range(len(branches))]\n'
        'figure = figures.bars([len(tokens) for tokens in branches], names, axis="tokens")\n'
    )


def read_branches(given: object, num_tokens: int) -> list[tuple[int, int, list[int]]]:
    """Branches: (the one that each leaves, after how many of its tokens, its own tokens).

    Raises:
        Refusal: they are none.
    """
    if not isinstance(given, list) or not given:
        raise Refusal("bad_request")
    ways = []
    for number, way in enumerate(given):
        if not isinstance(way, list) or len(way) != 3:
            raise Refusal("bad_request")
        named = {"parent": way[0], "at": way[1]}
        parent = read_index(named, "parent", max(1, number))
        at = read_index(named, "at", writing.WRITTEN_LIMIT + 1)
        ways.append((parent, at, writing.read_ids(way[2], num_tokens)))
    return ways


PANELS: dict[str, Snippet] = {"written-text": written_text, "next-token": next_token, "trail": trail}
