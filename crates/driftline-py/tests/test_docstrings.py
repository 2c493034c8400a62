"""What every public function says about itself: parameters, what comes back, and an example that the doctests run."""

from __future__ import annotations

import inspect

import pytest

import driftline
from driftline import datasets, model_selection


def public():
    found = {f"driftline.{name}": getattr(driftline, name) for name in ("DriftClassifier", "estimate", "explain")}
    for name, member in inspect.getmembers(driftline.DriftClassifier, callable):
        if (getattr(member, "__module__", None) or "").startswith("driftline") and not name.startswith(("_", "set_")):
            found[name] = member
    for module in (model_selection, datasets):
        found |= {name: getattr(module, name) for name in module.__all__ if name not in ("Drift",)}
    return found


@pytest.mark.parametrize("name", public())
def test_it_is_documented_as_numpy_does(name):
    member = public()[name]
    member = getattr(member, "__func__", member)
    text = inspect.getdoc(member) or ""
    if inspect.isclass(member):
        assert "Parameters\n----------" in text and ">>>" in text
        return
    parameters = [one for one in inspect.signature(member).parameters.values() if one.name not in ("self", "cls")]
    if parameters:
        assert "Parameters\n----------" in text, "no Parameters"
    if inspect.signature(member).return_annotation not in ("None", None):
        assert "Returns\n-------" in text, "no Returns"
    if name not in ("stream_predict", "stream_score", "fetch", "load", "rotating_digits", "catalogue", "moving_gaussians", "split"):
        assert ">>>" in text, "no Examples"
    for one in parameters:
        if one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL):
            continue
        assert one.name in text.split("Parameters")[1], f"{one.name} is not described"
