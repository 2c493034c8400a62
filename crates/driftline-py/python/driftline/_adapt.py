"""Adapting a whole pipeline: what stands before the classifier is applied first."""

from __future__ import annotations

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
    last = getattr(pipeline, "best_estimator_", pipeline)
    rows = X
    if hasattr(last, "steps"):
        before, last = last[:-1], last.steps[-1][1]
        rows = before.transform(X) if len(before) else X
    if not hasattr(last, "adapt"):
        raise TypeError(f"the last step should be a DriftClassifier, but is a {type(last).__name__}")
    last.adapt(rows, flush=flush)
    return pipeline
