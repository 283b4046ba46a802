"""A text through a model of each kind, compared with plain calls of the model and loops."""

import copy
import math
from dataclasses import replace
from typing import Any

import pytest
import torch

import former
from former import cpu, edits
from former.baselines import GRUConfig, GRUModel
from former.encoder_decoder import write
from former.runs import Unanswerable, kind_of
from former.runs.kinds import KINDS as KNOWN
from former.runs.translator import answer_under
from tests.kinds import KINDS, TEXT

EXACT: dict[str, Any] = {"atol": 1e-10, "rtol": 0}  # float64, sums in another order


def test_a_causal_model_runs_as_it_is_called_and_says_what_comes_next(bundles):
    bundle, text = bundles["causal"], TEXT["causal"]
    run, ids = bundle.run(text), torch.tensor([list(text.encode())])
    logits, capture = former.run_with_capture(bundle.model, ids, ("weights", "q", "k", "v", "out", "scores"))
    assert (run.ids, run.total) == (ids[0].tolist(), len(text))
    assert run.tokens == bundle.tokenizer.labels(run.ids) == run.map.queries == run.map.keys
    torch.testing.assert_close(run.output, logits, **EXACT)
    for layer in range(2):
        for point in ("weights", "q", "k", "v", "out", "scores"):
            torch.testing.assert_close(getattr(run.map, point)[layer], capture[point, layer][0], **EXACT)
    probs = logits[0, -1].softmax(-1)
    named = run.next_tokens(3)
    assert [p for _, p in named] == pytest.approx(sorted(probs.tolist(), reverse=True)[:3], abs=1e-10)
    assert named[0][0] == bundle.tokenizer.labels([int(probs.argmax())])[0]
    first, *rest = run.surprise()
    assert first is None
    for i, bits in enumerate(rest, start=1):
        assert bits == pytest.approx(-math.log2(logits[0, i - 1].softmax(-1)[ids[0, i]]), abs=1e-9)


def test_a_text_that_is_too_long_is_cut_and_the_run_says_so(bundles):
    run = bundles["causal"].run("the cat sat on the mat")
    assert (bytes(run.ids), run.total) == (b"the cat sat on t", 22)
    judged = bundles["classifier"].run("the cat sat on the mat " * 4)  # a verdict comes at the end
    assert judged.tokens == (["the", "cat", "sat", "on", "the", "mat"] * 4)[-16:]
    assert judged.total == 24


@pytest.mark.parametrize("kind", ["causal", "translator", "masked"])
@torch.no_grad()
def test_bits_of_a_model_in_half_precision_are_not_rounded_to_half_precision(kind, bundles):
    bundle = bundles[kind]
    run = replace(bundle, model=copy.deepcopy(bundle.model).bfloat16()).run(TEXT[kind])
    bits = -run.output[0].float().log_softmax(-1) / math.log(2)  # (t, num_tokens), of the rounded logits
    if kind == "masked":
        (blank,) = run.blanks(1)
        expected = bits[blank.at, bundle.tokenizer.labels(range(bundle.tokenizer.num_tokens)).index(blank.truth)]
    else:
        tokens = run.kind.written(run.model, run.inputs)[0]
        each = bits[:-1].gather(1, tokens[1:, None])[:, 0]
        assert run.surprise()[1:] == pytest.approx(each.tolist(), abs=1e-5)
        expected = each.mean()
    measured = run.kind.measure(run.model, run.reading, run.inputs, run.result)(run.result)
    torch.testing.assert_close(measured, expected[None], atol=1e-5, rtol=0)


def test_each_kind_has_a_small_model_that_these_tests_run(bundles):
    assert {kind_of(bundle) for bundle in bundles.values()} == set(KNOWN), "tests/kinds.py makes one of each kind"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("limit", [0, -1, 1.5])
def test_a_limit_below_one_is_refused(kind, limit, bundles):
    with pytest.raises(ValueError, match=f"limit must be a whole number of at least 1, got {limit}"):
        bundles[kind].run(TEXT[kind], limit=limit)


@pytest.mark.parametrize("kind", KINDS)
def test_no_limit_is_beyond_the_context(kind, bundles):
    bundle = bundles[kind]
    text = " ".join([TEXT[kind]] * 4)
    assert bundle.run(text, limit=99).ids == bundle.run(text).ids


@pytest.mark.parametrize("kind", ["masked", "bert classifier"])
def test_a_limit_has_room_for_a_word_between_the_special_tokens(kind, bundles):
    assert len(bundles[kind].run("the cat sat", limit=3).ids) == 3
    for limit in (1, 2):
        with pytest.raises(ValueError, match=f"limit must be at least 3, .* got {limit}"):
            bundles[kind].run("the cat sat", limit=limit)
    with pytest.raises(ValueError, match="limit must be at least 5"):
        bundles["masked"].run("the cat [SEP] sat", limit=4)


@pytest.mark.parametrize("text", [["the cat", "a dog"], None, b"the cat"])
@pytest.mark.parametrize("kind", KINDS)
def test_only_a_single_text_is_run(kind, text, bundles):
    with pytest.raises(ValueError, match=f"text must be a str, a single text, got {type(text).__name__}"):
        bundles[kind].run(text)


def test_an_answer_is_a_text(bundles):
    answer: Any = 19760704
    with pytest.raises(ValueError, match="answer must be None or a str, got int"):
        bundles["translator"].run(TEXT["translator"], answer=answer)


def test_a_prediction_after_an_overflow_is_refused_not_listed(bundles):
    overflow = [edits.scale_head(0, 0, 1e308)] * 2
    with pytest.raises(ValueError, match="logits must have a finite maximum"):
        bundles["causal"].run("the cat", edits=overflow).next_tokens(3)
    with pytest.raises(ValueError, match="logits must have a finite maximum"):
        bundles["masked"].run("the [cat]", edits=overflow).blanks()


def test_as_many_guesses_are_given_as_a_positive_count_says(bundles):
    for count in (0, -1):
        with pytest.raises(ValueError, match="count must be a whole number of at least 1"):
            bundles["causal"].run("the cat").next_tokens(count)
        with pytest.raises(ValueError, match="count must be a whole number of at least 1"):
            bundles["masked"].run("the [cat]").blanks(count)


def test_a_classifier_gives_the_probability_of_each_class(bundles):
    bundle = bundles["classifier"]
    run = bundle.run("a fine film")
    probs = bundle.model(torch.tensor([bundle.tokenizer.encode("a fine film")])).exp()[0].tolist()
    assert run.classes() == [(name, pytest.approx(p)) for name, p in zip(["bad", "fair", "good"], probs, strict=True)]
    assert [name for name, _ in bundles["bert classifier"].run("the cat").classes()] == ["0", "1"]


def test_a_hidden_word_is_filled_in_from_all_others(bundles):
    bundle = bundles["masked"]
    run, tokenizer = bundle.run("the [cat] sat [SEP] on [MASK]"), bundle.tokenizer
    hidden = tokenizer.encode("cat")[1:-1]
    first = [tokenizer.cls_token, *tokenizer.encode("the")[1:-1], *[tokenizer.mask_token] * len(hidden)]
    first += [*tokenizer.encode("sat")[1:-1], tokenizer.sep_token]
    second = [*tokenizer.encode("on")[1:-1], tokenizer.mask_token, tokenizer.sep_token]
    assert run.ids == first + second
    ids, segments = torch.tensor([run.ids]), torch.tensor([[0] * len(first) + [1] * len(second)])
    logits = bundle.model(ids, segments)
    torch.testing.assert_close(run.output, logits, **EXACT)
    blanks = run.blanks(2)
    assert [blank.at for blank in blanks] == [i for i, token in enumerate(run.ids) if token == tokenizer.mask_token]
    assert [blank.truth for blank in blanks] == [*tokenizer.labels(hidden), None]
    for blank in blanks:
        best = logits[0, blank.at].softmax(-1).sort(descending=True)
        assert [p for _, p in blank.guesses] == pytest.approx(best.values[:2].tolist(), abs=1e-10)
    follows = run.kind.follows(bundle.model, run.reading, run.result)  # pyright: ignore[reportAttributeAccessIssue]
    assert follows == pytest.approx(float(bundle.model.next_sentence(ids, segments)[0].softmax(-1)[0]))


def test_of_two_texts_that_are_too_long_the_longer_is_cut(bundles):
    run = bundles["masked"].run("the cat sat on the mat the cat sat on the mat [SEP] paris")
    assert len(run.ids) == 16
    assert run.tokens.count("[SEP]") == 2
    assert run.total > 16


@pytest.mark.parametrize(
    ("text", "given"), [("4/7 1976", None), ("4/7 → 19-7", None), ("4/7 -> 19-7", None), ("4/7", "19-7")]
)
def test_a_translator_reads_the_answer_that_is_given_or_its_own(bundles, text, given):
    bundle = bundles["translator"]
    model, tokenizer = bundle.model, bundle.tokenizer
    run = bundle.run(text, answer=given)
    source = torch.tensor([tokenizer.encode(text.replace("->", "→").split("→")[0].strip())])
    own = write(model, source, tokenizer.begin, tokenizer.end)[0]
    target = [tokenizer.begin, *own][:16] if text == "4/7 1976" else tokenizer.encode_target("19-7")[:-1]
    names = [f"{stack}.weights" for stack in ("cross", "encoder", "decoder")]
    logits, capture = former.run_with_capture(model, (source, torch.tensor([target])), names)
    torch.testing.assert_close(run.output, logits, **EXACT)
    for name in ("cross", "encoder", "decoder"):
        torch.testing.assert_close(run.maps[name].weights, capture.stack(f"{name}.weights")[:, 0], **EXACT)
    assert run.maps["cross"].queries == run.maps["decoder"].keys == tokenizer.labels(target)
    assert run.maps["cross"].keys == run.tokens == tokenizer.labels(source[0].tolist())
    with pytest.raises(ValueError, match=r"several maps, \['cross', 'decoder', 'encoder'\]; choose one"):
        run.weights  # noqa: B018


def test_a_translators_answer_under_edits_is_written_step_by_step_under_them(bundles):
    bundle = bundles["translator"]
    model, tokenizer = bundle.model, bundle.tokenizer
    changes = [edits.ablate_head(0, 1, stack="cross"), edits.set_weight(1, 2, 3, 0, 1.0, stack="decoder")]
    source, target = torch.tensor([tokenizer.encode("4/7")]), [tokenizer.begin]
    while len(target) <= 16:
        fit = changes if len(target) > 3 else changes[:1]  # the weight's query is there from the fourth token on
        logits, _ = former.run_with_capture(model, (source, torch.tensor([target])), (), edits=fit)
        if (token := int(logits[0, -1].argmax())) == tokenizer.end:
            break
        target.append(token)
    written = answer_under(model, tokenizer, source, changes)
    assert written == tokenizer.decode(target[1:])
    own = write(model, source, tokenizer.begin, tokenizer.end)[0]
    assert len(own) == 16  # it never ends, so that both are as long as can be
    assert answer_under(model, tokenizer, source, []) == tokenizer.decode(own)


def test_a_model_with_a_memory_shows_its_last_segment_and_what_came_before(bundles):
    bundle, text = bundles["memory"], TEXT["memory"]
    run, model = bundle.run(text), bundle.model
    whole, memory, said = torch.tensor([list(text.encode())]), None, []
    capture = former.Capture(["weights", "scores"])
    for begin in range(0, len(text), 6):
        capture = former.Capture(["weights", "scores"])
        logits, memory = model(whole[:, begin : begin + 6], memory, observer=capture)
        said.append(logits)
    t = len(text) % 6
    assert run.ids == whole[0, -t:].tolist()
    assert (run.map.memory, len(run.map.keys), run.total) == (8, 8 + t, len(text))
    torch.testing.assert_close(run.output, said[-1], **EXACT)
    torch.testing.assert_close(run.weights, capture.stack("weights")[:, 0], **EXACT)
    torch.testing.assert_close(run.map.scores, capture.stack("scores")[:, 0], **EXACT)
    log_probs = torch.cat(said, 1)[0].log_softmax(-1)
    expected = [-float(log_probs[i - 1, whole[0, i]]) / math.log(2) for i in range(len(text) - t, len(text))]
    assert run.surprise() == pytest.approx(expected, abs=1e-9)
    assert bundle.run(text[:6]).surprise()[0] is None
    assert bundle.run(text[0]).surprise() == [None]


def test_an_edit_acts_in_every_segment_and_one_of_a_place_in_the_last_alone(bundles):
    bundle, text = bundles["memory"], TEXT["memory"]
    whole, ablate, index = (
        torch.tensor([list(text.encode())]),
        edits.ablate_head(0, 1),
        edits.set_weight(1, 0, 2, 9, 0.5),
    )
    memory = None
    for begin in range(0, len(text) - 6, 6):
        _, memory = bundle.model(whole[:, begin : begin + 6], memory, observer=ablate)
    last = whole[:, len(text) // 6 * 6 :]
    logits, _ = former.run_with_capture(bundle.model, (last, memory), (), edits=[ablate, index])[0]  # pyright: ignore[reportArgumentType]
    torch.testing.assert_close(bundle.run(text, edits=[ablate, index]).output, logits, **EXACT)


@pytest.mark.parametrize("kind", KINDS)
def test_edits_add_up_and_the_run_without_them_is_still_there(bundles, kind):
    stack = "decoder" if kind == "translator" else ""
    plain = bundles[kind].run(TEXT[kind])
    once = plain.with_edits(edits.ablate_head(0, 1, stack=stack))
    twice = once.with_edits(edits.scale_head(1, 2, 3.0, stack=stack))
    assert plain.edits == ()
    assert len(twice.edits) == 2
    assert not torch.allclose(plain.output, once.output)
    assert not torch.allclose(once.output, twice.output)
    torch.testing.assert_close(twice.unedited.output, plain.output, **EXACT)
    assert twice.unedited.maps == {}
    assert plain.unedited is plain
    result, capture = once.rerun([f"{stack}.out" if stack else "out"])
    torch.testing.assert_close(result, once.result, **EXACT)
    assert (capture[f"{stack}.out" if stack else "out", 0][:, 1] == 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_head_that_is_spread_looks_at_all_that_its_mask_allows_alike(bundles, kind):
    stack = "cross" if kind == "translator" else ""
    run = bundles[kind].run(TEXT[kind], edits=[edits.spread_head(1, 2, stack=stack)])
    observed = run.maps[stack or "self"]
    even = observed.allowed / observed.allowed.double().sum(-1, keepdim=True)
    torch.testing.assert_close(observed.weights[1, 2], even, **EXACT)


QUESTIONS = {
    "next_tokens": ({"causal", "translator", "memory"}, "does not predict next tokens"),
    "surprise": ({"causal", "translator", "memory"}, "does not predict next tokens"),
    "classes": ({"classifier", "bert classifier"}, "does not classify texts"),
    "blanks": ({"masked"}, "does not fill in hidden words"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_question_that_makes_no_sense_of_a_model_is_refused_in_one_line(bundles, kind):
    run = bundles[kind].run(TEXT[kind])
    for question, (kinds, message) in QUESTIONS.items():
        if kind in kinds:
            assert getattr(run, question)()
            continue
        with pytest.raises(Unanswerable, match=message) as refused:
            getattr(run, question)()
        assert "\n" not in str(refused.value)
    if kind != "translator":
        with pytest.raises(Unanswerable, match="answer must be None for a"):
            bundles[kind].run(TEXT[kind], answer="1")


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_without_a_token_is_refused(bundles, kind):
    with pytest.raises(Unanswerable, match=r"text must hold at least one (token|word), got ''"):
        bundles[kind].run("")


def test_an_answer_that_is_too_long_is_refused(bundles):
    with pytest.raises(Unanswerable, match="answer must have at most 15 tokens, got 20"):
        bundles["translator"].run("4/7", answer="1" * 20)


def test_an_edit_that_does_not_fit_is_refused(bundles):
    with pytest.raises(ValueError, match=r"layer must be in \[0, 2\) for this model, got 2"):
        bundles["causal"].run("the cat", edits=[edits.ablate_head(2, 0)])
    with pytest.raises(ValueError, match=r"query must be in \[0, 7\) for these tokens, got 9"):
        bundles["causal"].run("the cat", edits=[edits.set_weight(0, 0, 9, 0, 0.5)])
    with pytest.raises(ValueError, match="edits must be of whole heads"):
        former.generate(bundles["causal"].model, [1], 5, edits=[edits.set_weight(0, 0, 0, 0, 0.5)])


def test_a_model_without_attention_is_refused():
    model = GRUModel(GRUConfig(emb=8, depth=1))
    with pytest.raises(ValueError, match=r"bundle must hold one of .*, got GRUModel"):
        former.Bundle(model, former.tokens.ByteTokenizer(), model.config).run("the cat")


@pytest.mark.parametrize("kind", ["causal", "masked"])
def test_a_fast_twin_runs_in_the_place_of_its_model(bundles, kind):
    bundle = replace(bundles[kind], model=bundles[kind].model.float())
    fast, run = replace(bundle, model=cpu.optimise(bundle.model)).run(TEXT[kind]), bundle.run(TEXT[kind])
    assert fast.model is bundle.model
    torch.testing.assert_close(fast.output, run.output, atol=1e-3, rtol=0)  # float32, and logits of size 10
    torch.testing.assert_close(fast.weights, run.weights, atol=1e-4, rtol=0)
    bundle.model.double()  # the model is shared


def test_a_run_may_be_of_a_snapshot(bundles, tmp_path):
    bundle = bundles["causal"]
    former.save(replace(bundle, card={"step": 20}), tmp_path)
    former.save(make_other(), tmp_path / "step-000010")
    loaded = former.load(tmp_path)
    torch.testing.assert_close(loaded.run("the cat", snapshot=20).output, loaded.run("the cat").output)
    earlier = former.load(tmp_path / "step-000010").run("the cat")
    assert torch.equal(loaded.run("the cat", snapshot=10).output, earlier.output)
    unknown: list[Any] = [11, 5.5, "last"]
    for step in unknown:
        with pytest.raises(ValueError, match=rf"snapshot must be one of the saved steps, \[10\], got {step!r}"):
            loaded.run("the cat", snapshot=step)


def make_other() -> former.Bundle:
    torch.manual_seed(7)
    model = former.Generator(former.ModelConfig(num_tokens=256, emb=16, heads=4, depth=2, seq_length=16))
    return former.Bundle(model.eval(), former.tokens.ByteTokenizer(), model.config)


@pytest.mark.parametrize("name", KINDS)
def test_models_of_the_kinds_that_continue_a_text_are_those_that_generate(bundles, name):
    bundle = bundles[name]
    continues = kind_of(bundle).continues(bundle.model)
    assert continues == (name in ("causal", "memory"))
    if continues:
        assert list(former.generate(bundle.model, bundle.tokenizer.encode("the"), 1))


def test_a_model_without_a_causal_mask_continues_no_text_and_one_with_a_pattern_has_a_name_of_its_own(bundles):
    config = bundles["causal"].config
    for mask, continues, variant in (("none", False, "causal"), ("local", True, "pattern")):
        model = former.Generator(replace(config, mask=mask, mask_size=3))
        assert (kind_of(bundles["causal"]).continues(model), kind_of(bundles["causal"]).variant(model)) == (
            continues,
            variant,
        )


@pytest.mark.parametrize(("name", "text"), [("bert", "Paris [PAD] is [big]."), ("bert-reviews", "a great [PAD] movie")])
def test_padding_that_is_typed_is_masked_in_the_reading_as_in_the_model(name, text):
    run = former.load(name).run(text)
    pad = run.tokens.index("[PAD]")
    assert not run.map.allowed[:, pad].any()
    weights = run.map.scores.softmax(-1)
    torch.testing.assert_close(weights, run.map.weights, atol=1e-5, rtol=0)  # of float32, computed in another order
    if name == "bert":
        metric = former.patching.probability(0)
        same = former.patching.heads(run, run, metric)
        torch.testing.assert_close(same, torch.full_like(same, float(metric(run))), atol=1e-6, rtol=1e-4)


def test_what_is_hidden_in_one_pair_of_brackets_is_one_word():
    bundle = former.load("bert")
    text = "He is [twenty-one] now, and [don't] ask."
    run = bundle.run(text)
    hidden = [word for word in run.kind.facts(bundle, run.reading, ())["words"] if word["hidden"]]
    assert [text[word["from"] : word["to"]] for word in hidden] == ["[twenty-one]", "[don't]"]
    assert all(len(word["tokens"]) > 1 for word in hidden)
