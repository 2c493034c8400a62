"""Fleets and experiments on a Ray cluster give the bytes of the program, whatever is killed, lost, full or damaged on the way.
`bench/ray_drill.py` installs what is needed and runs them. DRIFTLINE names the program."""

from __future__ import annotations

import json
import logging
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
import tomllib
from pathlib import Path

import pytest

import fleets
from fleets import COMMON, FILES, HOW, desk, expect_same, local, program, records, rows_of


try:
    import ray
except ImportError:
    pytest.skip("ray is not installed; bench/ray_drill.py runs these", allow_module_level=True)
if not fleets.PROGRAM:
    pytest.skip("DRIFTLINE does not name the program", allow_module_level=True)

import driftline.ray  # noqa: E402
from driftline.ray import _fleet, _tasks  # noqa: E402


@pytest.fixture(scope="module")
def one_node():
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=200 << 20, logging_level=logging.ERROR)
    yield
    ray.shutdown()


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Forty short streams, and a desk of our own."""
    fleets.write(tmp_path, 40)
    monkeypatch.chdir(desk(tmp_path, "ray"))
    return tmp_path


def run(**other):
    given = {"source": "data/source.csv", "stream": "data/streams/*.csv", "out": "fleet", "streams_per_task": 4, **COMMON, **other}
    return driftline.ray.fleet(given.pop("source"), **given)


def workers() -> list[int]:
    """Processes of this session that work on a task now."""
    session = ray.get_runtime_context().get_session_name().encode()
    found = []
    for folder in Path("/proc").iterdir():
        try:
            title = (folder / "cmdline").read_bytes()
            if title.startswith(b"ray::_task"):
                parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
                if session in Path(f"/proc/{parent}/cmdline").read_bytes():
                    found.append(int(folder.name))
        except (OSError, ValueError, IndexError):
            continue
    return found


class Killer(threading.Thread):
    """Kills a worker at random moments, so many times."""

    def __init__(self, kills: int, within: float, seed: int) -> None:
        super().__init__(daemon=True)
        self.draw, self.kills, self.within = random.Random(seed), kills, within
        self.killed, self.stop = 0, False

    def __enter__(self) -> None:
        self.start()

    def __exit__(self, *_) -> None:
        self.stop = True
        self.join()

    def run(self) -> None:
        while self.killed < self.kills and not self.stop:
            time.sleep(self.draw.uniform(0, self.within))
            alive = workers()
            if alive:
                try:
                    os.kill(self.draw.choice(alive), signal.SIGKILL)
                    self.killed += 1
                except ProcessLookupError:
                    pass


# The same bytes


def test_files(one_node, place):
    result = run()
    assert (result.streams, result.done, result.failed) == (40, 40, 0)
    expect_same(Path("fleet"), local(place, *FILES, *HOW))
    again = run()
    assert again.task_seconds == [] and again.done == 40


@pytest.mark.parametrize("each", [False, True])
def test_keys_that_take_turns_in_one_table(one_node, place, each):
    fleets.join(place)
    source = "data/each.csv" if each else "data/source.csv"
    other = {"source_model": "each"} if each else {}
    run(source=source, stream="data/all.csv", by="key", **other)
    flags = ["--source-model", "each"] if each else []
    what = ["--source", source, "--label", "label", "--model", "linear", "--stream", "data/all.csv", "--by", "key", *flags, *HOW]
    expect_same(Path("fleet"), local(place, *what))


def test_a_model_file_and_a_data_set_of_pyarrow(one_node, place):
    from pyarrow import dataset

    program(place, "fit", "--source", "data/source.csv", "--label", "label", "--model", "linear", "--out", "data/m.safetensors")
    streams = dataset.dataset(str(place / "data/streams"), format="csv")
    given = {"model": "data/m.safetensors", "window": 50, "policy": "guarded"}
    result = driftline.ray.fleet(stream=streams, out="fleet", streams_per_task=7, **given)
    assert result.done == 40
    how = ["--window", "50", "--policy", "guarded"]
    expected = local(place, "--model", "data/m.safetensors", "--stream", "data/streams/*.csv", *how)
    # The command and the paths are said differently; models, windows and predictions are the same.
    assert rows_of(Path("fleet")) == rows_of(expected)


def test_a_run_that_the_program_began_is_finished(one_node, place):
    """Half of the streams are there."""
    expected = local(place, *FILES, *HOW)
    program(Path.cwd(), "fleet", *FILES, *HOW, "--out", "fleet", "--shard", "1/2")
    before = records(Path("fleet"))
    assert len(before) == 20
    run()
    found = records(Path("fleet"))
    assert {key: found[key] for key in before} == before
    assert sorted(found) == sorted(records(expected)) and rows_of(Path("fleet")) == rows_of(expected)


def test_a_stream_that_was_stopped_in_its_middle_goes_on_there(one_node, tmp_path, monkeypatch):
    """Windows are stored 32 at a time; of each stream the first are there."""
    fleets.write(tmp_path, 3, windows=80)
    expected = local(tmp_path, *FILES, *HOW)
    monkeypatch.chdir(desk(tmp_path, "ray"))
    program(Path.cwd(), "fleet", *FILES, *HOW, "--out", "fleet")
    pack = Path("fleet/packs/streams.pack")
    whole = records(Path("fleet"))
    assert all(len(own) == 3 for own in whole.values())
    contents = pack.read_bytes()
    # What stands before a head is 48 bytes long.
    cut = [contents.index(own[0][0]) - 48 for own in whole.values()]
    firsts = [contents[at : at + 48 + len(own[0][0]) + len(own[0][1])] for at, own in zip(cut, whole.values(), strict=True)]
    pack.write_bytes(b"".join(firsts))
    assert [len(own) for own in records(Path("fleet")).values()] == [1, 1, 1]
    run(streams_per_task=2)
    expect_same(Path("fleet"), expected)
    assert pack.read_bytes().startswith(b"".join(firsts))


# Failures


def test_workers_killed_at_twenty_random_moments(one_node, tmp_path, monkeypatch):
    fleets.write(tmp_path, 60, windows=20)
    how = ["--window", "50", "--policy", "guarded"]
    expected = local(tmp_path, *FILES, *how)
    killed, rounds = 0, 0
    while killed < 20:
        assert rounds < 20, f"only {killed} workers were found at work"
        monkeypatch.chdir(desk(tmp_path, f"round-{rounds}"))
        killer = Killer(7, 1.0, rounds)
        with killer:
            result = run(streams_per_task=2, retries=30, policy="guarded")
        killed, rounds = killed + killer.killed, rounds + 1
        assert (result.done, result.failed) == (60, 0)
        expect_same(Path("fleet"), expected)
    print(f"{killed} workers killed in {rounds} rounds")


def test_what_is_delivered_twice_is_stored_once(one_node, place, monkeypatch):
    once = _fleet.add

    def twice(*what):
        rows = once(*what)
        assert rows and once(*what) == []
        return rows

    monkeypatch.setattr(_fleet, "add", twice)
    # And every task is done twice as well.
    take = _tasks.Crew._take

    def again(self, piece, reference):
        other = self.submit(piece, {})
        found = take(self, piece, reference)
        pack, _ = ray.get(other).result
        assert once(*self.added, pack) == []
        return found

    monkeypatch.setattr(_tasks.Crew, "_take", again)
    begin = _fleet._driftline.Fleet.begin

    class Seen:
        @staticmethod
        def begin(*what):
            _tasks.Crew.added = (begin(*what), Path("fleet"))
            return _tasks.Crew.added[0]

    monkeypatch.setattr(_fleet._driftline, "Fleet", Seen)
    run()
    del _tasks.Crew.added
    expect_same(Path("fleet"), local(place, *FILES, *HOW))


def test_one_damaged_stream_among_a_thousand_fails_alone(one_node, tmp_path, monkeypatch):
    fleets.write(tmp_path, 1000, windows=2)
    (tmp_path / "data/streams/s617.csv").write_text("a,b,c,d\n1,2,3,4\n1,2,oops,4\n")
    monkeypatch.chdir(desk(tmp_path, "ray"))
    result = run(streams_per_task=None)
    assert (result.streams, result.done, result.failed) == (1000, 999, 1)
    failed = [row for row in result.rows if row["state"] == "failed"]
    assert [row["key"] for row in failed] == ["s617"]
    assert "s617.csv" in failed[0]["error"] and "oops" in failed[0]["error"]
    expect_same(Path("fleet"), local(tmp_path, *FILES, *HOW, codes=(1,)))


def test_a_stream_that_kills_its_worker_fails_alone(one_node, place):
    """Whatever takes the process with it takes the piece with it; the others of the piece are done all the same."""
    done: list[int] = []
    bad: list[tuple[list[int], str]] = []

    def _task(parts):
        if 13 in parts:
            os.kill(os.getpid(), signal.SIGKILL)
        return _tasks.Outcome("here", 0.1, parts)

    task = ray.remote(max_retries=1)(_task)
    crew = _tasks.Crew(
        lambda piece, options: task.options(**options).remote(piece.parts),
        lambda piece, result: done.extend(result),
        lambda piece, why: bad.append((piece.parts, why)),
        lambda piece: piece.parts,
        in_flight=3,
        retries=1,
    )
    crew.run([_tasks.Piece(list(range(at, at + 5)), f"piece {at}") for at in range(0, 30, 5)])
    assert sorted(done) == [part for part in range(30) if part != 13]
    assert [parts for parts, _ in bad] == [[13]] and "crashed" in bad[0][1].lower()
    assert crew.most_in_flight <= 3


def test_slow_streams_are_named(one_node, tmp_path, monkeypatch, caplog):
    fleets.write(tmp_path, 12, windows=4, long="s5")
    monkeypatch.chdir(desk(tmp_path, "ray"))
    monkeypatch.setattr(_tasks, "SLOW_SECONDS", 0.05)
    result = run(streams_per_task=1, policy="guarded")
    assert [key for key, _ in result.stragglers] == ["s5"]
    assert any("slow: s5 took" in record.getMessage() for record in caplog.records)


def test_a_task_at_work_for_long_is_named_while_it_is(one_node, monkeypatch, caplog):
    monkeypatch.setattr(_tasks, "SLOW_SECONDS", 0.5)

    def _task(parts):
        time.sleep(5 if parts == [9] else 0.05)
        return _tasks.Outcome("here", 0.05, parts)

    task = ray.remote(_task)
    crew = _tasks.Crew(
        lambda piece, options: task.remote(piece.parts), lambda *_: None, lambda *_: None, lambda piece: piece.parts, 4, 0
    )
    crew.run([_tasks.Piece([part], f"piece {part}") for part in range(10)])
    assert [record.getMessage()[:29] for record in caplog.records] == ["slow: piece 9 has been at work"[:29]]


def test_so_many_tasks_at_a_time(one_node, place):
    result = run(streams_per_task=1, max_in_flight=3)
    assert result.done == 40 and result.most_in_flight == 3


DRIVER = """
    import logging, ray, sys
    import driftline.ray
    sys.path.insert(0, {tests!r})
    from fleets import COMMON
    ray.init(num_cpus=2, include_dashboard=False, logging_level=logging.ERROR)
    driftline.ray.fleet("data/source.csv", stream="data/streams/*.csv", out="fleet", streams_per_task=1, **COMMON)
"""


def test_a_head_that_is_lost_is_gone_on_with(one_node, place):
    """The process that gives the work out dies, and its cluster with it."""
    expected = local(place, *FILES, *HOW)
    script = textwrap.dedent(DRIVER).format(tests=str(Path(fleets.__file__).parent))
    child = subprocess.Popen([sys.executable, "-c", script], start_new_session=True)
    pack = Path("fleet/packs/streams.pack")
    while not pack.exists() or pack.stat().st_size < expected.joinpath("packs/streams.pack").stat().st_size / 4:
        assert child.poll() is None
        time.sleep(0.01)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    finished = len(records(Path("fleet")))
    result = run(streams_per_task=1)
    assert 0 < finished < 40 and len(result.task_seconds) == 40 - finished
    expect_same(Path("fleet"), expected)


# Experiments

TOML = """
name = "small"
title = "small"
seeds = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24]
data-seeds = [0, 1]
model.linear = { l2 = 0.02 }
training = { epochs = 3, batch-size = 32 }
self-training = { labels = "hard", confidence = "spread", filter = { drop = 0.1 }, start = "teacher", optimizer-state = "carried" }

[[datasets]]
name = "Gaussian"
data.gaussian = { dimension = 5, classes = 2, source = 60, held-out-source = 40, intermediate = 200, target-pool = 100, target = 100 }

[[methods]]
name = "Source"
curriculum = "source-only"

[[methods]]
name = "Gradual"
curriculum.gradual = { window = 50 }
"""


@pytest.mark.parametrize("kills", [0, 5])
def test_trials_are_those_of_the_program(one_node, tmp_path, kills):
    (tmp_path / "small.toml").write_text(TOML)
    program(tmp_path, "run", "small.toml", "--out", "local")
    killer = Killer(kills, 0.3, 7)
    with killer:
        results = driftline.ray.experiment(tmp_path / "small.toml", folder=tmp_path / "ray", retries=20, trials_per_task=3)
    assert len(results) == 100
    for name in ("trials.jsonl", "manifest.json"):
        assert (tmp_path / "ray" / name).read_bytes() == (tmp_path / "local" / name).read_bytes()
    lines = (tmp_path / "ray/trials.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "ray/trials.jsonl").write_text("".join(lines[:60]))
    driftline.ray.experiment(tmp_path / "small.toml", folder=tmp_path / "ray")
    assert (tmp_path / "ray/trials.jsonl").read_text() == "".join(lines)


def test_a_trial_that_fails_does_not_keep_the_others(one_node, tmp_path):
    class Failing(driftline.Method):
        def run(self, source, labels, stream, target, seed):
            raise ValueError("no idea")
            yield

        def settings(self):
            return {}

    with pytest.raises(RuntimeError, match="(?s)6 of 18 trials failed, the others are stored.*no idea"):
        driftline.ray.experiment(tomllib.loads(TOML), methods={"Odd": Failing()}, folder=tmp_path / "out", seeds=[0, 1, 2], retries=0)
    stored = [json.loads(line) for line in (tmp_path / "out/trials.jsonl").read_text().splitlines()]
    assert {trial["method"] for trial in stored} == {"Source", "Gradual"} and len(stored) == 12
