"""Section "Encoder-decoder": a date is written character by character, after the true beginning or the model's own.

Sizes: t_source characters of the text, with the token of its task before them; t of the answer, with its beginning; e
embedding.
"""

from __future__ import annotations

import datetime
import re
from functools import cache
from typing import Any, NamedTuple

import torch
from torch import Tensor

import former
from former.blocks import DecoderBlock
from former.encoder_decoder import EncoderDecoder, write
from former.training.measure.heads import year_scores
from former.training.tasks import dates, dates_reader
from former.training.tasks.dates_task import DatesTask
from viz.passes.loaded import Models
from viz.passes.run import read_text, rounded
from viz.server.view import View, read_choice, read_index, read_string
from viz.tabs.learn.section import Section
from viz.tabs.learn.shipped import shipped
from viz.tabs.python import IMPORTS
from viz.text import Refusal

MODEL = "dates"
TEXT = "Saturday, the 21st of November, 2026"
MISREAD = "Thu, seventh of Setember, 1972"  # the model takes the month for another
PLAIN = re.compile(r"\d{4}-\d\d-\d\d")
WRITTEN = "2026-11-21"  # to be written in another form
FORM = dates.Form("{d} {m} {y}", "", "5", "September", "2026")  # of a target that nobody typed
PREFIXES = ("true", "own")
FORMS = 6  # that are written of one date
SEEDS = 100


class Question(NamedTuple):
    """A view, read."""

    source: list[int]
    target: list[int]  # with the tokens of its beginning and its end
    own: list[int]  # what the model writes, likewise
    plain: str  # the date, as 2026-11-21; "" where neither side is one


def model() -> EncoderDecoder:
    """The encoder-decoder."""
    found = shipped(MODEL).model
    assert isinstance(found, EncoderDecoder)
    return found


@cache
def head_to_open() -> tuple[int, int]:
    """Layer and head that look most at the digit of the source that is written next."""
    scores = year_scores(model(), 50)["year"]  # (layers, h)
    layer, head = divmod(int(scores.argmax()), scores.shape[1])
    return layer, head


def opening(models: Models) -> dict[str, Any]:
    """What the section opens with, and its limits."""
    del models
    config = model().config
    layer, head = head_to_open()
    shape = {"layer": layer, "head": head, "layers": config.depth, "heads": config.heads, "most": config.seq_length}
    return {"model": MODEL, "text": TEXT, "misread": MISREAD, "plain": WRITTEN, "seeds": SEEDS, **shape}


def date_of(text: str) -> datetime.date | None:
    """The date that a text names, in the plain form or by `dates_reader`, which slips of typing are put right for;
    None where it names none."""
    if not PLAIN.fullmatch(text):
        names = {slip.lower(): name for name, slips in dates.slips().items() for slip in slips}
        return dates_reader.read(re.sub("[A-Za-z]+", lambda word: names.get(word[0].lower(), word[0]), text))
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        return None


def usual_target(text: str) -> str:
    """What a text should come to: the plain form, or of a plain one "21 November 2026".

    Raises:
        Refusal: it names no date of the years that the model knows.
    """
    date = date_of(text)
    if date is None or not dates.FIRST <= date <= dates.LAST:
        raise Refusal("learn_encoder_decoder_unread", first=dates.FIRST.year, last=dates.LAST.year)
    return dates.write(date, FORM) if PLAIN.fullmatch(text) else date.isoformat()


def read(view: View) -> Question:
    """The tokens of a view: "text", and "target", empty for what the text should come to.

    Raises:
        Refusal: a text or a target that cannot be read.
    """
    tokenizer: Any = shipped(MODEL).tokenizer
    source = read_text(shipped(MODEL), view.get("text", ""))[0]
    text, typed = view["text"].strip(), read_string(view, "target")
    target = typed.strip() or usual_target(text)
    limit = model().config.seq_length - 1
    if len(target) > limit:
        raise Refusal("long_answer", given=len(target), limit=limit)
    own = write(model(), torch.tensor([source]), tokenizer.begin, tokenizer.end)[0]
    plain = next((each for each in (text, target) if PLAIN.fullmatch(each) and date_of(each)), "")
    return Question(source, tokenizer.encode_target(target), [tokenizer.begin, *own, tokenizer.end], plain)


@torch.inference_mode()
def tensors(question: Question, prefix: str, layer: int, head: int) -> dict[str, Tensor]:
    """What the decoder does after a prefix: "memory" (t_source, e); "weights" (t, t_source) of a head of its
    cross-attention; "probs" (t, num_tokens) of the next character."""
    tokens = (question.target if prefix == "true" else question.own)[:-1]
    source, given = torch.tensor([question.source]), torch.tensor([tokens[: model().config.seq_length]])
    logits, capture = former.run_with_capture(model(), (source, given), "cross.weights", [layer])
    weights = capture.get("cross.weights", layer)[0, head]
    return {"memory": model().encode(source)[0], "weights": weights, "probs": logits[0].softmax(-1)}


def read_head(view: View) -> tuple[int, int]:
    """The layer and the head of a view.

    Raises:
        Refusal: there is none such.
    """
    config = model().config
    return read_index(view, "layer", config.depth), read_index(view, "head", config.heads)


def decoded(models: Models, view: View) -> dict[str, Any]:
    """The text written, step by step, after the true beginning of the target and after the model's own.

    Args:
        models: none is used.
        view: "text", "target", "layer" and "head".
    Returns:
        "source": labels; "targets" and "writes": labels of what is to be written and of what the model writes, each
        with its end; "memory": its shape; and for each of `PREFIXES`: "says", the likeliest character of each step;
        "probs" of the target's character at each step that both have; "weights", (t, t_source).
    Raises:
        Refusal: a view that is none.
    """
    del models
    question, (layer, head) = read(view), read_head(view)
    tokenizer = shipped(MODEL).tokenizer
    answer: dict[str, Any] = {
        "source": tokenizer.labels(question.source),
        "targets": tokenizer.labels(question.target[1:]),
        "writes": tokenizer.labels(question.own[1:]),
    }
    for prefix in PREFIXES:
        found = tensors(question, prefix, layer, head)
        targets = torch.tensor(question.target[1:])[: len(found["probs"])]
        probs = found["probs"][: len(targets)].gather(-1, targets[:, None])[:, 0]
        answer["memory"] = list(found["memory"].shape)
        answer[prefix] = {
            "says": tokenizer.labels(found["probs"].argmax(-1).tolist()),
            "probs": probs.tolist(),
            "weights": rounded(found["weights"]),
        }
    return answer


def written(models: Models, view: View) -> dict[str, Any]:
    """A date written in several forms, each drawn at temperature 1.

    Args:
        models: none is used.
        view: "text" and "target", one of which is the date in its plain form, and "seed".
    Returns:
        "date", "" where there is none; "forms": [{"text", "right": whether it is read back to the date}].
    Raises:
        Refusal: a view that is none.
    """
    del models
    plain, seed = read(view).plain, read_index(view, "seed", SEEDS)
    texts = sampled(plain, seed) if plain else []
    return {"date": plain, "forms": [{"text": text, "right": is_right(text, plain)} for text in texts]}


def sampled(plain: str, seed: int) -> list[str]:
    """What the model makes of a plain date, `FORMS` times."""
    tokenizer: Any = shipped(MODEL).tokenizer
    sources = torch.tensor([tokenizer.encode(plain)] * FORMS)
    answers = write(model(), sources, tokenizer.begin, tokenizer.end, temperature=1.0, seed=seed)
    return [tokenizer.decode(answer) for answer in answers]


def is_right(text: str, plain: str) -> bool:
    """Whether a text is the date, by rules that share no code with what the model learned from."""
    date = dates_reader.read(text)
    return date is not None and date.isoformat() == plain


def values(models: Models, view: View) -> dict[str, Tensor]:
    """The tensors of what is shown."""
    del models
    return tensors(read(view), read_choice(view, "prefix", PREFIXES), *read_head(view))


def python(models: Models, view: View) -> str:
    """The lines that give the panel's numbers again."""
    del models
    question, prefix, (layer, head) = read(view), read_choice(view, "prefix", PREFIXES), read_head(view)
    seed = read_index(view, "seed", SEEDS)
    target = shipped(MODEL).tokenizer.decode(question.target)
    plain = f"former.translate(bundle, {question.plain!r}, temperature=1.0, seed={seed})"
    return (
        f"{IMPORTS}from former.encoder_decoder import write\n\n"
        f"bundle = former.load({MODEL!r})\n"
        "model, tokenizer = bundle.model, bundle.tokenizer\n"
        f"source = torch.tensor([tokenizer.encode({view['text']!r})])\n"
        f"true = torch.tensor([tokenizer.encode_target({target!r})])\n"
        "own = torch.tensor([[tokenizer.begin, *write(model, source, tokenizer.begin, tokenizer.end)[0]]])\n"
        f"given = {'true[:, :-1]' if prefix == 'true' else 'own'}  # what the decoder reads\n"
        "with torch.inference_mode():\n"
        "    memory = model.encode(source)[0]  # a sequence: a vector for each token\n"
        f'    logits, capture = former.run_with_capture(model, (source, given), "cross.weights", [{layer}])\n'
        "probs = logits[0].softmax(-1)\n"
        f'weights = capture.get("cross.weights", {layer})[0, {head}]\n'
        f"{f'print({plain})' if question.plain else ''}\n"
        "sides = [tokenizer.labels(ids[0].tolist()) for ids in (given, source)]\n"
        "figure = figures.cross_attention(weights, *sides)\n"
    )


SECTION = Section(
    name="encoder-decoder",
    article="Historical baggage",
    equation=(
        r"m = \mathrm{encoder}(x) \qquad q = W_q\, y, \quad k = W_k\, m, \quad v = W_v\, m"
        r" \qquad p(y_i \mid y_1, \ldots, y_{i-1}, m)"
    ),
    code=(DecoderBlock.forward, DatesTask.loss, write),
    values=values,
    python=python,
    opening=opening,
    answers={"decoded": decoded, "written": written},
)
