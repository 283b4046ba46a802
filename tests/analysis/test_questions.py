"""The methods of a run equal plain loops for each kind of model, or raise a one-line error where they make no sense."""

import copy
import math
from typing import Any

import pytest
import torch

import former
from former import analysis, edits
from former.analysis.effects import agreement, blank, word_size
from former.analysis.statistics import rank_correlation
from former.analysis.trace import PARTS
from former.hooks import chain
from former.runs import Run
from tests.kinds import KINDS, TEXT, bundle_of, translator
from tests.their_models import roberta_pieces

EXACT: dict[str, Any] = {"atol": 1e-9, "rtol": 0}  # float64, sums in another order
STACK = {"translator": "cross"}
CHANGE = {kind: edits.scale_head(0, 3, 2.0, stack=STACK.get(kind, "")) for kind in KINDS}


def cost(run: Run, kind: str) -> float:
    """Returns the loss of a model that predicts tokens, from its output alone."""
    if kind == "masked":
        hidden = run.source.tokenizer.encode("cat")[1:-1]
        places = [i for i, token in enumerate(run.ids) if token == run.source.tokenizer.mask_token]  # pyright: ignore
        log_probs = run.output[0].log_softmax(-1)
        return (
            -sum(float(log_probs[i, token]) for i, token in zip(places, hidden, strict=True))
            / len(places)
            / math.log(2)
        )
    ids = run.inputs[1 if kind == "translator" else 0][0]
    log_probs = run.output[0].log_softmax(-1)
    return -sum(float(log_probs[i, ids[i + 1]]) for i in range(len(ids) - 1)) / (len(ids) - 1) / math.log(2)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "memory"])
def test_a_heads_effect_is_what_the_prediction_loses_without_it(bundles, kind):
    run = bundles[kind].run(TEXT[kind], edits=[CHANGE[kind]])
    values = list(analysis.head_effects(run))
    assert [(each.map, each.layer) for each in values] == [(name, layer) for name in run.maps for layer in range(2)]
    worth = cost(run, kind) if "classifier" not in kind else None
    for each in values:
        for head in range(4):
            stack = "" if each.map == "self" else each.map
            without = run.with_edits(edits.ablate_head(each.layer, head, stack=stack))
            if worth is None:
                best = int(run.output[0].argmax())
                odds = [math.log((1 - p) / p) for p in (float(r.output[0].exp()[best]) for r in (without, run))]
                expected = odds[0] - odds[1]
            else:
                expected = cost(without, kind) - worth
            assert float(each.effects[head]) == pytest.approx(expected, abs=1e-8)


def test_a_heads_effect_in_a_model_with_a_memory_is_that_on_its_last_segment(bundles):
    run = bundles["memory"].run(TEXT["memory"], edits=[CHANGE["memory"]])
    worth = cost(run, "memory")
    for each in analysis.head_effects(run):
        for head in range(4):
            observer = chain((*run.edits, edits.ablate_head(each.layer, head)))
            with torch.no_grad():
                logits, _ = run.model(*run.inputs, observer=observer)  # the memory is that of the run
            log_probs, ids = logits[0].log_softmax(-1), run.inputs[0][0]
            bits = [-float(log_probs[i, ids[i + 1]]) / math.log(2) for i in range(len(ids) - 1)]
            assert float(each.effects[head]) == pytest.approx(sum(bits) / len(bits) - worth, abs=1e-8)


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("causal", "t", "tokens must hold at least 2 tokens"),
        ("translator", "4/7 → ", "tokens must hold at least 2 tokens"),
        ("masked", "the cat", "text must hide a word"),
    ],
)
def test_the_effect_of_heads_on_a_text_that_predicts_nothing_is_refused(bundles, kind, text, message):
    with pytest.raises(ValueError, match=message):
        list(analysis.head_effects(bundles[kind].run(text)))


def test_the_effects_of_bert_and_of_a_memory_on_tokens_are_not_those_of_another_kind(bundles):
    tokens = torch.tensor([[3, 5, 8, 9]])
    with pytest.raises(ValueError, match="measure must be given for a Bert, which predicts hidden words"):
        analysis.ablation_effects(bundles["masked"].model, tokens)
    own = analysis.ablation_effects(bundles["masked"].model, tokens, lambda logits: logits[:, 0, 0])
    assert own.shape == (2, 4)
    xl = bundles["memory"].model
    effects = analysis.ablation_effects(xl, tokens)
    logits = xl(tokens, observer=edits.ablate_head(1, 2))[0]
    both = [
        torch.nn.functional.cross_entropy(out[0, :-1], tokens[0, 1:]) / math.log(2) for out in (logits, xl(tokens)[0])
    ]
    assert float(effects[1, 2]) == pytest.approx(float(both[0] - both[1]), abs=1e-8)
    judge = bundles["bert classifier"].model
    best = int(judge(tokens)[0].argmax())
    lost = judge(tokens)[0, best] - judge(tokens, observer=edits.ablate_head(0, 1))[0, best]
    assert float(analysis.ablation_effects(judge, tokens)[0, 1]) == pytest.approx(float(lost) / math.log(2), abs=1e-8)


@pytest.mark.parametrize(
    ("kind", "stack", "message"),
    [
        ("translator", "", "stack must be one of 'encoder', 'decoder', 'cross', got ''"),
        ("translator", "self", "stack must be one of 'encoder', 'decoder', 'cross', got 'self'"),
        ("causal", "encoder", "stack must be '' for this Generator, which has only one, got 'encoder'"),
    ],
)
def test_a_stack_that_a_model_does_not_have_is_refused_with_those_that_it_has(bundles, kind, stack, message):
    run = bundles[kind].run(TEXT[kind])
    measure: Any = former.patching.probability(0)  # it is not called
    asked: list[Any] = [
        lambda: analysis.ablation_effects(run.model, run.inputs, measure, stack=stack),
        lambda: former.patching.heads(run, run, measure, stack=stack),
    ]
    for question in asked:
        with pytest.raises(ValueError, match=f"^{message}$"):
            question()


@pytest.mark.parametrize("kind", KINDS)
def test_the_lens_at_the_top_is_what_the_model_says_and_below_it_the_stream_read_by_its_head(bundles, kind):
    run = bundles[kind].run(TEXT[kind], edits=[CHANGE[kind]])
    values, ids = analysis.lens(run, 5)
    stack = "decoder." if kind == "translator" else ""
    _, capture = run.rerun([f"{stack}resid_pre", f"{stack}resid_post"])
    streams = [capture[f"{stack}resid_pre", 0], capture[f"{stack}resid_post", 0], capture[f"{stack}resid_post", 1]]
    model: Any = run.model
    for depth, x in enumerate(streams):
        text = model.unembed(x, model.real(*run.inputs)) if kind == "classifier" else model.unembed(x)
        text = text[0].log_softmax(-1) if text.dim() == 3 else text
        if kind == "masked":
            text = text[[i for i, token in enumerate(run.ids) if token == run.source.tokenizer.mask_token]]  # pyright: ignore
        torch.testing.assert_close(values[depth], text.gather(-1, ids[depth]), **EXACT)
        best = text.sort(-1, descending=True).values[:, : values.shape[-1]]
        torch.testing.assert_close(values[depth], best, **EXACT)
        assert analysis.lens(run, 1000)[0].shape[1:] == text.shape  # as many as there are
    if kind != "masked":
        top = run.output[0] if run.output.dim() == 3 else run.output
        torch.testing.assert_close(values[-1], top.log_softmax(-1).gather(-1, ids[-1]), **EXACT)


@pytest.mark.parametrize(
    ("kind", "name"), [("causal", "self"), ("memory", "self"), ("translator", "cross"), ("translator", "decoder")]
)
def test_what_a_head_writes_and_all_other_parts_add_up_to_the_logit(bundles, kind, name):
    change = edits.scale_head(0, 3, 2.0, stack="" if name == "self" else name)
    run = bundles[kind].run(TEXT[kind], edits=[change])
    at = 2
    result = analysis.head_writes(run, 1, 2, at, name=name)
    ids = run.kind.written(run.model, run.inputs)[0].tolist()
    assert result.follows == result.token == ids[at + 1]
    torch.testing.assert_close(result.logits, run.output[0, at], **EXACT)
    total = sum(float(part.sum()) for part in result.parts.values())
    assert total == pytest.approx(float(run.output[0, at, result.token]), abs=1e-8)
    stack = "" if name == "self" else name
    without, _ = run.rerun(edits=[edits.ablate_head(1, 2, stack=stack)])
    torch.testing.assert_close(result.without, without[0, at], **EXACT)
    part = "cross" if name == "cross" else "heads"
    logits = analysis.logit_parts(run.model, run.inputs, at, edits=run.edits)[part][1, 2]
    torch.testing.assert_close(result.added, logits - logits.mean(), **EXACT)


@pytest.mark.parametrize(("kind", "name"), [("causal", "self"), ("memory", "self"), ("translator", "cross")])
def test_the_parts_of_a_difference_of_two_logits_are_the_differences_of_their_parts(bundles, kind, name):
    run = bundles[kind].run(TEXT[kind])
    both = analysis.head_writes(run, 1, 2, 2, 5, 3, name=name)
    one, other = (analysis.head_writes(run, 1, 2, 2, token, name=name) for token in (5, 3))
    assert both.parts.keys() == one.parts.keys() - {"common"}
    for part, values in both.parts.items():
        torch.testing.assert_close(values, one.parts[part] - other.parts[part], **EXACT)
    assert both.logit(both.logits) == pytest.approx(one.logit(one.logits) - other.logit(other.logits), abs=1e-8)
    assert both.logit(both.without) == pytest.approx(one.logit(one.without) - other.logit(other.without), abs=1e-8)
    assert both.logit(run.output[0, 2]) == pytest.approx(
        sum(float(each.sum()) for each in both.parts.values()), abs=1e-8
    )
    with pytest.raises(ValueError, match=r"rival must be in \[0, \d+\) for this run, got -1"):
        analysis.head_writes(run, 1, 2, 2, 5, -1, name=name)


@pytest.mark.parametrize("kind", ["classifier", "masked", "bert classifier"])
def test_what_a_head_writes_is_refused_where_no_norm_reads_it_directly(bundles, kind):
    with pytest.raises(ValueError, match="what a head writes is defined for pre-norm models that predict next tokens"):
        analysis.head_writes(bundles[kind].run(TEXT[kind]), 0, 0, 0)


def test_what_a_head_writes_is_refused_of_an_encoder_and_of_what_is_not_there(bundles):
    run = bundles["translator"].run(TEXT["translator"])
    with pytest.raises(ValueError, match="an encoder's heads write what the decoder reads"):
        analysis.head_writes(run, 0, 0, 0, name="encoder")
    with pytest.raises(ValueError, match=r"head must be in \[0, 4\) for this run, got 4"):
        analysis.head_writes(run, 0, 4, 0, name="cross")
    for question in (analysis.head_adds, lambda each: analysis.head_writes(each, 0, 0, 0)):
        with pytest.raises(ValueError, match="name must be one of 'cross', 'encoder', 'decoder', got 'self'"):
            question(run)


@pytest.mark.parametrize("kind", ["classifier", "bert classifier"])
def test_what_a_word_is_worth_is_what_the_verdict_loses_without_it(bundles, kind):
    run = bundles[kind].run(TEXT[kind], edits=[CHANGE[kind]])
    changes, chosen, nothing = (
        torch.cat(list(analysis.word_changes(run))),
        int(run.output[0].argmax()),
        blank(run.source.tokenizer),
    )
    for i in range(len(run.ids)):
        ids = torch.tensor([run.ids])
        ids[0, i] = nothing
        both = [float(each[0, chosen].exp()) for each in (run.output, run.model(ids, observer=chain(run.edits)))]
        odds = [math.log(p / (1 - p)) for p in both]
        assert float(changes[i]) == pytest.approx(odds[0] - odds[1], abs=1e-8)
    shares = analysis.word_shares(run)
    rolled = analysis.rollout(run.weights)
    torch.testing.assert_close(shares, rolled[0] if kind == "bert classifier" else rolled.mean(0))
    assert word_size(run) == 1
    assert agreement(run, shares, changes) == pytest.approx(rank_correlation(shares, changes.abs()), nan_ok=True)


@pytest.mark.parametrize("kind", ["causal", "masked", "translator", "memory"])
def test_the_words_of_a_verdict_are_refused_of_a_model_that_gives_none(bundles, kind):
    run = bundles[kind].run(TEXT[kind])
    for question in (analysis.word_shares, lambda run: list(analysis.word_changes(run))):
        with pytest.raises(ValueError, match="does not classify texts"):
            question(run)


def test_a_bert_without_a_head_is_looked_at_and_asked_nothing(bundles):
    whole = bundles["masked"]
    config = former.BertConfig(**{**whole.config.to_dict(), "words_head": False, "sentence_head": False})
    bare = former.Bundle(former.Bert(config).double().eval(), whole.tokenizer, config)
    run = bare.run("the [cat] sat")
    assert run.weights.shape[:2] == (2, 4)
    assert run.output.shape == (1, len(run.ids), 16)
    for question in (run.blanks, lambda: analysis.lens(run), lambda: list(analysis.head_effects(run))):
        with pytest.raises(ValueError, match="this Bert has no output layer: it makes no predictions"):
            question()


def test_statistics_and_rollout_are_those_of_a_runs_map_where_a_text_looks_at_itself(bundles):
    run = bundles["causal"].run(TEXT["causal"])
    own = analysis.head_statistics(run)
    for name, value in analysis.head_statistics(run.weights, torch.tensor(run.ids)).items():
        torch.testing.assert_close(own[name], value, rtol=1e-12, atol=1e-12)  # float64, summed in another order
    assert torch.equal(analysis.rollout(run), analysis.rollout(run.weights))
    for question in (analysis.head_statistics, analysis.rollout):
        with pytest.raises(ValueError, match="this run has several maps"):
            question(bundles["translator"].run(TEXT["translator"]))
        with pytest.raises(ValueError, match="weights must be square"):
            question(bundles["memory"].run(TEXT["memory"]))


def test_of_a_long_text_neighbours_are_taken_away_together_and_bytes_become_spaces(bundles, monkeypatch):
    monkeypatch.setattr("former.analysis.effects.PARTS", 2)
    bundle = bundles["causal"]
    config = former.ModelConfig(**{**bundle.config.to_dict(), "mask": "none", "num_classes": 2})
    judge = former.Bundle(former.Classifier(config).double().eval(), bundle.tokenizer, config)
    run = judge.run("abcde")
    changes, chosen = torch.cat(list(analysis.word_changes(run))), int(run.output[0].argmax())
    odds = [float(judge.run(text).output[0].exp()[chosen].logit()) for text in ("abcde", "   de", "abc  ")]
    assert changes.tolist() == pytest.approx([odds[0] - odds[1], odds[0] - odds[2]], abs=1e-8)


def test_a_word_of_robertas_is_replaced_by_the_unknown_token_and_not_by_the_beginning_of_a_text():
    tokenizer = roberta_pieces()
    assert blank(tokenizer) == 3  # "<unk>"; 0 begins a text
    config = former.BertConfig(num_tokens=300, emb=16, heads=4, depth=2, seq_length=40, num_classes=2)
    torch.manual_seed(1)
    judge = former.Bundle(former.BertClassifier(config).double().eval(), tokenizer, config)
    run = judge.run("the cats sat")
    changes, chosen = torch.cat(list(analysis.word_changes(run))), int(run.output[0].argmax())
    odds = [float(run.output[0].exp()[chosen].logit())]
    for i in range(len(run.ids)):
        ids = torch.tensor([[*run.ids[:i], 3, *run.ids[i + 1 :]]])
        with torch.no_grad():
            odds.append(float(judge.model(ids)[0].exp()[chosen].logit()))
    assert changes.tolist() == pytest.approx([odds[0] - each for each in odds[1:]], abs=1e-8)


@pytest.mark.parametrize("kind", ["causal", "masked", "memory", "classifier"])
def test_what_is_counted_of_a_prediction_that_is_nan_is_refused(bundles, kind):
    given = bundles[kind]
    bundle = former.Bundle(copy.deepcopy(given.model), given.tokenizer, given.config, given.card)
    with torch.no_grad():
        for parameter in bundle.model.parameters():
            parameter.fill_(torch.nan)
    run = bundle.run("the [cat] [SEP] sat" if kind == "masked" else TEXT[kind])
    questions: Any = [lambda: list(analysis.head_effects(run)), lambda: analysis.tell_apart(run, run)]
    questions += [run.surprise] if kind in ("causal", "memory") else []
    questions += [lambda: run.kind.follows(run.model, run.reading, run.result)] if kind == "masked" else []
    questions += [lambda: list(analysis.word_changes(run)), run.classes] if kind == "classifier" else []
    questions += (
        [lambda: analysis.ablation_effects(run.model, run.inputs[0])] if kind in ("causal", "classifier") else []
    )
    for question in questions:
        with pytest.raises(ValueError, match="prediction must be numbers, got NaN"):
            question()


@pytest.mark.parametrize(
    ("kind", "norm"),
    [(kind, "") for kind in ("causal", "classifier", "masked", "bert classifier", "translator")]
    + [("translator", "post")],
)
def test_a_weight_is_followed_to_the_tensors_that_make_it_and_on_to_the_embedding(bundles, kind, norm):
    bundle = translator(norm) if norm else bundles[kind]
    run = bundle.run(TEXT[kind], edits=[CHANGE[kind]])
    name, state = "cross" if kind == "translator" else "self", run.model.state_dict()
    for part in PARTS:
        result = analysis.trace(run, 1, 2, 2, 1, part, 3, name=name)
        scores = run.maps[name].scores[1, 2, 2]
        assert float(result["score"]) == pytest.approx(float(scores[1]), abs=1e-9)
        weight = float((result["score"] - result["most"]).exp() / result["total"])
        assert weight == pytest.approx(float(run.maps[name].weights[1, 2, 2, 1]), abs=1e-9)
        terms = result["terms"]
        row = state[terms["tensor"]][terms["row"], terms["column"] : terms["column"] + len(terms["weights"])]
        assert torch.equal(row, terms["weights"])
        value = float(row @ terms["inputs"]) + (0 if terms["bias"] is None else float(terms["bias"]))
        assert value == pytest.approx(float(result[part][3]), abs=1e-9)
        if (read := result["input"]) is not None:
            assert float(read["value"]) == pytest.approx(float(terms["inputs"][read["column"]]), abs=1e-9)
            token = state[read["embedding_place"]["tensor"]][read["token"], read["column"]]
            assert float(token) == pytest.approx(float(read["embedding"]), abs=1e-9)


MODERN: dict[str, dict[str, Any]] = {
    "rotary": {},
    "a part of each head turned, parallel": {"rotary_share": 0.5, "parallel": True, "normalisation": "layer"},
    "one head of keys, with biases": {"kv_heads": 1, "attention_bias": True, "rotary_scaling": (4.0, 1.0, 4.0, 16.0)},
    "normed queries and keys": {"qk_norm": True, "size": 6},
}


@pytest.mark.parametrize("changes", MODERN.values(), ids=MODERN)
def test_a_number_of_a_rotary_model_is_turned_normed_and_added_up_from_the_files_numbers(changes):
    small = {"num_tokens": 256, "seq_length": 16, "emb": 16, "heads": 4, "kv_heads": 2, "depth": 2, "ff_hidden": 20}
    torch.manual_seed(0)
    bundle = bundle_of(former.Generator(former.llama.config(**small | changes)), former.tokens.ByteTokenizer())
    run = bundle.run("the cat sat")
    state, own = run.model.state_dict(), run.maps["self"]
    size = run.model.config.head_size
    rows = {"q": 7, "k": 4, "v": 4, "adds": 7}
    for part, at in [*((part, at) for part in "qkv" for at in range(size)), ("adds", 9)]:
        result = analysis.trace(run, 1, 2, 7, 4, part, at)
        weight = float((result["score"] - result["most"]).exp() / result["total"])
        assert weight == pytest.approx(float(own.weights[1, 2, 7, 4]), abs=1e-9)
        terms = result["terms"]
        row = state[terms["tensor"]][terms["row"], terms["column"] : terms["column"] + len(terms["weights"])]
        assert torch.equal(row, terms["weights"])
        value = float(row @ terms["inputs"]) + (0 if terms["bias"] is None else float(terms["bias"]))
        if normed := result["normed"]:
            assert value == pytest.approx(float(normed["whole"]), abs=1e-9)
            assert torch.equal(normed["gain"], state[normed["tensor"]][at])
            value = value / float(normed["deviation"]) * float(normed["gain"])
            assert value == pytest.approx(float(normed["value"]), abs=1e-9)
        if turned := result["turned"]:
            assert value == pytest.approx(float(turned["own"]), abs=1e-9)
            pair = analysis.trace(run, 1, 2, 7, 4, part, turned["pair"])
            assert float(turned["other"]) == pytest.approx(float(pair["turned"]["own"]), abs=1e-9)
            frequency = 100_000 ** (-2 * min(at, turned["pair"]) / (size * changes.get("rotary_share", 1)))
            if "rotary_scaling" not in changes:
                assert float(turned["angle"]) == pytest.approx(rows[part] * frequency, abs=1e-9)
            angle = float(turned["angle"])
            value = value * math.cos(angle) + turned["sign"] * float(turned["other"]) * math.sin(angle)
        assert (turned is not None) == (part in "qk" and at < size * changes.get("rotary_share", 1))
        assert (normed is not None) == (part in "qk" and changes.get("qk_norm", False))
        whole = unify_row(state, at) @ own.out[1, 2, 7] if part == "adds" else getattr(own, part)[1, 2, rows[part], at]
        assert value == pytest.approx(float(result[part][at]), abs=1e-9) == pytest.approx(float(whole), abs=1e-9)
        if (read := result["input"]) is not None:
            addends = read["embedding"] + read["position"] + sum(read["blocks"])
            assert float(addends) == pytest.approx(float(read["whole"]), abs=1e-9)


def unify_row(state: dict[str, torch.Tensor], at: int) -> torch.Tensor:
    """Returns the weights by which layer 1 maps head 2 to a number of the stream."""
    weight = state["transformer.blocks.1.attention.unifyheads.weight"]
    size = weight.shape[1] // 4
    return weight[at, 2 * size : 3 * size]


def test_a_weight_that_is_not_made_of_q_and_k_alone_or_is_hidden_is_not_followed(bundles):
    with pytest.raises(ValueError, match=r"trace needs scores of q·k alone"):
        analysis.trace(bundles["memory"].run(TEXT["memory"]), 0, 0, 1, 0)
    run = bundles["causal"].run(TEXT["causal"])
    with pytest.raises(ValueError, match="the mask hides key 3 from query 1"):
        analysis.trace(run, 0, 0, 1, 3)
    with pytest.raises(ValueError, match=r"key must be in \[0, 11\) for this run, got 11"):
        analysis.trace(run, 0, 0, 1, 11)


def test_what_follows_the_parts_of_the_stream_is_refused_where_an_edit_replaces_it(bundles):
    run = bundles["causal"].run(TEXT["causal"])
    replaced = analysis.carry_state(run.with_edits(CHANGE["causal"]), run, (1, 0), (0, 2))
    for question in (
        analysis.head_adds,
        lambda each: analysis.head_writes(each, 0, 1, 2),
        lambda each: analysis.trace(each, 0, 1, 2, 1),
    ):
        with pytest.raises(ValueError, match="edits must not change the residual stream itself, got an edit of 'resid"):
            question(replaced)


@pytest.mark.parametrize("kind", ["causal", "masked", "classifier", "translator", "memory"])
@pytest.mark.parametrize(("source", "target"), [((0, 1), (0, 1)), ((1, 0), (2, 2)), ((2, 1), (1, 0))])
def test_a_state_carried_over_is_the_other_run_with_this_vector_in_its_place(bundles, kind, source, target):
    run = bundles[kind].run(TEXT[kind])
    clean = run.with_edits(CHANGE[kind])  # another run of the model, whose states differ from the first block on
    stack = "decoder." if kind == "translator" else ""
    streams = clean.rerun([f"{stack}resid_pre", f"{stack}resid_post"])[1]
    depth, token = source
    point = f"{stack}resid_post" if depth else f"{stack}resid_pre"
    vector = streams[point, max(0, depth - 1)][0, token]
    onto, at = target
    where = f"{stack}resid_post" if onto else f"{stack}resid_pre"

    def put(x: torch.Tensor) -> torch.Tensor:
        return torch.cat((x[:, :at], vector.expand(1, 1, -1), x[:, at + 1 :]), 1)

    expected, _ = run.rerun(edits=[edits.Edit(max(0, onto - 1), where, put)])
    carried = analysis.carry_state(clean, run, source, target)
    torch.testing.assert_close(carried.rerun()[0], expected, **EXACT)
    assert carried.reading is run.reading


def test_states_that_are_not_there_and_runs_of_two_models_are_refused(bundles):
    run = bundles["causal"].run(TEXT["causal"])
    tokens, depth = len(run.ids), run.model.config.depth
    for ends in (((depth + 1, 0), (0, 0)), ((0, 0), (0, tokens)), ((-1, 0), (0, 0))):
        with pytest.raises(ValueError, match=r"(source|target) must have depth in \[0, \d+\], token in \[0, \d+\)"):
            analysis.carry_state(run, run, *ends)
    with pytest.raises(ValueError, match="both runs must be of one model"):
        analysis.carry_state(bundles["memory"].run(TEXT["memory"]), run, (0, 0), (0, 0))
