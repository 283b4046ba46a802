"""Position vectors as the browser fetches them."""

import gzip
from typing import Any

import numpy as np
import pytest
import torch

import former
from tests.encodings import encodings
from tests.viz.conftest import WORDS
from viz.passes.loaded import Loaded
from viz.tabs.permute import positions


def tables(*models: Loaded) -> list[positions.Table]:
    return positions.tables({each.name: each for each in models})


def levels(table: positions.Table) -> np.ndarray:
    return np.frombuffer(gzip.decompress(table.body), "<i2").reshape(table.rows, table.emb) * table.scale


def off(table: positions.Table, exact: torch.Tensor) -> float:
    """Returns the largest difference between the displayed numbers and the exact ones."""
    assert exact.shape == (table.rows, table.emb)
    return float(np.abs(levels(table) - exact.double().numpy()).max())


def test_the_tables_hold_every_vector_to_the_precision_they_state(classifier, generator, bag):
    result = tables(bag, classifier, generator)
    assert [(table.name, table.rows, table.trained) for table in result] == [
        ("small-generator", 48, 48),
        ("small-classifier", 24, 24),
        ("sinusoidal", 48, 24),
    ]
    learned = [
        loaded.bundle.model.state_dict()["transformer.positions.embedding.weight"] for loaded in (generator, classifier)
    ]
    for table, exact in zip(result, [*learned, encodings(48, 32)], strict=True):
        assert 0.45 * table.scale < off(table, exact) <= table.error < 0.56 * table.scale
        assert table.scale == pytest.approx(float(exact.abs().max()) / 32_767)
        assert table.error == float(f"{table.error:.1e}")  # as it is shown


def test_encodings_far_out_are_as_precise_as_the_first():
    config = former.ModelConfig(num_tokens=len(WORDS), emb=128, heads=4, depth=1, seq_length=512, positions="none")
    bundle = former.Bundle(former.Classifier(config).eval(), former.tokens.WordTokenizer(WORDS), config)
    (table,) = tables(Loaded("long", bundle, "weights"))
    assert off(table, encodings(1024, 128)) <= table.error < 2e-5


@pytest.mark.parametrize(
    ("number", "above"), [(1.526e-5, 1.6e-5), (1.0, 1.0), (0.0996, 0.1), (123.4, 130.0), (2e-7, 2e-7), (0.0, 0.0)]
)
def test_a_precision_is_never_said_to_be_finer_than_it_is(number, above):
    assert positions.round_up(number) == above


def test_a_tables_key_changes_with_the_models_weights(classifier):
    other_weights = Loaded(classifier.name, classifier.bundle, "other weights")
    keys = [tables(each)[0].key for each in (classifier, other_weights)]
    assert keys[0] != keys[1]
    encodings = [tables(each)[1].key for each in (classifier, other_weights)]
    assert encodings[0] == encodings[1]


def test_a_model_without_positions_still_has_the_encodings_to_look_at(bag):
    assert [table.name for table in tables(bag)] == ["sinusoidal"]
    assert tables() == []


@pytest.mark.parametrize("product", positions.PRODUCTS)
@pytest.mark.parametrize("which", [0, 1], ids=["learned", "sinusoidal"])
def test_the_similarities_of_a_position_are_those_of_the_table(classifier, which, product):
    table = tables(classifier)[which]
    source: dict[str, Any] = {"bundle": classifier.bundle} if which == 0 else {"size": [table.rows, table.emb]}
    result = positions.compare_positions(at=7, product=product, **source)
    vectors = levels(table)
    if product == "cosine":
        vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    np.testing.assert_allclose(result["values"].numpy(), vectors @ vectors[7], atol=2e-3)
    assert (result["trained"], result["length"]) == (table.trained, 2 * table.trained)
