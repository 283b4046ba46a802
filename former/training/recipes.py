"""The recipes of the shipped models, and what each of them changes in its family's."""

from __future__ import annotations

from dataclasses import replace

from former import gpt2
from former.bert import BertConfig
from former.config import ModelConfig
from former.encoder_decoder import EncoderDecoderConfig
from former.tokens.words import PAD_ID
from former.training import tiny
from former.training.recipe import Recipe
from former.transformer_xl import TransformerXLConfig

__all__ = ["RECIPES", "Recipe"]

_REVIEWS = ModelConfig(
    num_tokens=30_000,
    emb=128,
    heads=4,
    depth=6,
    seq_length=512,
    norm="pre",
    activation="gelu",
    pad_token=PAD_ID,
)
_CLASSIFIER = Recipe(
    name="classifier",
    description="Tells whether a film review is positive: the article's classification transformer.",
    kind="Classifier",
    task="reviews",
    corpus="imdb",
    model=_REVIEWS,
    steps=2_500,
    batch=32,
    accumulate=4,
    warmup=100,
    compile=False,  # its many lengths would each compile for as long as it gains
    teacher=0.5,
    pieces=0.5,
    word_dropout=0.3,
    muon_lr=0.01,
    adam_lr=1e-3,
    weight_decay=0.1,
    decay=0.709,
    validate_every=2_500,
)
_DATES_BEGUN = Recipe(
    name="dates-begun",
    description="The first of four trainings of dates.",
    kind="EncoderDecoder",
    task="dates",
    corpus="dates",
    model=EncoderDecoderConfig(
        num_tokens=76, depth=3, emb=128, heads=4, seq_length=64, norm="pre", activation="gelu", pad_token=PAD_ID
    ),
    steps=9_000,
    batch=128,
    warmup=100,
    decay=0.812,
    compile=False,  # its many lengths would each compile for as long as it gains
    validate_every=500,
)
_DATES_LONGER = replace(
    _DATES_BEGUN,
    name="dates-longer",
    description="The second of four trainings of dates.",
    weights="runs/dates-begun",
    steps=6_500,
    decay=0.9,
    muon_lr=0.012,
    adam_lr=1.2e-3,
    seed=2,
)
_DATES_HARD = replace(
    _DATES_LONGER,
    name="dates-hard",
    description="The third of four trainings of dates.",
    weights="runs/dates-longer",
    steps=6_000,
    batch=256,
    hard=0.5,
    seed=4,
    save_every=50,
)
_GPT_BEGUN = Recipe(
    name="gpt-begun",
    description="The first of four trainings of gpt.",
    task="pieces",
    model=gpt2.config(num_tokens=8_192, seq_length=256, emb=256, heads=8, depth=6, dropout=0.0),
    initial="gpt2",
    steps=800,
    batch=16,
    warmup=100,
    decay=0.5,
    validate_every=100,
    save_every=50,
)
_GENERATOR_BEGUN = Recipe(
    name="generator-begun",
    description="The first of three trainings of generator: six blocks.",
    corpus="wiki100",
    model=ModelConfig(depth=6, norm="pre", activation="gelu"),
    steps=7_000,
    batch=16,
    decay=0.45,
    muon_lr=0.01,
    weight_decay=0.05,
)
_GENERATOR_GROWN = replace(
    _GENERATOR_BEGUN,
    name="generator-grown",
    description="The second of three trainings of generator: a new block after each of the six.",
    model=replace(_GENERATOR_BEGUN.model, depth=12),
    weights="runs/generator-begun",
    steps=8_000,
    decay=0.4,
    seed=2,
    save_every=250,
)
_SPARSE_BEGUN = replace(
    _GENERATOR_BEGUN,
    name="sparse-begun",
    description="The first of two trainings of sparse: a small generator of context 256.",
    model=replace(_GENERATOR_BEGUN.model, depth=4, emb=160, heads=5),
    steps=3_000,
    decay=0.7,
    seed=2,
)
_SPARSE = Recipe(
    name="sparse",
    description="Reads 2,048 bytes by a strided pattern: each token sees a window, and every 128th token before it.",
    model=replace(_SPARSE_BEGUN.model, seq_length=2_048, mask="strided", mask_size=128),
    weights="runs/sparse-begun",
    steps=400,
    batch=2,
    warmup=40,
    decay=0.7,
    muon_lr=0.007,
    adam_lr=1e-3,
    compile=False,  # the sparse products are called one by one; so are the dense twin's, to compare seconds
    attention="kernel",
    validate_every=400,
    save_every=20,
)
_BERT = BertConfig(num_tokens=8_192, emb=256, heads=4, depth=4, seq_length=256, dropout=0.0)

RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        _GENERATOR_BEGUN,
        _GENERATOR_GROWN,
        replace(
            _GENERATOR_GROWN,
            name="generator",
            description="Writes English encyclopedia text byte by byte: the article's text generation transformer.",
            weights="runs/generator-grown",
            steps=4_400,
            batch=32,
            warmup=100,
            decay=0.95,
            muon_lr=0.012,
            seed=3,
            validate_every=1_000,
            save_every=50,
        ),
        _CLASSIFIER,
        replace(
            _CLASSIFIER,
            name="classifier-bag",
            description="The classifier without positions: it cannot tell one order of the words from another.",
            model=replace(_REVIEWS, positions="none"),
            weights="classifier",
            steps=100,
            decay=1.0,
            warmup=20,
            muon_lr=0.003,
            adam_lr=3e-4,
            validate_every=100,
        ),
        *tiny.FAMILY,
        _GPT_BEGUN,
        replace(
            _GPT_BEGUN,
            name="gpt-longer",
            description="The second of four trainings of gpt.",
            weights="runs/gpt-begun",
            steps=900,
            decay=0.7,
            seed=2,
            validate_every=900,
        ),
        replace(
            _GPT_BEGUN,
            name="gpt-third",
            description="The third of four trainings of gpt.",
            weights="runs/gpt-longer",
            steps=750,
            decay=0.8,
            seed=3,
            validate_every=750,
        ),
        replace(
            _GPT_BEGUN,
            name="gpt",
            description="Writes English encyclopedia text in pieces of words: GPT-2's architecture in small.",
            weights="runs/gpt-third",
            steps=9_000,
            decay=0.85,
            seed=4,
            validate_every=1_000,
        ),
        Recipe(
            name="xl",
            description="Carries a memory from segment to segment: the article's Transformer-XL, on bytes.",
            kind="TransformerXL",
            task="segments",
            model=TransformerXLConfig(depth=6, emb=256, heads=8, norm="pre", activation="gelu"),
            weights="runs/generator-begun",
            steps=1_800,
            batch=4,
            segments=16,
            warmup=50,
            decay=0.95,
            muon_lr=0.01,
            validate_every=600,
            save_every=50,
        ),
        _SPARSE_BEGUN,
        _SPARSE,
        replace(
            _SPARSE,
            name="sparse-dense",
            description="The sparse model's twin, in which each token sees all that came before it.",
            model=replace(_SPARSE.model, mask="causal", mask_size=None),
        ),
        Recipe(
            name="bert",
            description="Fills in hidden words and tells whether one text follows another: BERT in small.",
            kind="Bert",
            task="masked",
            model=_BERT,
            initial="neighbours",
            steps=11_000,
            batch=16,
            warmup=100,
            muon_lr=0.01,
            adam_lr=1e-3,
        ),
        Recipe(
            name="bert-films",
            description="The first of two trainings of bert-reviews: bert, which goes on with words hidden in reviews.",
            kind="Bert",
            task="masked",
            corpus="imdb",
            model=_BERT,
            weights="bert",
            steps=2_400,
            batch=16,
            warmup=50,
            decay=0.8,
            muon_lr=0.005,
            adam_lr=5e-4,
        ),
        Recipe(
            name="bert-reviews",
            description="Tells whether a film review is positive: BERT, fine-tuned through [CLS].",
            kind="BertClassifier",
            task="reviews",
            corpus="imdb",
            model=replace(_BERT, words_head=False, sentence_head=False),
            weights="runs/bert-films",
            steps=1_800,
            batch=32,
            warmup=100,
            decay=1.0,
            weight_decay=0.1,
            teacher=0.5,
            pieces=0.35,
            word_dropout=0.15,
            validate_every=300,
            muon_lr=0.006,
            adam_lr=6e-4,
            compile=False,  # its many lengths would each compile for as long as it gains
        ),
        _DATES_BEGUN,
        _DATES_LONGER,
        _DATES_HARD,
        replace(
            _DATES_HARD,
            name="dates",
            description="Reads dates as people write them and writes them again: the article's encoder-decoder.",
            weights="runs/dates-hard",
            steps=4_500,
            decay=0.95,
            muon_lr=0.008,
            adam_lr=8e-4,
            seed=5,
            validate_every=4_500,
        ),
    )
}
