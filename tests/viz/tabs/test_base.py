"""The description of a model, which all tabs show."""

from dataclasses import replace

import pytest

from viz.tabs.base import about
from viz.text import message, note
from viz.text.en import MESSAGES

DESCRIBED = [key.removeprefix("model_") for key in MESSAGES if key.startswith("model_")]


@pytest.mark.parametrize("name", DESCRIBED)  # "line" and "kind" among them, which describe no model
def test_a_model_of_one_s_own_is_described_by_its_kind_whatever_its_folder_is_called(generator, name):
    own = replace(generator, name=name, opened=name)
    assert about(own) == note("model_kind", kind="causal")
    assert name in message("model_line", name=name, about=about(own))


def test_a_shipped_model_is_described_by_name(generator):
    assert about(replace(generator, name="tiny-generator")) == note("model_tiny_generator")
