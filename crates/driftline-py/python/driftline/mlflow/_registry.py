"""A registered model of MLflow that stands for a run: a version for each that was in use, and an alias for the one that is."""

from __future__ import annotations

from pathlib import Path

from mlflow import MlflowClient
from mlflow.exceptions import MlflowException, RestException

from driftline.mlflow import _model
from driftline.mlflow._folder import Folder
from driftline.mlflow._log import log_run


def register(folder: str | Path, name: str, *, version: int | None = None, experiment: str | None = None) -> int:
    """Makes a version of a run a version of a registered model.

    The run is logged first, as by `log_run`. A version that is registered already is found again. Windows that were held make
    no new one: they are predicted by the model before them.

    Parameters
    ----------
    folder : path
        The folder of a run.
    name : str
        The registered model, which is made if it is not there.
    version : int, optional
        The run's version; the one in use if absent.
    experiment : str, optional
        As in `log_run`.

    Returns
    -------
    int
        The number of the version in MLflow's registry, which counts by itself.

    Examples
    --------
    >>> register("run", "plant")  # doctest: +SKIP
    1
    """
    run = Folder.read(folder)
    maker = run.maker(run.current if version is None else version)
    run_id = log_run(folder, experiment=experiment, models=False)
    client = MlflowClient()
    model_id = _model.logged(client, run_id, run, maker)
    try:
        client.create_registered_model(name)
    except (MlflowException, RestException) as error:
        if error.error_code != "RESOURCE_ALREADY_EXISTS":
            raise
    tags = {"driftline.identity": run.identity, "driftline.version": str(maker)}
    for known in client.search_model_versions(f"name = '{name}' and run_id = '{run_id}'"):
        if known.tags.get("driftline.version") == str(maker) and known.status == "READY":
            return int(known.version)
    made = client.create_model_version(name, f"models:/{model_id}", run_id=run_id, tags=tags, model_id=model_id)
    return int(made.version)


def sync(folder: str | Path, name: str, *, alias: str = "in-use", experiment: str | None = None) -> int:
    """Logs a run, registers the version in use and moves the alias to it.

    Call it after ``driftline adapt``, ``step`` and ``rollback``, or from time to time beside ``driftline serve --follow``: whoever
    loads ``models:/NAME@ALIAS`` then gets what the run predicts with.

    Parameters
    ----------
    folder : path
        The folder of a run.
    name : str
        The registered model.
    alias : str, default="in-use"
        The alias that names the version in use.
    experiment : str, optional
        As in `log_run`.

    Returns
    -------
    int
        The version in MLflow's registry that the alias names now.

    Examples
    --------
    >>> sync("run", "plant")  # doctest: +SKIP
    2
    """
    version = register(folder, name, experiment=experiment)
    client = MlflowClient()
    if client.get_registered_model(name).aliases.get(alias) != str(version):
        client.set_registered_model_alias(name, alias, str(version))
    return version
