"""Fleets on Spark give the bytes of the program, whatever worker is killed on the way. `./check-integrations spark` installs what is
needed and runs them. DRIFTLINE names the program."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fleets
from fleets import COLUMNS, COMMON, desk, expect_same, program, rows_of

try:
    from pyspark.sql import SparkSession
except ImportError:
    pytest.skip("pyspark is not installed; ./check-integrations spark runs these", allow_module_level=True)
if not fleets.PROGRAM:
    pytest.skip("DRIFTLINE does not name the program", allow_module_level=True)

import driftline.spark  # noqa: E402
from driftline._fleets import frames  # noqa: E402


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    place = tmp_path_factory.mktemp("spark")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    made = (
        # A task may fail thirty times: that is how often the tests kill one.
        SparkSession.builder.master("local[2,30]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.local.dir", str(place))
        .config("spark.sql.warehouse.dir", str(place / "warehouse"))
        .config("spark.sql.shuffle.partitions", "4")
        .getOrCreate()
    )
    made.sparkContext.setLogLevel("OFF")
    yield made
    made.stop()


@pytest.fixture
def place(tmp_path, monkeypatch):
    fleets.write(tmp_path, 12)
    monkeypatch.chdir(desk(tmp_path, "spark"))
    return tmp_path


def streams(place: Path) -> dict[str, pd.DataFrame]:
    return {path.stem: pd.read_csv(path) for path in sorted((place / "data/streams").iterdir())}


def shuffled(spark, own: dict[str, pd.DataFrame], seed: int = 0):
    """All streams in one frame, in no order at all; `at` says which row was which."""
    table = pd.concat([rows.assign(sensor=key, at=range(len(rows))) for key, rows in own.items()])
    return spark.createDataFrame(table.sample(frac=1, random_state=seed)).repartition(3)


def expected(place: Path, own: dict[str, pd.DataFrame], *how: str) -> Path:
    """What the program makes of the same rows as files."""
    here = desk(place, "local")
    (here / "frames").mkdir()
    names = [f"frames/{key}.parquet" for key in sorted(own, key=lambda key: int(key[1:]))]
    for name in names:
        (here / name).write_bytes(frames.parquet(own[Path(name).stem]))
    given = ["--source", "data/source.csv", "--label", "label", "--model", "linear", "--stream", *names, "--window", "50", *how]
    program(here, "fleet", *given, "--out", "fleet")
    return here / "fleet"


def run(df, **other):
    return driftline.spark.fleet(df, **{"by": "sensor", "order": "at", "source": "data/source.csv", "out": "fleet", **COMMON, **other})


@pytest.mark.parametrize("policy", ["always", "guarded"])
def test_the_fleet_is_that_of_the_program(spark, place, policy):
    own = streams(place)
    result = run(shuffled(spark, own), policy=policy)
    assert (result.streams, result.done, result.failed) == (12, 12, 0)
    expect_same(Path("fleet"), expected(place, own, "--policy", policy))
    table = result.frame.toPandas()
    assert sorted(table["key"]) == sorted(own) and set(table["windows"]) == {4}
    assert result["s3"].version_ == 4
    # Once more, from another order: nothing is done again.
    before = (Path("fleet/packs/streams.pack")).read_bytes()
    assert run(shuffled(spark, own, 1), policy=policy).done == 12
    assert Path("fleet/packs/streams.pack").read_bytes() == before


def test_a_fleet_that_was_cut_off_goes_on(spark, place):
    own = streams(place)
    wanted = expected(place, own, "--policy", "always")
    half = {key: own[key] for key in sorted(own, key=lambda key: int(key[1:]))}
    here = Path.cwd()
    (here / "frames").mkdir()
    names = [f"frames/{key}.parquet" for key in half]
    for name in names:
        (here / name).write_bytes(frames.parquet(own[Path(name).stem]))
    given = ["--source", "data/source.csv", "--label", "label", "--model", "linear", "--stream", *names, "--window", "50"]
    program(here, "fleet", *given, "--policy", "always", "--out", "fleet", "--shard", "1/2")
    before = fleets.records(Path("fleet"))
    assert len(before) == 6
    run(shuffled(spark, own))
    found = fleets.records(Path("fleet"))
    assert {key: found[key] for key in before} == before and rows_of(Path("fleet")) == rows_of(wanted)


def test_frames_times_and_numbered_keys(spark, tmp_path):
    """A frame as the source, a column of times that orders, and keys that are numbers."""
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    source = pd.DataFrame(rng.normal(size=(300, 2)) + 3 * y[:, None], columns=["a", "b"]).assign(state=y.astype(bool))
    moments = pd.date_range("2024-01-01", periods=150, freq="h")
    own = {key: pd.DataFrame(rng.normal(size=(150, 2)), columns=["a", "b"]).assign(when=moments) for key in (7, 11)}
    table = pd.concat([rows.assign(sensor=key) for key, rows in own.items()])
    df = spark.createDataFrame(table.sample(frac=1, random_state=0))
    how = {"by": "sensor", "label": "state", "model": "linear", "window": 50, "policy": "always", "time": "when"}
    result = driftline.spark.fleet(df, source=source, out=tmp_path / "fleet", **how)
    assert (result.done, sorted(result)) == (2, ["11", "7"])
    assert result["7"].classes_.dtype == bool
    again = driftline.spark.fleet(df, source=spark.createDataFrame(source), out=tmp_path / "again", **how)
    rows = own[11].drop(columns="when")
    np.testing.assert_array_equal(result["11"].predict_proba(rows), again["11"].predict_proba(rows))


def test_a_damaged_stream_fails_alone(spark, place):
    own = streams(place)
    own["s5"] = own["s5"].assign(a=np.nan)
    result = run(shuffled(spark, own))
    assert (result.done, result.failed) == (11, 1)
    [failed] = [row for row in result.rows if row["state"] == "failed"]
    assert failed["key"] == "s5" and "a" in failed["error"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"order": None}, "have no order"),
        ({"order": "nope"}, "no column 'nope'"),
        ({"by": "place"}, "no column 'place'"),
        ({"label": None}, "needs both"),
    ],
)
def test_what_has_no_meaning_is_refused(spark, place, given, message):
    df = spark.createDataFrame([("s1", 0, *[0.0] * 4)], ["sensor", "at", *COLUMNS])
    with pytest.raises(ValueError, match=message):
        run(df, **given)
    assert not Path("fleet").exists()


def test_a_key_that_is_missing_is_refused(spark, place):
    df = spark.createDataFrame([("s1", 0, *[0.0] * 4), (None, 1, *[0.0] * 4)], ["sensor", "at", *COLUMNS])
    with pytest.raises(ValueError, match="rows without a key"):
        run(df)


def workers() -> list[int]:
    """Processes that Spark's daemon of Python has forked: those that work."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if b"pyspark.daemon" in (folder / "cmdline").read_bytes():
                parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
                if b"pyspark.daemon" in Path(f"/proc/{parent}/cmdline").read_bytes() and descends(parent, os.getpid()):
                    found.append(int(folder.name))
        except (OSError, ValueError, IndexError):
            continue
    return found


def descends(process: int, from_: int) -> bool:
    while process > 1 and process != from_:
        process = int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])
    return process == from_


class Killer(threading.Thread):
    """Kills a worker at random moments, so many times."""

    def __init__(self, kills: int, seed: int) -> None:
        super().__init__(daemon=True)
        self.draw, self.kills, self.killed, self.stop = random.Random(seed), kills, 0, False

    def run(self) -> None:
        while self.killed < self.kills and not self.stop:
            time.sleep(self.draw.uniform(0, 1.0))
            alive = workers()
            if alive:
                try:
                    os.kill(self.draw.choice(alive), signal.SIGKILL)
                    self.killed += 1
                except ProcessLookupError:
                    pass


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="workers are found in /proc")
def test_workers_killed_at_twenty_random_moments(spark, tmp_path, monkeypatch):
    fleets.write(tmp_path, 24, windows=20)
    own = streams(tmp_path)
    wanted = expected(tmp_path, own, "--policy", "guarded")
    killed, rounds = 0, 0
    while killed < 20:
        assert rounds < 20, f"only {killed} workers were found at work"
        monkeypatch.chdir(desk(tmp_path, f"round-{rounds}"))
        killer = Killer(min(7, 20 - killed), rounds)
        killer.start()
        result = run(shuffled(spark, own, rounds), policy="guarded", parts=24)
        killer.stop = True
        killer.join()
        killed, rounds = killed + killer.killed, rounds + 1
        assert (result.done, result.failed) == (24, 0)
        expect_same(Path("fleet"), wanted)
    print(f"{killed} workers killed in {rounds} rounds")
