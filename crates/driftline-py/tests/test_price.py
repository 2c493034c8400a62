"""What guarding a model of your own costs: how often it is trained and asked, whatever the machine is busy with."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from driftline import DriftClassifier

WINDOW = 250
SEEN: Counter[str] = Counter()


class Counted(LogisticRegression):
    """Counts trainings, questions and the rows of both."""

    def fit(self, X, y, sample_weight=None):
        SEEN.update(trainings=1, trained=len(X))
        return super().fit(X, y, sample_weight)

    def predict_proba(self, X):
        SEEN.update(questions=1, asked=len(X))
        return super().predict_proba(X)


@pytest.fixture
def data(drift):
    """A source of 3,000 rows whose classes take turns, and ten windows."""
    source, labels = drift._draw(np.random.default_rng(1), np.arange(3000) % 2, 4, 0.0), np.arange(3000) % 2
    answers = np.arange(10 * WINDOW) % 2
    moved = np.repeat(np.linspace(0.1, 1.0, 10), WINDOW)[:, None]
    return source, labels, drift._draw(np.random.default_rng(2), answers, 4, moved), answers


def test_a_guarded_window_takes_one_training_and_a_few_questions(data):
    source, labels, stream, _ = data
    model = DriftClassifier(Counted(), window=WINDOW).fit(source, labels)
    SEEN.clear()
    model.adapt(stream[:WINDOW])
    # Rehearsals: halves of a part of the source, and its later half in pieces.
    assert SEEN["trainings"] <= 12 and SEEN["trained"] <= 12 * 3000
    SEEN.clear()
    model.adapt(stream[WINDOW:])
    assert SEEN["trainings"] <= 9
    assert SEEN["trained"] <= 9 * (2500 + WINDOW)
    assert SEEN["questions"] <= 9 * 9


def test_answers_that_are_kept_are_those_of_the_model_and_the_rows(data):
    """Versions that are asked in turns, about rows that differ in one number."""
    source, labels, stream, _ = data
    model = DriftClassifier(LogisticRegression(), window=WINDOW, policy="always").fit(source, labels).adapt(stream)
    versions = range(model.version_ + 1)
    rows = [stream[:3].copy() for _ in range(4)]
    for at, own in enumerate(rows):
        own[0, 0] += at
    once = [[model.roll_back(version).predict_proba(own) for own in rows] for version in versions]
    again = [[model.roll_back(version).predict_proba(own) for own in rows] for version in versions]
    np.testing.assert_array_equal(once, again)
    assert len({found.tobytes() for own in once for found in own}) == len(rows) * len(versions)


@pytest.mark.parametrize("kind", [LogisticRegression(), HistGradientBoostingClassifier(max_iter=10)], ids=["linear", "trees"])
def test_classes_that_take_turns_are_all_seen(data, kind):
    """Evenly spaced rows of such a source would all be of one class."""
    source, labels, stream, answers = data
    model = DriftClassifier(kind, window=WINDOW).fit(source, labels).adapt(stream[:WINDOW])
    estimate, low, high = model.estimated_accuracy_
    truth = (model.predict(stream[:WINDOW]) == answers[:WINDOW]).mean()
    assert low <= truth <= high and high - low < 0.5
