"""The store of passes: it stays within its limit, and recomputes evicted passes."""

import gc
import json
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import former
from former.checkpoints import CHECKPOINTS
from tests.viz.passes.answered import run
from viz.passes import payload, store
from viz.passes.edits import read
from viz.passes.loaded import Loaded
from viz.passes.run import RunRequest, key_of, request
from viz.passes.snapshots import WithSnapshots
from viz.passes.store import PassStore
from viz.shared import InMemory, memory

TEXTS = [f"The cat sat on the mat {i:02}" for i in range(60)]  # of one length, and so of nearly one size
UNIFORM = {"layer": 0, "head": 1, "do": "uniform", "factor": None}


@pytest.fixture
def size(models, generator):
    """Returns the bytes that one text's pass takes, packed body included."""
    passes = PassStore(models)
    passes.make(generator, TEXTS[0])
    return passes.nbytes


@pytest.fixture
def shared():
    return InMemory()


def keys(loaded, shared):
    return [key_of(loaded, text, (), shared.secret) for text in TEXTS]


def test_it_keeps_to_its_bytes_under_40_threads(models, generator, size, shared):
    passes = PassStore(models, shared, limit=10 * size)
    over, wrong = [], []

    def visit(seed: int) -> None:
        random = np.random.default_rng(seed)
        for _ in range(10):
            text = TEXTS[random.integers(60)]
            made, _ = passes.make(generator, text)
            if made.header["text"] != text:
                wrong.append(text)
            if passes.nbytes > passes.limit + 1.1 * size:  # one is put while another has yet to go
                over.append(passes.nbytes)

    threads = [threading.Thread(target=visit, args=(seed,)) for seed in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    values = [pass_ for key in keys(generator, shared) if (pass_ := passes.get(key))]
    assert not over
    assert not wrong
    assert passes.nbytes == sum(store.size(*each) for each in values)
    assert 9 <= len(values) <= 11


def test_it_drops_what_was_not_looked_at_for_longest_and_never_the_newest(models, generator, size, shared):
    passes = PassStore(models, shared, limit=int(2.5 * size))
    first, second, third, fourth = keys(generator, shared)[:4]
    passes.make(generator, TEXTS[0])
    passes.make(generator, TEXTS[1])
    assert passes.get(first)
    passes.make(generator, TEXTS[2])
    assert [bool(passes.get(key)) for key in (first, second, third)] == [True, False, True]
    passes.limit = 1
    passes.make(generator, TEXTS[3])
    assert [bool(passes.get(key)) for key in (first, second, third, fourth)] == [False, False, False, True]


@pytest.mark.parametrize("edits", [[], [UNIFORM]], ids=["as trained", "edited"])
@pytest.mark.parametrize("name", ["small-generator", "small-classifier"])
def test_what_had_to_go_is_made_again_to_the_last_bit(models, name, edits):
    passes = PassStore(models, limit=1)
    made, body = passes.make(models[name], TEXTS[0], edits)
    passes.make(models[name], TEXTS[1])
    assert passes.get(made.key) is None
    remade, same = passes.remake(made.key)  # pyright: ignore[reportGeneralTypeIssues]
    assert (remade.key, remade.header, same) == (made.key, made.header, body)
    assert [payload.pack_head(remade.map("self"), 1, head) for head in (0, 1)] == [
        payload.pack_head(run(models[name], TEXTS[0], edits).map("self"), 1, head) for head in (0, 1)
    ]


def test_a_pass_that_is_held_is_not_run_again(models, generator, monkeypatch):
    passes = PassStore(models)
    pass_ = passes.make(generator, TEXTS[0])
    monkeypatch.setattr(store, "compute", None)
    assert passes.make(generator, TEXTS[0]) is passes.remake(pass_[0].key) is pass_


def test_a_question_about_a_pass_that_is_held_reads_it_and_any_other_runs_the_model(models, generator, monkeypatch):
    passes, sent = PassStore(models), json.loads(json.dumps([UNIFORM]))
    edits = read(sent, generator.bundle.model)
    pass_, _ = passes.make(generator, TEXTS[0], edits)
    held = passes.run_of(request(generator, TEXTS[0], edits))
    assert (held.maps, held.model) == (pass_.run.maps, generator.bundle.model)
    other = passes.run_of(request(generator, TEXTS[0]))
    assert (other.edits, other.text) == ((), TEXTS[0])
    monkeypatch.setattr(RunRequest, "run", None)
    assert passes.run_of(request(generator, TEXTS[0], edits)).maps is pass_.run.maps


def test_a_pass_that_is_held_does_not_keep_its_model_in_memory():
    """A snapshot is loaded again when it is needed, and answers questions about its passes."""
    whole = Loaded("tiny-induction", former.load("tiny-induction"), "one", CHECKPOINTS / "tiny-induction")
    snapshots = WithSnapshots({whole.name: whole}, limit=1)
    passes = PassStore(snapshots)
    name, other = ("tiny-induction/step-000000", "tiny-induction/step-000800")
    first = snapshots[name]
    passes.make(first, TEXTS[0])
    model = weakref.ref(first.bundle.model)
    del first
    snapshots[other]
    gc.collect()
    assert model() is None
    again = snapshots[name]
    assert passes.run_of(request(again, TEXTS[0])).model is again.bundle.model


def test_four_are_made_at_once_and_no_more(models, generator, monkeypatch):
    passes, at_work, most, compute = PassStore(models), [], [], store.compute
    meeting = threading.Barrier(4)  # lets four through at a time, so four have to be at work

    def counted(loaded, text, edits, secret):
        at_work.append(text)
        meeting.wait(10)
        most.append(len(at_work))
        meeting.wait(10)
        at_work.remove(text)
        return compute(loaded, text, edits, secret)

    monkeypatch.setattr(store, "compute", counted)
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda text: passes.make(generator, text), TEXTS[:12]))
    assert max(most) == 4


def test_it_remembers_no_more_than_it_may(models, generator, monkeypatch):
    monkeypatch.setattr(memory, "ORDERS", 3)
    passes = PassStore(models, limit=1)
    made = [passes.make(generator, text)[0].key for text in TEXTS[:5]]
    assert [bool(passes.remake(key)) for key in made] == [False, False, True, True, True]
    assert passes.remake("nothing") is None
