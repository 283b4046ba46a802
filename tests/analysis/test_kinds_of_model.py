"""Every function of former.analysis on every kind of model gives a meaningful answer or a one-line error."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

import former
from former import analysis, cpu
from former.baselines import ConvConfig, ConvModel, GRUConfig, GRUModel

T = 7
SIZES: dict[str, Any] = {"num_tokens": 20, "emb": 16, "heads": 4, "depth": 2, "seq_length": 16}
TOKENS = torch.randint(1, 20, (1, T), generator=torch.Generator().manual_seed(0))
PAIR = (TOKENS, TOKENS.flip(1))


def made() -> dict[str, Any]:
    torch.manual_seed(0)
    plain, bert = former.ModelConfig(**SIZES, norm="pre"), former.BertConfig(**SIZES, pad_token=None)
    models: dict[str, Any] = {
        "generator": former.Generator(plain),
        "post-norm": former.Generator(former.ModelConfig(**SIZES)),
        "sparse": former.Generator(former.ModelConfig(**SIZES, norm="pre", mask="local", mask_size=3)),
        "bare generator": former.Generator(former.ModelConfig(**SIZES, norm="pre", output_layer=False)),
        "classifier": former.Classifier(plain),
        "bert": former.Bert(bert),
        "bare bert": former.Bert(former.BertConfig(**SIZES, words_head=False, sentence_head=False)),
        "bert classifier": former.BertClassifier(bert),
        "translator": former.EncoderDecoder(former.EncoderDecoderConfig(**SIZES, norm="pre")),
        "xl": former.TransformerXL(former.TransformerXLConfig(**SIZES, memory_length=8, norm="pre")),
        "gru": GRUModel(GRUConfig(num_tokens=20, emb=16)),
        "conv": ConvModel(ConvConfig(num_tokens=20, emb=16)),
    }
    for model in models.values():
        model.eval()
    return models | {"fast": cpu.optimise(models["generator"]), "fast bert": cpu.optimise(models["bert"])}


MODELS = made()
PARTS = {"generator", "sparse", "xl"}  # pre-norm, and a logit for each next token
QUESTIONS: dict[str, tuple[Callable[[Any], Any], set[str]]] = {  # and whose answer means something
    "ablation_effects": (
        lambda model: analysis.ablation_effects(model, TOKENS),
        PARTS | {"post-norm", "classifier", "bert classifier", "fast"},
    ),
    "ablation_effects of a pair": (
        lambda model: analysis.ablation_effects(model, PAIR, stack="cross"),
        {"translator"},
    ),
    "influence": (
        lambda model: analysis.influence(model, TOKENS),
        MODELS.keys() - {"translator"},
    ),
    "equivariance_error": (
        lambda model: analysis.equivariance_error(model, TOKENS[:, :2], [1, 0]),  # as many tokens as classes
        MODELS.keys() - {"translator", "classifier", "bert classifier"},
    ),
    "steps_to_reach": (lambda model: analysis.steps_to_reach(model, TOKENS), set()),
    "steps_to_reach of steps": (lambda model: analysis.steps_to_reach(steps_of(model), TOKENS), {"gru", "conv"}),
    "logit_lens": (
        lambda model: analysis.logit_lens(model, TOKENS),
        PARTS | {"post-norm", "classifier", "bert", "bert classifier"},
    ),
    "logit_lens of a pair": (lambda model: analysis.logit_lens(model, PAIR), {"translator"}),
    "stream_parts": (lambda model: analysis.stream_parts(model, TOKENS), PARTS | {"bare generator"}),
    "logit_parts": (lambda model: analysis.logit_parts(model, TOKENS), PARTS),
    "logit_parts of a pair": (lambda model: analysis.logit_parts(model, PAIR), {"translator"}),
}


def steps_of(model: Any) -> Any:
    if not hasattr(model, "steps"):
        raise ValueError("this model tells nothing of its steps")
    return model.steps


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_of_every_kind_of_model_is_answered_or_refused_in_one_line(question, name):
    ask, answered = QUESTIONS[question]
    if name in answered:
        result = ask(MODELS[name])
        for values in result.values() if isinstance(result, dict) else [torch.as_tensor(result)]:
            assert torch.isfinite(values.float()).all()
    else:
        with pytest.raises(ValueError) as refused:  # noqa: PT011 - what it says is another function's or a line below
            ask(MODELS[name])
        assert "\n" not in str(refused.value)


def test_what_is_no_output_a_token_or_no_steps_is_named():
    for name in ("classifier", "bert classifier"):
        with pytest.raises(ValueError, match=r"f must return an output for each token, got (Bert)?Classifier"):
            analysis.equivariance_error(MODELS[name], TOKENS[:, :2], [1, 0])
    with pytest.raises(ValueError, match="f must take x alone, got EncoderDecoder"):
        analysis.influence(MODELS["translator"], TOKENS)
    with pytest.raises(ValueError, match=r"GRUModel\.steps does; got Generator"):
        analysis.steps_to_reach(MODELS["generator"], TOKENS)
    with pytest.raises(ValueError, match=r"tokens must be \(source, target\) for this EncoderDecoder, got 1 of them"):
        former.run_with_capture(MODELS["translator"], TOKENS, ["cross.weights"])


def test_a_model_with_a_memory_is_asked_for_its_logits():
    model = MODELS["xl"]
    logits = analysis.influence(lambda ids: model(ids)[0], TOKENS)
    assert torch.equal(analysis.influence(model, TOKENS), logits)
    assert torch.equal(logits > 0, former.masks.causal(T))


def test_removing_a_head_is_measured_in_what_its_kind_says():
    """Checked by hand for two kinds: the next bytes of a model with a memory, and the class of a BERT that
    classifies."""
    for name in ("xl", "bert classifier"):
        model, effects = MODELS[name], analysis.ablation_effects(MODELS[name], TOKENS)
        plain, _ = former.run_with_capture(model, TOKENS, ())
        without, _ = former.run_with_capture(model, TOKENS, (), edits=[former.edits.ablate_head(1, 2)])
        if name == "xl":
            bits = [-out[0].log_softmax(-1)[0, :-1].gather(1, TOKENS[0, 1:, None]).mean() for out in (without, plain)]
        else:
            best = int(plain.argmax())
            bits = [-out[0, best] for out in (without, plain)]
        assert float(effects[1, 2]) == pytest.approx(float(bits[0] - bits[1]) / math.log(2), abs=1e-5)
