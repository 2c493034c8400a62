"""One set of rules for columns, whatever kind of frame they are in."""

from __future__ import annotations

import datetime as dt
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from driftline import DriftClassifier


def model(**settings):
    return DriftClassifier(**{"model": "linear", "window": 50, "policy": "always", **settings})


def arrow(X: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(X, preserve_index=False)


KINDS = {
    "pandas": lambda X: X,
    "pandas of arrow": lambda X: arrow(X).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_pandas,
    "lazy": lambda X: pl.from_pandas(X).lazy(),
    "pyarrow": arrow,
    "reader": lambda X: arrow(X).to_reader(max_chunksize=37),
    "batch": lambda X: pa.RecordBatch.from_pandas(X, preserve_index=False),
}
to_every_kind = pytest.mark.parametrize("to", KINDS.values(), ids=KINDS)


def numbers(rows: int = 200, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % 2
    return pd.DataFrame({"b": rng.normal(size=rows) + 3 * y, "a": rng.normal(size=rows), "whole": rng.integers(0, 9, rows)}), y


def mixed(rows: int = 200, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    X, y = numbers(rows, seed)
    return X.assign(town=np.where(X["a"] > 0, "Ulm", "Bern")), y


SHAPES = pytest.mark.parametrize("make", [numbers, mixed])


@to_every_kind
@SHAPES
def test_columns_may_stand_in_any_order_and_more_may_come(to, make):
    X, y = make()
    plain = model().fit(X, y)
    fitted = model().fit(to(X), y)
    expected = plain.predict_proba(X)
    np.testing.assert_array_equal(fitted.predict_proba(to(X)), expected)
    other = X[X.columns[::-1]].assign(more=1.0, text="?", moment=pd.Timestamp("2026-01-01"), nothing=None)
    np.testing.assert_array_equal(fitted.predict_proba(to(other)), expected)
    fitted.adapt(to(other))
    plain.adapt(X)
    np.testing.assert_array_equal(fitted.predict_proba(to(X)), plain.predict_proba(X))
    with pytest.raises(ValueError, match="`b`"):
        fitted.predict(to(X.drop(columns="b")))
    with pytest.raises(ValueError, match="0 sample"):
        fitted.predict(to(X[:0]))


@to_every_kind
@SHAPES
@pytest.mark.parametrize("where", ["both", "stream", "source"])
def test_time_may_stand_in_one_or_both(to, make, where):
    X, y = make()
    moments = pd.date_range("2026-01-01", periods=len(X), freq="1h")
    timed = X.assign(day=moments)
    source, stream = (X if where == "stream" else timed), (X if where == "source" else timed)
    fitted = model(time="day").fit(to(source), y)
    assert fitted.n_features_in_ == X.shape[1] and list(fitted.feature_names_in_) == list(X.columns)
    np.testing.assert_array_equal(fitted.predict(to(stream)), model().fit(X, y).predict(X))
    if where == "source":
        with pytest.raises(ValueError, match="day"):
            fitted.adapt(to(stream))
    else:
        turned = stream.sample(frac=1.0, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert fitted.adapt(to(turned)).version_ == 4
        expected = model().fit(X, y).adapt(X).predict_proba(X)
        np.testing.assert_array_equal(fitted.predict_proba(to(X)), expected)


@to_every_kind
def test_moments_are_no_features(to):
    X, y = numbers()
    timed = X.assign(day=pd.date_range("2026-01-01", periods=len(X), freq="1h"))
    with pytest.raises(ValueError, match=r"column `day`: holds times.*\n.*`time`.*`exclude`"):
        model().fit(to(timed), y)
    left = model(exclude=["day"]).fit(to(timed), y)
    assert left.n_features_in_ == 3
    np.testing.assert_array_equal(left.predict_proba(to(timed)), model().fit(X, y).predict_proba(X))


@to_every_kind
def test_durations_and_lists_are_no_features(to):
    X, y = numbers()
    with pytest.raises(TypeError, match="column `span` holds"):
        model().fit(to(X.assign(span=pd.to_timedelta(np.arange(len(X)), unit="s"))), y)


@to_every_kind
def test_decimals_dates_and_nullable_types(to):
    X, y = numbers()
    cents = [Decimal(f"{value:.2f}") for value in X["b"]]
    rich = X.assign(b=cents, whole=X["whole"].astype("Int16"), open=pd.array(y > 0, dtype="boolean"))
    plain = X.assign(b=[float(value) for value in cents], open=(y > 0).astype(float))
    expected = model().fit(plain, y).predict_proba(plain)
    fitted = model().fit(to(rich), y)
    np.testing.assert_array_equal(fitted.predict_proba(to(rich)), expected)
    np.testing.assert_array_equal(fitted.predict_proba(plain), expected)
    dated = rich.assign(day=[dt.date(2026, 1, 1) + dt.timedelta(days=at) for at in range(len(X))])
    timed = model(time="day", window="P50D").fit(to(rich), y).adapt(to(dated))
    assert timed.version_ == 4


@to_every_kind
def test_missing_values_of_every_type(to):
    X, y = mixed()
    holed = X.assign(whole=X["whole"].astype("Int64"), open=pd.array(y > 0, dtype="boolean"))
    for name, row in (("b", 3), ("whole", 4), ("open", 5), ("town", 6)):
        holed.loc[row, name] = np.nan if name == "b" else pd.NA if name != "town" else None
    with pytest.raises(ValueError, match="row 4, column `b`"):
        model().fit(to(holed), y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = model(impute="mark").fit(to(holed), y).predict_proba(to(holed))
        expected = model(impute="mark").fit(holed, y).predict_proba(holed)
    np.testing.assert_array_equal(found, expected)


@to_every_kind
def test_columns_in_which_everything_is_missing(to):
    X, y = mixed()
    empty = X.assign(nothing=None)
    np.testing.assert_array_equal(model().fit(to(empty), y).predict_proba(to(empty)), model().fit(X, y).predict_proba(X))
    fitted = model(impute=True).fit(to(X), y)
    gone = X.assign(town=None, a=None)
    with pytest.raises(ValueError, match="column `(a|town)`"):
        model().fit(to(X), y).predict(to(gone))
    np.testing.assert_array_equal(
        fitted.predict_proba(to(gone)), model(impute=True).fit(X, y).predict_proba(gone)
    )


def test_one_side_without_names_goes_by_position():
    X, y = numbers()
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        found = model().fit(X, y).predict_proba(X.to_numpy())
    np.testing.assert_array_equal(found, model().fit(X, y).predict_proba(X))
    bare = model().fit(X.to_numpy(), y)
    with pytest.warns(UserWarning, match="fitted without feature names"):
        np.testing.assert_array_equal(bare.predict_proba(pl.from_pandas(X)), bare.predict_proba(X.to_numpy()))
    with pytest.raises(ValueError, match="X has 2 features, but DriftClassifier is expecting 3"):
        bare.predict(X[["a", "b"]])
    numbered = X.set_axis(range(3), axis=1)
    np.testing.assert_array_equal(bare.predict_proba(numbered), bare.predict_proba(X.to_numpy()))


def test_a_column_is_no_table():
    X, y = numbers()
    fitted = model().fit(X, y)
    for one in (X["a"], pl.from_pandas(X)["a"]):
        with pytest.raises(ValueError, match="2D"):
            fitted.predict(one)


def test_a_mixed_frame_is_read_where_it_lies():
    """The memory beyond a mixed frame of 1e6 × 51 while it is followed; the figure is in docs/python.md."""
    import os
    import subprocess
    import sys

    rows = int(os.environ.get("DRIFTLINE_FRAME_ROWS", "200000"))
    done = subprocess.run([sys.executable, "-c", MEMORY, str(rows)], capture_output=True, text=True, check=True)
    beyond = float(done.stdout.split()[-1])
    assert beyond < 100, f"{beyond:.0f} MB beyond the frame"


MEMORY = """
import resource, sys
import numpy as np, pandas as pd
from driftline import DriftClassifier
rows = int(sys.argv[1])
rng = np.random.default_rng(0)
def frame(rows):
    columns = {f"n{at}": rng.normal(size=rows) for at in range(25)}
    columns |= {f"i{at}": rng.integers(0, 99, size=rows) for at in range(25)}
    columns["town"] = rng.choice(np.array(["Ulm", "Bern", "Graz"], dtype=object), size=rows)
    return pd.DataFrame(columns)
source = frame(2000)
model = DriftClassifier(model="linear", window=5000, policy="always", n_jobs=2).fit(source, np.arange(2000) % 2)
model.adapt(frame(10000)).predict(source)
stream = frame(rows)
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
def now():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() / 2**20
open("/proc/self/clear_refs", "w").write("5")  # forget the peak of making the frame
before = now()
model.adapt(stream)
high = [line for line in open("/proc/self/status") if line.startswith("VmHWM")][0]
print(int(high.split()[1]) / 1024 - before)
"""
