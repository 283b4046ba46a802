"""Training steps: on the model's device, compiled if possible."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import former
from former.training import compute
from former.training.init_weights import make_model
from former.training.loop import Run
from former.training.measure import evaluate
from former.training.parallel import Group
from former.training.tasks import make_task
from tests.training.conftest import TINY

DEVICES = [
    "cpu",
    pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")),
]


@pytest.fixture
def made(recipe, text_file, reviews_file):
    """Builds a tiny task of text or of reviews."""

    def make(name, *settings):
        small = ["model.num_tokens=11", "model.depth=2"] if name == "classifier" else []
        return make_task(recipe(name, *small, *settings), reviews_file if small else text_file, True)

    return make


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["tiny-generator", "classifier"])
def test_a_step_lowers_the_loss_and_a_resumed_run_ends_as_an_unbroken_one(name, device, made, tmp_path):
    task = made(name, "model.dropout=0.1", "steps=24")
    group = Group(device=torch.device(device))
    whole = Run(task.recipe, task, tmp_path / "whole", group)
    assert {parameter.device.type for parameter in whole.model.parameters()} == {device}
    whole.train()
    broken = Run(task.recipe, task, tmp_path / "broken", group)
    while broken.step < 8:
        broken.take_step()
    broken._save("state")
    resumed = Run(task.recipe, task, tmp_path / "broken", group)
    assert resumed.step == 8
    resumed.train()
    for key, weight in whole.model.state_dict().items():
        assert torch.equal(resumed.model.state_dict()[key], weight), key
    batch = [tensor.to(device) for tensor in task.batch(0)]
    with torch.no_grad():
        before, after = (task.loss(model.eval(), *batch) for model in (whole_at_0(task, device), whole.model))
    assert after < before


def whole_at_0(task, device):
    return make_model(task.recipe).to(device)


@pytest.mark.parametrize("name", ["tiny-generator", "classifier"])
def test_every_tensor_that_training_makes_follows_the_model(name, made):
    """With another default device, a tensor created without the model's device would not mix with the model's
    tensors."""
    task = made(name)
    model = make_model(task.recipe)
    batch = task.batch(0)
    with torch.device("meta"):
        task.loss(model, *batch).backward()
        with torch.no_grad():
            model.eval()(batch[0])


def test_every_tensor_that_writing_makes_follows_the_model():
    model = former.load("tiny-generator").model
    plain = [step.token for step in former.generate(model, [65, 66], 300, seed=3)]
    with torch.device("meta"):
        assert [step.token for step in former.generate(model, [65, 66], 300, seed=3)] == plain


@pytest.mark.parametrize(("attention", "by_kernel"), [("auto", False), ("equation", False), ("kernel", True)])
def test_attention_is_computed_as_the_recipe_says_and_by_the_equation_on_a_cpu(attention, by_kernel, made, monkeypatch):
    task = made("tiny-generator", f"attention={attention}")
    model = make_model(task.recipe)
    compute.set_attention(model, task.recipe.attention)
    calls = []
    kernel = torch.nn.functional.scaled_dot_product_attention
    monkeypatch.setattr(
        torch.nn.functional, "scaled_dot_product_attention", lambda *a, **k: calls.append(1) or kernel(*a, **k)
    )
    task.loss(model, *task.batch(0))
    assert bool(calls) == by_kernel


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
def test_figures_and_writing_on_a_gpu_are_those_of_the_cpu(text_file):
    bundle = former.load("tiny-generator")
    text = torch.frombuffer(bytearray(text_file.read_bytes()[:2000]), dtype=torch.uint8)
    options = {"context": 256, "stride": 128}
    on_cpu = evaluate.bits_per_byte(bundle.model, text, 1, 2000, **options)
    written = evaluate.sample(bundle, "The", 50, 0.0, 0)
    bundle.model.cuda()
    assert evaluate.bits_per_byte(bundle.model, text.cuda(), 1, 2000, **options) == pytest.approx(on_cpu, abs=1e-3)
    assert evaluate.sample(bundle, "The", 50, 0.0, 0) == written


def test_without_a_name_the_device_is_cuda_where_there_is_one():
    assert compute.choose_device().type == ("cuda" if torch.cuda.is_available() else "cpu")
    assert compute.choose_device("cpu").type == "cpu"


@pytest.mark.parametrize("name", ["cuda:99", "abacus"])
def test_a_device_that_is_not_there_is_refused_in_one_line(name):
    with pytest.raises(ValueError, match=f"--device must be cpu, or cuda if available, got '{name}'") as error:
        compute.choose_device(name)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("precision", "has", "said"), [("bf16", False, 1), ("bf16", True, 0), ("fp32", False, 0)])
def test_a_processor_that_emulates_bf16_says_so_in_one_line(precision, has, said, monkeypatch, capsys):
    monkeypatch.setattr(compute, "_has_bf16", lambda: has)
    compute.say_if_emulated(precision, compute.CPU)
    printed = capsys.readouterr().err
    assert (printed.count("\n"), printed.count("--set precision=fp32")) == (said, said)


@pytest.mark.skipif(not Path("/sys/kernel/mm/transparent_hugepage").exists(), reason="no large pages here")
def test_large_tensors_lie_in_large_pages():
    code = """import torch
from former.training import __main__, compute
compute.prepare()
x = torch.ones(2**24)
for line in open("/proc/self/smaps"):
    first, last = (line.split()[0].split("-") + [""])[:2]
    if last and not first.endswith(":"):
        inside = int(first, 16) <= x.data_ptr() < int(last, 16)
    elif inside and first == "VmFlags:":
        print("hg" in line.split())  # the kernel was asked for large pages here"""
    environment = {name: value for name, value in os.environ.items() if name != "THP_MEM_ALLOC_ENABLE"}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True"]


def test_without_a_compiler_training_says_so_in_one_line_and_goes_on(text_file, tmp_path):
    words = ["--threads", "1", "train", "tiny-generator", "--data", str(text_file), "--unchecked", "--device", "cpu"]
    settings = [setting for setting in TINY if not setting.startswith("compile")]
    # No C++ compiler, and nothing compiled before to be found again.
    environment = os.environ | {"CXX": str(tmp_path / "none"), "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache")}
    run = subprocess.run(
        [sys.executable, "-m", "former.training", *words, "--out", str(tmp_path / "run"), "--set", *settings],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
    )
    values = [line for line in run.stderr.splitlines() if "torch.compile does not work here" in line]
    assert len(values) == 1
    assert "No working C++ compiler" in values[0]
    assert "Traceback" not in run.stderr
    assert former.load(tmp_path / "run").card["step"] == 24
