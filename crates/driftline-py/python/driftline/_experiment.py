"""Experiments as the program runs them, with methods and models of your own."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from driftline import _driftline
from driftline._models import learner

Array = np.ndarray[Any, Any]


class Method:
    """A method of your own: derive from it and write `run`.

    `run` gets a task and never a true label. It yields a model after each stage, the source model first; the last one
    is scored on the target. A model is anything with `predict_proba(X)` whose columns are the classes 0, 1, …

    >>> import driftline
    >>> from sklearn.linear_model import LogisticRegression
    >>> class SourceOnly(driftline.Method):
    ...     def run(self, source, labels, stream, target, seed):
    ...         yield LogisticRegression().fit(source, labels)
    """

    def run(self, source: Array, labels: Array, stream: Array, target: Array, seed: int) -> Iterator[Any]:
        raise NotImplementedError

    def settings(self) -> dict[str, Any]:
        """Everything that decides what `run` does: trials with the same settings are not run again."""
        own = {name: repr(value) for name, value in sorted(vars(self).items())}
        return {"method": f"{type(self).__module__}.{type(self).__qualname__}", **own}

    # What the compiled part calls.

    def settings_json(self) -> str:
        return json.dumps(self.settings())

    def stages(
        self,
        source: tuple[bytearray, list[int]],
        labels: bytearray,
        n_classes: int,
        stream: tuple[bytearray, list[int]],
        target: tuple[bytearray, list[int]],
        seed: int,
    ) -> Iterator[Any]:
        def rows(of: tuple[bytearray, list[int]]) -> Array:
            return np.frombuffer(of[0], dtype=np.float32).reshape(of[1])

        classes = np.frombuffer(labels, dtype=np.uint32).astype(np.int64)
        return iter(self.run(rows(source), classes, rows(stream), rows(target), seed % (2**32)))

    def predict_bytes(self, model: Any, inputs: bytearray, shape: list[int], n_classes: int) -> bytes:
        X = np.frombuffer(inputs, dtype=np.float32).reshape(shape)
        given = np.asarray(model.predict_proba(X), dtype=np.float64)
        found = np.zeros((len(X), n_classes))
        found[:, np.asarray(getattr(model, "classes_", np.arange(given.shape[1])), dtype=int)] = given
        return bytes((found / found.sum(axis=1, keepdims=True)).astype(np.float32).tobytes())


class Results:
    """Finished trials as an Arrow table, one row each: `pandas.DataFrame.from_arrow(results)`,
    `polars.DataFrame(results)`, `pyarrow.table(results)`."""

    def __init__(self, inner: _driftline.Results) -> None:
        self._inner = inner

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._inner.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self._inner)

    @property
    def table(self) -> list[dict[str, Any]]:
        """Mean accuracy in per cent with its 90 % interval, for each data set and method."""
        rows: list[dict[str, Any]] = json.loads(self._inner.rows())
        return rows

    def __repr__(self) -> str:
        lines = [f"{self._inner.name}: {len(self)} trials"]
        lines += [
            f"  {row['dataset']:20} {row['method']:24} {row['accuracy']:5.1f} {_interval(row)}" for row in self.table
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{row['dataset']}</td><td>{row['method']}</td><td>{row['accuracy']:.1f}</td>"
            f"<td>{_interval(row)}</td></tr>"
            for row in self.table
        )
        head = "<tr><th>data set</th><th>method</th><th>accuracy %</th><th>90 % interval</th></tr>"
        return f"<table>{head}{rows}</table>"


def _interval(row: dict[str, Any]) -> str:
    """One trial has none."""
    return "" if row["low"] is None else f"{row['low']:.1f} to {row['high']:.1f}"


def experiment(
    spec: str | Path | dict[str, Any],
    *,
    methods: Mapping[str, Method] | None = None,
    models: Mapping[str, Any] | None = None,
    folder: str | Path | None = None,
    scale: str = "full",
    seeds: list[int] | None = None,
    n_jobs: int | None = None,
    cache: str | Path | None = None,
) -> Results:
    """Runs an experiment file, or a dictionary that says the same, and gives its trials.

    Parameters
    ----------
    spec : path or dict
        An experiment file (``experiments/*.toml``), or its contents.
    methods : dict of Method, optional
        Methods of your own, run beside those of the file.
    models : dict, optional
        Models of your own by the names that the file uses: anything that `DriftClassifier` takes as `model`.
    folder : path, optional
        Where trials are kept, so that only missing ones are run; a temporary place if absent.
    scale : "full" or "smoke"
    seeds : list of int, optional
        These instead of the file's.
    """
    if scale not in ("full", "smoke"):
        raise ValueError(f"scale is {scale!r}, but must be 'full' or 'smoke'")
    given = isinstance(spec, dict)
    own = {name: learner(model) for name, model in (models or {}).items()}
    with tempfile.TemporaryDirectory() as place:
        inner = _driftline.experiment(
            None if given else str(spec),
            json.dumps(spec) if given else None,
            str(folder if folder is not None else Path(place) / "results"),
            dict(methods or {}),
            own,
            scale == "smoke",
            n_jobs,
            seeds,
            cache,
        )
    return Results(inner)
