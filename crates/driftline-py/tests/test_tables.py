"""Every kind of table gives the same predictions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from driftline import DriftClassifier


def model():
    return DriftClassifier(model="linear", window=100, policy="always")


def frame(rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "size": rng.normal(size=rows),
            "count": rng.integers(0, 9, size=rows),
            "share": rng.uniform(size=rows).astype(np.float32),
            "open": rng.uniform(size=rows) < 0.5,
            "town": rng.choice(["Ulm", "Bern", "Graz"], size=rows),
        }
    )


def answers(table: pd.DataFrame) -> np.ndarray:
    return np.where(table["size"] + (table["town"] == "Ulm") > 0.3, "yes", "no")


def test_pandas_polars_and_pyarrow_agree_with_one_another():
    source, stream = frame(500, 0), frame(300, 1)
    y = answers(source)
    kinds = {
        "pandas": lambda table: table,
        "category": lambda table: table.astype({"town": "category"}),
        "polars": pl.from_pandas,
        "pyarrow": lambda table: pa.Table.from_pandas(table, preserve_index=False),
    }
    found = {
        name: model().fit(kind(source), y).adapt(kind(stream)).predict_proba(kind(stream))
        for name, kind in kinds.items()
    }
    for name, shares in found.items():
        np.testing.assert_array_equal(shares, found["pandas"], err_msg=name)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_arrays_agree_with_tables_in_every_layout(drift, kind):
    X, stream = drift.X.astype(kind), drift.stream.astype(kind)
    plain = model().fit(X, drift.y).adapt(stream).predict_proba(stream)
    wide = np.zeros((len(stream), 9), dtype=kind)
    wide[:, 1::2] = stream
    for other in (np.asfortranarray(stream), wide[:, 1::2], np.ascontiguousarray(stream[::-1])[::-1]):
        found = model().fit(np.asfortranarray(X), drift.y).adapt(other).predict_proba(other)
        np.testing.assert_array_equal(found, plain)
    names = ["c0", "c1", "c2", "c3"]
    for table in (pd.DataFrame, pl.DataFrame):
        source, later = table(X, columns=names) if table is pd.DataFrame else table(X, schema=names), None
        later = table(stream, columns=names) if table is pd.DataFrame else table(stream, schema=names)
        np.testing.assert_array_equal(model().fit(source, drift.y).adapt(later).predict_proba(later), plain)
    arrow = pa.table({name: stream[:, at] for at, name in enumerate(names)})
    source = pa.table({name: X[:, at] for at, name in enumerate(names)})
    np.testing.assert_array_equal(model().fit(source, drift.y).adapt(arrow).predict_proba(arrow), plain)


def test_tables_in_pieces_are_one_table(drift):
    names = ["c0", "c1", "c2", "c3"]
    table = pa.table({name: drift.stream[:, at] for at, name in enumerate(names)})
    pieces = pa.concat_tables([table.slice(0, 70), table.slice(70, 1), table.slice(71)])
    fitted = model().fit(pd.DataFrame(drift.X, columns=names), drift.y)
    np.testing.assert_array_equal(fitted.predict_proba(pieces), fitted.predict_proba(table))


def test_columns_are_matched_by_name_or_position(drift):
    source = pd.DataFrame(drift.X, columns=["d", "c", "b", "a"])
    fitted = model().fit(source, drift.y)
    stream = pl.DataFrame(drift.stream, schema=["d", "c", "b", "a"])
    np.testing.assert_array_equal(
        fitted.predict_proba(stream.select("a", "b", "c", "d")), fitted.predict_proba(stream)
    )
    numbered = pd.DataFrame(drift.X)
    by_position = model().fit(numbered, drift.y)
    assert not hasattr(by_position, "feature_names_in_")
    np.testing.assert_array_equal(by_position.predict(drift.stream), by_position.predict(pd.DataFrame(drift.stream)))


def test_missing_values_are_refused_or_filled():
    source = frame(300, 2)
    y = answers(source)
    source.loc[5, "size"] = np.nan
    source.loc[7, "town"] = None
    holed = pl.from_pandas(source)
    with pytest.raises(ValueError, match="size"):
        model().fit(holed, y)
    filled = DriftClassifier(model="linear", window=100, impute=True)
    np.testing.assert_array_equal(
        filled.fit(holed, y).predict_proba(holed), filled.fit(source, y).predict_proba(source)
    )


def test_the_history_is_of_the_kind_that_came_in():
    source, stream = frame(300, 3), frame(100, 4)
    fitted = model().fit(source, answers(source))
    assert isinstance(fitted.adapt(stream).history_, pd.DataFrame)
    assert isinstance(fitted.adapt(pl.from_pandas(stream)).history_, pl.DataFrame)
    assert len(fitted.history_) == 2


def test_times_cut_windows():
    source, stream = frame(300, 5), frame(90, 6)
    stream["day"] = pd.date_range("2026-01-01", periods=90, freq="8h")
    fitted = DriftClassifier(model="linear", window="P10D", time="day", policy="always")
    fitted.fit(source, answers(source))
    assert fitted.adapt(pl.from_pandas(stream)).version_ == 3
    assert fitted.predict(pl.from_pandas(stream)).shape == (90,)


def test_images_are_arrays_of_three_or_four_dimensions():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    images = np.clip(rng.uniform(size=(60, 6, 6)) * 0.5 + 0.5 * y[:, None, None], 0, 1).astype(np.float32)
    fitted = DriftClassifier(model="linear", window=30, policy="always").fit(images, y)
    assert fitted.adapt(images).score(images, y) > 0.9
    np.testing.assert_array_equal(fitted.predict(images), fitted.predict(images[..., None]))
