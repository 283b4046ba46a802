"""Section "Why it works": films and people as vectors, set by hand, then learned from likes; then words as vectors.

Sizes: n people, m films, 2 features.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

import former
from viz import figures
from viz.figures.sizes import together
from viz.panels import Draw, Field, Numbers, Question
from viz.panels.panel import shown
from viz.passes.loaded import Models, word_model
from viz.server.view import View, read_index, read_string
from viz.tabs.learn.section import Section
from viz.text import Refusal

PEOPLE = ("Ada", "Ben", "Chen", "Dana", "Eli", "Fay")
FILMS = ("Notting Hill", "Love Actually", "Amélie", "Die Hard", "Mad Max", "Alien", "Speed")
LIKES = "1110000,1110000,1110000,0001111,0001111,0001111"  # of each person, a digit for each film: 1 likes it
HELD = (0, 2)  # the person and the film whose like is not used in training
FEATURES = "0.9,-0.4;0.2,0.9;-0.7,0.3;1,-0.5;-0.2,1;-0.6,0.9;-0.5,0.6"  # romance, action of 3 people, then 4 films
STEPS, FRAMES = 150, 30  # of the training, and of it that are kept
SEEDS = 100
MOST_LETTERS = 40
NEAR = 8  # words
GUESSES = (("far", "the", "cat"), ("near", "cat", "walks"))  # the article's


def likes(view: View) -> Tensor:
    """Reads the likes of a view: 0 or 1, (n, m).

    Raises:
        Refusal: an invalid list.
    """
    text = read_string(view, "likes")
    rows = text.split(",") if len(text) <= len(LIKES) else []
    if [len(row) for row in rows] != [len(FILMS)] * len(PEOPLE) or set("".join(rows)) - {"0", "1"}:
        raise Refusal("bad_request")
    return torch.tensor([[float(digit) for digit in row] for row in rows])


def train(liked: Tensor, seed: int) -> tuple[list[float], Tensor, Tensor]:
    """Learns, by matrix factorisation, vectors of people and films such that sigmoid(dot product) predicts each like.

    Args:
        liked: 0 or 1, (n, m); the like at `HELD`, (person, film), is left out of the loss.
        seed: of the initial vectors.
    Returns:
        The loss of each step; people (FRAMES + 1, n, 2) and films (FRAMES + 1, m, 2), from the start to the end.
    """
    generator = torch.Generator().manual_seed(seed)
    people, films = (torch.randn(count, 2, generator=generator) * 0.3 for count in liked.shape)
    trained = torch.ones_like(liked)
    trained[HELD] = 0
    optimiser = torch.optim.Adam([people.requires_grad_(), films.requires_grad_()], lr=0.05)
    losses, frames = [], [(people.detach().clone(), films.detach().clone())]
    for step in range(1, STEPS + 1):
        scores = people @ films.T
        loss = F.binary_cross_entropy_with_logits(scores, liked, weight=trained, reduction="sum") / trained.sum()
        loss = loss + 0.005 * (people.square().mean() + films.square().mean())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
        if step % (STEPS // FRAMES) == 0:
            frames.append((people.detach().clone(), films.detach().clone()))
    moved_people, moved_films = (torch.stack(each) for each in zip(*frames, strict=True))
    return losses, moved_people, moved_films


def learn_likes(likes: list[list[int]], seed: int = 0) -> Numbers:
    """Learns a vector for each person and each film from likes, and records the course of training.

    Args:
        likes: for each person, 0 or 1 for each film.
        seed: of the initial vectors.
    Returns:
        "losses" of each step; "course": the vectors of people and films at each frame; "people" (n, 2) and "films" (m,
        2) at the end, and their products; "predicted", the probability of each like at each frame; "names" and "kinds"
        of all n + m points; "together": the names to draw at each frame, of which those of close points are grouped.
    """
    losses, people, films = train(torch.tensor(likes).float(), seed)
    names, kinds = [*PEOPLE, *FILMS], ["people"] * len(PEOPLE) + ["films"] * len(FILMS)
    course = torch.cat((people, films), 1)
    span = course.amax((0, 1)) - course.amin((0, 1))
    return {
        "losses": losses,
        "course": course,
        "people": people[-1],
        "films": films[-1],
        "people @ films.T": people[-1] @ films[-1].T,
        "predicted": (people @ films.mT).sigmoid(),
        "names": names,
        "kinds": kinds,
        "together": [together(at, names, kinds, span) for at in course],
    }


def read_likes(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as all readers of arguments
    """Reads from a view the arguments of `learn_likes`."""
    return {"likes": likes(view).int().tolist(), "seed": read_index(view, "seed", SEEDS)}


def find_near(bundle: former.Bundle, word: str) -> Numbers:
    """Finds the words whose vectors are nearest to that of a word.

    Args:
        bundle: a model with a word tokenizer.
        word: in its vocabulary.
    Returns:
        The "word" that was read, its "length"; "dot" and "cosine": the nearest other words by dot product and by
        cosine, each with "word", "value" and "length"; "pairs": see `guess`; for the figure "names" and "cosines" of
        the nearest.
    """
    tokenizer, table = bundle.tokenizer, bundle.model.transformer.token_embedding.weight.detach()
    own, lengths = tokenizer.encode(word)[0], table.norm(dim=1)
    products = {"dot": table @ table[own], "cosine": F.cosine_similarity(table, table[own][None])}
    result: Numbers = {"word": tokenizer.labels([own])[0], "length": float(lengths[own])}
    for name, values in products.items():
        best = [i for i in values.topk(NEAR + 1).indices.tolist() if i != own][:NEAR]
        result[name] = [
            {"word": label, "value": float(values[i]), "length": float(lengths[i])}
            for i, label in zip(best, tokenizer.labels(best), strict=True)
        ]
    result["names"] = [each["word"] for each in result["cosine"]]
    result["cosines"] = torch.tensor([each["value"] for each in result["cosine"]])
    return result | {"pairs": [guess(table, tokenizer, *guessed) for guessed in GUESSES]}


def read_word(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `find_near`.

    Raises:
        Refusal: no word, or one of more than `MOST_LETTERS` letters.
    """
    loaded, word = word_model(models), view.get("word")
    if not isinstance(word, str) or not word.strip() or len(word) > MOST_LETTERS:
        raise Refusal("empty_text")
    if not loaded.bundle.tokenizer.encode(word):
        raise Refusal("empty_text")
    return {"bundle": loaded, "word": word}


def guess(table: Tensor, tokenizer: Any, guessed: str, word: str, other: str) -> dict[str, Any]:
    """Returns the "cosine" of `word` and `other`, and "less", the share of all words that are less similar to `word`;
    `guessed` is returned as "guess"."""
    one, two = (tokenizer.encode(each)[0] for each in (word, other))
    cosines = F.cosine_similarity(table, table[one][None])
    less = (cosines < cosines[two]).float().mean()
    return {"guess": guessed, "word": word, "other": other, "cosine": float(cosines[two]), "less": float(less)}


def props(models: Models) -> dict[str, Any]:
    """Returns the data for the section's script: its initial view."""
    return {
        "people": PEOPLE,
        "films": FILMS,
        "likes": LIKES,
        "held": HELD,
        "features": FEATURES,
        "frames": FRAMES,
        "steps": STEPS,
        "seeds": SEEDS,
        "letters": MOST_LETTERS,
        "model": word_model(models).name,
    }


POINTS = Draw(
    figures.points, Field("course", -1), Field("names"), kinds=Field("kinds"), trails=Field("course"), axes=("1", "2")
)
NEAREST = Draw(figures.bars, Field("cosines"), Field("names"), axis="cosine")

SECTION = Section(
    name="films",
    article="Understanding why self-attention works",
    equation=r"\mathrm{score}(\text{person}, \text{film}) = u \cdot m = \sum_i u_i\, m_i",
    code=(train, former.basic_self_attention),
    questions={
        "learned": Question(
            learn_likes,
            read_likes,
            POINTS,
            charted=True,
            prints=(Field("predicted", -1, *HELD),),
            when=lambda view: view.get("show") != "words",
            unsent=("people", "films", "people @ films.T", "names", "kinds"),
        ),
        "near": Question(
            find_near,
            read_word,
            NEAREST,
            prints=(Field("dot", 0), Field("cosine", 0)),
            when=shown("words"),
            unsent=("names", "cosines"),
        ),
    },
    props=props,
)
