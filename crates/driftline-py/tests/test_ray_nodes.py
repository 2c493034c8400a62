"""A cluster of several machines, played by raylets on this one: a node that is lost, a disk that is full, files in S3.
`bench/ray_drill.py` installs what is needed and runs them. DRIFTLINE names the program."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import threading
import time
from pathlib import Path

import pytest

import fleets
from fleets import COMMON, FILES, HOW, desk, expect_same, local, program, records

try:
    import ray
    from ray.cluster_utils import Cluster
except ImportError:
    pytest.skip("ray is not installed; bench/ray_drill.py runs these", allow_module_level=True)
if not fleets.PROGRAM:
    pytest.skip("DRIFTLINE does not name the program", allow_module_level=True)

import driftline.ray  # noqa: E402

MEMORY = 100 << 20


@pytest.fixture
def place(tmp_path, monkeypatch):
    fleets.write(tmp_path, 60)
    monkeypatch.chdir(desk(tmp_path, "ray"))
    return tmp_path


@pytest.fixture
def cluster():
    """A head that does no work."""
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False, "object_store_memory": MEMORY})
    yield made
    ray.shutdown()
    made.shutdown()


def join(cluster, **other):
    return cluster.add_node(num_cpus=1, object_store_memory=MEMORY, **other)


def connect(cluster):
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, logging_level=logging.ERROR)


def run(**other):
    given = {"stream": "data/streams/*.csv", "out": "fleet", "streams_per_task": 2, **COMMON, **other}
    return driftline.ray.fleet("data/source.csv", **given)


def test_a_node_is_lost(cluster, tmp_path, monkeypatch):
    fleets.write(tmp_path, 60, windows=20)
    monkeypatch.chdir(desk(tmp_path, "ray"))
    expected = local(tmp_path, *FILES, "--window", "50", "--policy", "guarded")
    join(cluster)
    doomed = join(cluster)
    connect(cluster)

    def lose() -> None:
        pack = Path("fleet/packs/streams.pack")
        while not pack.exists() or len(records(Path("fleet"))) < 10:
            time.sleep(0.01)
        cluster.remove_node(doomed, allow_graceful=False)

    loser = threading.Thread(target=lose)
    loser.start()
    result = run(policy="guarded")
    assert len(result.task_seconds) >= 30 and not loser.is_alive()
    until = time.monotonic() + 60
    while sum(node["Alive"] for node in ray.nodes()) > 2:
        assert time.monotonic() < until
        time.sleep(0.1)
    assert (result.done, result.failed) == (60, 0)
    expect_same(Path("fleet"), expected)


@pytest.fixture
def small_disk(tmp_path, request):
    """A file system that has so much room; it can be made larger."""
    folder = tmp_path / "small"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={request.param}", "tmpfs", folder], capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"no small file system can be mounted here: {made.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.parametrize("small_disk", ["16k", "64k"], indirect=True)
def test_the_disk_of_one_node_is_full(cluster, place, small_disk, caplog):
    """Its work is done by the other, and it is told which node has no room."""
    expected = local(place, *FILES, *HOW)
    join(cluster)
    join(cluster, env_vars={"TMPDIR": str(small_disk)})
    connect(cluster)
    result = run(streams_per_task=10)
    assert (result.done, result.failed) == (60, 0)
    told = [record.getMessage() for record in caplog.records]
    assert any("No space left on device" in line and "retrying elsewhere" in line for line in told), told
    expect_same(Path("fleet"), expected)


@pytest.mark.parametrize("small_disk", ["16k"], indirect=True)
def test_the_only_disk_is_full_and_later_is_not(cluster, place, small_disk):
    expected = local(place, *FILES, *HOW)
    join(cluster, env_vars={"TMPDIR": str(small_disk)})
    connect(cluster)
    result = run(streams_per_task=10, retries=1)
    assert 0 < result.failed and result.done + result.failed == 60
    errors = {row["error"] for row in result.rows if row["state"] == "failed"}
    assert all("No space left on device" in error and "node" in error for error in errors), errors
    subprocess.run(["mount", "-o", "remount,size=64m", small_disk], check=True)
    again = run(streams_per_task=10, retries=1)
    assert (again.done, again.failed) == (60, 0)
    expect_same(Path("fleet"), expected)


# Files in S3, served on this machine.


@pytest.fixture(scope="module")
def s3():
    server = pytest.importorskip("moto.server", reason="moto[server] is not installed; bench/ray_drill.py runs these")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        os.environ[name] = "testing"
    os.environ["AWS_EC2_METADATA_DISABLED"] = "true"
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    made = server.ThreadedMotoServer(port=0)
    made.start()
    host, port = made.get_host_and_port()
    yield f"{host}:{port}"
    made.stop()


@pytest.mark.parametrize("by", [False, True])
def test_streams_in_s3(cluster, place, s3, by):
    from pyarrow import fs

    system = fs.S3FileSystem(
        access_key="testing", secret_key="testing", endpoint_override=s3, scheme="http", region="us-east-1",
        allow_bucket_creation=True,
    )  # fmt: skip
    fleets.join(place)
    bucket = f"drill-{int(by)}"
    system.create_dir(bucket)
    fs.copy_files(str(place / "data"), f"{bucket}/data", destination_filesystem=system)
    join(cluster)
    join(cluster)
    connect(cluster)
    # The program is given the same files under the same names, so that models name their source alike.
    here = desk(place, "local")
    for folder in (here / bucket, here / "s3:" / bucket):
        folder.mkdir(parents=True)
        (folder / "data").symlink_to(place / "data")
    if by:
        names = f"{bucket}/data/source.csv", f"{bucket}/data/all.csv"
        driftline.ray.fleet(names[0], stream=names[1], by="key", filesystem=system, out="fleet", **COMMON)
    else:
        names = f"s3://{bucket}/data/source.csv", f"s3://{bucket}/data/streams/*.csv"
        query = f"?endpoint_override={s3}&scheme=http&region=us-east-1"
        driftline.ray.fleet(names[0] + query, stream=names[1] + query, out="fleet", **COMMON)
    keys = ["--by", "key"] if by else []
    given = [names[1].replace("*", f"s{at}") for at in range(60)] if "*" in names[1] else [names[1]]
    program(here, "fleet", "--source", names[0], *FILES[2:6], "--stream", *given, *keys, *HOW, "--out", "fleet")
    rows = fleets.rows_of(Path("fleet"))
    assert len(rows) == 60 and rows == fleets.rows_of(here / "fleet")
    for key in ("s0", "s31", "s59"):
        for where in (Path.cwd(), here):
            program(where, "fleet", "export", "fleet", "--key", key, "--out", key)
        same_run(Path(key), here / key)


def same_run(found: Path, expected: Path) -> None:
    """All files to the last byte; of the manifest, only the command is said differently."""
    names = sorted(str(path.relative_to(expected)) for path in expected.rglob("*") if path.is_file())
    assert names == sorted(str(path.relative_to(found)) for path in found.rglob("*") if path.is_file())
    assert len(names) > 8
    for name in names:
        if name == "manifest.json":
            one, other = (json.loads((run / name).read_text()) for run in (found, expected))
            for manifest in (one, other):
                del manifest["command"]
            assert one == other
        elif not name.endswith(".html"):
            assert (found / name).read_bytes() == (expected / name).read_bytes(), name
