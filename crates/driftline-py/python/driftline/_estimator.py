"""The estimator: scikit-learn's habits around the library's door for arrays."""

from __future__ import annotations

import json
import operator
import shutil
import warnings
from pathlib import Path
from typing import Any, Literal, Self, TypedDict, Unpack

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from driftline import _classes, _driftline, _files, _frames, _input, _parameters, _stream, _tables
from driftline._driftline import Adapter, Table, is_run_folder
from driftline._history import history_table
from driftline._models import FrameLearner, learner
from driftline._progress import progress
from driftline._types import AlignmentName, LabelerName, MethodName, ModelName, Part, PolicyName, TailName

Array = np.ndarray[Any, Any]

_LABEL = "label"


class Metadata(TypedDict, total=False):
    """What `fit` takes beside rows and classes."""

    sample_weight: Any
    sample_domain: Any


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
    tail : {"merge", "keep", "drop"}, default="merge"
        How rows that fill no window at the end are handled: the last full window gets them, they are a smaller window of their
        own, or they are left out.
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
    exclude : list of str, optional
        Columns to leave out.
    time : str, optional
        The column that orders a stream; not a feature.
    impute : bool or "mark", default=False
        Fill missing values as the source suggests instead of refusing them; ``"mark"`` also gives the model an input that says
        where they were.
    encode : bool or None, default=True
        Whether a model of your own is given encoded inputs (numbers, scaled, and categories as 0 and 1). With None a scikit-learn
        classifier or pipeline is given rows as `X` has them: the same kind of frame, columns, types and missing values, numbers in
        single precision.
    folder : path, optional
        Also write a run folder, as ``driftline adapt`` does. Where it holds this very run, the run goes on, with a warning that
        says so.
    source_sample : bool, default=True
        Keep rows that stand for the source with the model; `False` where the source is private.
    n_jobs : int, optional
        Threads; all cores if absent. Like `folder` and `verbose` it is not stored in files.
    verbose : bool, default=False
        Show a progress bar, with tqdm where it is installed.
    random_state : int, generator of numpy or None, default=0
        The same number gives the same bytes; None draws one from numpy's global generator.

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
    records_ : list of dict
        All that is known of each window.
    n_waiting_ : int
        Rows that wait for their window (``flush=False``).
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
        model: ModelName | Part | object = "auto",
        *,
        window: int | str = 500,
        tail: TailName = "merge",
        method: MethodName = "gradual",
        policy: PolicyName | Part = "guarded",
        alignment: AlignmentName | Part | None = None,
        labeler: LabelerName | Part | None = None,
        settings: dict[str, Any] | None = None,
        categories: list[str] | None = None,
        exclude: list[str] | None = None,
        time: str | None = None,
        impute: bool | Literal["mark"] = False,
        encode: bool | None = True,
        folder: str | Path | None = None,
        source_sample: bool = True,
        n_jobs: int | None = None,
        verbose: bool = False,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
    ) -> None:
        self.model = model
        self.window = window
        self.tail = tail
        self.method = method
        self.policy = policy
        self.alignment = alignment
        self.labeler = labeler
        self.settings = settings
        self.categories = categories
        self.exclude = exclude
        self.time = time
        self.impute = impute
        self.encode = encode
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

    def __sklearn_is_fitted__(self) -> bool:
        return "_adapter" in self.__dict__

    # Learning

    def fit(self, X: Any, y: Any, **metadata: Unpack[Metadata]) -> Self:
        """Trains the source model on labelled rows. If that fails, the model fitted before stays, unless there is a `folder`.

        Parameters
        ----------
        X : array or frame
            The source. Arrays of three or four dimensions are images with values from 0 to 1.
        y : array of shape (rows,)
            The classes.
        sample_weight : array of shape (rows,), optional
            How much each row counts when the source model is trained. Windows are learned from as always.
        sample_domain : array of shape (rows,), optional
            As in skada: rows of domains below 0 are the target. They follow as the stream, without their classes.

        Returns
        -------
        self

        Examples
        --------
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, ["low", "low", "high", "high"] * 10
        >>> DriftClassifier(model="linear").fit(X, y).predict([[0.0], [1.0]]).tolist()
        ['low', 'high']
        """
        before = dict(self.__dict__)
        if self.folder is not None:
            # A folder has one writer: what was fitted before lets go of it.
            before = {name: value for name, value in before.items() if not _is_fitted_part(name)}
            self.__dict__.pop("_adapter", None)
        try:
            self._fit_parts(X, y, **metadata)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        self._warn_of_source()
        return self

    def _fit_parts(self, X: Any, y: Any, *, sample_weight: Any = None, sample_domain: Any = None) -> None:
        if sample_domain is None:
            self._fit(X, y, sample_weight)
            return
        domain = np.asarray(_input.values(sample_domain))
        X = _tables.settled(X)
        if domain.shape != (_tables.count(X),):
            raise ValueError(f"sample_domain should have a number for each of {_tables.count(X)} rows, but has the shape {domain.shape}")
        source, target = np.flatnonzero(domain >= 0), np.flatnonzero(domain < 0)
        weight = None if sample_weight is None else np.asarray(_input.values(sample_weight))[source]
        self._fit(_frames.take(X, source), np.asarray(_input.values(y))[source], weight)
        if len(target):
            self.adapt(_frames.take(X, target))

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        _parameters.check(self)
        X = _tables.settled(X) if _tables.is_frame(X) else X
        source = _input.rows(self, X, y=y, reset=True)
        for name in ("categories", "exclude"):
            missing = [column for column in getattr(self, name) or [] if column not in source.names]
            if missing:
                raise ValueError(f"{name} names columns that X lacks: {', '.join(missing)}; it has {', '.join(source.names)}")
        classes, codes = self._coded(y, len(source))
        names = _classes.names_of(classes)
        taken = {*source.names, self.time, *(self.exclude or [])}
        label = str(getattr(y, "name", None) or _LABEL)
        label = _LABEL if label in taken else label
        while label in taken:
            label += "_"
        if len(classes) < 2:
            raise ValueError(
                f"Classifier can't train when only one class is present: all {len(codes)} rows are of class {names[0]}"
            )
        source = source.with_codes(label, codes.astype(np.int64)[:, np.newaxis], names)
        weights = None
        if sample_weight is not None:
            weights = np.asarray(_input.values(sample_weight), dtype=np.float32)
            if weights.shape != (len(source),) or not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
                raise ValueError(
                    f"sample_weight should have a number from 0 for each of {len(source)} rows, not all of them 0"
                )
        seed = _parameters.seed_of(self.random_state)
        kind = _tables.kind(X)
        note = _files.note(self, seed, classes, names, kind)
        options = _parameters.options(self, seed)
        if self.folder is not None:
            options["folder"] = str(self.folder)
        own, how = learner(self.model, encode=self.encode), json.dumps(options)
        if isinstance(own, FrameLearner):
            encoding = _driftline.encoding(source, label, how)
            own.decoder = _frames.Decoder(json.loads(encoding), _frames.without(X, {self.time or "", *(self.exclude or [])}))
            inputs, width = _driftline.encoded(source, encoding, bool(self.impute))
            own.decoder.remember(own.decoder.template, np.frombuffer(inputs, dtype=np.float32).reshape(-1, width))
        adapter = Adapter.fit(source, label, how, _parameters.dumps(note), own, None if weights is None else weights.tolist())
        self._take(adapter, seed, classes, names, kind)

    def _take(self, adapter: Adapter, seed: int, classes: Array, names: list[str], kind: str) -> None:
        """What is known of a model that was fitted or loaded."""
        # Where the library's classes, which have an order of their own, stand among ours.
        place = {name: at for at, name in enumerate(names)}
        self._places = np.array([place[name] for name in adapter.classes()])
        self._order = np.argsort(self._places)
        self.classes_ = classes
        self._names = names
        self._seed = seed
        self._input = kind
        self._buffer: _stream.Buffer | None = None
        self._arrived: Table | None = None
        self._adapter = adapter

    def adapt(self, X: Any, *, flush: bool = True) -> Self:
        """Follows a stream without labels, window by window; fewer rows than a window are one window.

        Other threads can predict meanwhile: they see the last version that is finished. A second `adapt` waits for the first.
        Ctrl-C stops it: the windows that were finished are kept, and the model can be used and adapted further.

        Parameters
        ----------
        X : array, frame, row as a dict, or iterator of these
            Rows in the order of time. An iterator of chunks is followed as one stream, a few windows in memory at a time.
        flush : bool, default=True
            Whether the stream ends here. With False, rows that fill no window wait for the next call, so that windows do not
            depend on how a stream is cut into chunks; `flush` ends it. With ``tail="merge"`` the last full window waits too,
            since it would take the rest.

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> y = np.arange(200) % 2
        >>> X = rng.normal(size=(200, 2)) + 4 * y[:, None]
        >>> model = DriftClassifier(model="linear", window=50, policy="always", tail="drop").fit(X, y)
        >>> for row in X + 0.5:
        ...     _ = model.adapt(row[None], flush=False)
        >>> model.version_
        4
        """
        check_is_fitted(self)
        whole = None
        if not _stream.is_chunked(X, self.time):
            chunk = self._chunk(X)
            if flush and self._waiting() == 0:
                whole = chunk
            chunks: Any = iter([chunk])
        else:
            chunks = map(self._chunk, X)
        try:
            with progress("adapting", self.verbose) as watch:
                if whole is not None:
                    self._follow(whole, watch)
                else:
                    self._follow_chunks(chunks, flush, watch)
        finally:
            if self._adapter.folder() is not None:
                self._adapter.write_report()
        return self

    def flush(self) -> Self:
        """Ends a stream that came with ``flush=False``: the rows that still wait are its last window.

        Returns
        -------
        self

        Examples
        --------
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> model = DriftClassifier(model="linear", window=30, policy="always").fit(X, y)
        >>> model.adapt(X, flush=False).n_waiting_
        40
        >>> model.flush().n_waiting_
        0
        """
        check_is_fitted(self)
        return self.adapt(iter(()), flush=True)

    @property
    def n_waiting_(self) -> int:
        """Rows that wait for their window."""
        check_is_fitted(self)
        return self._waiting()

    def _waiting(self) -> int:
        return len(self._buffer) if self._buffer is not None else 0

    def _chunk(self, X: Any) -> Table:
        if isinstance(X, dict):
            return _stream.one_row(X)
        self._input = _tables.kind(X)
        return _input.rows(self, X, reset=False)

    def _follow_chunks(self, chunks: Any, flush: bool, watch: Any) -> None:
        if self._buffer is None:
            self._buffer = _stream.Buffer(self.window, self.tail, self.time)
        columns = self._adapter.columns()
        for chunk in chunks:
            for window in self._buffer.add(chunk, columns):
                self._follow(window, watch)
        if flush:
            for window in self._buffer.rest():
                self._follow(window, watch)

    def _follow(self, stream: Table, watch: Any) -> None:
        """Some windows, of which the rows of the last are kept for `score_window`."""
        try:
            notes = self._adapter.adapt(stream, watch)
        finally:
            self._arrived = None
            rows = int(self._last().get("rows", 0))
            if 0 < rows <= len(stream) and self.time is None:
                self._arrived = _driftline.hold(stream.slice(len(stream) - rows, len(stream)))
        for note in notes:
            warnings.warn(f"stream: {note}", UserWarning, stacklevel=4)

    def score_window(self, y: Any) -> dict[str, Any]:
        """How many rows of the last window were right, by answers that come late; nothing learns from them.

        Parameters
        ----------
        y : array of shape (rows of the window,)
            The classes of the last window's rows, in the order in which they came.

        Returns
        -------
        dict
            `window` and `rows`; shares of rows that are right: `served` by the version that was in use when the window came,
            `adapted` by the one in use now, `unadapted` by the source model.

        Examples
        --------
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> model = DriftClassifier(model="linear", window=40, policy="always").fit(X, y).adapt(X)
        >>> model.score_window(y)["served"]
        1.0
        """
        check_is_fitted(self)
        rows = self._arrived
        if rows is None:
            why = "rows with times may be sorted, so score them by predict" if self.time is not None else "no window was followed"
            raise ValueError(f"there are no rows of a last window: {why}")
        answers = np.asarray(_input.values(y))
        if answers.shape != (len(rows),):
            raise ValueError(f"the last window has {len(rows)} rows, but y has the shape {answers.shape}")
        window = int(self._last()["window"])
        served = self._adapter.served(window)

        def right(version: int | None) -> float | None:
            if version is None:
                return None
            found, _ = self._answers(self._adapter.predict_with(rows, version))
            return float((self.classes_[found] == answers).mean())

        return {
            "window": window,
            "rows": len(answers),
            "served": right(served),
            "adapted": right(self.version_),
            "unadapted": right(0),
        }

    def roll_back(self, n: int) -> Self:
        """Goes back to an earlier version. Nothing is deleted.

        Parameters
        ----------
        n : int
            The version; 0 is the source model, and window N made version N.

        Returns
        -------
        self

        Examples
        --------
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> model = DriftClassifier(model="linear", window=40, policy="always").fit(X, y).adapt(X)
        >>> model.roll_back(0).version_
        0
        """
        check_is_fitted(self)
        to = operator.index(n)
        if not 0 <= to <= self._adapter.windows():
            raise ValueError(f"the version should be from 0 (the source model) to {self._adapter.windows()}, but is {to}")
        self._adapter.roll_back(to)
        return self

    # Predicting

    def predict(self, X: Any, sample_domain: Any = None) -> Array:
        """The class of every row, by the version in use.

        Parameters
        ----------
        X : array, frame, or row as a dict
        sample_domain : ignored
            Accepted as in skada.

        Returns
        -------
        array of shape (rows,)

        Examples
        --------
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> DriftClassifier(model="linear").fit(X, y).predict([[1.0]])
        array([1])
        """
        found, _ = self._predict(X)
        return self.classes_[found]

    def predict_proba(self, X: Any, sample_domain: Any = None) -> Array:
        """The probabilities of the classes, by the version in use.

        Parameters
        ----------
        X : array, frame, or row as a dict
        sample_domain : ignored
            Accepted as in skada.

        Returns
        -------
        array of shape (rows, classes)
            In the order of `classes_`.

        Examples
        --------
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> DriftClassifier(model="linear").fit(X, y).predict_proba([[1.0]]).shape
        (1, 2)
        """
        return self._predict(X)[1]

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithms of `predict_proba`.

        Parameters
        ----------
        X : array or frame

        Returns
        -------
        array of shape (rows, classes)

        Examples
        --------
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> bool((DriftClassifier(model="linear").fit(X, y).predict_log_proba(X) <= 0).all())
        True
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def decision_function(self, X: Any) -> Array:
        """Scores whose order is that of the probabilities.

        Parameters
        ----------
        X : array or frame

        Returns
        -------
        array
            Log odds of the second class where there are two classes, else the logarithm of every class's probability.

        Examples
        --------
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> bool(DriftClassifier(model="linear").fit(X, y).decision_function([[1.0]])[0] > 0)
        True
        """
        shares = self.predict_proba(X).astype(np.float64)
        scores: Array = np.log(np.maximum(shares, np.finfo(np.float64).tiny))
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def _predict(self, X: Any) -> tuple[Array, Array]:
        check_is_fitted(self)
        rows = _stream.one_row(X) if isinstance(X, dict) else _input.rows(self, X, reset=False)
        return self._answers(self._adapter.predict(rows))

    def _answers(self, given: tuple[bytearray, bytearray, int]) -> tuple[Array, Array]:
        found, probabilities, n_classes = given
        shares = np.frombuffer(probabilities, dtype=np.float32).reshape(-1, n_classes)
        return self._places[np.frombuffer(found, dtype=np.uint32)], shares[:, self._order]

    # What is known

    @property
    def history_(self) -> Any:
        """A row for each window so far."""
        check_is_fitted(self)
        return history_table(json.loads(self._adapter.records()), self._input)

    @property
    def records_(self) -> list[dict[str, Any]]:
        """All that is known of each window, as in the run folder's ``windows.jsonl``."""
        check_is_fitted(self)
        found: list[dict[str, Any]] = json.loads(self._adapter.records())
        return found

    def _last(self) -> dict[str, Any]:
        """The record of the last window."""
        check_is_fitted(self)
        records = json.loads(self._adapter.records(max(0, self._adapter.windows() - 1)))
        return dict(records[-1]) if records else {}

    @property
    def decision_(self) -> dict[str, Any]:
        """The last verdict and its reason."""
        last = self._last()
        return {
            "window": last.get("window", 0),
            "decision": last.get("decision"),
            "reason": last.get("reason"),
            "candidate": last.get("candidate"),
            "version": self._adapter.version(),
        }

    @property
    def estimated_accuracy_(self) -> tuple[float, float, float] | None:
        """Estimate, low and high for the last window."""
        last = self._last()
        if last.get("estimated_accuracy") is None:
            return None
        return (last["estimated_accuracy"], last["estimated_low"], last["estimated_high"])

    @property
    def version_(self) -> int:
        """The version in use; 0 is the source model."""
        check_is_fitted(self)
        return self._adapter.version()

    # Files

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
                f"{self._waiting()} rows wait for their window and are not saved; flush() follows them", UserWarning, stacklevel=2
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
        """A model file or a run folder, of this package or of the program.

        A model of your own is named again as `model`. If it was stored as a pickle, loading it runs code of whoever
        wrote the file, and is refused without `trusted`. With `resume`, the folder is written to from now on. Parameters are
        those that were stored, unless they are given here.

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
        >>> import tempfile
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     DriftClassifier(model="linear", window=7).fit(X, y).save(f"{folder}/run")
        ...     DriftClassifier.load(f"{folder}/run").window
        7
        """
        is_run = is_run_folder(path)
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
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> len(DriftClassifier(model="linear").fit(X, y).to_onnx()) > 100
        True
        """
        check_is_fitted(self)
        found = self._adapter.to_onnx()
        if path is not None:
            Path(path).write_bytes(found)
        return found

    # Notebooks

    def report(self, path: str | Path | None = None) -> str:
        """The same page as the program's, a single HTML file.

        Parameters
        ----------
        path : path, optional
            Where to write it.

        Returns
        -------
        str

        Examples
        --------
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> DriftClassifier(model="linear", window=40).fit(X, y).adapt(X).report()[:15]
        '<!DOCTYPE html>'
        """
        check_is_fitted(self)
        html = self._adapter.report()
        if path is not None:
            Path(path).write_text(html, encoding="utf-8")
        return html

    def plot_history(self, ax: Any = None) -> Any:
        """Draws the estimated accuracy along the windows with its interval, and what was decided in each.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones if absent.

        Returns
        -------
        matplotlib axes

        Examples
        --------
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> model = DriftClassifier(model="linear", window=40).fit(X, y).adapt(X)
        >>> model.plot_history().get_xlabel()  # doctest: +SKIP
        'window'
        """
        from driftline import _plots

        return _plots.history(self.records_, ax)

    def plot_drift(self, ax: Any = None) -> Any:
        """Draws how far the columns that moved most have moved from the source, in its deviations.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones if absent.

        Returns
        -------
        matplotlib axes

        Examples
        --------
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> model = DriftClassifier(model="linear", window=40).fit(X, y).adapt(X)
        >>> model.plot_drift().get_xlabel()  # doctest: +SKIP
        'window'
        """
        from driftline import _plots

        return _plots.drift(self.records_, ax)

    def _repr_html_(self) -> str:
        """The verdict and the charts; before the first window, what scikit-learn shows."""
        if not self.__sklearn_is_fitted__() or self._adapter.windows() == 0:
            return str(self._repr_html_inner()) if hasattr(self, "_repr_html_inner") else repr(self)
        from driftline._notebook import summary_html

        return summary_html(json.loads(self._adapter.summary()))

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

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

    # Between the two

    def _coded(self, y: Any, rows: int) -> tuple[Array, Array]:
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        values = column_or_1d(_input.values(y), warn=True)
        check_classification_targets(values)
        if len(values) != rows:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: {[rows, len(values)]}")
        classes, codes = np.unique(values, return_inverse=True)
        return classes, codes

    def _warn_of_source(self) -> None:
        for note in json.loads(self._adapter.source()).get("notes", []):
            if isinstance(note, dict) and note.get("code") == "model-chosen":
                continue  # what `auto` chose is no fault of the data
            text = note if isinstance(note, str) else note.get("message", str(note))
            warnings.warn(f"source: {text}", UserWarning, stacklevel=3)
        windows = self._adapter.windows()
        if windows:
            warnings.warn(
                f"the folder holds this run already, with {windows} windows: it goes on, and version {self.version_} is in use; "
                "roll_back(0) goes back to the source model, another folder begins anew",
                UserWarning,
                stacklevel=3,
            )


def _is_fitted_part(name: str) -> bool:
    return name in ("_adapter", "_places", "_order", "_names", "_seed", "_input", "_buffer", "_arrived") or (
        name.endswith("_") and not name.startswith("_")
    )
