"""A run folder as an MLflow run, which grows with it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import mlflow
from mlflow import MlflowClient
from mlflow.entities import Metric, Param, RunTag

from driftline._driftline import run_report
from driftline.mlflow import _model
from driftline.mlflow._folder import Folder

#: What MLflow takes in one request.
_BATCH = 1000


def log_run(folder: str | Path, *, experiment: str | None = None, run_name: str | None = None, models: bool = True) -> str:
    """Writes a run folder into MLflow: settings, measures of every window, the report, and the model in use.

    Called again, for example after each ``driftline step``, it adds to the same MLflow run what is new: windows, labels that came
    late, the model that is in use by then.

    Parameters
    ----------
    folder : path
        The folder of a run. It may be written to meanwhile.
    experiment : str, optional
        The name of MLflow's experiment, which is made if it is not there; if absent, the one that MLflow has set.
    run_name : str, optional
        The name of a new MLflow run; the folder's own if absent.
    models : bool, default=True
        Also log the model in use, as a pyfunc model and as ONNX. Models of your own, which need a pickle, cannot be logged.

    Returns
    -------
    str
        The id of the MLflow run.

    Examples
    --------
    >>> log_run("run")  # doctest: +SKIP
    'd3b0a2…'
    """
    run = Folder.read(folder)
    client = MlflowClient()
    run_id = _found_or_made(client, run, experiment, run_name)
    _log_measures(client, run_id, run)
    with tempfile.TemporaryDirectory(prefix="driftline-") as place:
        page = Path(place, "report.html")
        page.write_text(run_report(run.path), encoding="utf-8")
        for path in (page, run.path / "manifest.json", run.path / "windows.jsonl"):
            if path.exists():
                client.log_artifact(run_id, str(path))
    if models:
        _model.logged(client, run_id, run, run.maker(run.current))
    # Last: what these say is there.
    client.log_batch(run_id, tags=[RunTag(name, value) for name, value in run.tags().items()])
    return run_id


def _found_or_made(client: MlflowClient, run: Folder, experiment: str | None, name: str | None) -> str:
    where = None if experiment is None else [_experiment(client, experiment)]
    # Without a name it is the experiment that MLflow has set.
    same = f"tags.`driftline.identity` = '{run.identity}'"
    found = mlflow.search_runs(where, same, max_results=1, output_format="list")
    if found:
        _expect_same(run, str(found[0].info.run_id), found[0].data.tags.get("driftline.newest", ""))
        return str(found[0].info.run_id)
    name, tags = name or run.path.resolve().name, {"driftline.identity": run.identity}
    if where is None:
        with mlflow.start_run(run_name=name, tags=tags, nested=True) as made:
            run_id = str(made.info.run_id)
    else:
        run_id = str(client.create_run(where[0], run_name=name, tags=tags).info.run_id)
        client.update_run(run_id, status="FINISHED")
    client.log_batch(run_id, params=[Param(key, value) for key, value in run.parameters().items()])
    return run_id


def _experiment(client: MlflowClient, name: str) -> str:
    found = client.get_experiment_by_name(name)
    return str(found.experiment_id if found else client.create_experiment(name))


def _expect_same(run: Folder, run_id: str, newest: str) -> None:
    windows = int(newest.split()[0]) if newest else 0
    if windows > len(run.records) or (newest and run.fingerprint(windows) != newest):
        raise ValueError(
            f"the MLflow run {run_id} began as {run.path} did, but has {windows} windows that are not those of the folder; "
            "name another `experiment` for it"
        )


def _log_measures(client: MlflowClient, run_id: str, run: Folder) -> None:
    """Those that are not there, or have changed since: labels may come late."""
    measures = run.measures()
    there: dict[tuple[str, int], float] = {}
    for name in client.get_run(run_id).data.metrics:
        there |= {(name, one.step): one.value for one in client.get_metric_history(run_id, name)}
    new = [Metric(name, value, moment, window) for name, value, window, moment in measures if there.get((name, window)) != value]
    for start in range(0, len(new), _BATCH):
        client.log_batch(run_id, metrics=new[start : start + _BATCH])
