"""Bad input raises an error that names the argument, the value given, and what is expected."""

import math
from typing import Any

import pytest
import torch

import former
from former import analysis, cpu, edits, hooks, masks, patching
from former.analysis import scan
from former.baselines import GRUConfig, GRUModel
from former.blocks import DecoderBlock
from former.generate import KeyValueCache
from former.sampling import next_token_probs

CONFIG = former.ModelConfig(num_tokens=20, emb=16, heads=4, depth=2, seq_length=8)
GENERATOR, CLASSIFIER = former.Generator(CONFIG).eval(), former.Classifier(CONFIG).eval()
PADDED = former.Classifier(former.ModelConfig(**{**CONFIG.to_dict(), "pad_token": 0})).eval()
SINUSOIDAL = former.Generator(former.ModelConfig(**{**CONFIG.to_dict(), "positions": "sinusoidal"})).eval()
BERT = former.Bert(former.BertConfig(num_tokens=20, emb=16, heads=4, depth=1, seq_length=8)).eval()
TRANSLATOR = former.EncoderDecoder(
    former.EncoderDecoderConfig(num_tokens=20, emb=16, heads=4, depth=2, seq_length=8)
).eval()
RECURRENT = GRUModel(GRUConfig(num_tokens=20, emb=8, depth=1)).eval()
PRE_NORM = former.Generator(former.ModelConfig(**{**CONFIG.to_dict(), "norm": "pre"})).eval()
BYTES = former.Generator(former.ModelConfig(**{**PRE_NORM.config.to_dict(), "num_tokens": 256})).eval()
BUNDLE: Any = former.Bundle(BYTES, former.tokens.ByteTokenizer(), BYTES.config)
RUN = BUNDLE.run("a text")
TOKENS, X, Q = torch.arange(5)[None], torch.randn(1, 5, 16), torch.randn(1, 4, 5, 4)
CAPTURE: Any = former.Capture()


def wrong(value: object) -> Any:
    """Returns a value of a type that the argument does not accept, hidden from the type checker."""
    return value


def attend(q=Q, v=Q, **options: Any):
    return former.attend(q, Q, v, **options)


def full_cache() -> KeyValueCache:
    cache = KeyValueCache(CONFIG)
    cache.length = CONFIG.seq_length
    return cache


def words(*args):
    return former.tokens.WordTokenizer(list(args))


BAD = {
    "a measure of the whole batch": (
        lambda: analysis.ablation_effects(GENERATOR, TOKENS, torch.Tensor.sum),
        "measure must return one number for each sequence, (1,)",
        "got ()",
    ),
    "a measure of plain numbers": (
        lambda: analysis.ablation_effects(GENERATOR, TOKENS, lambda _: wrong(0.5)),
        "measure must return one number for each sequence, (1,)",
        "got float",
    ),
    "a measure that counts the heads as one text": (
        lambda: analysis.ablation_effects(GENERATOR, TOKENS, lambda logits: logits[:1, 0, 0]),
        "measure must return one number for each sequence, (4,)",
        "got (1,)",
    ),
    "layers of different sizes": (
        lambda: analysis.rollout([torch.ones(2, 3, 3), torch.ones(2, 4, 4)]),
        "weights must be of one shape in all layers",
        "(2, 3, 3) and (2, 4, 4)",
    ),
    "maps of no token": (
        lambda: analysis.head_statistics(torch.ones(2, 0, 0)),
        "weights must be square, (..., t, t), t at least 1",
        "(2, 0, 0)",
    ),
    "queries of whole numbers": (
        lambda: attend(Q.long()),
        "q, k and v must be floating point of one dtype",
        "torch.int64, torch.float32 and torch.float32",
    ),
    "values of another dtype": (
        lambda: attend(v=Q.double()),
        "q, k and v must be floating point of one dtype",
        "torch.float32, torch.float32 and torch.float64",
    ),
    "queries of other heads": (
        lambda: attend(Q[:, :3]),
        "q, k and v must have as many batches and heads",
        "(1, 3, 5, 4), (1, 4, 5, 4) and (1, 4, 5, 4)",
    ),
    "values of another batch": (
        lambda: attend(Q.repeat(2, 1, 1, 1), Q.repeat(3, 1, 1, 1)),
        "q, k and v must have as many batches and heads",
        "(2, 4, 5, 4), (1, 4, 5, 4) and (3, 4, 5, 4)",
    ),
    "a replacement of another dtype": (
        lambda: former.run_with_capture(GENERATOR, TOKENS, edits=[edits.Edit(0, "mlp_out", torch.Tensor.double)]),
        "a hook must replace 'mlp_out' by a tensor of torch.float32",
        "torch.float64",
    ),
    "lists among names": (lambda: former.Capture(wrong([["q"]])), "names must be a list of single values", "[['q']]"),
    "lists among layers": (
        lambda: former.Capture(layers=wrong([[0]])),
        "layers must be a list of single values",
        "got [[0]]",
    ),
    "a list as the point of an edit": (
        lambda: edits.Edit(0, wrong(["out"]), torch.relu),
        "names must be a list of single values",
        "out",
    ),
    "a class among edits": (
        lambda: former.run_with_capture(GENERATOR, TOKENS, edits=[wrong(former.Capture)]),
        "edits must be a list of edits, observer one of them or a Capture",
        "Capture",
    ),
    "heads that do not divide emb": (lambda: former.SelfAttention(16, 3), "heads must divide emb", "heads=3"),
    "the same in a block": (lambda: former.TransformerBlock(16, 3), "heads must divide emb", "emb=16"),
    "the same in a config": (lambda: former.ModelConfig(emb=16, heads=3), "heads must divide emb", "emb=16"),
    "no heads": (lambda: former.SelfAttention(16, 0), "heads must be a whole number of at least 1", "got 0"),
    "a variant unknown": (
        lambda: former.SelfAttention(16, 4, wrong("flat")),
        "variant must be one of 'narrow', 'wide'",
        "flat",
    ),
    "wide heads that nothing unifies": (
        lambda: former.SelfAttention(16, 4, "wide", unify=False),
        "unify must be True in the wide variant",
        "",
    ),
    "the same in a stack": (lambda: former.ModelConfig(variant="wide", unify=False), "unify must be True", ""),
    "keys that do not fall into groups": (
        lambda: former.ModelConfig(kv_heads=3),
        "kv_heads must divide heads",
        "heads=8",
    ),
    "no heads of keys": (lambda: former.ModelConfig(kv_heads=0), "kv_heads must be a whole number", "got 0"),
    "chunks that share keys": (
        lambda: former.ModelConfig(variant="chunked", kv_heads=1),
        "kv_heads must be None in the chunked variant",
        "got 1",
    ),
    "a size that the variant implies": (
        lambda: former.ModelConfig(variant="wide", size=3),
        "size must be None in the wide variant",
        "got 3",
    ),
    "heads of another size that nothing unifies": (
        lambda: former.ModelConfig(size=3, unify=False),
        "unify must be True in the narrow variant",
        "",
    ),
    "a normalisation unknown": (
        lambda: former.ModelConfig(normalisation=wrong("batch")),
        "normalisation must be one of 'layer', 'rms'",
        "'batch'",
    ),
    "parallel without a norm before": (lambda: former.ModelConfig(parallel=True), "norm must be 'pre'", "'post'"),
    "an odd number to turn": (
        lambda: former.ModelConfig(positions="rotary", size=5),
        "rotary positions turn pairs of numbers",
        "got 5",
    ),
    "nothing to turn": (
        lambda: former.ModelConfig(positions="rotary", rotary_share=0.0),
        "rotary_share must be in (0, 1]",
        "got 0.0",
    ),
    "a base of no size": (
        lambda: former.ModelConfig(positions="rotary", rotary_theta=wrong("a")),
        "rotary_theta must be a finite number above 0",
        "'a'",
    ),
    "a scaling of two numbers": (
        lambda: former.ModelConfig(positions="rotary", rotary_scaling=(8.0, 1.0)),
        "rotary_scaling must be None or factor, low, high and context",
        "(8.0, 1.0)",
    ),
    "a gate in BERT": (
        lambda: former.BertConfig(activation="swiglu"),
        "activation must be one of 'relu', 'gelu', 'gelu_tanh'",
        "'swiglu'",
    ),
    "a hidden size of nothing": (lambda: former.ModelConfig(ff_hidden=0), "ff_hidden must be a whole number", "0"),
    "a norm unknown": (lambda: former.TransformerBlock(16, 4, norm=wrong("mid")), "norm must be one of", "'mid'"),
    "an activation unknown": (
        lambda: former.TransformerBlock(16, 4, activation=wrong("x")),
        "activation must be",
        "'x'",
    ),
    "positions unknown": (lambda: former.ModelConfig(positions=wrong("left")), "positions must be one of", "'left'"),
    "pooling unknown": (lambda: former.ModelConfig(pooling=wrong("min")), "pooling must be one of", "'min'"),
    "depth 0": (lambda: former.ModelConfig(depth=0), "depth must be a whole number of at least 1", "got 0"),
    "a fractional size": (lambda: former.ModelConfig(emb=wrong(16.0)), "emb must be a whole number", "got 16.0"),
    "dropout 1": (lambda: former.ModelConfig(dropout=1.0), "dropout must be in [0, 1)", "got 1.0"),
    "padding out of range": (lambda: former.ModelConfig(num_tokens=4, pad_token=4), "pad_token must be", "got 4"),
    "dropout that is no number": (
        lambda: former.ModelConfig(dropout=wrong("a")),
        "dropout must be in [0, 1)",
        "got 'a'",
    ),
    "padding with a fraction": (
        lambda: former.ModelConfig(pad_token=wrong(1.5)),
        "pad_token must be None or a whole number",
        "1.5",
    ),
    "padding that is a bool": (
        lambda: former.ModelConfig(pad_token=True),
        "pad_token must be None or a whole number",
        "True",
    ),
    "a config that lacks a field": (
        lambda: former.ModelConfig.from_dict({"emb": 16}),
        "config must hold every field",
        "'activation'",
    ),
    "an odd emb with encodings": (
        lambda: former.ModelConfig(emb=15, heads=3, positions="sinusoidal"),
        "emb must be even",
        "got 15",
    ),
    "tokens too large": (lambda: GENERATOR(TOKENS + 17), "tokens must be in [0, 20)", "17 to 21"),
    "tokens below 0": (lambda: CLASSIFIER(TOKENS - 1), "tokens must be in [0, 20)", "-1 to 3"),
    "an empty sequence": (lambda: GENERATOR(TOKENS[:, :0]), "tokens must hold at least one token", "(1, 0)"),
    "an empty review": (lambda: CLASSIFIER(TOKENS[:, :0]), "tokens must hold at least one token", "(1, 0)"),
    "an empty x": (lambda: former.SelfAttention(16, 4)(X[:, :0]), "x must hold at least one token", "(1, 0, 16)"),
    "a divisor of nothing": (lambda: attend(divisor=0.0), "divisor must be a number above 0", "got 0.0"),
    "a divisor below 0": (lambda: attend(divisor=-2), "divisor must be a number above 0", "got -2"),
    "a divisor without end": (lambda: attend(divisor=math.inf), "divisor must be a number above 0", "got inf"),
    "a divisor for each head": (lambda: attend(divisor=wrong([1.0])), "divisor must be a number above 0", "got [1.0]"),
    "a value without a vector": (
        lambda: attend(v=torch.tensor(1.0)),
        "v must be a vector for each of the 5 keys",
        "()",
    ),
    "fewer values than keys": (lambda: attend(v=Q[:, :, 1:]), "v must be a vector for each of the 5 keys", "4, 4)"),
    "queries of another size": (lambda: attend(q=Q[..., 1:]), "q and k must be vectors of one size", "5, 3)"),
    "padding of one sequence": (lambda: masks.without_padding(TOKENS[0] > 0), "real must be (b, t)", "(5,)"),
    "padding of numbers": (lambda: masks.without_padding(TOKENS), "real must be a bool tensor", "torch.int64"),
    "nothing to attend to": (lambda: former.basic_self_attention(X[:, :0]), "x must hold at least one", "(1, 0, 16)"),
    "an x of another size": (lambda: former.SelfAttention(8, 4)(X), "x must have shape (b, t, 8)", "(1, 5, 16)"),
    "an x without a batch": (lambda: former.basic_self_attention(X[0]), "x must have shape (b, t, e)", "(5, 16)"),
    "tokens without a batch": (lambda: GENERATOR(TOKENS[0]), "tokens must be whole numbers (b, t)", "(5,)"),
    "tokens with a fraction": (lambda: GENERATOR(TOKENS.float()), "tokens must be whole numbers", "torch.float32"),
    "beyond the context": (lambda: GENERATOR(torch.zeros(1, 9).long()), "tokens must fit the context of 8", "got 9"),
    "a review beyond the context": (lambda: CLASSIFIER(torch.zeros(1, 9).long()), "fit the context of 8", "got 9"),
    "a review of padding": (
        lambda: PADDED(torch.tensor([[1, 2], [0, 0]])),
        "tokens must hold a token that",
        "padding only",
    ),
    "a mask of the wrong size": (lambda: GENERATOR(TOKENS, mask=masks.causal(4)), "mask must fit", "(4, 4)"),
    "a mask without queries": (lambda: GENERATOR(TOKENS, mask=masks.causal(5)[0]), "mask must fit", "(5,)"),
    "a mask of numbers": (lambda: GENERATOR(TOKENS, mask=masks.causal(5).float()), "mask must be a bool", "float32"),
    "a mask of numbers with padding": (
        lambda: PADDED(TOKENS, mask=torch.ones(5, 5)),
        "mask must be a bool",
        "float32",
    ),
    "a mask of the wrong size with padding": (
        lambda: PADDED(TOKENS, mask=masks.causal(4)),
        "mask must fit scores of shape (1, 4, 5, 5)",
        "(4, 4)",
    ),
    "one token after a full cache": (
        lambda: SINUSOIDAL(TOKENS[:, :1], masks.none(9)[:1], cache=full_cache()),
        "tokens must be one sequence, of at most 8 with those in the cache",
        "got 1 of 9",
    ),
    "two tokens after a full cache": (
        lambda: SINUSOIDAL(TOKENS[:, :2], masks.none(10)[:2], cache=full_cache()),
        "tokens must be one sequence, of at most 8",
        "got 1 of 10",
    ),
    "two sequences with a cache": (
        lambda: GENERATOR(TOKENS.expand(2, -1), cache=KeyValueCache(CONFIG)),
        "tokens must be one sequence",
        "got 2 of 5",
    ),
    "a mask of no tokens": (lambda: masks.causal(0), "t must be a whole number of at least 1", "got 0"),
    "a window of none": (lambda: masks.local(5, 0), "window must be a whole number of at least 1", "got 0"),
    "a stride of none": (lambda: masks.strided(5, 0), "stride must be a whole number of at least 1", "got 0"),
    "a stride below none": (lambda: masks.strided(-1, 2), "t must be a whole number of at least 1", "got -1"),
    "a mask without its size": (
        lambda: former.ModelConfig(mask="local"),
        "mask_size must be the window of a 'local' mask",
        "got None",
    ),
    "a mask that there is not": (
        lambda: former.ModelConfig(mask="no"),
        "mask must be one of 'none', 'causal'",
        "got 'no'",
    ),
    "a mask whose size is none": (
        lambda: former.ModelConfig(mask="local", mask_size=0),
        "mask_size must be a whole number of at least 1",
        "got 0",
    ),
    "a block of size none": (
        lambda: former.TransformerBlock(0, 1),
        "emb must be a whole number of at least 1",
        "got 0",
    ),
    "a block that drops everything": (
        lambda: former.TransformerBlock(16, 4, dropout=1.0),
        "dropout must be in [0, 1)",
        "got 1.0",
    ),
    "a parallel block whose norms come last": (
        lambda: former.TransformerBlock(16, 4, parallel=True),
        "parallel must be False in a block with norm='post'",
        "got True",
    ),
    "a parallel block with cross-attention": (
        lambda: DecoderBlock(16, 4, norm="pre", parallel=True),
        "parallel must be False in a block with cross-attention",
        "got True",
    ),
    "scores of two dtypes": (
        lambda: former.attention_weights(X, X.double()),
        "q and k must be floating point of one dtype",
        "got torch.float32 and torch.float64",
    ),
    "an edit at a point that is none": (
        lambda: former.edits.Edit(0, "wieghts", lambda x: x),
        "names must be among ['q', 'k', 'v', 'scores', 'weights', 'out', 'resid_pre'",
        "got ['wieghts']",
    ),
    "a point of another kind of model": (
        lambda: former.run_with_capture(GENERATOR, TOKENS, ["cross.weights"]),
        "names must be among ['q', 'k', 'v', 'scores', 'weights', 'out', 'resid_pre'",
        "got ['cross.weights']",
    ),
    "checkpointing with a cache": (
        lambda: GENERATOR(TOKENS, cache=KeyValueCache(CONFIG), recompute=True),
        "recompute must be False with a cache",
        "twice",
    ),
    "checkpointing a decoder with a cache": (
        lambda: TRANSLATOR.decode(TOKENS, TRANSLATOR.encode(TOKENS), cache=KeyValueCache(CONFIG), recompute=True),
        "recompute must be False with a cache",
        "twice",
    ),
    "a capture to generate into": (
        lambda: former.generate(GENERATOR, [1], 5, capture=CAPTURE),
        "capture must be True or layers",
        "its own capture",
    ),
    "a context of another size": (
        lambda: former.SelfAttention(16, 4)(X, context=X[..., :8]),
        "context must have shape (b, t, 16)",
        "(1, 5, 8)",
    ),
    "writing with a classifier": (
        lambda: former.generate(CLASSIFIER, [1], 5),
        "model must give a logit for each next token",
        "got Classifier",
    ),
    "writing with a model that fills in words": (
        lambda: former.generate(BERT, [1], 5),
        "model must give a logit for each next token",
        "got Bert",
    ),
    "a lens on a model without a stream": (
        lambda: former.logit_lens(RECURRENT, TOKENS),
        "model must have `unembed`",
        "got GRUModel",
    ),
    "a context of another batch": (
        lambda: former.SelfAttention(16, 4)(X.expand(2, -1, -1), context=X.expand(3, -1, -1)),
        "context must hold 2 sequences",
        "got 3",
    ),
    "a lens of no tokens": (
        lambda: former.logit_lens(GENERATOR, TOKENS, top=0),
        "top must be None or a whole",
        "got 0",
    ),
    "logits in parts of a post-norm model": (
        lambda: former.logit_parts(GENERATOR, TOKENS),
        "model must be a pre-norm model",
        "for each token",
    ),
    "logits in parts of ids in a list": (
        lambda: former.logit_parts(PRE_NORM, wrong([1, 2])),
        "tokens must be of type Tensor",
        "got list",
    ),
    "logits in parts at no position": (
        lambda: former.logit_parts(PRE_NORM, TOKENS, wrong(1.5)),
        "at must be a position in one sequence",
        "got 1.5",
    ),
    "a pass of a bundle instead of its model": (
        lambda: former.run_with_capture(BUNDLE, TOKENS),
        "model must be a model, such as `bundle.model`",
        "got Bundle",
    ),
    "a pass of a run instead of its model": (
        lambda: former.run_with_capture(wrong(RUN), TOKENS),
        "model must be a model, such as `bundle.model`",
        "got Run",
    ),
    "what a head writes about a text": (
        lambda: analysis.head_writes(RUN, 0, 1, 2, token=wrong("a")),
        "token must be in [0, 256)",
        "got 'a'",
    ),
    "a state of no token": (
        lambda: analysis.carry_state(RUN, RUN, wrong(1), (0, 0)),
        "source must have depth in [0, 2], token in",
        "got 1",
    ),
    "a patch of texts": (
        lambda: patching.heads(wrong("one"), wrong("two"), patching.probability(1)),
        "clean must be of type Run",
        "got str",
    ),
    "a metric of a model": (lambda: patching.probability(1)(wrong(GENERATOR)), "run must be of type Run", "Generator"),
    "a path from a layer": (
        lambda: patching.path(RUN, RUN, wrong(0), [(1, 0, "q")], patching.probability(1)),
        "sender must be (layer, head)",
        "got 0",
    ),
    "a path into a head": (
        lambda: patching.path(RUN, RUN, (0, 1), wrong([(1, 0)]), patching.probability(1)),
        "receivers must be (layer above 0, head, q, k or v)",
        "got (1, 0)",
    ),
    "logits in parts beyond the text": (
        lambda: former.logit_parts(PRE_NORM, TOKENS, 99),
        "at must be a position in one sequence",
        "got 99",
    ),
    "logits in parts of a stream that was replaced": (
        lambda: former.logit_parts(PRE_NORM, TOKENS, edits=[edits.Edit(0, "resid_mid", torch.zeros_like)]),
        "edits must not change the residual stream",
        "'resid_mid'",
    ),
    "a block of none": (lambda: masks.fixed(5, 0), "stride must be a whole number of at least 1", "got 0"),
    "temperature below 0": (
        lambda: former.generate(GENERATOR, [1], 5, temperature=-1),
        "temperature must be",
        "got -1",
    ),
    "temperature not a number": (
        lambda: former.generate(GENERATOR, [1], 5, temperature=float("nan")),
        "temperature must be",
        "got nan",
    ),
    "no temperature": (
        lambda: former.generate(GENERATOR, [1], 5, temperature=wrong(None)),
        "temperature must be a finite number of at least 0",
        "got None",
    ),
    "a share in quotes": (
        lambda: former.generate(GENERATOR, [1], 5, top_p=wrong("1")),
        "top_p must be None or in (0, 1]",
        "got '1'",
    ),
    "no share but a word": (
        lambda: former.generate(GENERATOR, [1], 5, min_p=wrong("all")),
        "min_p must be None or in [0, 1]",
        "got 'all'",
    ),
    "no penalty": (
        lambda: former.generate(GENERATOR, [1], 5, repetition_penalty=wrong(None)),
        "repetition_penalty must be a finite number above 0",
        "got None",
    ),
    "a factor in quotes": (
        lambda: edits.scale_head(0, 0, wrong("2")),
        "factor must be a finite number",
        "got '2'",
    ),
    "a weight in quotes": (
        lambda: edits.set_weight(0, 0, 0, 0, wrong("1")),
        "weight must be in [0, 1]",
        "got '1'",
    ),
    "weights in a list": (
        lambda: edits.set_weights(0, 0, wrong([[1.0]])),
        "weights must be of type Tensor",
        "got list",
    ),
    "a hook that returns a number": (
        lambda: former.run_with_capture(GENERATOR, TOKENS, edits=[edits.Edit(0, "out", wrong(lambda _: 3))]),
        "a hook must replace 'out' by a tensor of shape (1, 4, 5, 4)",
        "got int",
    ),
    "a hook at a point that there is not": (
        lambda: hooks.at_points(["wieghts"], lambda *_: None),
        "names must be among",
        "got ['wieghts']",
    ),
    "a twin of a bundle": (
        lambda: cpu.optimise(former.Bundle(GENERATOR, former.tokens.ByteTokenizer(), CONFIG)),
        "model must be of type Module",
        "got Bundle",
    ),
    "a translation without a tokenizer": (
        lambda: former.translate(GENERATOR, "x"),
        "bundle must hold an EncoderDecoder",
        "got a bare Generator",
    ),
    "a model saved without its tokenizer": (
        lambda: former.save(wrong(GENERATOR), "x"),
        "bundle must be of type Bundle",
        "got Generator",
    ),
    "the same for transformers": (
        lambda: former.pretrained.save(wrong(GENERATOR), "x"),
        "bundle must be of type Bundle",
        "got Generator",
    ),
    "no model of Hugging Face's": (
        lambda: former.pretrained.load(wrong(None)),
        "a model must be named by a folder or the id of a repository",
        "got None",
    ),
    "a flag in quotes": (
        lambda: former.ModelConfig(tied=wrong("yes")),
        "tied must be True or False",
        "got 'yes'",
    ),
    "top-p 0": (lambda: former.generate(GENERATOR, [1], 5, top_p=0.0), "top_p must be None or in (0, 1]", "got 0.0"),
    "top-p above 1": (lambda: former.generate(GENERATOR, [1], 5, top_p=1.5), "top_p must be None or in", "got 1.5"),
    "top-k 0": (lambda: former.generate(GENERATOR, [1], 5, top_k=0), "top_k must be None or a whole number", "got 0"),
    "an empty prompt": (lambda: former.generate(GENERATOR, [], 5), "prompt_ids must hold at least one", "got none"),
    "a prompt out of range": (lambda: former.generate(GENERATOR, [20], 5), "prompt_ids must be in [0, 20)", "20 to 20"),
    "top-k with a point": (
        lambda: former.generate(GENERATOR, [1], 5, top_k=wrong(2.0)),
        "top_k must be None or a whole number of at least 1",
        "got 2.0",
    ),
    "a prompt with a batch": (
        lambda: former.generate(GENERATOR, TOKENS, 5),
        "prompt_ids must be whole numbers, one a token (t,)",
        "[0, 1, 2, 3, 4]",
    ),
    "a prompt of one token with a batch": (
        lambda: former.generate(GENERATOR, torch.tensor([[3]]), 5),
        "prompt_ids must be whole numbers",
        "[3]",
    ),
    "a prompt with fractions": (
        lambda: former.generate(GENERATOR, wrong([1, 2.7]), 5),
        "prompt_ids must be whole numbers",
        "got 2.7",
    ),
    "a prompt tensor with fractions": (
        lambda: former.generate(GENERATOR, torch.tensor([1.5]), 5),
        "prompt_ids must be whole numbers",
        "got 1.5",
    ),
    "a length below 0": (
        lambda: former.generate(GENERATOR, [1], -1),
        "max_new_tokens must be a whole number of at least 0",
        "got -1",
    ),
    "a length with a fraction": (
        lambda: former.generate(GENERATOR, [1], wrong(2.5)),
        "max_new_tokens must be a whole number of at least 0",
        "got 2.5",
    ),
    "a seed with a fraction": (
        lambda: former.generate(GENERATOR, [1], 5, seed=wrong(1.5)),
        "seed must be None or a whole number",
        "got 1.5",
    ),
    "a seed too large": (
        lambda: former.generate(GENERATOR, [1], 5, seed=2**64),
        "seed must be None or a whole number in [-2**63, 2**64)",
        f"got {2**64}",
    ),
    "rows of a layer it has not": (
        lambda: former.generate(GENERATOR, [1], 5, capture=[2]),
        "capture must name layers in [0, 2)",
        "[2]",
    ),
    "a point unknown": (lambda: former.Capture(["wieghts"]), "names must be among", "['wieghts']"),
    "a layer it has not": (
        lambda: former.run_with_capture(GENERATOR, TOKENS, layers=[2]),
        "layer must be in [0, 2)",
        "got 2",
    ),
    "an edit of a layer it has not": (
        lambda: former.run_with_capture(GENERATOR, TOKENS, edits=[edits.ablate_head(2, 0)]),
        "layer must be in [0, 2)",
        "got 2",
    ),
    "an edit of a head it has not": (
        lambda: former.run_with_capture(GENERATOR, TOKENS, edits=[edits.ablate_head(0, 4)]),
        "head must be in [0, 4)",
        "got 4",
    ),
    "weights of another shape": (
        lambda: former.run_with_capture(GENERATOR, TOKENS, edits=[edits.set_weights(0, 0, torch.eye(4))]),
        "weights must have the head's shape (5, 5)",
        "(4, 4)",
    ),
    "a weight above 1": (lambda: edits.set_weight(0, 0, 1, 0, 1.5), "weight must be in [0, 1]", "got 1.5"),
    "a weight of a query that is not there": (
        lambda: former.run_with_capture(GENERATOR, TOKENS, edits=[edits.set_weight(0, 0, 5, 0, 0.5)]),
        "query must be in [0, 5)",
        "got 5",
    ),
    "a weight of a query that is no number": (
        lambda: edits.set_weight(0, 0, wrong("a"), 0, 0.5),
        "query must be a whole number from 0",
        "got 'a'",
    ),
    "a bundle for an edit": (
        lambda: former.run_with_capture(GENERATOR, TOKENS, edits=[BUNDLE]),
        "edits must be a list of edits",
        "got <Bundle",
    ),
    "passages of a scan in an array": (
        lambda: scan.scan(GENERATOR, wrong(TOKENS.numpy())),
        "tokens must be a tensor of whole numbers (b, t)",
        "got ndarray",
    ),
    "one passage of a scan, not in a batch": (
        lambda: scan.scan(GENERATOR, TOKENS[0]),
        "tokens must be whole numbers (b, t)",
        "(5,)",
    ),
    "weights that are no numbers": (lambda: edits.set_weights(0, 0, torch.eye(4) / 0), "weights must be finite", "NaN"),
    "a factor without end": (lambda: edits.scale_head(0, 0, float("inf")), "factor must be a finite", "got inf"),
    "no permutation": (
        lambda: analysis.equivariance_error(lambda x: x, X, [0, 1, 2, 3, 3]),
        "permutation must hold each",
        "3, 3]",
    ),
    "a permutation of truths": (
        lambda: analysis.equivariance_error(lambda x: x, X[:, :2], [False, True]),
        "permutation must hold each of 0 to 1 once",
        "[False, True]",
    ),
    "a permutation with points": (
        lambda: analysis.equivariance_error(lambda x: x, X[:, :2], wrong([0.0, 1.0])),
        "permutation must hold each of 0 to 1 once",
        "[0.0, 1.0]",
    ),
    "influence in chunks of none": (
        lambda: analysis.influence(lambda x: x, X, chunk=0),
        "chunk must be a whole number of at least 1",
        "got 0",
    ),
    "an output without tokens": (
        lambda: analysis.equivariance_error(lambda x: x.mean(1), X, range(5)),
        "f must return an output for each token",
        "(1, 16)",
    ),
    "reach through a mask of numbers": (
        lambda: masks.reach(masks.causal(3).float(), 2),
        "mask must be bool and square",
        "torch.float32 (3, 3)",
    ),
    "influence of nothing": (
        lambda: analysis.influence(lambda x: x, X[:, :0]),
        "x must be one sequence",
        "(1, 0, 16)",
    ),
    "influence on two sequences": (
        lambda: analysis.influence(lambda x: x, X.expand(2, -1, -1)),
        "x must be one sequence",
        "(2, 5, 16)",
    ),
    "a rollout of nothing": (lambda: analysis.rollout([]), "weights must hold at least one layer", "got none"),
    "the statistics of a model": (
        lambda: analysis.head_statistics(wrong(GENERATOR)),
        "weights must be of type Tensor",
        "Generator",
    ),
    "weights that are not square": (
        lambda: analysis.head_statistics(torch.ones(2, 3)),
        "weights must be square",
        "(2, 3)",
    ),
    "tokens of another text": (
        lambda: analysis.head_statistics(torch.eye(3), torch.tensor([1, 2])),
        "tokens must be (3,)",
        "(2,)",
    ),
    "a loss without a next token": (
        lambda: analysis.ablation_effects(GENERATOR, TOKENS[:, :1]),
        "tokens must hold at least 2",
        "got 1",
    ),
    "ablating on two sequences": (
        lambda: analysis.ablation_effects(GENERATOR, TOKENS.expand(2, -1)),
        "tokens must be one sequence",
        "(2, 5)",
    ),
    "one edit instead of a list": (
        lambda: former.run_with_capture(GENERATOR, TOKENS, edits=wrong(edits.ablate_head(0, 0))),
        "edits must be a list, got",
        "Edit(layer=0",
    ),
    "a list of edits in a list": (
        lambda: former.generate(GENERATOR, [1], 5, edits=wrong([[edits.ablate_head(0, 0)]])),
        "edits must be a list of edits",
        "got [Edit(layer=0",
    ),
    "an edit of a layer that the model lacks, observing": (
        lambda: GENERATOR(TOKENS, observer=edits.ablate_head(9, 0)),
        "layer must be in [0, 2)",
        "got 9",
    ),
    "an edit of a stack that the model lacks, observing": (
        lambda: GENERATOR(TOKENS, observer=hooks.chain([edits.ablate_head(0, 0, stack="cross")] * 2)),
        "names must be among ['q', 'k'",
        "got ['cross.out']",
    ),
    "a list of edits, observing": (
        lambda: GENERATOR(TOKENS, observer=wrong([edits.ablate_head(0, 0)])),
        "observer one",
        "got [Edit(layer=0",
    ),
    "a factor too large for a number of the machine": (
        lambda: edits.scale_head(0, 0, 10**400),
        "factor must be a finite number",
        "got 1000",
    ),
    "one layer instead of a list": (
        lambda: former.run_with_capture(GENERATOR, TOKENS, layers=wrong(1)),
        "layers must be a list",
        "got 1",
    ),
    "one layer to generate with": (
        lambda: former.generate(GENERATOR, [1], 5, capture=wrong(3)),
        "capture must be a list",
        "got 3",
    ),
    "a point to generate with": (
        lambda: former.generate(GENERATOR, [1], 5, capture=wrong("q")),
        "capture must name layers in [0, 2)",
        "['q']",
    ),
    "keys of another size than the queries": (
        lambda: former.attention_weights(torch.ones(1, 2, 3, 4), torch.ones(1, 2, 3, 5)),
        "q and k must be vectors of one size",
        "(1, 2, 3, 4) and (1, 2, 3, 5)",
    ),
    "vectors of whole numbers": (
        lambda: former.basic_self_attention(torch.ones(1, 3, 4, dtype=torch.long)),
        "x must be vectors of floating point numbers",
        "got torch.int64",
    ),
    "a mask by its name": (
        lambda: former.run_with_capture(GENERATOR, TOKENS, mask=wrong("causal")),
        "mask must be a bool tensor (True = may attend)",
        "got str",
    ),
    "a text instead of tokens": (
        lambda: former.run_with_capture(GENERATOR, wrong("the cat")),
        "tokens must be a tensor of whole numbers (b, t)",
        "got str",
    ),
    "a vocabulary without padding": (
        lambda: words("a", "b"),
        "words must begin with '<pad>' and '<unk>'",
        "['a', 'b']",
    ),
    "a word twice": (lambda: words("<pad>", "<unk>", "a", "a"), "words must be distinct", "'a'"),
    "a vocabulary too small": (
        lambda: former.tokens.WordTokenizer.build([], 1),
        "num_tokens must be at least 2",
        "got 1",
    ),
    "logits of several predictions": (
        lambda: next_token_probs(torch.zeros(2, 5), top_k=1),
        "logits must be (num_tokens,)",
        "got (2, 5)",
    ),
    "earlier tokens below 0": (lambda: masks.named("causal", 3, past=-1), "past must be a whole number", "got -1"),
    "an edit of the stream within others": (
        lambda: former.logit_parts(PRE_NORM, TOKENS, edits=[hooks.Chain([edits.Edit(0, "resid_mid", torch.relu)])]),
        "edits must not change the residual stream",
        "'resid_mid'",
    ),
    "one weight within other edits": (
        lambda: list(former.generate(GENERATOR, [1, 2], 2, edits=[hooks.Chain([edits.set_weight(0, 0, 1, 0, 0.5)])])),
        "edits must be of whole heads",
        "position",
    ),
    "weights without heads": (lambda: analysis.rollout(torch.rand(3, 4, 4)), "(..., h, t, t)", "got (4, 4)"),
    "random tokens beyond the context": (
        lambda: analysis.induction_score(GENERATOR, length=5),
        "length must be at most 4",
        "got 5",
    ),
    "no tokens to draw from": (lambda: analysis.induction_score(GENERATOR, length=2, ids=[]), "at least one", "none"),
    "a list for a fast twin": (lambda: cpu.optimise(GENERATOR)(wrong([[1, 2]])), "must be of type Tensor", "list"),
    "maps of a model without attention": (
        lambda: list(former.generate(RECURRENT, [1], 2, capture=True)),
        "capture must be None",
        "GRUModel",
    ),
    "maps of a model that writes otherwise": (
        lambda: former.generate(former.load("dates").model, [1], 2, capture=True),
        "an EncoderDecoder writes with former.translate",
        "got EncoderDecoder",
    ),
    "an id that is no byte": (
        lambda: former.tokens.ByteTokenizer().decode([256]),
        "ids must be whole numbers in [0, 256)",
        "got 256",
    ),
    "a tokenizer unknown": (lambda: former.tokens.from_dict({"kind": "runes"}), "tokenizer must be of kind", "'runes'"),
    "a dtype unknown": (
        lambda: former.save(former.Bundle(GENERATOR, words("<pad>", "<unk>"), CONFIG), "x", dtype=wrong("f8")),
        "dtype must be one of",
        "'f8'",
    ),
    "a tokenizer of another size": (
        lambda: former.save(former.Bundle(GENERATOR, words("<pad>", "<unk>"), CONFIG), "x"),
        "tokenizer must have the config's 20 tokens",
        "got 2",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_with_a_message_that_names_argument_value_and_expectation(case):
    call, expectation, given = BAD[case]
    with pytest.raises(ValueError) as error:  # noqa: PT011 - both halves of the message are checked below
        call()
    assert expectation in str(error.value)
    assert given in str(error.value)
