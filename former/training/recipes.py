"""The recipes of the shipped models, and what each of them changes in its family's."""

from __future__ import annotations

from dataclasses import replace

from former.config import ModelConfig
from former.tokens.words import PAD_ID
from former.training import earlier, tiny
from former.training.recipe import Recipe

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
_SPARSE = Recipe(
    name="sparse",
    description="Reads 2,048 bytes by a strided pattern: each token sees a window, and every 128th token before it.",
    model=replace(earlier.SPARSE_BEGUN.model, seq_length=2_048, mask="strided", mask_size=128),
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

RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        earlier.GENERATOR_BEGUN,
        earlier.GENERATOR_GROWN,
        replace(
            earlier.GENERATOR_GROWN,
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
        earlier.GPT_BEGUN,
        earlier.GPT_LONGER,
        earlier.GPT_THIRD,
        replace(
            earlier.GPT_BEGUN,
            name="gpt",
            description="Writes English encyclopedia text in pieces of words: GPT-2's architecture in small.",
            weights="runs/gpt-third",
            steps=9_000,
            decay=0.85,
            seed=4,
            validate_every=1_000,
        ),
        earlier.XL_BEGUN,
        earlier.XL_LONGER,
        replace(
            earlier.XL_LONGER,
            name="xl",
            description="Carries a memory from segment to segment: the article's Transformer-XL, on bytes.",
            weights="runs/xl-longer",
            steps=500,
            batch=4,
            warmup=30,
            decay=1.0,
            seed=4,
            precision="bf16",
            validate_every=500,
        ),
        earlier.SPARSE_BEGUN,
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
            model=earlier.BERT,
            initial="neighbours",
            steps=11_000,
            batch=16,
            warmup=100,
            muon_lr=0.01,
            adam_lr=1e-3,
        ),
        earlier.BERT_FILMS,
        Recipe(
            name="bert-reviews",
            description="Tells whether a film review is positive: BERT, fine-tuned through [CLS].",
            kind="BertClassifier",
            task="reviews",
            corpus="imdb",
            model=replace(earlier.BERT, words_head=False, sentence_head=False),
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
        earlier.DATES_BEGUN,
        earlier.DATES_LONGER,
        earlier.DATES_HARD,
        replace(
            earlier.DATES_HARD,
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
