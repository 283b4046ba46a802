"""Assertions about the order of computed numbers. Processors round differently, so close numbers may change places:
these functions compare values with a tolerance, and the order only of numbers that differ by more."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import torch
from torch import Tensor


def check_largest(i: int, numbers: Any, tolerance: float) -> None:
    """Asserts that number `i` is the largest, or differs from it only by rounding."""
    numbers = torch.as_tensor(numbers)
    assert float(numbers[i]) >= float(numbers.max()) - tolerance, (i, int(numbers.argmax()))


def check_order(names: Sequence[Any], shown: Sequence[float], numbers: Mapping[Any, float] | Tensor, tolerance: float):
    """Asserts that `names` are the keys of the largest numbers, largest first, and that each is displayed with its own
    number.

    Args:
        names: keys of `numbers`, no two alike.
        shown: the number displayed next to each name.
        numbers: computed otherwise, all there are or the largest of them; a vector goes by its places.
        tolerance: by how much the two computations may differ.
    """
    exact = dict(enumerate(numbers.tolist())) if isinstance(numbers, Tensor) else numbers
    least = min(exact.values())  # what a name that is not among the largest can have at the most
    assert len(set(names)) == len(names)
    assert list(shown) == sorted(shown, reverse=True)
    assert shown == pytest.approx([exact.get(name, least) for name in names], abs=tolerance)
    assert shown == pytest.approx(sorted(exact.values(), reverse=True)[: len(names)], abs=tolerance), "one is left out"


def check_greedy(ids: Sequence[int], logits: Tensor, tolerance: float) -> None:
    """Asserts that each token is the most probable one after those before it.

    Args:
        ids: the tokens that were chosen.
        logits: (len(ids), num_tokens), of one pass over the whole text: those that each token was chosen by.
        tolerance: of the logits.
    """
    for i, row in zip(ids, logits, strict=True):
        check_largest(i, row, tolerance)


def clear_largest(numbers: Any, tolerance: float) -> int:
    """Returns the index of the largest number, flattened, and asserts that it leads by more than twice the
    tolerance."""
    best, second = torch.as_tensor(numbers).flatten().topk(2).values.tolist()
    assert best - second > 2 * tolerance, "the two largest are too close to tell which it is"
    return int(torch.as_tensor(numbers).argmax())


def clear_draw(probs: Tensor, dice: torch.Generator, tolerance: float) -> int:
    """Returns what torch.multinomial draws with the generator `dice`, and asserts that it would draw the same of
    probabilities that differ by less than the relative tolerance."""
    return int(clear_draws(probs[None], dice, tolerance))


def clear_draws(probs: Tensor, dice: torch.Generator, tolerance: float) -> Tensor:
    """Returns what torch.multinomial draws from each row (n, num_tokens), as (n, 1); asserts the same."""
    race = probs / torch.empty_like(probs).exponential_(1, generator=dice)  # the largest wins, as in multinomial
    return torch.tensor([[clear_largest(row.log(), tolerance)] for row in race])
