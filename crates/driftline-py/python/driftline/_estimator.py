"""The estimator: scikit-learn's habits around the library's door for arrays."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any, Literal, Self, TypedDict, Unpack

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_consistent_length, column_or_1d

from driftline import _classes, _driftline, _files, _frames, _input, _parameters, _tables
from driftline._driftline import Adapter
from driftline._follow import Following
from driftline._models import FrameLearner, learner
from driftline._show import Showing
from driftline._store import Storing
from driftline._types import AlignmentName, LabelerName, MethodName, ModelName, Part, PolicyName, TailName

_LABEL = "label"
_GROUPS = "driftline groups"


class Metadata(TypedDict, total=False):
    """What `fit` takes beside rows and classes."""

    groups: Any
    sample_weight: Any
    sample_domain: Any


class DriftClassifier(Following, Storing, Showing, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that adapts to drift without labels.

    `fit` learns from a labelled source; `adapt` cuts unlabelled rows, in time order, into windows and
    adapts to them; `predict` uses the version in use.

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
        When a step is deployed: ``"guarded"`` only where a rehearsal shows a gain, ``"always"`` every time.
    alignment, labeler : str or dict, optional
        How a window is brought into the model's frame, and how it gets its labels.
    settings : dict, optional
        Any other setting of a settings file (``driftline schema --settings``).
    categories : list of str, optional
        Columns to take as categories although they hold numbers.
    exclude : list of str, optional
        Columns to leave out.
    time : str, optional
        The column that orders a stream; not a feature.
    impute : bool or "mark", default=False
        Fill missing values from the source instead of refusing them; ``"mark"`` also gives the model an input that says
        where they were.
    encode : bool or None, default=True
        Whether a model of your own is given encoded inputs (numbers, scaled, and categories as 0 and 1). With None a scikit-learn
        classifier or pipeline is given rows as `X` has them: the same kind of frame, columns, types and missing values, numbers in
        single precision.
    folder : path, optional
        Also write a run folder, as ``driftline adapt`` does. If it already holds this run, the run is
        continued, with a warning.
    source_sample : bool, default=True
        Store a sample of the source with the model; `False` for private data.
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
        One row for each window so far, in the library of the input: polars, pyarrow, else pandas if it is installed.
    decision_ : dict
        The decision about the last window and its reason.
    verdict_ : dict or None
        What to do (``action``), accuracy as served, unadapted and now, each with its interval and how it was obtained, and the reasons; none
        before the first window.
    estimated_accuracy_ : tuple or None
        Estimate, low and high for the last window; none where it is not measurable.
    records_ : list of dict
        All that is known of each window.
    n_waiting_ : int
        Buffered rows that fill no window yet (``flush=False``).
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

    # What `fit` takes beside rows and classes can be routed through pipelines and searches of scikit-learn.
    __metadata_request__fit = {name: None for name in Metadata.__optional_keys__}

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

    # Learning

    def fit(self, X: Any, y: Any, **metadata: Unpack[Metadata]) -> Self:
        """Trains the source model on labelled rows. If it fails, the previous model is kept, unless there is a `folder`.

        Parameters
        ----------
        X : array or frame
            The source. Arrays of three or four dimensions are images with values from 0 to 1.
        y : array of shape (rows,)
            The classes.
        groups : array of shape (rows,), optional
            The group of each row, such as a patient: ``model="auto"`` holds whole groups out when it compares models.
        sample_weight : array of shape (rows,), optional
            The weight of each row when the source model is trained; windows are not affected.
        sample_domain : array of shape (rows,), optional
            As in skada: rows of domains below 0 are the target. The model adapts to them as the stream, without their classes.

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

    def _fit_parts(
        self, X: Any, y: Any, *, groups: Any = None, sample_weight: Any = None, sample_domain: Any = None
    ) -> None:
        if sample_domain is None:
            self._fit(X, y, groups, sample_weight)
            return
        domain = np.asarray(_input.values(sample_domain))
        X = _tables.settled(X)
        if domain.shape != (_tables.count(X),):
            raise ValueError(f"sample_domain should have a number for each of {_tables.count(X)} rows, but has the shape {domain.shape}")
        source, target = np.flatnonzero(domain >= 0), np.flatnonzero(domain < 0)

        def part(of: Any) -> Any:
            return None if of is None else np.asarray(_input.values(of))[source]

        self._fit(_frames.take(X, source), part(y), part(groups), part(sample_weight))
        if len(target):
            self.adapt(_frames.take(X, target))

    def _fit(self, X: Any, y: Any, groups: Any, sample_weight: Any) -> None:
        _parameters.check(self)
        X = _tables.settled(X) if _tables.is_frame(X) else X
        source = _input.rows(self, X, y=y, reset=True)
        for name in ("categories", "exclude"):
            missing = [column for column in getattr(self, name) or [] if column not in source.names]
            if missing:
                raise ValueError(f"{name} names columns that X lacks: {', '.join(missing)}; it has {', '.join(source.names)}")
        classes, codes = _classes.coded(y, len(source))
        names = _classes.names_of(classes)
        taken = {*source.names, self.time, *(self.exclude or [])}
        label = str(getattr(y, "name", None) or _LABEL)
        label = _LABEL if label in taken else label
        while label in taken:
            label += "_"
        source = source.with_codes(label, codes.astype(np.int64)[:, np.newaxis], names)
        weights = None
        if sample_weight is not None:
            weights = np.asarray(_input.values(sample_weight), dtype=np.float32)
            if weights.shape != (len(source),) or not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
                raise ValueError(
                    f"sample_weight should have a number from 0 for each of {len(source)} rows, not all of them zero"
                )
        seed = _parameters.seed_of(self.random_state)
        kind = _tables.kind(X)
        note = _files.note(self, seed, classes, names, kind)
        options = _parameters.options(self, seed)
        if groups is not None:
            whose, places = np.unique(column_or_1d(_input.values(groups)), return_inverse=True)
            check_consistent_length(y, groups)
            members = places.astype(np.int64)[:, np.newaxis]
            source = source.with_codes(_GROUPS, members, [str(one) for one in whose.tolist()])
            options["groups"] = _GROUPS
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

    def _warn_of_source(self) -> None:
        for note in json.loads(self._adapter.source()).get("notes", []):
            if isinstance(note, dict) and note.get("code") == "model-chosen":
                continue  # what `auto` chose is no fault of the data
            text = note if isinstance(note, str) else note.get("message", str(note))
            warnings.warn(f"source: {text}", UserWarning, stacklevel=3)
        windows = self._adapter.windows()
        if windows:
            warnings.warn(
                f"the folder already holds this run, with {windows} windows: the run is continued, and version {self.version_} is in use; "
                "use roll_back(0) for the source model, or another folder to start anew",
                UserWarning,
                stacklevel=3,
            )


def _is_fitted_part(name: str) -> bool:
    return name in ("_adapter", "_places", "_order", "_names", "_seed", "_input", "_buffer", "_arrived") or (
        name.endswith("_") and not name.startswith("_")
    )
