"""An argument of a wrong type raises a ValueError that names the argument, not an error of Python from inside."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

import former
from former import analysis, masks, patching, positions, sampling, tokens
from viz import figures

CONFIG = former.ModelConfig(num_tokens=256, emb=16, heads=4, depth=2, seq_length=8, norm="pre")
MODEL = former.Generator(CONFIG).eval()
BUNDLE: Any = former.Bundle(MODEL, tokens.ByteTokenizer(), CONFIG)
RUN = BUNDLE.run("a text")
SIZES: Any = {"num_tokens": 9, "emb": 8, "heads": 2, "depth": 1, "seq_length": 8}
TRANSLATOR: Any = former.EncoderDecoder(former.EncoderDecoderConfig(**SIZES)).eval()
BERT: Any = former.Bert(former.BertConfig(**SIZES, pad_token=None)).eval()
TOKENS, X, Q = torch.arange(5)[None], torch.randn(1, 5, 16), torch.randn(1, 2, 5, 4)
WRONG = (None, 1.5, [None], BUNDLE)
NAME: Any = "a"  # in place of None, where that means the default
TOKENIZERS = {
    "bytes": tokens.ByteTokenizer(),
    "characters": tokens.CharacterTokenizer("ab"),
    "words": tokens.WordTokenizer([tokens.PAD, tokens.UNK, "a"]),
    "BPE": tokens.BpeTokenizer.train(["a b"], 260),
}

CASES: dict[str, tuple[str, Callable[[Any], Any]]] = {  # the argument's name, and a call that takes it
    **{f"encode of {name}": ("text", each.encode) for name, each in TOKENIZERS.items()},
    "a run of": ("text", BUNDLE.run),
    "encode_target": ("text", tokens.CharacterTokenizer("ab").encode_target),
    "Generator": ("config", former.Generator),
    "Classifier": ("config", former.Classifier),
    "Bert": ("config", former.Bert),
    "TransformerXL": ("config", former.TransformerXL),
    "EncoderDecoder": ("config", former.EncoderDecoder),
    "source": ("source", lambda wrong: TRANSLATOR(wrong, TOKENS)),
    "target": ("target", lambda wrong: TRANSLATOR(TOKENS, wrong)),
    "segments": ("segments", lambda wrong: BERT(TOKENS, wrong or NAME)),
    "attend": ("v", lambda wrong: former.attend(Q, Q, wrong)),
    "without_padding": ("real", masks.without_padding),
    "without_padding and": ("mask", lambda wrong: masks.without_padding(TOKENS > 0, wrong or NAME)),
    "reach": ("mask", lambda wrong: masks.reach(wrong, 1)),
    "learned positions": ("seq_length", lambda wrong: positions.LearnedPositions(wrong, 4)),
    "learned positions of": ("emb", lambda wrong: positions.LearnedPositions(4, wrong)),
    "sinusoidal positions": ("emb", positions.SinusoidalPositions),
    "sinusoidal": ("index", lambda wrong: positions.sinusoidal(wrong, 4)),
    "relative positions": ("depth", lambda wrong: positions.RelativePositions(wrong, 4, 2, 2)),
    "relative positions of": ("heads", lambda wrong: positions.RelativePositions(1, 4, wrong, 2)),
    "relative terms": ("emb", lambda wrong: positions.RelativeTerms(wrong, 2, 2)),
    "relative terms of": ("size", lambda wrong: positions.RelativeTerms(4, 2, wrong)),
    "rotary positions": ("size", lambda wrong: positions.RotaryPositions(wrong, positions.ROTARY)),
    "rotary positions by": ("rotary", lambda wrong: positions.RotaryPositions(4, wrong)),
    "attention_weights": ("k", lambda wrong: former.attention_weights(Q, wrong)),
    "basic_self_attention": ("x", former.basic_self_attention),
    "generate": ("model", lambda wrong: former.generate(wrong, [1], 2)),
    "beam_search": ("model", lambda wrong: former.beam_search(wrong, [1], 2)),
    "Capture": ("names", former.Capture),
    "logit_lens": ("edits", lambda wrong: former.logit_lens(MODEL, TOKENS, edits=wrong)),
    "logit_parts": ("edits", lambda wrong: former.logit_parts(MODEL, TOKENS, 2, edits=wrong)),
    "ablation of a model": ("model", lambda wrong: analysis.ablation_effects(wrong, TOKENS)),
    "ablation on": ("tokens", lambda wrong: analysis.ablation_effects(MODEL, wrong)),
    "ablation by": ("measure", lambda wrong: analysis.ablation_effects(MODEL, TOKENS, wrong or NAME)),
    "influence of": ("f", lambda wrong: analysis.influence(wrong, TOKENS)),
    "influence on": ("x", lambda wrong: analysis.influence(MODEL, wrong)),
    "equivariance_error on": ("x", lambda wrong: analysis.equivariance_error(MODEL, wrong, [0])),
    "equivariance_error of": ("permutation", lambda wrong: analysis.equivariance_error(MODEL, TOKENS, wrong)),
    "steps_to_reach": ("steps", lambda wrong: analysis.steps_to_reach(wrong, X)),
    "rollout": ("weights", analysis.rollout),
    "head_statistics": ("tokens", lambda wrong: analysis.head_statistics(torch.eye(3)[None], wrong or NAME)),
    "induction_score": ("model", analysis.induction_score),
    "induction_score by": ("seed", lambda wrong: analysis.induction_score(MODEL, wrong or NAME, length=4)),
    "induction_score on": ("ids", lambda wrong: analysis.induction_score(MODEL, length=4, ids=wrong or NAME)),
    "rare_tokens": ("tokenizer", lambda wrong: analysis.rare_tokens(MODEL, wrong)),
    "lens": ("run", analysis.lens),
    "trace": ("run", lambda wrong: analysis.trace(wrong, 0, 0, 1, 1)),
    "trace at": ("query", lambda wrong: analysis.trace(RUN, 0, 0, wrong, 1)),
    "trace in": ("name", lambda wrong: analysis.trace(RUN, 0, 0, 1, 1, name=wrong)),
    "head_writes": ("run", lambda wrong: analysis.head_writes(wrong, 0, 0, 1)),
    "head_writes at": ("at", lambda wrong: analysis.head_writes(RUN, 0, 0, wrong)),
    "head_adds": ("run", analysis.head_adds),
    "head_effects": ("run", lambda wrong: list(analysis.head_effects(wrong))),
    "word_shares": ("run", analysis.word_shares),
    "word_changes": ("run", lambda wrong: list(analysis.word_changes(wrong))),
    "tell_apart": ("other", lambda wrong: analysis.tell_apart(RUN, wrong)),
    "predicted": ("run", lambda wrong: analysis.predicted(wrong, -1)),
    "carry_state": ("clean", lambda wrong: analysis.carry_state(wrong, RUN, (0, 0), (0, 0))),
    "index_of": ("run", lambda wrong: patching.index_of(wrong, 1)),
    "next_token_probs": ("logits", lambda wrong: sampling.next_token_probs([wrong])),  # pyright: ignore
    "a figure of a theme": ("theme", lambda wrong: figures.bars([1.0], ["a"], theme=wrong)),
    "a figure with labels": ("labels", lambda wrong: figures.next_tokens([0.5, 0.5], wrong)),
    "training": ("curves", figures.training),
    "training of a run": (r"curves\['a'\]", lambda wrong: figures.training({"a": wrong})),
    "training with": ("measures", lambda wrong: figures.training({"a": ([1], [2])}, measures=wrong)),
    "stacked": ("parts", lambda wrong: figures.stacked(wrong, ["a"])),
    "by_size": ("values", lambda wrong: figures.by_size([1, 2], wrong)),
    "mask_cost": ("cells", lambda wrong: figures.mask_cost([1, 2], wrong)),
    "similarity": ("at", lambda wrong: figures.similarity([1.0, 2.0], wrong)),
    "similarity up to": (
        "most",
        lambda wrong: figures.similarity([1.0, 2.0], 0, most=-1.5 if wrong == 1.5 else wrong or NAME),
    ),
    "similarity of": ("length", lambda wrong: figures.similarity([1.0, 2.0], 0, length=wrong or NAME)),
    "similarity trained": ("trained", lambda wrong: figures.similarity([1.0, 2.0], 0, trained=wrong or NAME)),
    "axes": ("axes", lambda wrong: figures.similarity([1.0, 2.0], 0, axes=wrong)),
    "next_tokens": ("top", lambda wrong: figures.next_tokens([1.0], ["a"], top=wrong)),
}


@pytest.mark.parametrize("name", CASES)
def test_a_wrong_type_is_refused_by_a_message_that_names_the_argument(name):
    argument, call = CASES[name]
    for wrong in WRONG:
        with pytest.raises(ValueError, match=rf"^{argument} must"):
            call(wrong)


def test_a_position_of_a_head_may_be_counted_from_the_end_as_that_of_logit_parts():
    last = len(RUN.ids) - 1
    assert analysis.head_writes(RUN, 0, 0, -1).added.equal(analysis.head_writes(RUN, 0, 0, last).added)
    with pytest.raises(ValueError, match=rf"at must be in \[-{last + 1}, {last + 1}\) for this run, got {last + 1}"):
        analysis.head_writes(RUN, 0, 0, last + 1)
