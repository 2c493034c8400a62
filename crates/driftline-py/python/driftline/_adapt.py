"""Adapting a whole pipeline: what stands before the classifier is applied first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def adapt(pipeline: Any, X: Any, *, flush: bool = True) -> Any:
    """Follows a stream with a fitted pipeline whose last step is a `DriftClassifier`; the steps before it transform the rows.

    Parameters
    ----------
    pipeline : Pipeline, search or DriftClassifier
        Of a search, the best estimator is adapted.
    X : array or frame
        Rows in the order of time, as the pipeline takes them.
    flush : bool, default=True
        As in `DriftClassifier.adapt`.

    Returns
    -------
    The pipeline itself.

    Examples
    --------
    >>> import numpy as np, driftline
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(200) % 2
    >>> X = rng.normal(size=(200, 2)) + 4 * y[:, None]
    >>> model = make_pipeline(StandardScaler(), driftline.DriftClassifier("linear", window=50, policy="always")).fit(X, y)
    >>> driftline.adapt(model, X + 0.5)[-1].version_
    4
    """
    before, last = parts(pipeline)
    last.adapt(before(X), flush=flush)
    return pipeline


def parts(pipeline: Any) -> tuple[Callable[[Any], Any], Any]:
    """What stands before the classifier, as a function of rows, and the classifier."""
    whole = getattr(pipeline, "best_estimator_", pipeline)
    last = whole.steps[-1][1] if hasattr(whole, "steps") else whole
    if not hasattr(last, "adapt"):
        raise TypeError(f"the model should be a DriftClassifier, or a pipeline that ends with one, but is a {type(last).__name__}")
    if last is whole or len(whole.steps) == 1:
        return lambda X: X, last
    return whole[:-1].transform, last
