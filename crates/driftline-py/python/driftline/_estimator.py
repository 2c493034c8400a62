"""The estimator: scikit-learn's habits around the library's door for arrays."""

from __future__ import annotations

import json
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from driftline import _tables
from driftline._driftline import Adapter, Table, is_run_folder
from driftline._history import history_table
from driftline._models import learner
from driftline._progress import progress

Array = np.ndarray[Any, Any]

_LABEL = "label"
_GROUPS = "driftline groups"


class DriftClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that follows a drift without labels.

    `fit` learns from a labelled source; `adapt` takes rows without labels, in the order of time, cuts them into windows
    and follows them; `predict` answers with the version in use.

    Parameters
    ----------
    model : str, dict, estimator, pair of functions or TorchModel, default="auto"
        What learns: a name (``"auto"``, ``"linear"``, ``"mlp"``, ``"knn"``, ``"cnn"``, …), a name with its settings as
        in experiment files, any scikit-learn classifier, a pair ``(fit, predict_proba)``, or a `TorchModel`.
    window : int or str, default=500
        Rows of a window, or a period such as ``"P7D"`` together with `time`.
    method : str, default="gradual"
        Which windows are learned from, in which order.
    policy : str or dict, default="guarded"
        What becomes of a step: ``"guarded"`` deploys what a rehearsal finds better, ``"always"`` deploys every step.
    alignment, labeler : str or dict, optional
        How a window is brought into the model's frame, and how it gets its labels.
    settings : dict, optional
        Whatever else a file of settings can say (``driftline schema settings``).
    categories : list of str, optional
        Columns to take as categories although they hold numbers.
    time : str, optional
        The column that orders a stream; not a feature.
    impute : bool or "mark", default=False
        Fill missing values as the source suggests instead of refusing them; ``"mark"`` also gives the model an input that says
        where they were.
    folder : path, optional
        Also write a run folder, as ``driftline adapt`` does. Where it holds this very run, the run goes on.
    source_sample : bool, default=True
        Keep rows that stand for the source with the model; `False` where the source is private.
    n_jobs : int, optional
        Threads; all cores if absent.
    verbose : bool, default=False
        Show a progress bar, with tqdm where it is installed.
    random_state : int, default=0
        The same number gives the same bytes.

    Attributes
    ----------
    classes_ : array
        The classes, sorted.
    n_features_in_ : int
    feature_names_in_ : array of str
        Where the source had names.
    history_ : data frame
        One row for each window so far, of the kind that came in: polars, pyarrow, else pandas where it is installed.
    decision_ : dict
        The last verdict and its reason.
    estimated_accuracy_ : tuple or None
        Estimate, low and high for the last window; none where it is not measurable.
    version_ : int
        The version in use; 0 is the source model.

    Examples
    --------
    >>> import numpy as np
    >>> from driftline import DriftClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(200) % 2
    >>> X = rng.normal(size=(200, 2)) + 4 * y[:, None]
    >>> model = DriftClassifier(model="linear", window=50, policy="always").fit(X, y)
    >>> model.adapt(X + 0.5).version_
    4
    >>> model.score(X + 0.5, y) > 0.9
    True
    """

    def __init__(
        self,
        model: Any = "auto",
        *,
        window: int | str = 500,
        method: str = "gradual",
        policy: str | dict[str, Any] = "guarded",
        alignment: str | dict[str, Any] | None = None,
        labeler: str | dict[str, Any] | None = None,
        settings: dict[str, Any] | None = None,
        categories: list[str] | None = None,
        time: str | None = None,
        impute: bool | str = False,
        folder: str | Path | None = None,
        source_sample: bool = True,
        n_jobs: int | None = None,
        verbose: bool = False,
        random_state: int = 0,
    ) -> None:
        self.model = model
        self.window = window
        self.method = method
        self.policy = policy
        self.alignment = alignment
        self.labeler = labeler
        self.settings = settings
        self.categories = categories
        self.time = time
        self.impute = impute
        self.folder = folder
        self.source_sample = source_sample
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = bool(self.impute)
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.three_d_array = True
        return tags

    # Learning

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Trains the source model on labelled rows.

        `groups` says whose each row is, such as a patient's: `model="auto"` holds whole groups out when it compares models.
        """
        source = self._rows(X, y=y, reset=True)
        classes, codes = self._classes(y, len(source))
        names = [_class_name(one) for one in classes.tolist()]
        label = str(getattr(y, "name", None) or _LABEL)
        if label in source.names:
            label = _LABEL
        source = source.with_names(label, codes.tolist(), names)
        if len(classes) < 2:
            raise ValueError(
                f"Classifier can't train when only one class is present: all {len(codes)} rows are of class {names[0]}"
            )
        options = self._options()
        if groups is not None:
            whose, places = np.unique(column_or_1d(_values(groups)), return_inverse=True)
            check_consistent_length(y, groups)
            source = source.with_names(_GROUPS, places.tolist(), [str(one) for one in whose.tolist()])
            options["groups"] = _GROUPS
        if self.folder is not None:
            options["folder"] = str(self.folder)
        self._input = _kind(X)
        # A folder has one writer: what was fitted before lets go of it.
        self.__dict__.pop("_adapter", None)
        self._adapter = Adapter.fit(source, label, json.dumps(options), learner(self.model))
        self.classes_ = classes
        self._settle_classes(names)
        self._warn_of_source()
        return self

    def adapt(self, X: Any) -> Self:
        """Follows a stream without labels, window by window; fewer rows than a window are one window.

        Ctrl-C stops it: the windows that were finished are kept, and the model can be used and adapted further.
        """
        check_is_fitted(self)
        stream = self._rows(X, reset=False)
        self._input = _kind(X)
        with progress("adapting", self.verbose) as watch:
            notes = self._adapter.adapt(stream, watch)
        for note in notes:
            warnings.warn(f"stream: {note}", UserWarning, stacklevel=2)
        if self._adapter.folder() is not None:
            self._adapter.write_report()
        return self

    def roll_back(self, n: int) -> Self:
        """Goes back to version `n`; 0 is the source model. Nothing is deleted."""
        check_is_fitted(self)
        self._adapter.roll_back(n)
        return self

    # Predicting

    def predict(self, X: Any) -> Array:
        """The class of every row."""
        found, _ = self._predict(X)
        return self.classes_[found]

    def predict_proba(self, X: Any) -> Array:
        """The probabilities of the classes, in the order of `classes_`."""
        return self._predict(X)[1]

    def _predict(self, X: Any) -> tuple[Array, Array]:
        check_is_fitted(self)
        found, probabilities, n_classes = self._adapter.predict(self._rows(X, reset=False))
        shares = np.frombuffer(probabilities, dtype=np.float32).reshape(-1, n_classes)
        return self._places[np.frombuffer(found, dtype=np.uint32)], shares[:, self._order]

    # What is known

    @property
    def history_(self) -> Any:
        check_is_fitted(self)
        return history_table(json.loads(self._adapter.records()), self._input)

    @property
    def decision_(self) -> dict[str, Any]:
        check_is_fitted(self)
        records = json.loads(self._adapter.records())
        last = records[-1] if records else {}
        return {
            "window": last.get("window", 0),
            "decision": last.get("decision"),
            "reason": last.get("reason"),
            "candidate": last.get("candidate"),
            "version": self._adapter.version(),
        }

    @property
    def estimated_accuracy_(self) -> tuple[float, float, float] | None:
        check_is_fitted(self)
        records = json.loads(self._adapter.records())
        if not records or records[-1].get("estimated_accuracy") is None:
            return None
        last = records[-1]
        return (last["estimated_accuracy"], last["estimated_low"], last["estimated_high"])

    @property
    def version_(self) -> int:
        check_is_fitted(self)
        return self._adapter.version()

    # Files

    def save(self, path: str | Path) -> None:
        """Writes the version in use as a model file (``.safetensors``), or the whole run as a folder.

        Both are those of the program: ``driftline predict``, ``adapt``, ``inspect`` and ``report`` take them.
        """
        check_is_fitted(self)
        path = Path(path)
        own = self._adapter.folder()
        if path.suffix == ".safetensors":
            self._adapter.save(path)
        elif own is not None:
            shutil.copytree(own, path, ignore=shutil.ignore_patterns(".lock*"))
        else:
            self._adapter.write_run(path)

    @classmethod
    def load(
        cls, path: str | Path, *, model: Any = None, trusted: bool = False, resume: bool = False, **params: Any
    ) -> Self:
        """A model file or a run folder, of this package or of the program.

        A model of your own is named again as `model`. If it was stored as a pickle, loading it runs code of whoever
        wrote the file, and is refused without `trusted`. With `resume`, the folder is written to from now on.
        """
        loaded = cls(**({} if model is None else {"model": model}), **params)
        own = None if model is None else learner(model, trusted)
        loaded._adapter = Adapter.load(path, json.dumps(loaded._options()), own, resume)
        loaded._input = "pandas"
        names = loaded._adapter.classes()
        try:
            classes = np.array([int(name) for name in names])
        except ValueError:
            classes = np.array(names)
        loaded.classes_ = np.sort(classes)
        loaded._settle_classes([_class_name(one) for one in loaded.classes_.tolist()])
        columns = loaded._adapter.columns()
        loaded.n_features_in_ = len(columns)
        if sorted(columns) != sorted(_tables.positions(len(columns))):
            loaded.feature_names_in_ = np.array(columns, dtype=object)
        if is_run_folder(path):
            found = json.loads(loaded._adapter.settings())
            loaded.random_state = found["seed"]
            loaded.folder = Path(path) if resume else None
        return loaded

    def to_onnx(self, path: str | Path | None = None) -> bytes:
        """The version in use as an ONNX graph, also written to `path` where one is given."""
        check_is_fitted(self)
        found = self._adapter.to_onnx()
        if path is not None:
            Path(path).write_bytes(found)
        return found

    # Notebooks

    def report(self, path: str | Path | None = None) -> str:
        """The same page as the program's, a single HTML file; also written to `path` where one is given."""
        check_is_fitted(self)
        html, _ = self._adapter.report()
        if path is not None:
            Path(path).write_text(html, encoding="utf-8")
        return html

    def _repr_html_(self) -> str:
        """The verdict and the charts; before the first window, what scikit-learn shows."""
        if not hasattr(self, "_adapter") or self._adapter.records() == "[]":
            return str(self._repr_html_inner()) if hasattr(self, "_repr_html_inner") else repr(self)
        from driftline._notebook import summary_html

        return summary_html(json.loads(self._adapter.report()[1]))

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    # Pickling: the files of the run, in the pickle.

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        adapter = state.pop("_adapter", None)
        if adapter is not None:
            state["_files"] = _pack(adapter)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        files = state.pop("_files", None)
        super().__setstate__(state)
        if files is not None:
            self._adapter = _unpack(files, json.dumps(self._options()), learner(self.model))

    # Between the two

    def _rows(self, X: Any, *, y: Any = None, reset: bool) -> Table:
        """X as a table, after scikit-learn has looked at it."""
        if isinstance(X, Table):
            return X
        if _tables.is_frame(X) and not _is_plain(X):
            if reset and y is None:
                raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
            self._check_columns(X, reset)
            if _tables.row_count(X) == 0:
                raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
            return _tables.table(X)
        names = _tables.column_names(X) if _tables.is_frame(X) else None
        how: dict[str, Any] = {
            "dtype": [np.float64, np.float32],
            "ensure_all_finite": "allow-nan" if self.impute else True,
            "reset": reset,
            "allow_nd": getattr(X, "ndim", 2) in (3, 4),
        }
        if reset:
            array, _ = validate_data(self, X, self._target(y), **how)
        else:
            array = validate_data(self, X, **how)
        if array.ndim > 2:
            return _tables.table(array)
        return _tables.table(array, names or self._names())

    def _target(self, y: Any) -> Any:
        return y if y is None else _values(y)

    def _names(self) -> list[str]:
        """An array's columns are those of the source, in its order."""
        names = getattr(self, "feature_names_in_", None)
        if names is not None:
            return [str(name) for name in names]
        return _tables.positions(int(self.n_features_in_))

    def _check_columns(self, X: Any, reset: bool) -> None:
        """Names and number of columns, as scikit-learn keeps them. Streams may bring more, in any order."""
        names = _tables.column_names(X)
        features = [name for name in names if name != self.time]
        if reset:
            self.n_features_in_ = len(features)
            self.feature_names_in_ = np.array(features, dtype=object)

    def _classes(self, y: Any, rows: int) -> tuple[Array, Array]:
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        values = column_or_1d(_values(y), warn=True)
        check_classification_targets(values)
        if len(values) != rows:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: {[rows, len(values)]}")
        classes, codes = np.unique(values, return_inverse=True)
        return classes, codes

    def _settle_classes(self, names: list[str]) -> None:
        """Where the library's classes, which have an order of their own, stand among ours."""
        found = self._adapter.classes()
        place = {name: at for at, name in enumerate(names)}
        if set(found) != set(names):
            raise ValueError(f"the classes {names} are the same to driftline, which knows {found}; rename some")
        self._places = np.array([place[name] for name in found])
        self._order = np.argsort(self._places)

    def _options(self) -> dict[str, Any]:
        """The parameters as the library's settings."""
        own = dict(self.settings or {})
        given = {"policy": self.policy, "alignment": self.alignment, "labeler": self.labeler}
        own.update({name: value for name, value in given.items() if value is not None})
        if isinstance(self.model, (str, dict)):
            own["model"] = self.model
        choice: dict[str, Any] = {
            "label": None, "time": self.time, "answers": None, "ids": [], "exclude": [],
            "categories": list(self.categories or []), "filters": [], "impute": bool(self.impute),
            "mark-missing": self.impute == "mark",
        }
        every = isinstance(self.window, str)
        windows = {"every": self.window} if every else {"window": int(self.window), "tail": "merge"}
        return {
            "settings": own,
            "windows": windows,
            "method": self.method,
            "choice": choice,
            "seed": _seed(self.random_state),
            "threads": None if self.n_jobs in (None, -1) else self.n_jobs,
            "source_sample": bool(self.source_sample),
        }

    def _warn_of_source(self) -> None:
        for note in json.loads(self._adapter.source()).get("notes", []):
            if isinstance(note, dict) and note.get("code") == "model-chosen":
                continue  # what `auto` chose is no fault of the data
            text = note if isinstance(note, str) else note.get("message", str(note))
            warnings.warn(f"source: {text}", UserWarning, stacklevel=3)


def _class_name(value: Any) -> str:
    """A class as files name it: whole numbers without a point."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _seed(random_state: Any) -> int:
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    return 0 if random_state is None else int(random_state)


def _kind(X: Any) -> str:
    """Which library X is of: what comes out is of the same."""
    return type(X).__module__.split(".")[0] if _tables.is_frame(X) else "numpy"


def _is_plain(X: Any) -> bool:
    """Whether a frame of pandas holds nothing but numbers, so that scikit-learn can check it as it does any."""
    kinds = getattr(X, "dtypes", None)
    if not hasattr(X, "iloc") or kinds is None:
        return False
    return all(getattr(kind, "kind", "O") in "biuf" and not hasattr(kind, "categories") for kind in kinds)


def _values(y: Any) -> Any:
    return y.to_numpy() if hasattr(y, "to_numpy") else y


def _pack(adapter: Adapter) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as place:
        own = adapter.folder()
        folder = Path(own) if own is not None else Path(place) / "run"
        if own is None:
            adapter.write_run(folder)
        files = (path for path in folder.rglob("*") if path.is_file() and "lock" not in path.name)
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def _unpack(files: dict[str, bytes], options: str, own: Any) -> Adapter:
    with tempfile.TemporaryDirectory() as place:
        for name, contents in files.items():
            path = Path(place) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(contents)
        return Adapter.load(place, options, own)
