"""Fleets of frames, of data sets of Ray and with models of your own; each stream's estimator comes back."""

from __future__ import annotations

import logging

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression

from driftline import DriftClassifier

try:
    import ray
except ImportError:
    pytest.skip("ray is not installed; bench/ray_drill.py runs these", allow_module_level=True)

import driftline.ray  # noqa: E402

HOW = {"label": "state", "window": 50, "policy": "always"}


@pytest.fixture(scope="module", autouse=True)
def one_node():
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=200 << 20, logging_level=logging.ERROR)
    yield
    ray.shutdown()


def rows(count: int, seed: int, moved: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    y = np.arange(count) % 2
    numbers = rng.normal(size=(count, 2)) + 3 * y[:, None] + moved * np.linspace(0, 1, count)[:, None]
    found = pd.DataFrame(numbers, columns=["a", "b"])
    found["place"] = pd.Categorical(np.where(rng.uniform(size=count) < 0.5, "in", "out"))
    found["state"] = y.astype(bool)
    return found


@pytest.fixture(scope="module")
def data():
    """A labelled source and six sensors whose rows take turns in one table."""
    source = rows(300, 0)
    sensors = {f"sensor-{at}": rows(150, at, 0.2 * at).drop(columns="state") for at in range(1, 7)}
    table = pd.concat([own.assign(sensor=key, at=range(len(own))) for key, own in sensors.items()])
    return source, sensors, table.sort_values(["at", "sensor"]).drop(columns="at").reset_index(drop=True)


def alone(source, stream, model="linear") -> DriftClassifier:
    return DriftClassifier(model, window=50, policy="always", n_jobs=1).fit(source.drop(columns="state"), source["state"]).adapt(stream)


@pytest.mark.parametrize("kind", [lambda X: X, pl.from_pandas, lambda X: pa.Table.from_pandas(X, preserve_index=False)], ids=["pandas", "polars", "pyarrow"])
def test_frames_of_any_kind(data, tmp_path, kind):
    source, sensors, _ = data
    fleet = driftline.ray.fleet(kind(source), stream={key: kind(own) for key, own in sensors.items()}, out=tmp_path / "fleet", model="linear", **HOW)
    assert (fleet.streams, fleet.done, fleet.failed) == (6, 6, 0)
    assert sorted(fleet) == sorted(sensors) and len(fleet) == 6
    own = fleet["sensor-3"]
    expected = alone(source, sensors["sensor-3"])
    assert own.version_ == expected.version_ == 3
    assert own.classes_.dtype == bool
    np.testing.assert_allclose(own.predict_proba(sensors["sensor-3"]), expected.predict_proba(sensors["sensor-3"]), atol=1e-6)
    # It goes on by itself.
    assert own.adapt(sensors["sensor-4"]).version_ == 6 and fleet["sensor-3"].version_ == 3
    with pytest.raises(KeyError, match="no stream 'sensor-9'"):
        fleet["sensor-9"]


def test_a_data_set_of_ray_is_the_same_as_the_frame(data, tmp_path):
    source, _, table = data
    of_frames = driftline.ray.fleet(source, stream=table, by="sensor", out=tmp_path / "frames", model="linear", **HOW)
    blocks = ray.data.from_pandas([table[at : at + 100] for at in range(0, len(table), 100)])
    of_ray = driftline.ray.fleet(ray.data.from_pandas(source), stream=blocks, by="sensor", out=tmp_path / "ray", model="linear", **HOW)
    assert of_frames.done == of_ray.done == 6
    for key in of_frames:
        rows = table[table["sensor"] == key].drop(columns="sensor")
        np.testing.assert_array_equal(of_frames[key].predict_proba(rows), of_ray[key].predict_proba(rows))
    again = driftline.ray.fleet(source, stream=table, by="sensor", out=tmp_path / "frames", model="linear", **HOW)
    assert again.task_seconds == [] and again.done == 6


def test_a_model_of_your_own(data, tmp_path):
    source, sensors, table = data
    given = {"stream": table, "by": "sensor", "out": tmp_path / "fleet", "model": LogisticRegression(C=0.5)}
    fleet = driftline.ray.fleet(source, **given, **HOW)
    assert fleet.done == 6
    expected = alone(source, sensors["sensor-5"], LogisticRegression(C=0.5))
    own = fleet["sensor-5"]
    assert isinstance(own.model, LogisticRegression)
    np.testing.assert_allclose(own.predict_proba(sensors["sensor-5"]), expected.predict_proba(sensors["sensor-5"]), atol=1e-6)
    assert driftline.ray.fleet(source, **given, **HOW).task_seconds == []
    with pytest.raises(FileExistsError, match="model"):
        driftline.ray.fleet(source, **{**given, "model": LogisticRegression(C=2.0)}, **HOW)


def test_what_is_no_fleet_of_frames_is_refused(data, tmp_path):
    source, sensors, _ = data
    with pytest.raises(ValueError, match="valid file name, but is 'a/b'"):
        driftline.ray.fleet(source, stream={"a/b": sensors["sensor-1"]}, out=tmp_path / "fleet", **HOW)
    with pytest.raises(ValueError, match="no column 'stat'"):
        driftline.ray.fleet(source, stream=sensors, out=tmp_path / "fleet", **{**HOW, "label": "stat"})
    with pytest.raises(ValueError, match="rows without a class"):
        driftline.ray.fleet(source.assign(state=[None] + ["x"] * 299), stream=sensors, out=tmp_path / "fleet", **HOW)


def test_a_stream_that_cannot_be_read_fails_alone(data, tmp_path):
    source, sensors, _ = data
    streams = {**sensors, "odd": sensors["sensor-1"].drop(columns="b"), "empty": sensors["sensor-1"][:0]}
    fleet = driftline.ray.fleet(source, stream=streams, out=tmp_path / "fleet", model="linear", **HOW)
    assert (fleet.streams, fleet.done, fleet.failed) == (8, 6, 2)
    assert {row["key"] for row in fleet.rows if row["state"] == "failed"} == {"odd", "empty"}
    with pytest.raises(ValueError, match="odd"):
        fleet["odd"]
