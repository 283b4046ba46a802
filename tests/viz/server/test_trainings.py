"""Trainings run one at a time and in order; all clients may watch; a client who leaves ends its own."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from former.training.tasks import toys
from tests.viz.loops import run
from viz.server import trainee
from viz.server.clients import client as client_var
from viz.server.http import StreamResponse
from viz.server.trainings import LINE, Run, Trainings
from viz.shared.memory import TRAINED, MemoryShelf
from viz.text import Busy

# Reports one point, waits for a file, and reports the weights; ends at once if the file is named "broken".
PROGRAM = (
    sys.executable,
    "-S",
    "-c",
    "import sys, json, time, pathlib\n"
    "print(json.dumps({'point': [1, 0.5, 0.0], 'frame': sys.argv[1]}), flush=True)\n"
    "go = pathlib.Path(sys.argv[1])\n"
    "for _ in range(6000):\n    if go.exists() or go.name == 'broken': break\n    time.sleep(0.01)\n"
    "if go.name != 'broken': print(json.dumps({'weights': 'of ' + go.name}), flush=True)\n",
)


class Reader:
    """A client that reads the stream and may leave."""

    def __init__(self, told: StreamResponse) -> None:
        self.lines: list[dict[str, Any]] = []
        self._gone = asyncio.Event()
        self.task = asyncio.create_task(told({"type": "http"}, self._receive, self._send))

    async def _receive(self) -> dict[str, Any]:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        if body := message.get("body"):
            self.lines.append(json.loads(body))

    async def leave(self) -> None:
        self._gone.set()
        await self.task

    async def until(self, condition: Any) -> dict[str, Any]:
        """Returns the first line, waiting for new ones, that satisfies the condition."""

        async def look() -> dict[str, Any]:
            while not (values := [line for line in self.lines if condition(line)]):
                await asyncio.sleep(0.01)
            return values[0]

        return await asyncio.wait_for(look(), 30)


def begin(held: Trainings, go: Path) -> Reader:
    return Reader(held.train({"task": go.name}, [str(go)]))


def at_work(name: str) -> Any:
    return lambda line: line["run"] and line["run"]["task"] == name and line["course"]


def ended(line: dict[str, Any]) -> bool:
    return bool(line["end"])


def test_trainings_run_one_after_the_other_in_their_order_and_who_waits_watches(tmp_path):
    async def lesson() -> None:
        trainings = Trainings(MemoryShelf(TRAINED), PROGRAM)
        names = ["first", "second", "third"]
        readers = [begin(trainings, tmp_path / name) for name in names]
        onlooker = Reader(trainings.watch())
        for ahead, reader in enumerate([*readers, onlooker]):
            line = await reader.until(at_work("first"))
            assert line["ahead"] == (ahead if ahead < 3 else None)
            assert line["waiting"] == 2
            assert line["course"] == [[1, 0.5, 0.0]]
        for position, name in enumerate(names):
            assert not any(at_work(later)(line) for later in names[position + 1 :] for line in readers[2].lines)
            (tmp_path / name).touch()
            assert (await readers[position].until(ended))["end"] == "done"
            await readers[position].task
            if position < 2:
                assert (await readers[position + 1].until(at_work(names[position + 1])))["ahead"] == 0
        assert (await onlooker.until(ended))["run"]["task"] == "first"
        await onlooker.task
        run_name = onlooker.lines[-1]["run"]["name"]
        assert trainings.result(run_name) == ({"task": "first"}, "of first")

    run(lesson())


@pytest.mark.parametrize("line", ["no JSON", "[1]", '{"frame": 1}'])
def test_a_line_that_cannot_be_read_ends_its_training_and_then_the_next_begins(line, caplog, monkeypatch):
    good = json.dumps({"weights": "of next"})
    says = f"import sys, time; odd = sys.argv[1] == 'odd'; print({line!r} if odd else {good!r}, flush=True)"
    starts: list[Run] = []
    start = Trainings._start

    def noting(held: Trainings, run: Run) -> Any:
        for before in starts:
            assert before.process
            assert before.process.poll() is not None, "its process goes on beside the next"
        starts.append(run)
        return start(held, run)

    async def lesson() -> None:
        held = Trainings(MemoryShelf(TRAINED), (sys.executable, "-S", "-c", f"{says}; time.sleep(60 if odd else 0)"))
        odd, after = (Reader(held.train({"task": name}, [name])) for name in ("odd", "next"))
        assert (await odd.until(ended))["end"] == "failed"
        assert (await after.until(lambda line: ended(line) and line["run"]["task"] == "next"))["end"] == "done"
        await asyncio.gather(odd.task, after.task)

    monkeypatch.setattr(Trainings, "_start", noting)
    run(lesson())
    assert len(starts) == 2
    assert "a training failed" in caplog.text
    caplog.clear()  # was meant


@pytest.mark.parametrize("leaver", [0, 1])
def test_who_leaves_ends_the_own_training_or_place_and_the_next_begins(tmp_path, leaver):
    async def lesson() -> None:
        trainings = Trainings(MemoryShelf(TRAINED), PROGRAM)
        readers = [begin(trainings, tmp_path / name) for name in ("first", "second", "third")]
        onlooker = Reader(trainings.watch())
        for reader in [*readers, onlooker]:
            await reader.until(at_work("first"))
        working = trainings._line[0].process
        assert working
        await readers[leaver].leave()
        if leaver == 0:
            assert (await onlooker.until(ended))["end"] == "stopped"
            await readers[1].until(at_work("second"))
            assert working.poll() is not None
            assert (await readers[2].until(lambda line: line["ahead"] == 1))["waiting"] == 1
        else:
            assert (await readers[2].until(lambda line: line["ahead"] == 1))["run"]["task"] == "first"
            assert working.poll() is None
        for reader in (*readers, onlooker):
            await reader.leave()
        while trainings._task:
            await asyncio.sleep(0.01)
        assert not trainings._line
        assert trainings._slots.taken == trainings._readers.taken == 0

    run(lesson())


def test_a_training_that_breaks_off_says_so_and_nobody_trains_when_none_is_asked_for(tmp_path):
    async def lesson() -> None:
        trainings = Trainings(MemoryShelf(TRAINED), PROGRAM)
        onlooker = Reader(trainings.watch())
        await onlooker.task
        assert [line["run"] for line in onlooker.lines] == [None]
        broken = begin(trainings, tmp_path / "broken")
        assert (await broken.until(ended))["end"] == "failed"
        await broken.task

    run(lesson())


def test_the_line_is_shared_out_between_clients_and_only_the_last_models_are_kept(tmp_path):
    async def lesson() -> None:
        trainings = Trainings(MemoryShelf(TRAINED), PROGRAM)
        client_var.set("greedy")
        readers = [begin(trainings, tmp_path / "wait") for _ in range(LINE // 2)]
        with pytest.raises(Busy):
            trainings.train({}, [])
        client_var.set("other")
        readers.append(begin(trainings, tmp_path / "wait"))
        for reader in readers:
            await reader.leave()
        runs = [Run({"task": str(number)}, (), "") for number in range(TRAINED + 1)]
        for each in runs:
            await trainings._receive(each, {"weights": "w"})
        assert [trainings.result(each.name) for each in runs] == [None, *[(each.request, "w") for each in runs[1:]]]

    run(lesson())


def test_the_process_that_trains_tells_points_frames_and_at_last_the_model(capsys):
    trainee.main("reverse", 3, "pots", steps=20)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["point"][0] for line in lines[:-1]] == [10, 20]
    *_, report = toys.train("reverse", 3, steps=20)
    assert lines[1]["point"][1:] == [pytest.approx(report.loss, abs=1e-5), report.right]
    model = trainee.unpack(lines[-1]["weights"], "reverse")
    assert (
        trainee.frame(model, "reverse", "pots") == lines[1]["frame"] == trainee.frame(report.model, "reverse", "pots")
    )
