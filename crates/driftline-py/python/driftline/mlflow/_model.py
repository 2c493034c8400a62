"""A version of a run as models of MLflow: pyfunc, which MLflow serves, and ONNX. No pickle is involved."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import mlflow
import onnx
from mlflow import MlflowClient
from mlflow.models import Model, ModelSignature
from mlflow.types.schema import AnyType, ColSpec, ParamSchema, ParamSpec, Schema

from driftline import __version__
from driftline._estimator import DriftClassifier
from driftline.mlflow._folder import Folder

#: As MLflow calls the file of a pyfunc model with a loader of its own.
_FILE = "model.safetensors"


class Predictor:
    """What `mlflow.pyfunc.load_model` gives: classes, or with ``params={"probabilities": True}`` a column for each class."""

    def __init__(self, path: str) -> None:
        file = Path(path)
        self.model = DriftClassifier.load(file / _FILE if file.is_dir() else file)

    def predict(self, rows: Any, params: dict[str, Any] | None = None) -> Any:
        if params and params.get("probabilities"):
            import pandas

            names = [str(one) for one in self.model.classes_]
            return pandas.DataFrame(self.model.predict_proba(rows), columns=names)
        return self.model.predict(rows)


def _load_pyfunc(path: str) -> Predictor:
    return Predictor(path)


def logged(client: MlflowClient, run_id: str, run: Folder, version: int) -> str:
    """The id of the pyfunc model of a version, which is logged if it is not there; and with it its ONNX twin."""
    experiment = str(client.get_run(run_id).info.experiment_id)
    known, name = _known(client, run_id, experiment), f"version-{version}"
    model = DriftClassifier.load(run.checkpoint(version))

    def log(name: str, flavor: Any, **what: Any) -> str:
        # MLflow's own functions would put it into whatever experiment and run are active.
        tags = {"driftline.version": str(version), "driftline.identity": run.identity}
        made = client.create_logged_model(experiment, name, source_run_id=run_id, tags=tags)
        Model.log(None, flavor, model_id=made.model_id, run_id=run_id, step=version, **what)
        return str(made.model_id)

    if f"{name}-onnx" not in known:
        graph = onnx.load_from_string(model.to_onnx())
        # A file that is loaded by itself counts from 0.
        onnx.helper.set_model_props(graph, {**{one.key: one.value for one in graph.metadata_props}, "version": str(version)})
        needs = ["onnx", "onnxruntime"]
        log(f"{name}-onnx", mlflow.onnx, onnx_model=graph, save_as_external_data=False, pip_requirements=needs)
    if name not in known:
        with tempfile.TemporaryDirectory(prefix="driftline-") as place:
            path = Path(place, _FILE)
            path.write_bytes(run.checkpoint(version).read_bytes())
            needs = [f"driftline[mlflow]=={__version__}"]
            known[name] = log(name, mlflow.pyfunc, loader_module=__name__, data_path=str(path), signature=_signature(model),
                              pip_requirements=needs)  # fmt: skip
    return known[name]


def _known(client: MlflowClient, run_id: str, experiment: str) -> dict[str, str]:
    """Models of the run by their names. One that was not uploaded to its end does not count."""
    found = client.search_logged_models([experiment], f"source_run_id = '{run_id}'")
    return {str(one.name): str(one.model_id) for one in found if one.status == "READY"}


def _signature(model: DriftClassifier) -> ModelSignature:
    """Columns by name. Their kinds are checked by the model itself, which takes whole numbers as well as others."""
    encoding = json.loads(model._adapter.encoding())
    names = [one["name"] for one in encoding["input"].get("features", [])]
    anything = AnyType()  # type: ignore[no-untyped-call,unused-ignore]
    inputs = Schema([ColSpec(anything, name) for name in names]) if names else None
    return ModelSignature(inputs=inputs, params=ParamSchema([ParamSpec("probabilities", "boolean", False)]))
