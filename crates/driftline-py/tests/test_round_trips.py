"""What is saved comes back as it was: names, order, shapes, the type of the classes, parameters, predictions."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from driftline import DriftClassifier

FRAMES = 500


def quick(**settings):
    return DriftClassifier(**{"model": "linear", "window": 10, "policy": "always", "n_jobs": 1, **settings})


def through_file(fitted, place: Path, **own):
    fitted.save(place / "model.safetensors")
    return DriftClassifier.load(place / "model.safetensors", n_jobs=1, **own)


def through_folder(fitted, place: Path, **own):
    fitted.save(place / "run")
    return DriftClassifier.load(place / "run", n_jobs=1, **own)


def through_pickle(model, _place: Path):
    return pickle.loads(pickle.dumps(model))


def through_joblib(model, place: Path):
    joblib.dump(model, place / "model.joblib")
    return joblib.load(place / "model.joblib")


WAYS = [through_file, through_folder, through_pickle, through_joblib]


def looks(model, X, printed: bool) -> dict:
    """What a model is to a user, and to scikit-learn."""
    classes, found = model.classes_.tolist(), model.predict(X)
    names = getattr(model, "feature_names_in_", None)
    return {
        "classes": (model.classes_.dtype, classes, [type(value) for value in classes]),
        "columns": (model.n_features_in_, None if names is None else list(names)),
        "parameters": model.get_params(),
        "predicted": (found.dtype, found.tolist()),
        "probabilities": model.predict_proba(X).tobytes(),
        # Both go by the parameters.
        **({"printed": repr(model), "cloned": clone(model).get_params()} if printed else {}),
    }


def column(rng, rows: int):
    """A column of any type that a frame can hold and a model can take."""
    kind = rng.integers(12)
    numbers = rng.normal(size=rows)
    if kind == 0:
        return numbers
    if kind == 1:
        return numbers.astype(np.float32)
    if kind in (2, 3, 4):
        return rng.integers(0, 100, size=rows).astype([np.int8, np.int64, np.uint16][kind - 2])
    if kind == 5:
        return numbers > 0
    if kind == 6:
        return np.full(rows, 7.5)  # constant: dropped
    if kind == 7:
        return rng.choice(["Ulm", "Bern", "Graz", ""], size=rows).astype(object)
    if kind == 8:
        return pd.Categorical(rng.choice(["low", "high"], size=rows))
    if kind == 9:
        return pd.array(rng.integers(0, 9, size=rows), dtype="Int64")
    if kind == 10:
        return pd.array(numbers > 0, dtype="boolean")
    return pd.array(rng.choice(["x", "y"], size=rows), dtype="string")


def classes(rng, rows: int):
    """Labels of any type, all of which occur."""
    n = int(rng.integers(2, 5))
    codes = rng.permutation(np.arange(rows) % n)
    kind = rng.integers(10)
    if kind == 0:
        return codes
    if kind == 1:
        return codes.astype(np.int8) - 2
    if kind == 2:
        return codes.astype(np.uint64) + 2**63
    if kind == 3:
        return codes.astype(np.float64)
    if kind == 4:
        return codes % 2 == 0
    if kind == 5:
        return np.array(["1", "01", "1.0", "10"])[codes]
    if kind == 6:
        return np.array(["True", "False", "yes", "no"], dtype=object)[codes]
    if kind == 7:
        return np.array(["", " ", "ä", "b'c"])[codes]
    if kind == 8:
        return pd.Series(np.array(["b", "a", "d", "c"])[codes], dtype="category")
    return np.array([10**20, 3, -4, 5], dtype=object)[codes].astype(str)


def drawn(seed: int):
    """A source, its labels, parameters, and the way it is stored."""
    rng = np.random.default_rng(seed)
    rows, width = int(rng.integers(30, 60)), int(rng.integers(2, 7))
    y = classes(rng, rows)
    if rng.integers(3) == 0:
        X = rng.normal(size=(rows, width)).astype([np.float32, np.float64][rng.integers(2)])
        X[:, rng.integers(width)] = 1.0 if rng.integers(2) and width > 2 else X[:, 0]
    else:
        names = list(rng.permutation([f"{letter}{seed % 7}" for letter in "zyxwvut"])[:width])
        X = pd.DataFrame({name: column(rng, rows) for name in names})
        X[names[rng.integers(width)]] = rng.normal(size=rows)  # one that varies
        kind = rng.integers(4)
        if kind == 1:
            X = pl.from_pandas(X)
        elif kind == 2:
            X = pa.Table.from_pandas(X, preserve_index=False)
        elif kind == 3 and all(isinstance(dtype, np.dtype) and dtype.kind in "biuf" for dtype in X.dtypes):
            X = X.set_axis(range(width), axis=1)
    settings = {
        "window": int(rng.integers(5, 20)),
        "random_state": int(rng.integers(1000)),
        "tail": str(rng.choice(["merge", "keep", "drop"])),
        "impute": [False, True, "mark"][rng.integers(3)],
        "alignment": [None, "standardize"][rng.integers(2)],
        "settings": [None, {"scaling": True}][rng.integers(2)],
    }
    return X, y, settings


@pytest.mark.parametrize("part", range(10))
def test_random_frames_come_back_by_every_way(part, tmp_path):
    tried = 0
    for seed in range(part * FRAMES // 10, (part + 1) * FRAMES // 10):
        X, y, settings = drawn(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = quick(**settings).fit(X, y)
            if seed % 4 == 0:
                model.adapt(X)
            expected = looks(model, X, printed=True)
            for at, way in enumerate(WAYS):
                place = tmp_path / f"{seed}-{way.__name__}"
                place.mkdir()
                loaded = way(model, place)
                found = looks(loaded, X, printed=at == seed // 4 % 4)
                assert found == {name: expected[name] for name in found}, way.__name__
                # A model file holds one version, from which a new run begins.
                assert loaded.version_ == (0 if way is through_file else model.version_)
        tried += 1
    assert tried == FRAMES // 10


@pytest.mark.parametrize("way", WAYS)
def test_a_constant_column_keeps_its_place(way, tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    X = pd.DataFrame({"constant": 3.0, "b": rng.normal(size=300) + 3 * y, "a": rng.normal(size=300)})
    loaded = way(quick().fit(X, y), tmp_path)
    assert list(loaded.feature_names_in_) == ["constant", "b", "a"]
    assert loaded.score(X, y) > 0.9
    with pytest.warns(UserWarning, match="valid feature names"):
        assert loaded.score(X.to_numpy(), y) == loaded.score(X, y)


@pytest.mark.parametrize("way", WAYS)
def test_images_keep_their_shape(way, tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    images = np.clip(rng.uniform(size=(60, 6, 5)) * 0.5 + 0.5 * y[:, None, None], 0, 1)
    model = quick(window=30).fit(images, y).adapt(images)
    loaded = way(model, tmp_path)
    assert loaded.n_features_in_ == model.n_features_in_
    np.testing.assert_array_equal(loaded.predict(images), model.predict(images))
    assert way is through_file or "<svg" in loaded._repr_html_()


def test_classes_that_look_alike_stay_apart(drift):
    names = np.array(["01", "1"])[drift.y]
    model = quick().fit(drift.X, names)
    assert model.classes_.tolist() == ["01", "1"]
    assert model.score(drift.X, names) > 0.9


def test_a_model_of_your_own_keeps_the_parameters_beside_it(drift, tmp_path):
    from sklearn.linear_model import LogisticRegression

    model = quick(model=LogisticRegression(C=3.0), window=77).fit(drift.X, drift.y.astype(bool)).adapt(drift.stream)
    for way in (through_file, through_folder):
        loaded = way(model, tmp_path, model=LogisticRegression(C=3.0), trusted=True)
        assert loaded.window == 77 and loaded.classes_.dtype == bool
        np.testing.assert_array_equal(loaded.predict(drift.X), model.predict(drift.X))


def test_what_is_given_to_load_wins(drift, tmp_path):
    quick(window=20).fit(drift.X, drift.y).save(tmp_path / "model.safetensors")
    loaded = DriftClassifier.load(tmp_path / "model.safetensors", window=50)
    assert loaded.window == 50 and loaded.policy == "always"
    assert loaded.adapt(drift.stream).version_ == 8


def test_a_random_seed_is_stored(drift, tmp_path):
    np.random.seed(5)
    model = quick(model="mlp", random_state=None).fit(drift.X, drift.y)
    loaded = through_pickle(model, tmp_path)
    assert loaded.random_state is None
    model.adapt(drift.stream), loaded.adapt(drift.stream)
    np.testing.assert_array_equal(loaded.predict_proba(drift.X), model.predict_proba(drift.X))
