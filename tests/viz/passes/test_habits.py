"""Labels of heads: the numbers compared with a plain loop, the labels with heads of known patterns."""

import pytest
import torch

import former
from tests.browser.reference import statistics
from tests.ranked import clear_largest
from tests.viz.passes.answered import run
from viz.passes import habits
from viz.passes.loaded import Loaded
from viz.text.examples import EXAMPLES

IDS = list(b"[the cat sat on the mat")  # its first token occurs only once


@pytest.mark.parametrize(
    ("name", "text"), [("small-generator", "abcab abc"), ("small-classifier", "good bad good film")]
)
def test_the_statistics_of_heads_means_rollouts_and_an_even_spread_are_those_of_a_plain_loop(models, name, text):
    pass_ = run(models[name], text)
    each, ids = pass_.map("self"), pass_.header["ids"]
    weights, described = each.weights.double(), pass_.header["maps"][0]
    uniform = each.allowed.double() / each.allowed.sum(-1, keepdim=True)
    views = [(described["even"], uniform, [])]
    for layer in range(len(weights)):
        views += [(described["statistics"], weights[layer, head], [layer, head]) for head in range(weights.shape[1])]
        views += [
            (each.describe_view(cells.float())["statistics"], cells, [])
            for cells in (weights[layer].mean(0), former.analysis.rollout(weights[: layer + 1]))
        ]
    for shown, exact, at in views:
        numbers = statistics(exact, ids)
        assert len(numbers.keys() & shown) >= 8
        for measure, value in numbers.items():
            if measure not in shown:  # of the other kind of mask
                continue
            number = shown[measure]
            for i in at:
                number = number[i]
            assert number == pytest.approx(value, abs=2e-5), (measure, at)


def looking(where) -> torch.Tensor:
    """Returns a causal head (t, t) with all its weight at where(query), or at the first token if that is None."""
    weights = torch.zeros(len(IDS), len(IDS))
    for query in range(len(IDS)):
        weights[query, where(query) or 0] = 1
    return weights


def last(query: int) -> int | None:
    """Returns the previous position with the query's token."""
    return max((i for i in range(query) if IDS[i] == IDS[query]), default=None)


def after_last(query: int) -> int | None:
    return None if (earlier := last(query)) is None or earlier + 1 == query else earlier + 1


MASK = former.masks.causal(len(IDS))
EVEN = MASK / MASK.sum(-1, keepdim=True)
KNOWN = {
    "previous": looking(lambda i: i - 1 if i else None),
    "self": looking(lambda i: i),
    "same": looking(last),
    "copying": looking(after_last),
    "first": looking(lambda _: None),
    "even": EVEN,
}


def test_known_heads_have_their_habits_though_they_rest_on_the_first_token():
    result = habits.describe(torch.stack(list(KNOWN.values()))[None], MASK, torch.tensor(IDS))
    names = [kind for kind, *_ in result["habits"][0]]
    assert names == list(KNOWN)
    statistics = result["statistics"]
    copying, same = list(KNOWN).index("copying"), list(KNOWN).index("same")
    assert statistics["first"][0][copying] > 0.3
    assert result["habits"][0][copying][1:3] == ["first", 1], "the runner-up, of all queries that copy nothing"
    assert statistics["same"][0][same] == pytest.approx(1)
    assert result["first_head"] == [0, copying]


@pytest.mark.parametrize("name", habits.HABITS)
def test_a_habit_begins_at_its_threshold(name):
    even = dict.fromkeys([*habits.HABITS, "entropy"], 0.01) | {"entropy": 4.0}
    result = dict.fromkeys(even, 0.0) | {"entropy": 2.0}
    least = habits.HABITS[name]
    assert habits.habit(result | {name: least}, even) == (name, None)
    assert habits.habit(result | {name: least - 0.01}, even) == ("mixed", name)
    assert habits.habit(result | {name: least, "entropy": 3.9}, even) == (name, None)
    assert habits.habit(result | {"entropy": 3.6}, even) == ("even", None)
    assert habits.habit(result | {name: least}, even | {name: 0.9 * least}) == ("mixed", None), "as an even spread"


def test_the_first_token_is_the_habit_only_of_a_head_that_has_no_other():
    even = dict.fromkeys(habits.HABITS, 0.05) | {"entropy": 4.0}
    result = dict.fromkeys(habits.HABITS, 0.0) | {"entropy": 2.0, "first": 0.6, "copying": 0.35}
    assert habits.habit(result, even) == ("copying", "first")
    assert habits.habit(result | {"copying": 0.2}, even) == ("first", "copying")


SEEN = torch.ones(len(IDS), len(IDS), dtype=torch.bool)  # what a model without a mask sees
MARKS = {"separator": torch.arange(len(IDS)) == len(IDS) - 1, "punctuation": torch.tensor(IDS) == ord(" ")}
UNMASKED = {
    "offset": looking(lambda i: min(i + 2, len(IDS) - 1)),
    "next": looking(lambda i: min(i + 1, len(IDS) - 1)),
    "separator": looking(lambda _: len(IDS) - 1),
    "punctuation": looking(lambda _: 4),
    "mixed": (looking(lambda _: 1) + looking(lambda _: 7) + looking(lambda _: 5) * 2) / 4,
}


def test_heads_that_look_at_special_tokens_marks_or_a_fixed_distance_have_a_name_and_others_their_tokens():
    assert IDS[1] == IDS[7] != IDS[5]
    result = habits.describe(torch.stack(list(UNMASKED.values()))[None], SEEN, torch.tensor(IDS), MARKS)
    described = result["habits"][0]
    assert [kind for kind, *_ in described] == list(UNMASKED)
    assert result["statistics"]["by"][0][0] == 2
    most = described[-1][-1]
    assert sorted(most) == [[1, 0.5], [5, 0.5]], "the places of a token together, of those with a tenth or more"
    assert not any(tokens for *_, tokens in described[:-1])


def test_the_shares_of_a_habit_and_its_runner_up_do_not_count_the_same_attention_twice():
    following = looking(lambda i: min(i + 1, 5))[:6, :6]  # each token is followed by the same token
    tokens, seen = torch.tensor([7] * 6), torch.ones(6, 6, dtype=torch.bool)
    ((kind, second, share, _),) = habits.describe(following[None, None], seen, tokens)["habits"][0]
    assert (kind, second, share) == ("next", None, None), "all of it goes to the same token too"
    mixed = [(one + other) / 2 for one in UNMASKED.values() for other in UNMASKED.values()]
    described = habits.describe(torch.stack(mixed)[None], SEEN, torch.tensor(IDS), MARKS)
    compared = [
        (kind, second, described["statistics"][kind][0][head] + share)
        for head, (kind, second, share, _) in enumerate(described["habits"][0])
        if second and kind in habits.HABITS and (kind not in habits.COMPARED or second in habits.COMPARED)
    ]
    assert compared, "else this tests nothing"
    assert max(total for *_, total in compared) <= 1 + 1e-5, compared  # float32


def test_a_single_token_has_nothing_but_itself_to_look_at():
    result = habits.describe(torch.ones(1, 1, 1, 1), torch.ones(1, 1, dtype=torch.bool), torch.tensor([7]))
    assert result["habits"] == [[["only", None, None, []]]]


def opened(name: str) -> dict:
    """Returns the map that a shipped model's worked example shows first."""
    loaded = Loaded(name, former.load(name), name)
    return run(loaded, EXAMPLES[loaded.examples][0]).header["maps"][0]


def test_explore_opens_on_the_head_that_copies_of_the_shipped_generator():
    header = opened("generator")
    copying = torch.tensor(header["statistics"]["copying"])
    assert header["first_head"] == list(divmod(clear_largest(copying, 1e-3), copying.shape[1])) == [10, 7]
    assert header["habits"][10][7][:2] == ["copying", "first"]


def test_explore_opens_on_a_head_that_copies_of_the_model_that_was_trained_to():
    header = opened("tiny-induction")
    layer, head = header["first_head"]
    assert header["habits"][layer][head][0] == "copying"
    assert header["statistics"]["copying"][layer][head] > 0.8


def test_every_example_of_the_first_model_opens_on_a_head_whose_habit_has_a_name():
    gpt = Loaded("gpt", former.load("gpt"), "gpt")
    for text in EXAMPLES["piece"]:
        header = run(gpt, text).header["maps"][0]
        layer, head = header["first_head"]
        assert header["habits"][layer][head][0] in habits.HABITS, text


@pytest.mark.parametrize("name", ["tiny-generator", "tiny-unmasked", "classifier", "classifier-bag"])
def test_no_shipped_model_opens_on_a_head_that_looks_at_all_alike(name):
    header = opened(name)
    layer, head = header["first_head"]
    assert header["habits"][layer][head][0] != "even"


def test_explore_opens_xl_on_a_head_that_looks_back_into_the_memory():
    header = opened("xl")
    layer, head = header["first_head"]
    assert header["memory"]["head"][layer][head] > 0.5


def test_of_a_segment_with_a_memory_the_head_that_looks_there_most_sharply_opens():
    weights = torch.zeros(1, 3, 4, 8)
    weights[0, 0, range(4), range(4, 8)] = 1  # each at itself
    weights[0, 1, range(4), range(4)] = 0.6  # each at a token of the memory
    weights[0, 2, :, :4] = 0.25  # evenly at the memory
    assert habits.sharpness(weights)["first_head"] == [0, 0]
    assert habits.sharpness(weights, memory=4)["first_head"] == [0, 1]
