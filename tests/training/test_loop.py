"""A step and a run: saving memory changes no gradient, and neither a kill nor a second process changes a run."""

import json
import multiprocessing
import signal
import time

import pytest
import torch
import torch.distributed as dist
from safetensors.torch import load_file

from former import sparse
from former.training import loop, state
from former.training.__main__ import main
from former.training.init_weights import make_model
from former.training.measure import memory
from former.training.parallel import Group
from former.training.tasks import make_task
from former.training.tasks.dates_task import DatesTask
from tests.training.conftest import TINY
from tests.training.processes import FORKS, begin, run
from tests.training.tasks.test_masked import wiki


def gradients(recipe, text_file, model=None):
    """Returns the gradient of the first batch by parameter name."""
    task = make_task(recipe, text_file, unchecked=True)
    model = model or make_model(recipe)
    torch.manual_seed(0)
    for parameter in model.parameters():  # the zeros of step 0 would stop most gradients
        torch.nn.init.normal_(parameter, std=0.1)
    model.train()
    loop.backward(model, task.loss, loop.share(task.batch(0), recipe, Group()), recipe)
    return {name: parameter.grad for name, parameter in model.named_parameters() if parameter.grad is not None}


def assert_same_gradients(got, expected, error=2e-6):
    assert got.keys() == expected.keys()
    for name, gradient in expected.items():
        assert gradient.abs().max() > 0, name
        # fp32 sums in another order: a few units of 1e-7 of the largest entry
        torch.testing.assert_close(got[name], gradient, rtol=0, atol=error * float(gradient.abs().max()) + 1e-9)


def counts(task, batch):
    """Returns how many targets each quarter of a batch has."""
    return [task.scored(*part) for part in zip(*(tensor.chunk(4) for tensor in batch), strict=True)]


@pytest.mark.parametrize("micro_batches", [2, 4, 8])
def test_accumulating_over_micro_batches_gives_the_whole_batchs_gradient(recipe, text_file, micro_batches):
    whole = gradients(recipe(), text_file)
    assert_same_gradients(gradients(recipe("tiny-generator", f"accumulate={micro_batches}"), text_file), whole)


@pytest.mark.parametrize(("processes", "micro_batches"), [(1, 4), (2, 2), (4, 1)])
@pytest.mark.parametrize("name", ["dates", "bert-begun"])
def test_a_part_counts_by_its_targets_where_rows_have_different_numbers_of_them(
    name, processes, micro_batches, recipe, text_file
):
    settings = recipe(name, f"accumulate={micro_batches}", "batch=32", "model.seq_length=256")
    text_file.write_text(wiki(400, 30))
    task = make_task(settings, text_file, unchecked=True) if name == "bert-begun" else DatesTask(settings)
    # BERT's rows have different numbers where an article ends before its row does; dates where targets are padding.
    short = next(step for step in range(9) if len(set(counts(task, task.batch(step)))) > 1)
    batch = task.batch(short)
    model = make_model(task.recipe, with_weights=False)
    torch.manual_seed(0)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.1)
    whole = task.loss(model, *batch).sum()
    whole.backward()
    expected = {name: parameter.grad for name, parameter in model.named_parameters()}
    model.zero_grad()
    losses = []
    for rank in range(processes):  # the gradients of all processes, one after another
        group = Group(rank, processes)
        parts, shares = loop.share(batch, settings, group), loop.divisors(task, batch, settings, group)
        losses.append(loop.backward(model, task.loss, parts, settings, shares) / processes)
    torch.testing.assert_close(sum(losses), whole.detach(), atol=1e-6, rtol=0)
    got = {
        name: parameter.grad / processes for name, parameter in model.named_parameters() if parameter.grad is not None
    }
    # that of BERT is of some 600 hidden pieces, and their 400 logits each
    assert_same_gradients(got, expected, 1e-5 if name == "bert-begun" else 2e-6)


def test_equal_parts_are_divided_by_exactly_their_number(recipe, text_file):
    settings = recipe("tiny-generator", "accumulate=4")
    task = make_task(settings, text_file, unchecked=True)
    assert loop.divisors(task, task.batch(0), settings, Group(1, 2)) == [4.0] * 4


def test_checkpointing_gives_the_same_gradients(recipe, text_file):
    assert_same_gradients(
        gradients(recipe("tiny-generator", "checkpointing=true"), text_file), gradients(recipe(), text_file)
    )


@pytest.mark.parametrize("kind", sparse.PATTERNS)
def test_a_sparse_mask_is_trained_without_its_dense_form_to_the_same_gradients(kind, recipe, text_file, monkeypatch):
    settings = ("tiny-generator", f"model.mask={kind}", "model.mask_size=5")
    calls, attend = [], sparse.attend
    monkeypatch.setattr(sparse, "attend", lambda *arguments: calls.append(1) or attend(*arguments))
    ours = gradients(recipe(*settings), text_file)
    layers = len(calls)
    assert layers == recipe(*settings).model.depth
    monkeypatch.setattr(sparse, "PATTERNS", ())  # nothing is a pattern: the equation under the dense mask
    assert_same_gradients(ours, gradients(recipe(*settings), text_file))
    assert len(calls) == layers


def test_checkpointing_runs_each_block_again_in_the_backward_pass(recipe, text_file):
    model = make_model(recipe("tiny-generator", "checkpointing=true"))
    calls = []
    for block in model.transformer.blocks:
        block.register_forward_pre_hook(lambda *_: calls.append(1))
    gradients(recipe("tiny-generator", "checkpointing=true"), text_file, model)
    assert len(calls) == 2 * len(model.transformer.blocks)


def test_mixed_precision_gives_nearly_the_same_gradients(recipe, text_file):
    whole = gradients(recipe(), text_file)
    mixed = gradients(recipe("tiny-generator", "precision=bf16"), text_file)
    for name, gradient in whole.items():
        assert not torch.equal(mixed[name], gradient), f"{name} was not computed in bf16"
        # bf16 keeps 8 bits: products are off by about 1/256 each
        assert float((mixed[name] - gradient).norm() / gradient.norm()) < 0.05, name


def test_a_gradient_longer_than_clip_is_cut_to_it(recipe, text_file, tmp_path):
    """Both optimisers have stored a part of the only gradient they received; together the parts are as long as
    `clip`."""
    settings = recipe("tiny-generator", "clip=0.001")
    run = loop.Run(settings, make_task(settings, text_file, unchecked=True), tmp_path, Group())
    _, norm = run.take_step()
    assert norm > 0.01
    shares = {"adam": ("exp_avg", 1 - 0.9), "muon": ("momentum_buffer", 1 - 0.95)}
    observed = [
        held[field] / share for kind, (field, share) in shares.items() for held in run.optimisers[kind].state.values()
    ]
    assert torch.cat([gradient.flatten() for gradient in observed]).norm() == pytest.approx(0.001, rel=1e-3)


def test_dropout_drops_its_share_of_the_embeddings_in_training_alone(recipe, text_file):
    settings = recipe("tiny-generator", "model.dropout=0.25", "model.emb=64")
    task, model = make_task(settings, text_file, unchecked=True), make_model(settings)
    read = []
    model.transformer.blocks[0].register_forward_pre_hook(lambda _block, inputs: read.append(inputs[0]))
    task.loss(model.train(), *task.batch(0))
    task.loss(model.eval(), *task.batch(0))
    assert float((read[0] == 0).float().mean()) == pytest.approx(0.25, abs=0.02)
    assert float((read[1] == 0).float().mean()) < 0.001
    remaining = read[0] != 0
    torch.testing.assert_close(read[0][remaining], read[1][remaining] / 0.75)


def command(name, data, out, *settings):
    words = ["--threads", "1", "train", name, "--data", str(data), "--unchecked"]
    return [*words, "--out", str(out), "--set", *TINY, *settings]


def lines_of(out):
    """Returns the log without the times."""
    rows = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    return [{key: value for key, value in row.items() if key != "seconds"} for row in rows]


def kill_once_past(words, out, step):
    """Starts a run, kills it without warning soon after it has passed a step, and returns its exit status."""
    process = begin(words)
    deadline = time.monotonic() + 180
    log = out / "log.jsonl"
    while not (log.exists() and any(row["step"] >= step for row in lines_of(out))):
        assert process.is_alive(), "the run ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.001)
    process.kill()
    process.join()
    return process.exitcode


def test_a_run_that_is_killed_and_resumed_ends_as_an_unbroken_one(text_file, tmp_path):
    # Slow enough, by many steps, that it cannot end before it is killed; dropout draws random numbers in each step.
    settings = ["steps=120", "model.dropout=0.2", "precision=fp32"]
    run(begin(command("tiny-generator", text_file, tmp_path / "whole", *settings)))
    broken = tmp_path / "broken"
    assert kill_once_past(command("tiny-generator", text_file, broken, *settings), broken, 10) == -signal.SIGKILL
    assert json.loads(json.dumps(state.read_tensors(broken / "state.safetensors")[1]))["step"] < 120
    run(begin(command("tiny-generator", text_file, broken, *settings)))
    assert lines_of(broken) == lines_of(tmp_path / "whole")
    for file in ("state", "best", "stable"):
        got, expected = (load_file(tmp_path / out / f"{file}.safetensors") for out in ("broken", "whole"))
        assert got.keys() == expected.keys()
        assert all(torch.equal(got[key], expected[key]) for key in got), file


@pytest.mark.parametrize(
    ("name", "settings", "rel"),
    [
        # fp32 sums in another order, over 20 steps
        ("tiny-generator", ["accumulate=2", "steps=20"], 2e-5),
        # its loss asks parts of the model, and is the sum of two means over different numbers of targets
        ("bert-begun", ["model.depth=1", "steps=2", "validate_every=2", "save_every=2"], 2e-5),
    ],
)
def test_two_processes_give_the_losses_of_one(name, settings, rel, text_file, tmp_path):
    settings = ["precision=fp32", *settings]
    if name == "bert-begun":
        text_file.write_text(wiki(400, 30))
    run(begin(command(name, text_file, tmp_path / "one", *settings)))
    store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)  # pyright: ignore[reportPrivateImportUsage]
    # The environment that torchrun gives its processes.
    values = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(store.port), "TORCHELASTIC_USE_AGENT_STORE": "True"}
    words = command(name, text_file, tmp_path / "two", *settings)
    run(*(begin(words, WORLD_SIZE="2", RANK=rank, LOCAL_RANK=rank, **values) for rank in "01"))
    got, expected = lines_of(tmp_path / "two"), lines_of(tmp_path / "one")
    assert [row["step"] for row in got] == [row["step"] for row in expected]
    for mine, theirs in zip(got, expected, strict=True):
        assert mine == pytest.approx(theirs, rel=rel)
    header = state.read_tensors(tmp_path / "two" / "state.safetensors")[1]
    assert header["machine"]["processes"] == 2


def test_a_longer_run_goes_on_from_the_state_before_the_decay(recipe, text_file, tmp_path):
    task = make_task(recipe(), text_file, unchecked=True)
    first = loop.Run(recipe(), task, tmp_path / "first", Group())
    first.train()
    longer = recipe("tiny-generator", "steps=40")
    resumed = loop.Run(longer, task, tmp_path / "longer", Group(), start=tmp_path / "first" / "stable.safetensors")
    assert resumed.step == 24 - round(24 * 0.4)
    resumed.train()
    whole = loop.Run(longer, task, tmp_path / "whole", Group())
    whole.train()
    for name, weight in whole.model.state_dict().items():
        assert torch.equal(resumed.model.state_dict()[name], weight), name


def test_a_run_ends_with_the_mean_of_its_last_and_its_initial_weights(recipe, text_file, tmp_path):
    """A finished run can be averaged later, with the same result."""
    task = make_task(recipe(), text_file, unchecked=True)
    mean, plain = recipe("tiny-generator", "initial_share=0.25"), recipe()
    initial = make_model(plain).state_dict()
    for settings in (plain, mean, mean):
        finished = loop.Run(settings, task, tmp_path, Group())
        finished.train()
    last = load_file(tmp_path / "state.safetensors")
    for name, weight in finished.model.state_dict().items():
        expected = 0.25 * initial[name] + 0.75 * last[f"model.{name}"]
        torch.testing.assert_close(weight, expected, rtol=0, atol=1e-6, msg=name)  # fp32, of numbers up to 2
        assert "bias" in name or not torch.equal(weight, last[f"model.{name}"]), name
    assert lines_of(tmp_path)[-1]["bits_per_byte"] == task.validate(finished.model)


def test_a_mean_replaces_only_what_is_worse_than_it(recipe, text_file, tmp_path, monkeypatch):
    """Of several means of a finished run, too, the best is left."""
    figures, saved = iter([1.5, 1.4, 1.3, 1.1, 1.2, 1.0]), []  # of the three validations of a run, then of the means
    task = make_task(recipe(), text_file, unchecked=True)
    monkeypatch.setattr(task, "validate", lambda _: next(figures))
    for settings in (recipe(), *(recipe("tiny-generator", f"initial_share={share}") for share in (0.25, 0.5, 0.75))):
        loop.Run(settings, task, tmp_path, Group()).train()
        saved.append(state.read_tensors(tmp_path / "best.safetensors")[1]["best"])
    assert saved == [1.3, 1.1, 1.1, 1.0]


def test_a_state_of_another_recipe_is_refused(recipe, text_file, tmp_path):
    task = make_task(recipe(), text_file, unchecked=True)
    loop.Run(recipe(), task, tmp_path, Group()).train()
    with pytest.raises(ValueError, match=r"other values of \['muon_lr'\]"):
        loop.Run(recipe("tiny-generator", "muon_lr=0.5"), task, tmp_path, Group())
    with pytest.raises(ValueError, match="already falling"):
        loop.Run(recipe("tiny-generator", "steps=100"), task, tmp_path, Group())
    with pytest.raises(ValueError, match="another model"):
        loop.Run(recipe("tiny-generator", "model.emb=8"), task, tmp_path, Group())


@pytest.mark.parametrize("settings", [["steps=30"], ["decay=0.9"], ["decay=0.1"]])
def test_the_fall_of_the_learning_rate_cannot_change_once_it_has_begun(recipe, text_file, tmp_path, settings):
    task = make_task(recipe(), text_file, unchecked=True)
    begun = loop.Run(recipe(), task, tmp_path, Group())
    while begun.step < 20:
        begun.take_step()
    begun._save("state")
    with pytest.raises(ValueError, match=r"steps and decay must stay \(24, 0\.4\).*already falling"):
        loop.Run(recipe("tiny-generator", *settings), task, tmp_path, Group())


def test_a_run_does_not_go_on_with_another_corpus(recipe, text_file, tmp_path):
    run = tmp_path / "run"
    loop.Run(recipe(), make_task(recipe(), text_file, unchecked=True), run, Group()).train()
    assert state.read_tensors(run / "state.safetensors")[1]["corpus"]["file"] == "text.txt"
    other = tmp_path / "other.txt"
    other.write_bytes(text_file.read_bytes() + b"!")
    with pytest.raises(ValueError, match=r"--data must be the file that .*state\.safetensors was trained on"):
        loop.Run(recipe(), make_task(recipe(), other, unchecked=True), run, Group())
    moved = text_file.rename(tmp_path / "moved.txt")
    assert loop.Run(recipe(), make_task(recipe(), moved, unchecked=True), run, Group()).step == 24


def test_a_run_from_a_start_keeps_its_own_best_weights(recipe, text_file, tmp_path):
    task = make_task(recipe(), text_file, unchecked=True)
    first = loop.Run(recipe(), task, tmp_path / "first", Group())
    first.best = 0.0  # bits per byte: none is lower
    first._save("state")
    repeated = loop.Run(recipe(), task, tmp_path / "again", Group(), start=tmp_path / "first" / "state.safetensors")
    repeated.train()
    assert (tmp_path / "again" / "best.safetensors").is_file()
    assert loop.Run(recipe(), task, tmp_path / "again", Group()).best == repeated.best


def test_a_start_that_is_missing_or_damaged_is_refused_in_one_line(text_file, tmp_path, capsys):
    words = command("tiny-generator", text_file, tmp_path / "run")
    assert main([*words, "--start", str(tmp_path / "nope")]) == 2
    assert f"there is no file at {tmp_path / 'nope'}" in capsys.readouterr().err
    state.write_tensors(tmp_path / "run" / "state.safetensors", {"x": torch.ones(100)}, {"step": 1})
    whole = (tmp_path / "run" / "state.safetensors").read_bytes()
    (tmp_path / "run" / "state.safetensors").write_bytes(whole[:-100])
    assert main(words) == 2
    assert "state.safetensors is damaged" in capsys.readouterr().err


def test_a_batch_that_cannot_be_shared_out_is_refused(recipe, text_file, tmp_path):
    task = make_task(recipe(), text_file, unchecked=True)
    with pytest.raises(ValueError, match="multiple of 3 processes"):
        loop.Run(recipe(), task, tmp_path, Group(rank=0, size=3))


def test_training_learns(text_file, tmp_path):
    assert main(command("tiny-generator", text_file, tmp_path, "steps=150")) == 0
    figures = [row["bits_per_byte"] for row in lines_of(tmp_path) if "bits_per_byte" in row]
    assert figures[0] > 4.5  # 8 bits where nothing is known
    assert figures[-1] < 3


def test_each_memory_trick_lowers_the_measured_peak(recipe, monkeypatch):
    monkeypatch.setattr(multiprocessing, "get_context", lambda _: FORKS)  # else each process imports torch, for seconds
    deep = recipe("generator", "batch=16", "model.emb=64", "model.depth=6", "model.seq_length=128")
    plain, accumulated, checkpointed = memory.profile(
        deep, [("fp32", 1, False), ("fp32", 4, False), ("fp32", 1, True)]
    ).values()
    assert plain > 50  # MB: scores and weights of 6 layers alone are 25
    assert accumulated < 0.6 * plain
    assert checkpointed < 0.7 * plain
