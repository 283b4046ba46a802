"""The recipes of intermediate trainings: their weights are not shipped, but a shipped model's training starts there."""

from __future__ import annotations

from dataclasses import replace

from former import gpt2, llama
from former.bert import BertConfig
from former.config import ModelConfig
from former.encoder_decoder import EncoderDecoderConfig
from former.tokens.words import PAD_ID
from former.training.recipes.recipe import Recipe
from former.transformer_xl import TransformerXLConfig

GENERATOR_BEGUN = Recipe(
    name="generator-begun",
    description="The first training of generator: six blocks.",
    corpus="wiki100",
    model=ModelConfig(depth=6, norm="pre", activation="gelu"),
    steps=7_000,
    batch=16,
    decay=0.45,
    muon_lr=0.01,
    weight_decay=0.05,
)
GENERATOR_GROWN = replace(
    GENERATOR_BEGUN,
    name="generator-grown",
    description="The second training of generator: a new block after each of the six.",
    model=replace(GENERATOR_BEGUN.model, depth=12),
    weights="runs/generator-begun",
    steps=8_000,
    decay=0.4,
    seed=2,
    save_every=250,
)
GENERATOR_THIRD = replace(
    GENERATOR_GROWN,
    name="generator-third",
    description="The third training of generator, in larger batches.",
    weights="runs/generator-grown",
    steps=4_400,
    batch=32,
    warmup=100,
    decay=0.95,
    muon_lr=0.012,
    seed=3,
    validate_every=1_000,
    save_every=50,
)
GENERATOR_FOURTH = replace(
    GENERATOR_THIRD,
    name="generator-fourth",
    description="The fourth training of generator, at a quarter of the learning rates.",
    weights="runs/generator-third",
    steps=900,
    warmup=50,
    decay=0.9,
    muon_lr=0.003,
    adam_lr=5e-4,
    weight_decay=0.02,
    seed=6,
    validate_every=300,
)
GENERATOR_FIFTH = replace(
    GENERATOR_FOURTH,
    name="generator-fifth",
    description="The fifth training of generator.",
    weights="runs/generator-fourth",
    steps=3_000,
    decay=0.5,
    seed=7,
    validate_every=500,
)
GENERATOR_SIXTH = replace(
    GENERATOR_FIFTH,
    name="generator-sixth",
    description="The sixth training of generator; it ends with the mean of its weights and the fifth's.",
    weights="runs/generator-fifth",
    steps=3_100,
    decay=0.62,
    seed=8,
    initial_share=0.3,
)
GPT_BEGUN = Recipe(
    name="gpt-begun",
    description="The first training of gpt.",
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
GPT_LONGER = replace(
    GPT_BEGUN,
    name="gpt-longer",
    description="The second training of gpt.",
    weights="runs/gpt-begun",
    steps=900,
    decay=0.7,
    seed=2,
    validate_every=900,
)
GPT_THIRD = replace(
    GPT_BEGUN,
    name="gpt-third",
    description="The third training of gpt.",
    weights="runs/gpt-longer",
    steps=750,
    decay=0.8,
    seed=3,
    validate_every=750,
)
GPT_FOURTH = replace(
    GPT_BEGUN,
    name="gpt-fourth",
    description="The fourth training of gpt.",
    weights="runs/gpt-third",
    steps=9_000,
    decay=0.85,
    seed=4,
    validate_every=1_000,
)
GPT_FIFTH = replace(
    GPT_FOURTH,
    name="gpt-fifth",
    description="The fifth training of gpt.",
    weights="runs/gpt-fourth",
    steps=2_400,
    batch=32,
    decay=0.9,
    muon_lr=0.015,
    adam_lr=1.5e-3,
    seed=11,
    validate_every=800,
)
GPT_SIXTH = replace(
    GPT_FIFTH,
    name="gpt-sixth",
    description="The sixth training of gpt.",
    weights="runs/gpt-fifth",
    steps=6_000,
    decay=0.6,
    weight_decay=0.02,
    seed=12,
    validate_every=1_000,
)
MODERN_BEGUN = replace(
    GPT_FOURTH,
    name="modern-begun",
    description="The first training of modern: as many steps as the first four of gpt.",
    # Without norms of queries and keys, Muon lets the scores grow until each head attends to one token alone.
    model=llama.config(
        **{"num_tokens": 8_192, "seq_length": 256, "emb": 256, "heads": 8, "kv_heads": 2, "depth": 6},
        **{"ff_hidden": 832, "rotary_theta": 1e4, "qk_norm": True},
    ),
    weights="",
    steps=11_450,
    seed=1,
)
XL_BEGUN = Recipe(
    name="xl-begun",
    description="The first training of xl, begun with the blocks of generator-begun.",
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
)
XL_LONGER = replace(
    XL_BEGUN,
    name="xl-longer",
    description="The second training of xl.",
    weights="runs/xl-begun",
    steps=900,
    batch=2,
    segments=32,
    muon_lr=0.008,
    adam_lr=1.6e-3,
    seed=2,
    precision="fp32",  # it was trained on a processor without bf16
    validate_every=900,
)
SPARSE_BEGUN = replace(
    GENERATOR_BEGUN,
    name="sparse-begun",
    description="The first training of sparse: a small generator of context 256.",
    model=replace(GENERATOR_BEGUN.model, depth=4, emb=160, heads=5),
    steps=3_000,
    decay=0.7,
    seed=2,
)
BERT = BertConfig(num_tokens=8_192, emb=256, heads=4, depth=4, seq_length=256, dropout=0.0)
BERT_BEGUN = Recipe(
    name="bert-begun",
    description="The first training of bert.",
    kind="Bert",
    task="masked",
    model=BERT,
    initial="neighbours",
    steps=11_000,
    batch=16,
    warmup=100,
    muon_lr=0.01,
    adam_lr=1e-3,
)
BERT_FILMS = Recipe(
    name="bert-films",
    description="The first training of bert-reviews: bert, which goes on with words hidden in reviews.",
    kind="Bert",
    task="masked",
    corpus="imdb",
    model=replace(BERT, seq_length=512),
    weights="runs/bert-begun",
    steps=2_400,
    batch=8,
    warmup=50,
    decay=0.8,
    save_every=50,
    muon_lr=0.005,
    adam_lr=5e-4,
)
DATES_BEGUN = Recipe(
    name="dates-begun",
    description="The first training of dates.",
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
    compile=False,  # compiling each of its many lengths would take longer than it saves
    validate_every=500,
)
DATES_LONGER = replace(
    DATES_BEGUN,
    name="dates-longer",
    description="The second training of dates.",
    weights="runs/dates-begun",
    steps=6_500,
    decay=0.9,
    muon_lr=0.012,
    adam_lr=1.2e-3,
    seed=2,
)
DATES_HARD = replace(
    DATES_LONGER,
    name="dates-hard",
    description="The third training of dates.",
    weights="runs/dates-longer",
    steps=6_000,
    batch=256,
    hard=0.5,
    seed=4,
    save_every=50,
)
