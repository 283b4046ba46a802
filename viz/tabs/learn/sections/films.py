"""Section "Why it works": films and people as vectors; their features by hand, then learned from likes; then words.

Sizes: n people, m films, 2 features.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

import former
from viz import figures
from viz.browser import chart
from viz.figures.sizes import together
from viz.passes.loaded import Models, reader
from viz.server.view import View, read_choice, read_index
from viz.tabs.learn.section import Section
from viz.tabs.python import IMPORTS
from viz.text import Refusal

PEOPLE = ("Ada", "Ben", "Chen", "Dana", "Eli", "Fay")
FILMS = ("Notting Hill", "Love Actually", "Amélie", "Die Hard", "Mad Max", "Alien", "Speed")
LIKES = "1110000,1110000,1110000,0001111,0001111,0001111"  # of each person, a digit for each film: 1 likes it
HELD = (0, 2)  # the person and the film whose like is kept from training
FEATURES = "0.9,-0.4;0.2,0.9;-0.7,0.3;1,-0.5;-0.2,1;-0.6,0.9;-0.5,0.6"  # romance, action of 3 people, then 4 films
STEPS, FRAMES = 150, 30  # of the training, and of it that are kept
SEEDS = 100
MOST_LETTERS = 40
NEAR = 8  # words
GUESSES = (("far", "the", "cat"), ("near", "cat", "walks"))  # the article's


def likes(view: View) -> Tensor:
    """The likes of a view: 0 or 1, (n, m).

    Raises:
        Refusal: they are none.
    """
    given = view.get("likes")
    rows = given.split(",") if isinstance(given, str) and len(given) <= len(LIKES) else []
    if [len(row) for row in rows] != [len(FILMS)] * len(PEOPLE) or set("".join(rows)) - {"0", "1"}:
        raise Refusal("bad_request")
    return torch.tensor([[float(digit) for digit in row] for row in rows])


def train(liked: Tensor, seed: int) -> tuple[list[float], Tensor, Tensor]:
    """Matrix factorisation: vectors of people and films whose dot products, by a sigmoid, give who likes what.

    Args:
        liked: 0 or 1, (n, m); `HELD` is left out of the loss.
        seed: of the vectors at the start.
    Returns:
        The loss of each step; people (FRAMES + 1, n, 2) and films (FRAMES + 1, m, 2), from the start to the end.
    """
    generator = torch.Generator().manual_seed(seed)
    people, films = (torch.randn(count, 2, generator=generator) * 0.3 for count in liked.shape)
    seen = torch.ones_like(liked)
    seen[HELD] = 0
    optimiser = torch.optim.Adam([people.requires_grad_(), films.requires_grad_()], lr=0.05)
    losses, frames = [], [(people.detach().clone(), films.detach().clone())]
    for step in range(1, STEPS + 1):
        scores = people @ films.T
        loss = F.binary_cross_entropy_with_logits(scores, liked, weight=seen, reduction="sum") / seen.sum()
        loss = loss + 0.005 * (people.square().mean() + films.square().mean())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
        if step % (STEPS // FRAMES) == 0:
            frames.append((people.detach().clone(), films.detach().clone()))
    moved_people, moved_films = (torch.stack(each) for each in zip(*frames, strict=True))
    return losses, moved_people, moved_films


def learned(models: Models, view: View) -> dict[str, Any]:
    """The factorisation of the likes of a view, with its course.

    Args:
        models: none is used.
        view: "likes" and "seed".
    Returns:
        "losses" of each step; "people" and "films", at each frame; "names", what is written beside
        each then; "predicted", the probability of each like, n × m;
        "figures" of the end, with where each film came from.
    Raises:
        Refusal: a view that is none.
    """
    del models
    losses, people, films = train(likes(view), read_index(view, "seed", SEEDS))
    course = torch.cat((people, films), 1)  # (frames, n + m, 2)
    names, kinds = [*PEOPLE, *FILMS], ["people"] * len(PEOPLE) + ["films"] * len(FILMS)
    span = course.amax((0, 1)) - course.amin((0, 1))
    drawn = chart.themed(
        lambda theme: figures.points(course[-1], names, kinds=kinds, trails=course, axes=("1", "2"), theme=theme)
    )
    predicted = (people[-1] @ films[-1].T).sigmoid()
    return {
        "losses": losses,
        "people": people.tolist(),
        "films": films.tolist(),
        "names": [together(at, names, kinds, span) for at in course],
        "predicted": predicted.tolist(),
        "figures": drawn,
    }


def near(models: Models, view: View) -> dict[str, Any]:
    """The words whose trained vectors are nearest to that of a word.

    Args:
        models: by name.
        view: "word".
    Returns:
        The "word" that was read, its "length"; "dot" and "cosine": the nearest others, each with "word", "value" and
        "length"; "pairs": see `guess`.
    Raises:
        Refusal: a word that the model does not know.
    """
    loaded = reader(models)
    table = loaded.bundle.model.transformer.token_embedding.weight.detach()
    tokenizer = loaded.bundle.tokenizer
    word = view.get("word")
    if not isinstance(word, str) or not word.strip() or len(word) > MOST_LETTERS:
        raise Refusal("empty_text")
    ids = tokenizer.encode(word)
    if not ids:
        raise Refusal("empty_text")
    own = ids[0]
    lengths = table.norm(dim=1)
    products = {"dot": table @ table[own], "cosine": F.cosine_similarity(table, table[own][None])}
    answer: dict[str, Any] = {"word": tokenizer.labels([own])[0], "length": float(lengths[own])}
    for name, found in products.items():
        best = [i for i in found.topk(NEAR + 1).indices.tolist() if i != own][:NEAR]
        labels = tokenizer.labels(best)
        answer[name] = [
            {"word": label, "value": float(found[i]), "length": float(lengths[i])}
            for i, label in zip(best, labels, strict=True)
        ]
    return answer | {"pairs": [guess(table, tokenizer, *guessed) for guessed in GUESSES]}


def guess(table: Tensor, tokenizer: Any, guessed: str, word: str, other: str) -> dict[str, Any]:
    """How near two words are, of which "far" or "near" is guessed: their cosine, and the part of all words that is less
    near to the first."""
    one, two = (tokenizer.encode(each)[0] for each in (word, other))
    cosines = F.cosine_similarity(table, table[one][None])
    less = (cosines < cosines[two]).float().mean()
    return {"guess": guessed, "word": word, "other": other, "cosine": float(cosines[two]), "less": float(less)}


def opening(models: Models) -> dict[str, Any]:
    """What the section opens with."""
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
        "model": reader(models).name,
    }


def values(models: Models, view: View) -> Mapping[str, Tensor]:
    """The learned vectors of a view, and their dot products."""
    del models
    _, people, films = train(likes(view), read_index(view, "seed", SEEDS))
    return {"people": people[-1], "films": films[-1], "people @ films.T": people[-1] @ films[-1].T}


def python(models: Models, view: View) -> str:
    """The lines that give the panel's numbers again."""
    del models
    read_choice(view, "show", ("hand", "learn", "words"))
    liked, seed = likes(view).tolist(), read_index(view, "seed", SEEDS)
    return (
        f"{IMPORTS}from viz.tabs.learn.sections import films as section\n\n"
        f"liked = torch.tensor({liked!r})  # (people, films)\n"
        f"losses, people, films = section.train(liked, seed={seed})\n"
        "people, films = people[-1], films[-1]  # after the last step\n"
        "predicted = (people @ films.T).sigmoid()\n"
        "names = [*section.PEOPLE, *section.FILMS]\n"
        'kinds = ["people"] * len(people) + ["films"] * len(films)\n'
        "figure = figures.points(torch.cat((people, films)), names, kinds=kinds)\n"
    )


SECTION = Section(
    name="films",
    article="Understanding why self-attention works",
    equation=r"\mathrm{score}(\mathrm{person}, \mathrm{film}) = u \cdot m = \sum_i u_i\, m_i",
    code=(train, former.basic_self_attention),
    values=values,
    python=python,
    opening=opening,
    answers={"learned": learned, "near": near},
)
