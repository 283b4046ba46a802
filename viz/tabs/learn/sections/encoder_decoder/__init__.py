"""Section "Encoder-decoder": writes a date character by character, after the correct prefix or the model's own.

Sizes: t_source tokens of the text, with its task's token; t tokens of the answer, with <begin>; e embedding.
"""

from __future__ import annotations

import datetime
import re
from functools import cache
from typing import Any

import torch

import former
from former.blocks import DecoderBlock
from former.encoder_decoder import EncoderDecoder, write
from former.training.measure.heads import year_scores
from former.training.tasks import dates, dates_reader
from former.training.tasks.dates_task import DatesTask
from viz import figures
from viz.panels import Draw, Field, Numbers, Question
from viz.passes.loaded import Models
from viz.passes.run import read_text
from viz.server.view import View, read_choice, read_index, read_string
from viz.tabs.learn import shipped
from viz.tabs.learn.section import Section
from viz.text import Refusal

MODEL = "dates"
TEXT = "Thu, seventh of Setember, 1972"  # the model takes the month for another
READ = "Saturday, the 21st of November, 2026"  # one that it writes right
PLAIN = re.compile(r"\d{4}-\d\d-\d\d")
WRITTEN = "2026-11-21"  # to be written in another form
FORM = dates.Form("{d} {m} {y}", "", "5", "September", "2026")  # for a target that was not typed
PREFIXES = ("true", "own")
FORMS = 6  # that are written of one date
SEEDS = 100


def model() -> EncoderDecoder:
    """Loads the shipped encoder-decoder."""
    result = shipped.load(MODEL).bundle.model
    assert isinstance(result, EncoderDecoder)
    return result


@cache
def head_to_open() -> tuple[int, int]:
    """Returns the layer and head to show first: when the year is written, it puts the most weight on the source's digit
    to be written next."""
    scores = year_scores(model(), 50)["year"]  # (layers, h)
    layer, head = divmod(int(scores.argmax()), scores.shape[1])
    return layer, head


def props(models: Models) -> dict[str, Any]:
    """Returns the data for the section's script: its initial view and the limits of its inputs."""
    del models
    config = model().config
    layer, head = head_to_open()
    shape = {"layer": layer, "head": head, "layers": config.depth, "heads": config.heads, "most": config.seq_length}
    return {"model": MODEL, "text": TEXT, "read": READ, "plain": WRITTEN, "seeds": SEEDS, **shape}


def date_of(text: str) -> datetime.date | None:
    """Parses a date in the plain form, or by `dates_reader` after correcting typos; None if it is not a date."""
    if not PLAIN.fullmatch(text):
        names = {typo.lower(): name for name, typos in dates.typos().items() for typo in typos}
        return dates_reader.read(re.sub("[A-Za-z]+", lambda word: names.get(word[0].lower(), word[0]), text))
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        return None


def usual_target(text: str) -> str:
    """Returns the correct answer to a text: the plain form, or, for a plain one, the form "21 November 2026".

    Raises:
        Refusal: it is not a date in the years that the model knows.
    """
    date = date_of(text)
    if date is None or not dates.FIRST <= date <= dates.LAST:
        raise Refusal("learn_encoder_decoder_unread", first=dates.FIRST.year, last=dates.LAST.year)
    return dates.write(date, FORM) if PLAIN.fullmatch(text) else date.isoformat()


def read_texts(view: View) -> dict[str, str]:
    """Reads "text", and "target", which if empty is the correct answer.

    Raises:
        Refusal: an invalid text or target.
    """
    read_text(shipped.load(MODEL).bundle, view.get("text", ""))
    target = read_string(view, "target").strip() or usual_target(view["text"].strip())
    if len(target) > (limit := model().config.seq_length - 1):
        raise Refusal("long_answer", given=len(target), limit=limit)
    return {"text": view["text"], "target": target}


def read_steps(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as every reader is called
    """Reads from a view the arguments of `decode_steps`; only a request for the tensors has a "prefix"."""
    config = model().config
    indices = {"layer": read_index(view, "layer", config.depth), "head": read_index(view, "head", config.heads)}
    return {**read_texts(view), "prefix": read_choice({"prefix": "true", **view}, "prefix", PREFIXES), **indices}


def read_date(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as every reader is called
    """Reads from a view the arguments of `write_forms`: whichever of the two texts is a date in the plain form."""
    texts = [text.strip() for text in read_texts(view).values()]
    date = next((text for text in texts if PLAIN.fullmatch(text) and date_of(text)), "")
    return {"date": date, "seed": read_index(view, "seed", SEEDS)}


@torch.inference_mode()
def decode_steps(text: str, target: str, prefix: str = "true", layer: int = 0, head: int = 0) -> Numbers:
    """Writes an answer step by step, after the correct prefix (teacher forcing) and after the model's own.

    Args:
        text: the source.
        target: the correct answer.
        prefix: "true" or "own", to select the tensors.
        layer, head: of the cross-attention.
    Returns:
        "source", labels; "targets" and "writes": labels of what should be written and of what the model writes, each
        with its end; "memory", its shape; "true" and "own", for each prefix {"says": the likeliest character of each
        step, "probs" of the target's character at the steps that both have, "bits", the target's cost in these steps,
        "weights" (t, t_source)}; for the chosen prefix, "vectors" of the memory (t_source, e), "weights" (t, t_source),
        "probs" (t, num_tokens) and "given", the labels of the rows.
    """
    tokenizer: Any = shipped.load(MODEL).bundle.tokenizer
    labels, longest = tokenizer.labels, model().config.seq_length
    source = torch.tensor([tokenizer.encode(text)[:longest]])
    true = tokenizer.encode_target(target)
    own = [tokenizer.begin, *write(model(), source, tokenizer.begin, tokenizer.end)[0], tokenizer.end]
    steps, chosen = {}, {}
    for name, tokens in (("true", true), ("own", own)):
        inputs = tokens[:-1][:longest]
        tensors = (source, torch.tensor([inputs]))
        logits, capture = former.run_with_capture(model(), tensors, "cross.weights", [layer])
        probs, weights = logits[0].softmax(-1), capture["cross.weights", layer][0, head]
        both = min(len(probs), len(true) - 1)
        of_target = probs[range(both), true[1 : both + 1]]
        bits = -of_target.log2().cumsum(0)
        says = labels(probs.argmax(-1).tolist())
        steps[name] = {"says": says, "probs": of_target, "bits": bits, "weights": weights}
        if name == prefix:
            chosen = {"weights": weights, "probs": probs, "given": labels(inputs)}
    memory = model().encode(source)[0]
    sides = {"source": labels(source[0].tolist()), "targets": labels(true[1:]), "writes": labels(own[1:])}
    return {**sides, "memory": list(memory.shape), **steps, "vectors": memory, **chosen}


def write_forms(date: str, seed: int = 0) -> Numbers:
    """Writes a date in several forms, each sampled at temperature 1.

    Args:
        date: in the plain form, such as 2026-11-21; empty for no forms.
        seed: of the draws.
    Returns:
        "date"; "forms": [{"text", "right": whether `dates_reader` parses it as the date}].
    """
    tokenizer: Any = shipped.load(MODEL).bundle.tokenizer
    sources = torch.tensor([tokenizer.encode(date)] * FORMS)
    answers = write(model(), sources, tokenizer.begin, tokenizer.end, temperature=1.0, seed=seed) if date else []
    texts = [tokenizer.decode(answer) for answer in answers]
    return {"date": date, "forms": [{"text": text, "right": str(dates_reader.read(text)) == date} for text in texts]}


SECTION = Section(
    name="encoder-decoder",
    article="Historical baggage",
    equation=(
        r"m = \mathrm{encoder}(x) \qquad q = W_q\, y, \quad k = W_k\, m, \quad v = W_v\, m"
        r" \qquad p(y_i \mid y_1, \ldots, y_{i-1}, m)"
    ),
    code=(DecoderBlock.forward, DatesTask.loss, write),
    questions={
        "decoded": Question(
            decode_steps,
            read_steps,
            Draw(figures.cross_attention, Field("weights"), Field("given"), Field("source")),
            unsent=("vectors", "weights", "probs", "given"),
        ),
        "written": Question(write_forms, read_date, prints=("forms",)),
    },
    props=props,
)
