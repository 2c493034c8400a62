"""Files of a model: those of the program, both ways, ONNX and pickles."""

from __future__ import annotations

import json
import shutil
import warnings
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from driftline import _classes, _driftline, _files, _parameters
from driftline._driftline import Adapter, is_run_folder
from driftline._models import learner
from driftline._state import State


class Storing(State, BaseEstimator):  # type: ignore[misc]
    """How `DriftClassifier` is saved and loaded."""

    def save(self, path: str | Path) -> None:
        """Writes the version in use as a model file (``.safetensors``), or the whole run as a folder.

        Both are those of the program: ``driftline predict``, ``adapt``, ``inspect`` and ``report`` take them. Names, order and
        shape of the inputs, the type of the classes and the parameters are stored with the model, except `folder`, `n_jobs`,
        `verbose` and a model of your own.

        Parameters
        ----------
        path : path
            A name that ends with ``.safetensors``, or a new folder.

        Examples
        --------
        >>> from driftline import DriftClassifier
        >>> import tempfile
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [False, False, True, True] * 10
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     DriftClassifier(model="linear").fit(X, y).save(f"{folder}/model.safetensors")
        ...     DriftClassifier.load(f"{folder}/model.safetensors").predict([[1.0]])
        array([ True])
        """
        check_is_fitted(self)
        path = Path(path)
        if self._waiting():
            warnings.warn(
                f"{self._waiting()} buffered rows are not saved; flush() adapts to them first", UserWarning, stacklevel=2
            )
        if path.suffix == ".safetensors":
            self._adapter.save(path)
            return
        own = self._adapter.folder()
        if own is not None:
            shutil.copytree(own, path, ignore=shutil.ignore_patterns(".lock*"))
        else:
            self._adapter.write_run(path)

    @classmethod
    def load(
        cls, path: str | Path, *, model: Any = None, trusted: bool = False, resume: bool = False, **params: Any
    ) -> Self:
        """Loads a model file or a run folder, written by this package or by the program.

        Pass a model of your own again as `model`. If it was stored as a pickle, loading it runs code from the file, so it is
        refused without `trusted`. With `resume`, later windows are written to the folder. Parameters are those that were stored,
        unless they are given here.

        Parameters
        ----------
        path : path
        model : optional
            As in the constructor, where the stored model is one of your own.
        trusted : bool, default=False
            Whether a pickle in the file may be loaded.
        resume : bool, default=False
            Whether the folder goes on as the folder of this model.
        **params
            Parameters of the constructor that win over the stored ones.

        Returns
        -------
        DriftClassifier

        Examples
        --------
        >>> from driftline import DriftClassifier
        >>> import tempfile
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     DriftClassifier(model="linear", window=7).fit(X, y).save(f"{folder}/run")
        ...     DriftClassifier.load(f"{folder}/run").window
        7
        """
        is_run = is_run_folder(path)
        if not is_run and Path(path).is_dir():
            raise FileNotFoundError(f"{path} is a folder without a run: a run has a manifest.json")
        note = _files.read_note(path)
        stored = dict(note["params"]) if note else {}
        if model is not None:
            params["model"] = model
        if is_run and resume:
            params["folder"] = Path(path)
        loaded = cls(**{**stored, **params})
        own = None if model is None else learner(model, trusted, params.get("encode", stored.get("encode", True)))
        seed = note["seed"] if note and "random_state" not in params else _parameters.seed_of(loaded.random_state)
        _parameters.check(loaded)
        adapter = Adapter.load(path, json.dumps(_parameters.options(loaded, seed)), own, resume)
        if note is None:
            classes = _classes.from_names(adapter.classes())
            names, kind = _classes.names_of(classes), "pandas"
            _files.take_columns(loaded, adapter)
            if is_run:
                found = json.loads(adapter.settings())
                loaded.set_params(**{**_parameters.from_settings(found), **params})
                seed = found["seed"]
        else:
            classes, names, kind = _classes.from_note(note["classes"]), note["names"], note["input"]
            loaded.n_features_in_ = note["n_features"]
            if note["features"] is not None:
                loaded.feature_names_in_ = np.array(note["features"], dtype=object)
        loaded._take(adapter, seed, classes, names, kind)
        return loaded

    def to_onnx(self, path: str | Path | None = None) -> bytes:
        """The version in use as an ONNX graph, for any ONNX runtime.

        Parameters
        ----------
        path : path, optional
            Where to write it.

        Returns
        -------
        bytes

        Examples
        --------
        >>> from driftline import DriftClassifier
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> len(DriftClassifier(model="linear").fit(X, y).to_onnx()) > 100
        True
        """
        check_is_fitted(self)
        found = self._adapter.to_onnx()
        if path is not None:
            Path(path).write_bytes(found)
        return found

    # Pickling: the files of the run, in the pickle.

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        adapter = state.pop("_adapter", None)
        if adapter is not None:
            state["_files"] = _files.pack(adapter)
            arrived = state.pop("_arrived")
            state["_arrived_rows"] = None if arrived is None else (_driftline.plain(arrived), len(arrived))
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        files, arrived = state.pop("_files", None), state.pop("_arrived_rows", None)
        super().__setstate__(state)
        if files is not None:
            self._arrived = None if arrived is None else _driftline.of_plain(*arrived)
            options = json.dumps(_parameters.options(self, self._seed))
            self._adapter = _files.unpack(files, options, learner(self.model, encode=self.encode))
