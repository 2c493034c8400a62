"""Logs the run in MLflow, moves the alias to the version in use, and says which that is."""

from mlflow import MlflowClient

from driftline.mlflow import sync

sync("run", "plant", experiment="plant")
found = MlflowClient().get_model_version_by_alias("plant", "in-use")
print(f"plant@in-use is version {found.version} in the registry, version {found.tags['driftline.version']} of the run")
