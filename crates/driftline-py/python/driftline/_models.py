"""Models of Python's own inside the loop: scikit-learn classifiers, pairs of functions, PyTorch modules.

The compiled part calls `learn`, `predict`, `store` and `restore`; everything else here is about what a user gives.
"""

from __future__ import annotations

import copy
import io
import json
import pickle
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from driftline._frames import Decoder

Array = np.ndarray[Any, Any]


# What a model's own rounding may take a probability below 0.
_ROUNDING = 1e-6


class Learner:
    """What the compiled part calls. `fit(X, y, weights, n_classes, seed, start)` gives whatever predicts."""

    kind = "python"

    def __init__(self, trusted: bool = True) -> None:
        self.trusted = trusted

    def learn(
        self,
        start: Any,
        inputs: bytearray,
        shape: list[int],
        labels: bytearray | None,
        shares: bytearray | None,
        weights: bytearray | None,
        n_classes: int,
        seed: int,
    ) -> Any:
        X = np.frombuffer(inputs, dtype=np.float32).reshape(shape)
        weight = None if weights is None else np.frombuffer(weights, dtype=np.float32)
        if labels is not None:
            y = np.frombuffer(labels, dtype=np.uint32).astype(np.int64)
            return self.fit(X, y, weight, n_classes, seed, start)
        soft = np.frombuffer(shares or b"", dtype=np.float32).reshape(len(X), n_classes)
        return self.fit_soft(X, soft, weight, n_classes, seed, start)

    def predict(self, model: Any, inputs: bytearray, shape: list[int], n_classes: int) -> bytes:
        X = np.frombuffer(inputs, dtype=np.float32).reshape(shape)
        found = np.asarray(self.probabilities(model, X, n_classes), dtype=np.float64)
        if found.shape != (len(X), n_classes):
            raise ValueError(
                f"the model's probabilities have the shape {found.shape}, "
                f"but should have {(len(X), n_classes)}"
            )
        if (found < -_ROUNDING).any():
            raise ValueError(
                f"the model's probabilities go down to {found.min():.3g}: if these are scores (logits), make probabilities of "
                "them, for example with scipy.special.softmax"
            )
        found = np.clip(found, 0.0, None)
        sums = found.sum(axis=1, keepdims=True)
        if not np.isfinite(sums).all() or (sums <= 0).any():
            raise ValueError("the model's probabilities are not finite, or all 0 in a row")
        return bytes((found / sums).astype(np.float32).tobytes())

    def fit(
        self, X: Array, y: Array, weights: Array | None, n_classes: int, seed: int, start: Any
    ) -> Any:
        raise NotImplementedError

    def fit_soft(
        self, X: Array, shares: Array, weights: Array | None, n_classes: int, seed: int, start: Any
    ) -> Any:
        """Shares of classes as rows that count by their share."""
        weights = np.ones(len(X), dtype=np.float32) if weights is None else weights
        rows, classes = np.nonzero(shares > 0)
        counted = shares[rows, classes] * weights[rows]
        return self.fit(X[rows], classes, counted, n_classes, seed, start)

    def probabilities(self, model: Any, X: Array, n_classes: int) -> Array:
        raise NotImplementedError

    def settings(self) -> str:
        """What decides what is learned, as JSON: part of a run's identity."""
        raise NotImplementedError

    def store(self, model: Any) -> bytes:
        try:
            return pickle.dumps(model)
        except Exception as error:
            raise TypeError(f"the model cannot be stored: {error}") from error

    def restore(self, stored: bytes) -> Any:
        if not self.trusted:
            raise ValueError(
                "the file holds a pickled Python model, and loading it runs code from the file; "
                "if you trust its author, load it with `trusted=True`"
            )
        return pickle.loads(stored)


class SklearnLearner(Learner):
    """A clone of the estimator for every step. Steps learn anew: scikit-learn has no common way to go on."""

    def __init__(self, estimator: Any, trusted: bool = True) -> None:
        super().__init__(trusted)
        self.estimator = estimator

    def fit(
        self, X: Array, y: Array, weights: Array | None, n_classes: int, seed: int, start: Any
    ) -> Any:
        from sklearn.base import clone
        from sklearn.utils.validation import has_fit_parameter

        model = clone(self.estimator)
        _seed(model, seed)
        if len(np.unique(y)) < 2:
            return _Only(int(y[0]))
        rows = self.rows(X)
        if weights is not None and has_fit_parameter(model, "sample_weight"):
            return model.fit(rows, y, sample_weight=weights)
        return model.fit(rows, y)

    def rows(self, X: Array) -> Any:
        """What the estimator is given for these inputs."""
        return X.reshape(len(X), -1)

    def probabilities(self, model: Any, X: Array, n_classes: int) -> Array:
        rows = self.rows(X)
        found = np.zeros((len(X), n_classes))
        if hasattr(model, "predict_proba"):
            found[:, model.classes_] = model.predict_proba(rows)
        else:
            found[np.arange(len(X)), model.predict(rows)] = 1.0
        return found

    def settings(self) -> str:
        kind = type(self.estimator)
        values = self.estimator.get_params(deep=True)
        return json.dumps(
            {
                "model": f"{kind.__module__}.{kind.__qualname__}",
                "settings": {name: repr(value) for name, value in sorted(values.items())},
            }
        )


class FrameLearner(SklearnLearner):
    """The same for an estimator that wants rows as the user has them: names, types, categories and missing values."""

    #: Set before the source is learned from, and found again in what is stored.
    decoder: Decoder | None = None

    def rows(self, X: Array) -> Any:
        if self.decoder is None:
            raise RuntimeError("the columns of the source are not known yet")
        return self.decoder.rows(X)

    def settings(self) -> str:
        return json.dumps({**json.loads(super().settings()), "encode": None})

    def store(self, model: Any) -> bytes:
        return super().store((model, self.decoder and self.decoder.bare()))

    def restore(self, stored: bytes) -> Any:
        model, decoder = super().restore(stored)
        if self.decoder is None:
            self.decoder = decoder
        return model


class _Only:
    """A model that has seen one class."""

    def __init__(self, only: int) -> None:
        self.classes_ = np.array([only])

    def predict_proba(self, X: Array) -> Array:
        return np.ones((len(X), 1))


def _seed(model: Any, seed: int) -> None:
    """Every step has randomness of its own that depends on the estimator's seed, also inside pipelines."""
    names = [name for name in model.get_params(deep=True) if name.split("__")[-1] == "random_state"]
    if names:
        model.set_params(**{name: seed % (2**32) for name in names})


class CallableLearner(Learner):
    """A pair of functions: `fit(X, y)` gives a model, `predict_proba(model, X)` its probabilities."""

    def __init__(
        self,
        fit: Callable[[Array, Array], Any],
        predict_proba: Callable[[Any, Array], Array],
        trusted: bool = True,
    ) -> None:
        super().__init__(trusted)
        self.functions = (fit, predict_proba)

    def fit(
        self, X: Array, y: Array, weights: Array | None, n_classes: int, seed: int, start: Any
    ) -> Any:
        return self.functions[0](X, y)

    def probabilities(self, model: Any, X: Array, n_classes: int) -> Array:
        return np.asarray(self.functions[1](model, X))

    def settings(self) -> str:
        names = [getattr(one, "__qualname__", repr(one)) for one in self.functions]
        return json.dumps({"model": "functions", "settings": names})


# PyTorch has one generator for all threads: trainings that draw from it take turns, or they would not repeat.
_TURNS = threading.Lock()


class TorchModel:
    """A PyTorch module with what is needed to train it: give it to `DriftClassifier(model=…)`.

    `module(n_features, n_classes)` makes a module that gives scores (logits); steps go on from the weights of the step
    before. Stored are the weights alone, so that loading a file runs no code.

    Parameters
    ----------
    module : callable
        Makes the module, from the number of inputs and of classes.
    epochs, batch_size, learning_rate, weight_decay : numbers
        How it is trained, by AdamW.
    """

    def __init__(
        self,
        module: Callable[[int, int], Any],
        epochs: int = 20,
        batch_size: int = 128,
        learning_rate: float = 1e-3,
        weight_decay: float = 1e-4,
    ) -> None:
        self.module = module
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay


class TorchLearner(Learner):
    """Trains the module of a `TorchModel`. Weights are stored, never code, so that files need no trust."""

    def __init__(self, model: TorchModel) -> None:
        super().__init__(trusted=True)
        self.model = model

    def fit(
        self, X: Array, y: Array, weights: Array | None, n_classes: int, seed: int, start: Any
    ) -> Any:
        torch = _torch()

        shares = torch.nn.functional.one_hot(torch.from_numpy(y), n_classes).float()
        return self._train(X, shares, weights, n_classes, seed, start)

    def fit_soft(
        self, X: Array, shares: Array, weights: Array | None, n_classes: int, seed: int, start: Any
    ) -> Any:
        torch = _torch()

        return self._train(X, torch.from_numpy(shares.copy()), weights, n_classes, seed, start)

    def _train(
        self, X: Array, shares: Any, weights: Array | None, n_classes: int, seed: int, start: Any
    ) -> Any:
        torch = _torch()

        how = self.model
        # The user's own random numbers are left as they were.
        with _TURNS, torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed % (2**63))
            width = int(np.prod(X.shape[1:]))
            if start is None:
                module = how.module(width, n_classes)
                module.driftline_shape = (width, n_classes)
            else:
                module = copy.deepcopy(start)
            inputs = torch.from_numpy(X.copy())
            counts = torch.ones(len(X)) if weights is None else torch.from_numpy(weights.copy())
            steps = torch.optim.AdamW(
                module.parameters(), lr=how.learning_rate, weight_decay=how.weight_decay
            )
            module.train()
            for _ in range(how.epochs):
                order = torch.randperm(len(X))
                for rows in order.split(how.batch_size):
                    if len(rows) < 2 and len(X) > 1:
                        continue
                    losses = torch.nn.functional.cross_entropy(
                        module(inputs[rows]), shares[rows], reduction="none"
                    )
                    steps.zero_grad()
                    (losses * counts[rows]).mean().backward()
                    steps.step()
            module.eval()
        return module

    def probabilities(self, model: Any, X: Array, n_classes: int) -> Array:
        torch = _torch()

        with torch.no_grad():
            found: Array = torch.softmax(model(torch.from_numpy(X.copy())), dim=1).numpy()
        return found

    def settings(self) -> str:
        how = dict(vars(self.model))
        how["module"] = getattr(self.model.module, "__qualname__", repr(self.model.module))
        return json.dumps({"model": "torch", "settings": how})

    def store(self, model: Any) -> bytes:
        """Names and arrays, in numpy's own format without pickles."""
        arrays = {name: value.numpy() for name, value in model.state_dict().items()}
        arrays["__shape__"] = np.array(model.driftline_shape)
        file = io.BytesIO()
        # The plain call is allowed to take any names.
        np.savez(file, **arrays)
        return file.getvalue()

    def restore(self, stored: bytes) -> Any:
        torch = _torch()

        with np.load(io.BytesIO(stored), allow_pickle=False) as arrays:
            width, n_classes = (int(n) for n in arrays["__shape__"])
            module = self.model.module(width, n_classes)
            weights = {
                name: torch.from_numpy(arrays[name]) for name in arrays.files if name != "__shape__"
            }
        module.load_state_dict(weights)
        module.driftline_shape = (width, n_classes)
        module.eval()
        return module


def _torch() -> Any:
    """PyTorch, which is asked for only by those who give a `TorchModel`."""
    return import_module("torch")


def expect_classifier(model: Any) -> None:
    """Regressors have much of what classifiers have, but their answers are no classes."""
    from sklearn.base import is_regressor

    if hasattr(model, "__sklearn_tags__") and is_regressor(model):
        raise TypeError(f"model should be a classifier, but {type(model).__name__} is a regressor")


def learner(model: Any, trusted: bool = True, encode: bool | None = True) -> Learner | None:
    """The learner for what a user gave as `model`; none for the names of the library's own."""
    if isinstance(model, type):
        raise TypeError(f"model should be an instance, {model.__name__}(…), but is the class {model.__name__} itself")
    expect_classifier(model)
    if not encode:
        if isinstance(model, (str, dict, TorchModel, tuple)):
            raise ValueError("encode=None hands rows as they are to a scikit-learn classifier, so `model` should be one")
        if hasattr(model, "fit") and hasattr(model, "get_params"):
            return FrameLearner(model, trusted)
    if isinstance(model, (str, dict)):
        return None
    if isinstance(model, TorchModel):
        return TorchLearner(model)
    if isinstance(model, tuple) and len(model) == 2 and all(callable(one) for one in model):
        return CallableLearner(model[0], model[1], trusted)
    if hasattr(model, "fit") and hasattr(model, "get_params"):
        return SklearnLearner(model, trusted)
    raise TypeError(
        f"model should be a name, a scikit-learn classifier, a pair of functions (fit, predict_proba) or a "
        f"driftline.TorchModel, but is a {type(model).__name__}"
    )
