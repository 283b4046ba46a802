"""The figures: their numbers, labels and colours, compared with plain loops, and their errors."""

import itertools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import viz.figures
from viz import style

figures: Any = viz.figures  # plotly's own types say that a trace may be a string
ROOT = Path(__file__).resolve().parents[2]
HOSTILE = ["<b>x</b>", "%{z}", "$x^2$", "&lt;", "a\nb", " the", "\u202eflip", "\ud800", "the"]
PALETTES = {"light": style.LIGHT, "dark": style.DARK}
FIGURES = {
    "attention": lambda **more: figures.attention(causal(4), "abcd", **more),
    "heads": lambda **more: figures.heads(np.stack([[causal(4)] * 3] * 2), "abcd", **more),
    "cross_attention": lambda **more: figures.cross_attention(random_weights(2, 3), "ab", "cde", **more),
    "logit_lens": lambda **more: figures.logit_lens([[[0.5, 0.1]] * 2] * 3, [["xy"] * 2] * 3, "ab", **more),
    "next_tokens": lambda **more: figures.next_tokens([0.5, 0.2, 0.1], "abc", before=[0.1, 0.2, 0.3], **more),
    "bars": lambda **more: figures.bars([0.5, -0.2], "ab", before=[0.1, 0.2], **more),
    "additions": lambda **more: figures.additions([1.5, 0.5], [2.0, 0.1], **more),
    "mask_cost": lambda **more: figures.mask_cost([1, 10, 100], {"none": [1, 100, 1e4]}, at=10, **more),
    "similarity": lambda **more: figures.similarity([1, 0.5, -0.5], 1, trained=2, length=5, **more),
    "training": lambda **more: figures.training(
        {"one": ([1, 2, 3], [3, 2, 1]), "other": ([1, 4], [2, 1])}, at=2, **more
    ),
    "stacked": lambda **more: figures.stacked({"one": [1.5, -0.5], "other": [2.0, 0.1]}, "ab", **more),
    "scan": lambda **more: figures.scan([[[0.5, 0.4, 0.7]] * 2] * 3, [[[2, 1, 3]] * 2] * 3, chosen=(1, 0), **more),
    "plane": lambda **more: figures.plane([[0, 1], [2, 3]], [[1, 1], [0, 2]], ["ab", "cd"], [0, 1], **more),
    "bits_by_seconds": lambda **more: figures.bits_by_seconds([10, 1000], [2.5, 1.5], "ab", **more),
}


def random_weights(*shape: int) -> np.ndarray:
    drawn = np.random.default_rng(0).random(shape)
    return drawn / drawn.sum(-1, keepdims=True)


def causal(t: int) -> np.ndarray:
    drawn = np.random.default_rng(1).random((t, t)) * np.tri(t)
    return drawn / drawn.sum(-1, keepdims=True)


def trace(figure: Any, name: str) -> Any:
    (match,) = [each for each in figure.data if each.name == name]
    return match


# --- one head ---------------------------------------------------------------------------------------------------------


def test_the_map_holds_every_weight_with_queries_down_and_keys_across():
    weights = random_weights(3, 4)
    actual = trace(figures.attention(weights, ["q0", "q1", "q2"], ["k0", "k1", "k2", "k3"]), "weights")
    assert list(actual.y) == ["q0", "q1", "q2"]
    assert list(actual.x) == ["k0", "k1", "k2", "k3"]
    for query, key in itertools.product(range(3), range(4)):
        assert actual.z[query][key] == pytest.approx(weights[query, key], abs=1e-7)


@pytest.mark.parametrize("mask", [np.tri(5), np.ones((5, 5)), np.eye(5)[::-1], np.kron(np.eye(3), np.ones((40, 40)))])
def test_masked_cells_are_hatched_and_no_others(mask):
    mask = mask.astype(bool)
    weights = mask / mask.sum(1, keepdims=True)
    shapes = figures.attention(weights, range(len(mask)), mask=mask).layout.shapes
    if mask.all():
        assert len(shapes) == 0
        return
    lines = [[tuple(map(float, end.split(","))) for end in line.split("L")] for line in shapes[0].path.split("M")[1:]]
    crossed = set()
    for (left, low), (right, high) in lines:
        assert right - left == low - high > 0
        crossed |= {(int(low - 0.5) - i, int(left + 0.5) + i) for i in range(round(right - left))}
    assert not any(mask[cell] for cell in crossed)
    step = -(-len(mask) // 48)
    hidden = {(row, column) for row, column in zip(*np.nonzero(~mask), strict=True) if (row + column) % step == 0}
    assert crossed == {(int(row), int(column)) for row, column in hidden}


def test_the_axes_say_who_attends_and_the_first_query_is_on_top():
    layout = figures.attention(random_weights(2, 2), "ab").layout
    assert "key (attends to)" in layout.xaxis.title.text
    assert "query (attends from)" in layout.yaxis.title.text
    assert layout.yaxis.autorange == "reversed"


def test_a_masked_cell_is_no_zero_and_has_a_colour_of_its_own_and_says_so():
    weights, allowed = random_weights(4, 4), np.eye(4, dtype=bool)
    weights = weights * allowed
    figure = figures.attention(weights, "abcd", mask=allowed)
    for query, key in itertools.product(range(4), range(4)):
        assert np.isnan(trace(figure, "weights").z[query][key]) == (query != key)
    masked = trace(figure, "masked")
    assert {colour for _, colour in masked.colorscale} == {style.LIGHT["masked"]}
    assert "masked" in masked.hovertemplate
    assert "%{z" not in masked.hovertemplate
    assert not trace(figure, "weights").hoverongaps  # so that what lies below is read


@pytest.mark.parametrize("shut", [np.nan, -np.inf])
def test_cells_without_a_number_are_masked(shut):
    scores = np.array([[0.5, shut], [2.0, -3.0]])
    z = trace(figures.attention(scores, "ab", scale="scores"), "weights").z
    assert np.isnan(z).tolist() == [[False, True], [False, False]]


def test_without_a_mask_an_upper_triangle_of_zeros_is_read_as_causal_and_one_weight_there_is_not():
    weights = causal(5)
    assert (
        np.isnan(trace(figures.attention(weights, "abcde"), "weights").z).tolist() == (~np.tri(5, dtype=bool)).tolist()
    )
    weights[0, 4] = 1e-9
    assert [each.name for each in figures.attention(weights, "abcde").data] == ["weights"]


def test_a_whole_map_without_masked_cells_has_no_trace_of_them():
    assert [each.name for each in figures.attention(random_weights(3, 3), "abc").data] == ["weights"]


def test_the_scale_by_row_paints_a_part_of_the_rows_largest_and_reads_the_weight():
    weights = causal(6)
    actual = trace(figures.attention(weights, "abcdef", scale="row"), "weights")
    for query in range(6):
        for key in range(query + 1):
            assert actual.z[query][key] == pytest.approx(weights[query, key] / max(weights[query]), abs=1e-6)
            assert float(actual.text[query][key]) == pytest.approx(weights[query, key], rel=1e-3)
    assert "%{text}" in actual.hovertemplate


def test_a_row_of_zeros_stays_zero_by_row():
    actual = trace(
        figures.attention([[0.0, 0.0], [0.5, 0.5]], "ab", mask=np.ones((2, 2), bool), scale="row"), "weights"
    )
    assert actual.z.tolist() == [[0, 0], [1, 1]]


def test_the_root_scale_gives_a_weight_the_colour_that_its_root_has_on_the_linear_scale():
    def colour(scale: str, at: float) -> list[float]:
        actual = trace(figures.attention(random_weights(2, 2), "ab", scale=scale), "weights")
        places = [level for level, _ in actual.colorscale]
        parts = [
            [int(text[i : i + 2], 16) for i in (1, 3, 5)] if text[0] == "#" else json.loads(f"[{text[4:-1]}]")
            for _, text in actual.colorscale
        ]
        return [float(np.interp(at, places, channel)) for channel in zip(*parts, strict=True)]

    for weight in (0.0, 0.0004, 0.01, 0.09, 0.25, 0.49, 0.81, 1.0):
        assert colour("root", weight) == pytest.approx(colour("linear", weight**0.5), abs=6)
    actual = trace(figures.attention(causal(3), "abc", scale="root"), "weights")
    assert actual.z[1][0] == pytest.approx(causal(3)[1, 0], abs=1e-7)  # it is the weight that is read


def test_scores_of_either_sign_are_painted_around_zero():
    actual = trace(figures.attention([[-4.0, 1.0], [2.0, 0.0]], "ab", scale="scores"), "weights")
    assert (actual.zmin, actual.zmax) == (-4, 4)
    assert "score" in actual.hovertemplate
    assert [colour for _, colour in actual.colorscale] == style.SCALES["light"]["scores"]


def test_a_torch_tensor_of_half_precision_gives_the_numbers_it_holds():
    weights = torch.softmax(torch.randn(5, 5, generator=torch.Generator().manual_seed(0)), -1).half()
    z = trace(figures.attention(weights, "abcde"), "weights").z
    assert z.tolist() == weights.float().tolist()


def test_what_came_in_is_left_as_it_was():
    weights = causal(4).astype(np.float32)
    before = weights.copy()
    figures.attention(weights, "abcd")
    figures.heads(weights[None, None], "abcd")
    assert (weights == before).all()


# --- labels -----------------------------------------------------------------------------------------------------------


def test_only_a_token_that_comes_again_carries_its_position():
    actual = trace(figures.attention(random_weights(4, 4), ["the", "cat", "the", "the2"]), "weights")
    assert list(actual.x) == ["the\u2009₀", "cat", "the\u2009₂", "the2"]


def test_no_two_labels_are_alike_whatever_the_tokens_are():
    tokens = ["a", "a", "a\u2009₁", "a ₁", "x" * 100, "x" * 99, "", "", "1", "01"]
    labels = trace(figures.attention(random_weights(10, 10), tokens), "weights").x
    assert len(set(labels)) == len(tokens)
    shown_alike = ["\n", "⏎", "\x00", "U+0000"]
    assert len(set(trace(figures.attention(random_weights(4, 4), shown_alike), "weights").x)) == 4


def test_a_token_is_shown_letter_by_letter():
    labels = list(trace(figures.attention(random_weights(9, 9), HOSTILE), "weights").x)
    assert labels == [
        *("&lt;b&gt;x&lt;/b&gt;", "%{z}", "&#36;x^2&#36;", "&amp;lt;", "a⏎b"),
        *("␣the", "U+202Eflip", "U+D800", "the"),
    ]


def test_the_json_and_the_page_of_hostile_tokens_hold_no_markup_of_theirs():
    figure = figures.attention(
        random_weights(9, 9), [*HOSTILE[:-1], "</script><script>alert(1)</script>"], title="<i>t</i>"
    )
    assert json.loads(figure.to_json())["layout"]["title"]["text"] == "&lt;i&gt;t&lt;/i&gt;"
    assert "alert(1)</script>" not in figure.to_html(include_plotlyjs=False)


# --- all heads --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rows", "columns"), [(5, 5), (3, 7)])
def test_every_weight_of_every_head_stands_where_its_hover_text_says(rows, columns):
    weights = random_weights(3, 2, rows, columns)
    queries, keys = [f"q{i}" for i in range(rows)], [f"k{i}" for i in range(columns)]
    figure = figures.heads(weights, queries, keys)
    z = np.asarray(trace(figure, "weights").z)
    x = dict(zip(figure.layout.xaxis.ticktext, figure.layout.xaxis.tickvals, strict=True))
    y = dict(zip(figure.layout.yaxis.ticktext, figure.layout.yaxis.tickvals, strict=True))
    for layer, head, query, key in itertools.product(range(3), range(2), range(rows), range(columns)):
        cell = z[y[f"layer {layer} · q{query}"], x[f"head {head} · k{key}"]]
        assert cell == pytest.approx(weights[layer, head, query, key], abs=1e-7)
    assert np.isfinite(z).sum() == weights.size  # and nothing else is painted
    assert [note.text for note in figure.layout.annotations] == ["head 0", "head 1", "layer 0", "layer 1", "layer 2"]


@pytest.mark.parametrize("side", [4, 70])
def test_masked_cells_of_every_head_are_hatched_and_no_others(side):
    weights = np.stack([[causal(side)] * 2] * 2)
    figure = figures.heads(weights, range(side))
    z = np.asarray(trace(figure, "weights").z)
    [hatch] = figure.layout.shapes
    crossed = set()
    for line in hatch.path.split("M")[1:]:
        (left, low), (right, _) = (map(float, end.split(",")) for end in line.split("L"))
        crossed |= {(int(low - 0.5) - i, int(left + 0.5) + i) for i in range(round(right - left))}
    assert crossed
    assert all(np.isnan(z[cell]) for cell in crossed)
    block = z.shape[0] // 2 + 1  # from one head to the next
    assert {(row // block, column // block) for row, column in crossed} == set(itertools.product(range(2), range(2)))
    assert not figures.heads(np.full((1, 1, 4, 4), 0.25), "abcd").layout.shapes


def test_masked_cells_of_all_heads_lie_open_to_the_colour_below():
    weights = np.stack([[causal(4)] * 2] * 2)
    figure = figures.heads(weights, "abcd")
    assert np.isfinite(np.asarray(trace(figure, "weights").z)).sum() == 4 * 10
    under = trace(figure, "masked")
    for i, row in enumerate(under.z):
        for j, cell in enumerate(row):
            assert np.isnan(cell) == bool(i % 2 or j % 2)  # in the gaps nothing
            if not np.isnan(cell):
                assert under.text[i][j] == f"layer {i // 2}, head {j // 2}"
                assert under.x[2 * (j // 2) + 1] - under.x[2 * (j // 2)] == 4  # as wide as its head


def test_long_texts_keep_the_largest_weight_of_each_cell():
    weights = np.stack([[causal(100)] * 2])
    figure = figures.heads(weights, [f"w{i}" for i in range(100)])
    z, texts = np.asarray(trace(figure, "weights").z), list(figure.layout.xaxis.ticktext)
    assert texts[:2] == ["head 0 · w0 … w1", "head 0 · w2 … w3"]
    for query, key in itertools.product(range(50), range(50)):
        part = weights[0, 0, 2 * query : 2 * query + 2, 2 * key : 2 * key + 2]
        if key > query:
            assert np.isnan(z[query, key])
        else:
            assert z[query, key] == pytest.approx(part.max(), abs=1e-7)


def test_the_last_cell_of_an_odd_length_holds_what_is_left():
    figure = figures.heads(np.stack([[causal(65)]]), [f"w{i}" for i in range(65)])
    assert list(figure.layout.xaxis.ticktext)[-1] == "head 0 · w64"
    assert np.asarray(trace(figure, "weights").z)[32, 32] == pytest.approx(causal(65)[64, 64], abs=1e-7)


def test_large_figures_stay_small_enough_for_a_notebook():
    one = figures.attention(random_weights(256, 256), [f"w{i}" for i in range(256)], mask=np.ones((256, 256), bool))
    assert len(one.to_json()) < 500_000
    grid = figures.heads(random_weights(12, 8, 64, 64), [f"w{i % 9}" for i in range(64)])
    assert len(grid.to_json()) < 3_000_000
    longer = figures.heads(np.broadcast_to(causal(256), (12, 8, 256, 256)), [f"w{i}" for i in range(256)])
    assert len(longer.to_json()) < 3_000_000


# --- bars and curves --------------------------------------------------------------------------------------------------


def test_the_likeliest_tokens_stand_first_with_their_probabilities():
    probs = np.random.default_rng(2).dirichlet(np.ones(50))
    bars = trace(figures.next_tokens(probs, [f"w{i}" for i in range(50)], top=7), "probability")
    best = sorted(range(50), key=lambda i: -probs[i])[:7]
    assert list(bars.y) == [f"w{i}" for i in best]
    assert list(bars.x) == [probs[i] for i in best]


def test_before_and_after_are_bars_of_the_same_tokens():
    figure = figures.next_tokens([0.1, 0.6, 0.3], ["a", "<b>", "c"], before=[0.5, 0.2, 0.3], top=2)
    assert list(trace(figure, "after").y) == list(trace(figure, "before").y) == ["&lt;b&gt;", "c"]
    assert list(trace(figure, "after").x) == [0.6, 0.3]
    assert list(trace(figure, "before").x) == [0.2, 0.3]


def test_bars_keep_their_order_and_their_signs():
    figure = figures.bars([0.5, -2, 1], ["<b>", "a", "a"], before=[1, 2, 3], axis="bits")
    assert list(trace(figure, "after").y) == ["&lt;b&gt;", "a\u2009₁", "a\u2009₂"]
    assert list(trace(figure, "after").x) == [0.5, -2, 1]
    assert list(trace(figure, "before").x) == [1, 2, 3]
    with pytest.raises(ValueError, match="before must have 1 numbers, got 2"):
        figures.bars([1], "a", before=[1, 2])


def test_names_of_dots_that_lie_close_stand_in_one_block_for_each_kind():
    at = [[0, 0], [0.1, 0.02], [0.05, 0.01], [5, 1], [0.02, -0.01]]
    kinds = ["people", "people", "films", "films", "films"]
    figure = figures.points(at, ["Ada", "<b>", "Speed", "Alien", "Heat"], kinds=kinds)
    assert list(trace(figure, "people").text) == ["&lt;b&gt;<br>Ada", ""]  # from the top, next to the leftmost
    assert list(trace(figure, "films").text) == ["Speed<br>Heat", "Alien", ""]  # next to the rightmost
    assert trace(figure, "people").textposition == "middle left"
    assert trace(figure, "films").textposition == "middle right"
    assert list(trace(figure, "films").customdata) == ["Speed", "Alien", "Heat"]


def test_the_ways_of_dots_are_one_line_with_gaps_and_must_be_of_as_many_dots():
    trail = trace(figures.points([[2, 3], [5, 7]], "ab", trails=[[[0, 1], [4, 6]], [[2, 3], [5, 7]]]), "trails")
    assert list(trail.x) == [0, 2, None, 4, 5, None]
    assert list(trail.y) == [1, 3, None, 6, 7, None]
    with pytest.raises(ValueError, match=r"trails must be \(steps, 2, 2\), got \(1, 1, 2\)"):
        figures.points([[2, 3], [5, 7]], "ab", trails=[[[0, 1]]])


@pytest.mark.parametrize(
    ("most", "marks"), [(30, ["1", "2", "5", "10", "20", "50", "100"]), (9e4, ["1", "10", "100", "1,000"])]
)
def test_a_logarithmic_axis_is_marked_in_whole_numbers(most, marks):
    with pytest.raises(ValueError, match="at least one method"):
        figures.by_size([2, 4], {}, log=True)
    figure = figures.by_size([2, 4], {"one": [1.5, most]}, log=True)
    assert list(figure.layout.yaxis.ticktext)[: len(marks)] == marks
    assert [f"{mark:,g}" for mark in figure.layout.yaxis.tickvals][: len(marks)] == marks


def test_stacked_parts_keep_their_signs_and_a_dot_marks_their_sum():
    figure = figures.stacked({"<b>": [1, -2], "other": [0.5, 3]}, ["a", "a"])
    assert list(trace(figure, "&lt;b&gt;").y) == [1, -2]
    assert list(trace(figure, "sum").y) == [1.5, 1]
    assert list(trace(figure, "sum").x) == ["a\u2009₀", "a\u2009₁"]
    assert figure.layout.barmode == "relative"


def test_each_mask_has_a_line_of_its_counts_exactly_and_the_chosen_one_stands_out():
    tokens = [1, 1_000, 100_000]
    cells = {"none": [n * n for n in tokens], "causal": [n * (n + 1) // 2 for n in tokens], "<own>": tokens}
    figure = figures.mask_cost(tokens, cells, chosen="causal", at=1_000)
    assert [each.name for each in figure.data] == ["none", "causal", "&lt;own&gt;", "at"]
    for line, counts in zip(figure.data, cells.values(), strict=False):
        assert list(line.x) == tokens
        assert list(line.y) == counts  # 10,000,000,000 too
    assert trace(figure, "causal").line.width > trace(figure, "none").line.width
    assert (trace(figure, "at").x[0], trace(figure, "at").y[0]) == (1_000, 500_500)
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    looks = {(line.line.color, line.line.dash) for line in figure.data[:3]}
    assert len(looks) == 3


def test_a_similarity_curve_holds_its_numbers_the_position_and_where_training_ended():
    values = np.cos(np.arange(40) / 7)
    figure = figures.similarity(values, 12, trained=30, length=50, most=2.0)
    assert list(trace(figure, "similarity").x) == list(range(40))
    assert list(trace(figure, "similarity").y) == list(values)
    assert (trace(figure, "at").x[0], trace(figure, "at").y[0]) == (12, values[12])
    kinds = {shape.type: shape for shape in figure.layout.shapes}
    assert kinds["line"].x0 == 30
    assert (kinds["rect"].x0, kinds["rect"].x1) == (40, 50)
    assert figure.layout.yaxis.range[0] == -figure.layout.yaxis.range[1] <= -2


def test_each_run_is_a_line_of_its_losses():
    curves = {"small": ([1, 10, 100], [3.0, 2.5, 2.2]), "<b>": (np.arange(1, 80), np.linspace(4, 1, 79))}
    figure = figures.training(curves, logarithmic=True)
    for name, (steps, losses) in zip(["small", "&lt;b&gt;"], curves.values(), strict=True):
        assert list(trace(figure, name).x) == list(steps)
        assert list(trace(figure, name).y) == list(losses)
    assert [line.mode for line in figure.data] == ["lines+markers", "lines"]
    assert figure.layout.xaxis.type == "log"
    assert FIGURES["training"]().layout.xaxis.type == "linear"
    assert [line.x0 for line in FIGURES["training"]().layout.shapes] == [2]
    looks = {(line.line.color, line.line.dash) for line in figure.data}
    assert len(looks) == 2


def test_what_is_measured_beside_the_losses_has_an_axis_of_its_own():
    log = [json.loads(line) for line in LOG.splitlines()]  # as a run writes it
    of = {name: [(line["step"], line[name]) for line in log if name in line] for name in ("loss", "bits_per_byte")}
    loss, bits = (tuple(zip(*points, strict=True)) for points in of.values())
    figure = figures.training({"loss": loss}, measures={"val": bits})
    assert [(line.name, line.yaxis, list(line.x), list(line.y)) for line in figure.data] == [
        ("loss", "y", [10, 20], [3.5, 2.5]),
        ("val", "y2", [20], [3.75]),
    ]
    assert (figure.layout.yaxis2.side, figure.layout.yaxis2.overlaying) == ("right", "y")
    assert figure.data[0].line.color != figure.data[1].line.color
    assert "yaxis2" not in FIGURES["training"]().layout.to_plotly_json(), "without measures there is no second axis"
    with pytest.raises(ValueError, match="values of 'val' must have 2 numbers, got 1"):
        figures.training({"loss": ([1, 2], [2, 1])}, measures={"val": ([1, 2], [2])})


LOG = """\
{"step": 10, "loss": 3.5, "norm": 1.25, "seconds": 1.0}
{"step": 20, "loss": 2.5, "norm": 0.75, "seconds": 2.0}
{"step": 20, "seconds": 2.0, "bits_per_byte": 3.75}
"""


def test_names_of_models_that_are_alike_stand_on_different_sides_of_their_dots():
    close = trace(figures.bits_by_seconds([100, 100, 100], [2.5, 2.498, 2.496], ["one", "two", "six"]), "models")
    assert len(set(close.textposition)) == 3
    apart = trace(figures.bits_by_seconds([10, 1000], [2.5, 1.5], ["one", "two"]), "models")
    assert list(apart.textposition) == ["middle right", "middle right"]
    long = trace(figures.bits_by_seconds([10, 1000], [2.5, 1.5], ["one", "a name that is long"]), "models")
    assert list(long.textposition) == ["middle right", "middle left"]
    whole = "tiny-no-positions (its last training)"
    assert trace(figures.bits_by_seconds([10, 1000], [2.5, 1.5], ["one", whole]), "models").text[1] == whole


@pytest.mark.parametrize("name", [name for name in FIGURES if name not in ("bars", "next_tokens", "additions")])
def test_the_words_of_the_axes_may_be_of_another_language(name):
    figure = FIGURES[name](axes=("横 <b>", "纵"))
    values = [str(figure.layout.xaxis.title.text), str(figure.layout.yaxis.title.text)]
    values += [note.text for note in figure.layout.annotations]
    for word in ("横 &lt;b&gt;", "纵"):
        assert any(word in each for each in values), values
    assert not any("head" in each or "query" in each or "layer" in each for each in values)


def test_the_words_of_one_axis_and_of_the_colours_may_be_of_another_language():
    for name in ("bars", "next_tokens"):
        assert FIGURES[name](axis="概率").layout.xaxis.title.text == "概率"
    for name in ("attention", "heads", "cross_attention"):
        assert trace(FIGURES[name](unit="权重"), "weights").colorbar.title.text == "权重"
    assert trace(FIGURES["logit_lens"](unit="概率"), "lens").colorbar.title.text == "概率"


# --- maps with words --------------------------------------------------------------------------------------------------


def test_cross_attention_is_rectangular_and_rings_the_largest_weight_of_each_row():
    weights = random_weights(4, 6)
    weights[1, 4:] = np.nan  # padding
    figure = figures.cross_attention(weights, "wxyz", "abcdef")
    shown, rings = trace(figure, "weights"), trace(figure, "alignment")
    assert (list(shown.y), list(shown.x)) == (list("wxyz"), list("abcdef"))
    np.testing.assert_allclose(shown.z, weights, atol=1e-7)
    assert list(rings.y) == list("wxyz")
    for row, letter in zip(weights, rings.x, strict=True):
        assert row["abcdef".index(letter)] == max(number for number in row if not np.isnan(number))


def test_a_square_map_of_cross_attention_is_not_taken_for_a_causal_one():
    assert [each.name for each in figures.cross_attention(causal(3), "abc", "def").data] == ["weights", "alignment"]


def test_the_lens_shows_the_likeliest_token_of_each_depth_and_lists_the_others():
    probs = -np.sort(-np.random.default_rng(0).random((3, 2, 4)))
    values = [[[f"{depth}{token}{rank}" for rank in range(4)] for token in range(2)] for depth in range(3)]
    lens = trace(figures.logit_lens(probs, values, [" the", "cat"]), "lens")
    assert (list(lens.y), list(lens.x)) == (["–", "0", "1"], ["␣the", "cat"])
    for depth, token in itertools.product(range(3), range(2)):
        assert lens.z[depth][token] == probs[depth, token, 0]
        assert lens.text[depth][token] == f"{depth}{token}0"
        lines = lens.customdata[depth][token].split("<br>")
        assert lines == [f"{depth}{token}{rank} {probs[depth, token, rank]:.2%}" for rank in range(4)]
    assert (lens.zmin, lens.zmax) == (0, 1)


def test_a_label_keeps_its_letters_whole_and_its_direction_to_itself():
    figure = figures.next_tokens([0.5, 0.3, 0.2], ["👩\u200d👩\u200d👧", "שלום", "x" * 22 + "e\u0301e"])
    assert trace(figure, "probability").y == ("👩\u200d👩\u200d👧", "\u2068שלום\u2069", "x" * 22 + "…")


def test_tokens_in_the_lens_stay_literal():
    hostile = HOSTILE[:4]
    lens = trace(figures.logit_lens([[[0.4, 0.3, 0.2, 0.1]]], [[hostile]], ["a"]), "lens")
    assert lens.text[0][0] == "&lt;b&gt;x&lt;/b&gt;"
    assert "<b>" not in lens.customdata[0][0]
    assert "$" not in lens.customdata[0][0]


# --- themes and refusals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FIGURES)
def test_both_themes_take_every_colour_from_the_page(name):
    known = {}
    for theme, colours in PALETTES.items():
        figure = FIGURES[name](theme=theme)
        assert figure.layout.template.layout.paper_bgcolor == colours["panel"]
        assert figure.layout.template.layout.font.color == colours["text"]
        known[theme] = set(colours.values()) | set(itertools.chain(*style.SCALES[theme].values()))
    light, dark = (json.loads(FIGURES[name](theme=theme).to_json()) for theme in PALETTES)
    assert hexes(light) <= known["light"]
    assert hexes(dark) <= known["dark"]
    assert shape_of(light) == shape_of(dark)


def hexes(value) -> set[str]:
    if isinstance(value, dict):
        return set().union(*(hexes(each) for each in value.values()))
    if isinstance(value, list):
        return set().union(*(hexes(each) for each in value))
    return {value} if isinstance(value, str) and len(value) == 7 and value[0] == "#" else set()


def shape_of(value):
    if isinstance(value, dict):
        return {name: shape_of(each) for name, each in value.items()}
    if isinstance(value, list):
        return [shape_of(each) for each in value]
    return type(value)


@pytest.mark.parametrize("name", FIGURES)
def test_an_unknown_theme_is_refused_by_name(name):
    with pytest.raises(ValueError, match="theme must be one of light, dark, got 'sepia'"):
        FIGURES[name](theme="sepia")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: figures.attention(np.ones((2, 2, 2)), "ab"),
            r"weights must be \(t_query, t_key\), got shape \(2, 2, 2\)",
        ),
        (lambda: figures.attention(np.ones((0, 0)), ""), r"got shape \(0, 0\)"),
        (lambda: figures.attention([["a"]], "a"), "weights must be numbers"),
        (lambda: figures.attention(torch.ones(1, 1, requires_grad=True), "a"), "detached"),
        (lambda: figures.attention(random_weights(2, 3), "ab"), "keys must hold a label for each of 3 tokens, got 2"),
        (
            lambda: figures.attention(random_weights(2, 2), "abc"),
            "queries must hold a label for each of 2 tokens, got 3",
        ),
        (lambda: figures.attention([[-3.0, 2.0]], "a", "bc"), r"weights must lie in \[0, 1\], got -3 to 2"),
        (lambda: figures.attention([[np.inf, 0.0]], "a", "bc", scale="scores"), "weights must lie"),
        (lambda: figures.attention(random_weights(2, 2), "ab", scale="log"), "scale must be one of linear, row"),
        (
            lambda: figures.attention(random_weights(2, 2), "ab", mask=np.eye(3, dtype=bool)),
            r"mask must be bool \(2, 2\)",
        ),
        (
            lambda: figures.attention(random_weights(2, 2), "ab", mask=[[1, 0], [1, 1]]),
            r"mask must be bool \(2, 2\), got int",
        ),
        (lambda: figures.attention(causal(2), "ab", mask=~np.tri(2, dtype=bool)), "mask hides weights"),
        (lambda: figures.heads(random_weights(2, 2), "ab"), r"\(layers, h, t_query, t_key\), got shape \(2, 2\)"),
        (lambda: figures.heads(random_weights(1, 1, 2, 2), "ab", scale="row"), "scale must be one of linear, root"),
        (lambda: figures.cross_attention(random_weights(2, 3), "ab", "cd"), "keys must hold a label for each of 3"),
        (lambda: figures.cross_attention(random_weights(3), "ab", "cd"), r"must be \(t_target, t_source\), got shape"),
        (lambda: figures.logit_lens([[[1.5]]], [["x"]], "a"), r"probs must be probabilities, in \[0, 1\], got 1.5"),
        (lambda: figures.logit_lens([[[0.5, 0.1]]], [["x"]], "a"), r"said must hold a label for each of probs"),
        (lambda: figures.logit_lens([[[0.5]]], [["x"]], "ab"), "tokens must hold a label for each of 1 tokens, got 2"),
        (lambda: figures.next_tokens([0.5, 0.9], "ab"), "probs must be probabilities"),
        (lambda: figures.next_tokens([0.5, np.nan], "ab"), "probs must be finite"),
        (lambda: figures.next_tokens([0.5], "a", before=[0.5, 0.1]), "before must have 1 numbers, got 2"),
        (lambda: figures.next_tokens([0.5], "a", top=0), "top must be at least 1, got 0"),
        (lambda: figures.mask_cost([1, 2], {"none": [1]}), "must have 2 numbers, got 1"),
        (lambda: figures.mask_cost([1, 2], {"none": [0, 1]}), "must be at least 1"),
        (lambda: figures.mask_cost([2, 1], {"none": [1, 1]}), "tokens must grow"),
        (lambda: figures.mask_cost([1], {}), "chosen must be one of the masks"),
        (lambda: figures.mask_cost([1], {"none": [1]}, chosen="local"), "none, got 'local'"),
        (lambda: figures.mask_cost([1, 3], {"none": [1, 9]}, at=2), "at must be one of the 2 points"),
        (lambda: figures.training({}), "at least one run"),
        (lambda: figures.scan([[[1, 1, 1]]], [[[1, 1]]]), r"across and down must be \(layers, h, 3\) alike, got"),
        (
            lambda: figures.scan([[[1, 1, 1]]], [[[1, 1, 1]]], chosen=(1, 0)),
            "chosen must be one of 1 layers of 1 heads",
        ),
        (lambda: figures.plane([[0, 1]], [[0, 1]], ["ab", "cd"], [0]), "must be of the same k places"),
        (lambda: figures.plane([[0, 1]], [[0, 1]], ["ab"], [0, 1]), "ranks must have 1 numbers, got 2"),
        (lambda: figures.stacked({}, "ab"), "parts must hold at least one"),
        (lambda: figures.stacked({"a": [1]}, "ab"), r"parts\['a'\] must have 2 numbers, got 1"),
        (lambda: figures.training({"a": ([1, 1], [2, 1])}), "steps of 'a' must grow"),
        (lambda: figures.training({"a": ([1, 2], [2])}), "losses of 'a' must have 2 numbers, got 1"),
        (lambda: figures.training({"a": ([0, 2], [2, 1])}, logarithmic=True), "from above 0"),
        (lambda: figures.bits_by_seconds([0, 1], [1, 2], "ab"), "seconds must be above 0"),
        (lambda: figures.bits_by_seconds([1], [1], "ab"), "names must hold a label for each of 1 tokens, got 2"),
        (lambda: figures.similarity([1.0], 1), r"at must be a position in \[0, 1\), got 1"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_shape(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_the_figures_load_neither_torch_nor_gradio():
    code = "import sys, viz.figures; print(*{'torch', 'gradio', 'former'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True).stdout.strip() == b""
