"""Charts and notebook views."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import driftline
from driftline import DriftClassifier

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def model(drift):
    return DriftClassifier("linear", window=100, policy="guarded").fit(drift.X, drift.y).adapt(drift.stream)


def test_the_history_and_the_drift_are_drawn(model):
    from matplotlib import pyplot

    ax = model.plot_history()
    assert ax.get_xlabel() == "window" and ax.get_ylabel() == "estimated accuracy"
    line = ax.get_lines()[0]
    np.testing.assert_array_equal(line.get_xdata(), [1, 2, 3, 4])
    np.testing.assert_array_equal(line.get_ydata(), [record["estimated_accuracy"] for record in model.records_])
    _, own = pyplot.subplots()
    assert model.plot_drift(own) is own and len(own.get_lines()) > 1
    pyplot.close("all")


def test_a_notebook_shows_charts_for_light_paper_whatever_the_system_prefers(model):
    html = model._repr_html_()
    assert html.count("<svg") >= 2 and "background:#fff" in html
    assert "prefers-color-scheme" not in html and html.count("@media not all") == html.count("<svg")


def test_a_policy_that_only_deploys_has_no_drift_to_draw(drift):
    plain = DriftClassifier("linear", window=100, policy="always").fit(drift.X, drift.y).adapt(drift.stream)
    assert plain.plot_history().get_ylabel() == "mean confidence"
    with pytest.raises(ValueError, match="no window has column shifts"):
        plain.plot_drift()


def test_explanations_and_estimates_are_shown_and_drawn(drift):
    found = driftline.explain(drift.X, drift.stream)
    assert "standard deviations" in found._repr_html_() and "background:#fff" in found._repr_html_()
    assert len(found.plot().patches) == len(found.columns)
    fitted = LogisticRegression().fit(drift.X, drift.y)
    one = driftline.estimate(fitted, drift.X, drift.y, drift.stream, metrics=("accuracy", "balanced_accuracy"))
    assert one.code in ("estimated", "doubtful") and set(one.values) == {"accuracy", "balanced_accuracy"}
    assert one.values["accuracy"] == (one.accuracy, one.low, one.high) and one.rows == 400
    assert "balanced accuracy" in one._repr_html_()
    several = driftline.estimate(fitted, drift.X, drift.y, drift.stream, window=100)
    assert [found.rows for found in several] == [100] * 4
    assert len(several.plot().get_lines()[0].get_xdata()) == 4
    assert "4 windows" in several._repr_html_()
    with pytest.raises(ValueError, match="metrics should be of"):
        driftline.estimate(fitted, drift.X, drift.y, drift.stream, metrics=("f2",))


def test_a_class_that_the_source_lacks_is_said(drift):
    fitted = LogisticRegression().fit(drift.X, np.where(drift.X[:, 0] > 2.5, 2, drift.y))
    assert driftline.estimate(fitted, drift.X, drift.y, drift.stream).code == "unknown-class"
