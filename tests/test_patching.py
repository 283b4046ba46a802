"""Activation patching gives the same numbers as a plain loop over edits, for each kind of model."""

import copy
from dataclasses import replace
from typing import Any, cast

import pytest
import torch

import former
from former import patching
from former.edits import Edit
from former.hooks import STACKS as STACK_NAMES
from former.runs import Run
from tests.kinds import KINDS

EXACT: dict[str, Any] = {"atol": 1e-9, "rtol": 0}  # float64, sums in another order
PAIRS = {
    "causal": ("the cat sat", "the dog ran"),
    "classifier": ("a fine film", "a dull film"),
    "masked": ("the [cat] sat on", "the [cat] sat at"),
    "bert classifier": ("the cat sat", "the mat sat"),
    "translator": ("4/7 1976", "5/8 1976"),
    "memory": ("the cat sat on the mat", "the dog sat in the hut"),
}
STACKS = [(kind, "") for kind in KINDS if kind != "translator"] + [
    ("translator", stack) for stack in ("encoder", "decoder", "cross")
]


@pytest.fixture(params=STACKS, ids=lambda param: " ".join(param).strip())
def case(request, bundles) -> tuple[Run, Run, patching.Metric, str]:
    """Returns a clean run and a run corrupted by an edit, a metric, and a stack."""
    kind, stack = request.param
    bundle = bundles[kind]
    answers: list[dict[str, Any]] = [{"answer": "1976-07-04"}, {"answer": "1976-08-05"}] if stack else [{}, {}]
    clean, corrupted = (bundle.run(text, **answer) for text, answer in zip(PAIRS[kind], answers, strict=True))
    corrupted = corrupted.with_edits(former.edits.scale_head(0, 1, 0.5, stack=stack))
    return clean, corrupted, patching.logit_difference(1, 0), stack


def point(stack: str, name: str) -> str:
    return f"{stack}.{name}" if stack else name


def at_place(layer: int, name: str, change: Any) -> Edit:
    """Edits the last map only: a model with a memory reads earlier segments without the edit."""
    return Edit(layer, name, change, lambda _: True)


def swapped(clean: Run, corrupted: Run, layer: int, name: str, index: tuple[Any, ...]) -> Run:
    """Returns the corrupted run with the clean values at one place of a point."""
    value = clean.rerun([name])[1][name, layer]

    def put(current: torch.Tensor) -> torch.Tensor:
        changed = current.clone()
        changed[index] = value[index]
        return changed

    return corrupted.with_edits(at_place(layer, name, put))


def test_each_head_is_that_of_a_loop(case):
    clean, corrupted, metric, stack = case
    for function, name in ((patching.heads, "out"), (patching.attention, "weights")):
        result = function(clean, corrupted, metric, stack=stack)
        expected = [
            [metric(swapped(clean, corrupted, layer, point(stack, name), (0, head))) for head in range(4)]
            for layer in range(2)
        ]
        torch.testing.assert_close(result, torch.tensor(expected, dtype=result.dtype), **EXACT)


def test_each_head_and_token_is_that_of_a_loop(case):
    clean, corrupted, metric, stack = case
    result = patching.heads_by_token(clean, corrupted, metric, stack=stack)
    side = clean.reading.sides["cross" if stack == "decoder" else stack or "self"]
    assert result.shape == (2, 4, len(side.queries))
    for layer, head, token in ((0, 3, 1), (1, 0, result.shape[2] - 1), (1, 2, 0)):
        expected = metric(swapped(clean, corrupted, layer, point(stack, "out"), (0, head, token)))
        assert float(result[layer, head, token]) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("where", patching.POINTS)
def test_each_vector_of_the_stream_is_that_of_a_loop(case, where):
    clean, corrupted, metric, stack = case
    if stack == "cross" and where != "attention":
        with pytest.raises(ValueError, match="stack must be one of 'encoder', 'decoder', got 'cross'"):
            patching.stream(clean, corrupted, metric, where, stack=stack)
        return
    result = patching.stream(clean, corrupted, metric, where, stack=stack)
    name = point(stack, "out" if where == "attention" else where)
    for layer, token in ((0, 1), (1, result.shape[1] - 1)):
        index = (0, slice(None), token) if where == "attention" else (0, token)
        expected = metric(swapped(clean, corrupted, layer, name, index))
        assert float(result[layer, token]) == pytest.approx(expected, abs=1e-9)


def test_the_share_is_0_without_a_patch_and_1_where_all_is_carried(case):
    clean, corrupted, metric, stack = case
    low, high = metric(corrupted), metric(clean)
    plain = patching.heads(clean, corrupted, metric, stack=stack)
    result = patching.heads(clean, corrupted, metric, share=True, stack=stack)
    torch.testing.assert_close(result, (plain - low) / (high - low))
    if stack in ("", "encoder"):  # the heads of a stack read a text only through its first vectors
        whole = clean.patched_into(corrupted.unedited, 0, point="resid_pre", stack=stack)
        both = clean if stack == "" and clean.kind.name != "memory" else None  # else the answer, or the memory, differs
        if both:
            assert metric(whole) == pytest.approx(high, abs=1e-9)
    with pytest.raises(ValueError, match="share must be False where the metric is the same"):
        patching.heads(clean, clean, metric, share=True, stack=stack)


def test_the_estimate_in_inference_mode_is_that_outside(case):
    clean, corrupted, metric, stack = case
    expected = patching.attribution(clean, corrupted, metric, stack=stack)
    with torch.inference_mode():
        assert torch.equal(patching.attribution(clean, corrupted, metric, stack=stack), expected)


def test_the_estimate_is_the_slope_towards_the_clean_output(case):
    clean, corrupted, metric, stack = case
    result = patching.attribution(clean, corrupted, metric, stack=stack) - metric(corrupted)
    name, step = point(stack, "out"), 1e-5
    for layer, head in ((0, 2), (1, 1)):
        value = clean.rerun([name])[1][name, layer] - corrupted.rerun([name])[1][name, layer]

        def metric_after(by: float, value=value, layer=layer, head=head) -> float:
            def put(current: torch.Tensor) -> torch.Tensor:
                changed = current.clone()
                changed[0, head] += by * value[0, head]
                return changed

            return metric(corrupted.with_edits(at_place(layer, name, put)))

        slope = (metric_after(step) - metric_after(-step)) / (2 * step)
        assert float(result[layer, head]) == pytest.approx(slope, abs=1e-6)


@pytest.mark.parametrize("part", ["q", "k", "v"])
def test_a_path_is_that_of_two_plain_passes(case, part):
    """Pass 1 keeps all heads and feed-forwards corrupted except the sender; pass 2 changes only the receiver's
    input."""
    clean, corrupted, metric, stack = case
    sender, receiver = (0, 2), (1, 3)
    name, read = point(stack, "out"), point(stack, part)
    added = [each for each in ("out", "mlp_out") if not stack]
    added += [f"{each}.{what}" for each in STACK_NAMES for what in ("out", "mlp_out") if stack]
    added = [each for each in added if each != "cross.mlp_out"]
    remaining = corrupted.rerun(added)[1]
    value = clean.rerun([name])[1][name, 0]

    def frozen(current: torch.Tensor, layer: int, what: str) -> torch.Tensor:
        changed = remaining[what, layer].clone()
        if (layer, what) == (0, name):
            changed[0, sender[1]] = value[0, sender[1]]
        return changed.to(current)

    edits = [
        Edit(layer, what, lambda x, layer=layer, what=what: frozen(x, layer, what))
        for layer in range(2)
        for what in added
    ]
    observed = corrupted.rerun([read], edits)[1][read, 1]
    changed = swapped(clean, corrupted, 1, read, (slice(0, 0),))  # nothing of the clean run

    def put(current: torch.Tensor) -> torch.Tensor:
        new = current.clone()
        new[0, receiver[1]] = observed[0, receiver[1]]
        return new

    expected = metric(changed.with_edits(at_place(1, read, put)))
    result = patching.path(clean, corrupted, sender, [(*receiver, part)], metric, stack=stack)
    assert result == pytest.approx(expected, abs=1e-9)


def test_the_metrics_are_those_of_the_run_s_own_answers(bundles):
    clean, corrupted = (bundles["causal"].run(text) for text in PAIRS["causal"])
    probs = dict(corrupted.next_tokens(256))
    assert patching.probability("c")(corrupted) == pytest.approx(probs["c"])
    difference = patching.logit_difference("c", ord("d"))(corrupted)
    assert difference == pytest.approx(float(corrupted.output[0, -1, ord("c")] - corrupted.output[0, -1, ord("d")]))
    p, q = (run.output[0, -3].softmax(-1) for run in (clean, corrupted))
    assert patching.kl_to(clean, at=-3)(corrupted) == pytest.approx(float((p * (p / q).log()).sum()))
    assert patching.kl_to(clean)(clean) == pytest.approx(0, abs=1e-12)
    judged = bundles["classifier"].run("a fine film")
    classes = dict(judged.classes())
    assert patching.probability("fair")(judged) == pytest.approx(classes["fair"])
    masked = bundles["masked"].run("the [cat] sat")
    (blank, *_) = masked.blanks()
    label, prob = blank.guesses[0]
    assert patching.probability(label, at=0)(masked) == pytest.approx(prob)


def test_a_run_is_patched_in_one_place(bundles):
    clean, corrupted = (bundles["causal"].run(text) for text in PAIRS["causal"])
    result = clean.patched_into(corrupted, 1, 2, "weights", tokens=[4, 5])
    expected = swapped(clean, corrupted, 1, "weights", (0, 2, [4, 5]))
    torch.testing.assert_close(result.output, expected.output, **EXACT)
    assert result.text == corrupted.text
    assert not torch.equal(result.output, corrupted.output)
    as_tensor = clean.patched_into(corrupted, 1, 2, "weights", tokens=torch.tensor([4, 5]))  # pyright: ignore[reportArgumentType]
    assert torch.equal(as_tensor.output, result.output)


def test_after_an_overflow_a_share_is_refused_and_so_is_what_is_no_number(bundles):
    model = copy.deepcopy(bundles["causal"].model)
    clean, corrupted = (replace(bundles["causal"], model=model).run(text) for text in PAIRS["causal"])
    metric = patching.logit_difference(1, 0)
    model.toprobs.bias.data[1] = torch.inf
    assert patching.heads(clean.light(), corrupted.light(), metric).eq(torch.inf).all()
    with pytest.raises(ValueError, match="share must be False where the metric is not finite in both runs, got inf"):
        patching.heads(clean.light(), corrupted.light(), metric, share=True)
    model.toprobs.bias.data[0] = torch.inf  # infinity less infinity
    with pytest.raises(ValueError, match="must be numbers, got NaN: an overflow"):
        patching.heads(clean.light(), corrupted.light(), metric)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"layer": 2}, "layer must be in"),
        ({"layer": "0"}, "layer must be in .*, got '0'"),
        ({"layer": 0.5}, "layer must be in .*, got 0.5"),
        ({"layer": None}, "layer must be in .*, got None"),
        ({"head": 4}, "head must be None or a head"),
        ({"head": 1.5}, "head must be None or a head .*, got 1.5"),
        ({"head": "1"}, "head must be None or a head .*, got '1'"),
        ({"head": 0, "point": "mlp_out"}, "head must be None or a head"),
        ({"tokens": [11]}, "tokens must be None or positions in"),
        ({"tokens": 3}, "tokens must be None or positions in .*, got 3"),
        ({"tokens": [1.5]}, r"tokens must be None or positions in .*, got \[1.5\]"),
        ({"tokens": [True]}, "tokens must be None or positions in"),
        ({"tokens": "12"}, "tokens must be None or positions in .*, got '12'"),
        ({"point": "nothing"}, "point must be one of"),
        ({"stack": "cross"}, "stack must be"),
    ],
)
def test_a_place_that_is_not_there_is_refused(bundles, wrong, message):
    clean, corrupted = (bundles["causal"].run(text) for text in PAIRS["causal"])
    with pytest.raises(ValueError, match=message):
        clean.patched_into(corrupted, **{"layer": 0, **wrong})


def test_a_token_is_named_by_its_text_or_its_label():
    """Also in a model of several tasks, whose inputs begin with the token of one."""
    run = former.load("dates").run("2026-11-21")
    names = run.source.tokenizer.labels(range(run.source.tokenizer.num_tokens))
    for text, label in ((" ", "␣"), ("7", "7"), ("<end>", "<end>")):
        assert patching.index_of(run, text) == patching.index_of(run, label) == names.index(label)


@pytest.mark.parametrize("at", [1.5, "1", None, True])
def test_an_index_of_a_prediction_that_is_not_whole_is_refused(at):
    with pytest.raises(ValueError, match=f"at must be a whole number, got {at!r}"):
        patching.probability(1, at=at)


def test_texts_of_different_lengths_and_runs_of_different_models_are_refused(bundles):
    metric: Any = patching.probability(1)
    clean = bundles["causal"].run("the cat sat")
    with pytest.raises(ValueError, match="metric must be a Metric, such as logit_difference"):
        patching.heads(clean, clean, metric.read)
    with pytest.raises(ValueError, match="both texts must have equally many tokens, got 11 and 7"):
        patching.heads(clean, bundles["causal"].run("the cat"), metric)
    with pytest.raises(ValueError, match="both runs must be of one model"):
        patching.heads(clean, bundles["memory"].run("the cat sat"), metric)
    with pytest.raises(ValueError, match="both runs must be of one model"):
        patching.kl_to(bundles["classifier"].run("a fine film"))(clean)


@pytest.mark.parametrize(
    ("kind", "metric", "message"),
    [
        ("causal", patching.probability("ca"), "answer must be one token of this model, got 'ca'"),
        ("causal", patching.probability(256), r"answer must be in \[0, 256\)"),
        ("causal", patching.probability(True), "answer must be the index or the text"),
        ("causal", patching.probability(cast("int", 1.0)), "answer must be the index or the text"),
        ("causal", patching.probability(0, at=11), r"at must be in \[-11, 11\)"),
        ("classifier", patching.probability("great"), "one of the classes bad, fair, good"),
        ("masked", patching.probability("cat", at=2), "at must be in"),
    ],
)
def test_a_metric_that_does_not_fit_the_run_is_refused(bundles, kind, metric, message):
    text = PAIRS[kind][0]
    with pytest.raises(ValueError, match=message):
        metric(bundles[kind].run(text))


@pytest.mark.parametrize(
    ("sender", "receivers", "message"),
    [
        ((0, 1), [], "receivers must"),
        ((0, 1), [(0, 1, "q")], "receivers must"),
        ((0, 1), [(1, 1, "out")], "receivers must"),
        ((0, 1), [(2, 1, "q")], "layer must be in"),
        ((-1, 1), [(1, 1, "q")], "layer must be in"),
        ((0, 4), [(1, 1, "q")], "head must be"),
        (("0", 1), [(1, 1, "q")], "layer must be in"),
        ((0, 1), [("1", 1, "q")], "layer must be in"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused(bundles, sender, receivers, message):
    clean, corrupted = (bundles["causal"].run(text) for text in PAIRS["causal"])
    with pytest.raises(ValueError, match=message):
        patching.path(clean, corrupted, sender, receivers, patching.probability(1))
