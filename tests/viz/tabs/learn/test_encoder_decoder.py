"""Section "Encoder-decoder": each probability is the model's own for the target's next character, with either input."""

import math
from typing import Any

import pytest
import torch

import former
from former.training.tasks.dates_reader import read
from tests.ranked import clear_largest
from viz.tabs.learn.sections import encoder_decoder
from viz.text import Refusal

VIEW = {"text": "4 July 1976", "target": "", "prefix": "true", "layer": 2, "head": 3, "seed": 0}


def ask(question: str, view: dict[str, Any]) -> dict[str, Any]:
    return encoder_decoder.SECTION.questions[question].answer({}, view)


def given(text: str, prefix: str, target: str) -> float:
    """Returns the probability of the target's next character, from one plain pass."""
    bundle: Any = former.load("dates")
    tokenizer = bundle.tokenizer
    source = torch.tensor([tokenizer.encode(text)])
    begun = torch.tensor([tokenizer.encode_target(prefix)[:-1]])
    following = tokenizer.encode_target(target)[len(prefix) + 1]
    with torch.inference_mode():
        return float(bundle.model(source, begun)[0, -1].softmax(-1)[following])


def test_after_the_true_beginning_each_character_is_given_what_a_pass_of_its_own_gives_it():
    result = ask("decoded", VIEW)
    assert "".join(result["targets"][:-1]) == "1976-07-04"
    expected = [given("4 July 1976", "1976-07-04"[:i], "1976-07-04") for i in range(11)]
    assert result["true"]["probs"] == pytest.approx(expected, abs=1e-5)
    bits = [sum(-math.log2(prob) for prob in expected[: i + 1]) for i in range(11)]
    assert result["true"]["bits"] == pytest.approx(bits, abs=1e-3)
    assert result["memory"] == [len("4 July 1976") + 1, 128]
    assert [sum(row) for row in result["true"]["weights"]] == pytest.approx([1] * 11, abs=1e-3)


def test_after_its_own_beginning_the_same_target_is_scored_up_to_where_the_model_has_ended():
    target = "21 November 2026"
    result = ask("decoded", VIEW | {"text": "2026-11-21"})
    own = former.translate(former.load("dates"), "2026-11-21")
    assert "".join(result["targets"][:-1]) == target.replace(" ", "␣")
    assert "".join(result["writes"][:-1]) == own != target
    count = min(len(own), len(target)) + 1
    expected = [given("2026-11-21", own[:i], target) for i in range(count)]
    assert result["own"]["probs"] == pytest.approx(expected, abs=1e-5)
    true, alone = (result[name]["bits"][-1] for name in ("true", "own"))
    assert alone > 2 * true


def test_a_head_of_the_last_layers_looks_at_the_digit_that_is_written():
    layer, head = encoder_decoder.head_to_open()
    result = ask("decoded", VIEW | {"layer": layer, "head": head})
    index = result["source"].index("9")
    assert clear_largest(result["true"]["weights"][1], 1e-3) == index


def test_several_forms_are_drawn_of_a_date_and_each_is_read_back_by_rules():
    result = ask("written", VIEW)
    assert result["date"] == "1976-07-04"
    texts = [form["text"] for form in result["forms"]]
    assert len(set(texts)) > 2
    assert [form["right"] for form in result["forms"]] == [str(read(text)) == "1976-07-04" for text in texts]
    assert ask("written", VIEW)["forms"] == result["forms"]
    assert ask("written", VIEW | {"target": "abc"})["forms"] == []


@pytest.mark.parametrize("wrong", [{"text": "yesterday"}, {"text": ""}, {"target": 3}, {"target": "1" * 64}])
def test_what_cannot_be_read_is_refused(wrong):
    with pytest.raises(Refusal):
        ask("decoded", VIEW | wrong)


def test_a_slip_of_typing_hides_no_date():
    result = ask("decoded", VIEW | {"text": encoder_decoder.TEXT})
    assert "".join(result["targets"][:-1]) == "1972-09-07"


@pytest.mark.parametrize("text", ["2026-02-30", "1899-01-01", "4 July 2150"])
def test_a_date_that_there_is_not_needs_a_target(text):
    with pytest.raises(Refusal):
        ask("decoded", VIEW | {"text": text})
    result = ask("decoded", VIEW | {"text": text, "target": "2026-01-01"})
    assert len(result["true"]["probs"]) == 11
