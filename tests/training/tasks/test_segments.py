"""Training a Transformer-XL: the memory passes from segment to segment, and the figures state its length."""

import math

import pytest
import torch
import torch.nn.functional as F

import former
from former.training.init_weights import make_model
from former.training.measure.evaluate import Measure
from former.training.tasks import make_task
from former.training.tasks.segments import STREAMS, SegmentsTask, bits_by_position, scored_bytes

SETTINGS = ("weights=", "segments=4", "model.seq_length=8", "model.memory_length=8", "model.depth=2")


@pytest.fixture
def task(recipe, text_file):
    return make_task(recipe("xl", *SETTINGS), text_file, unchecked=True)


@pytest.fixture
def model(task):
    model = make_model(task.recipe)
    random = torch.Generator().manual_seed(0)
    for parameter in model.parameters():
        parameter.data.normal_(0, 0.3, generator=random)
    return model.eval()


def test_the_loss_is_that_of_its_segments_read_one_after_another(task, model):
    inputs, targets = task.batch(0)
    assert inputs.shape == (8, 32)
    memory, nats = None, []
    for first in range(0, 32, 8):
        logits, memory = model(inputs[:, first : first + 8], memory)
        nats.append(F.cross_entropy(logits.flatten(0, 1), targets[:, first : first + 8].flatten()))
    torch.testing.assert_close(task.loss(model, inputs, targets), torch.stack(nats).mean())


def test_what_a_segment_is_told_depends_on_the_segments_before_it(task, model):
    inputs, targets = task.batch(0)
    changed = inputs.clone()
    changed[:, :8] = 65
    apart = [task.loss(model, tokens[:, 8:], targets[:, 8:]) for tokens in (inputs, changed)]
    joined = [task.loss(model, tokens, targets) for tokens in (inputs, changed)]
    assert apart[0] == apart[1]
    assert joined[0] != joined[1]


def test_bits_by_position_equal_a_plain_loop_over_the_stretches(model):
    text = torch.randint(256, (STREAMS * 24 + 5,), dtype=torch.uint8, generator=torch.Generator().manual_seed(1))
    each = scored_bytes(len(text), 8) // STREAMS
    assert each == 24
    expected = torch.zeros(8, dtype=torch.float64)
    for stream in range(STREAMS):
        memory = None
        for first in range(stream * each, (stream + 1) * each, 8):
            logits, memory = model(text[None, first : first + 8].long(), memory, memory_length=16)
            for position in range(8):
                expected[position] -= logits[0, position].double().log_softmax(-1)[int(text[first + position + 1])]
    got = bits_by_position(model, text, 8, 16)
    torch.testing.assert_close(got, expected.detach() / math.log(2) / (STREAMS * 3), atol=1e-5, rtol=0)
    assert not torch.equal(got, bits_by_position(model, text, 8, 0))


def test_a_text_too_short_for_every_stretch_is_refused(model):
    with pytest.raises(ValueError, match=f"text must be longer than {STREAMS * 8} bytes, got 100"):
        bits_by_position(model, torch.zeros(100, dtype=torch.uint8), 8, 0)


def test_the_figures_are_of_three_memories_and_late_in_the_segment(task, model, text_file):
    text_file.write_bytes(text_file.read_bytes() * 2)
    bundle = former.Bundle(model, task.tokenizer, task.recipe.model)
    figure = SegmentsTask.evaluate(
        bundle, task.recipe, text_file, Measure(split="val", precision="fp32", unchecked=True)
    )
    assert figure["bits_per_byte"] == figure["memory_8"]
    assert {"memory_0", "memory_128", "memory_512", "late_memory_0", "late_memory_512"} <= figure.keys()
    assert figure["memory_0"] != figure["memory_8"] != figure["memory_512"]
    with pytest.raises(ValueError, match="not support --stride"):
        SegmentsTask.evaluate(bundle, task.recipe, text_file, Measure(split="val", stride=3, unchecked=True))


def test_a_short_training_learns(task):
    model = make_model(task.recipe)
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    losses = []
    for step in range(30):
        loss = task.loss(model, *task.batch(step))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.7 * losses[0]
