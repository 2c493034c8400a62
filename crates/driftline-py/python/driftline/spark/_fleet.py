"""`driftline fleet` on the groups of a Spark frame."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import parquet
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as columns

from driftline import _driftline
from driftline._fleets import frames
from driftline._fleets.options import Fleet
from driftline._fleets.order import natural
from driftline._fleets.result import Result
from driftline._fleets.work import add, begun_files
from driftline._models import learner
from driftline.spark._groups import PACK, SCHEMA, Work, in_place

#: Groups of Spark for each processor: streams differ in length.
_PARTS_PER_CPU = 8


@dataclass(frozen=True, kw_only=True, repr=False)
class FleetResult(Result):
    """The state of a fleet's streams. The same call retries failed ones."""

    #: A row for every stream, as in ``streams.parquet``.
    frame: DataFrame = field(repr=False)


def fleet(
    df: DataFrame,
    *,
    by: str,
    source: Any = None,
    out: str | Path,
    order: str | list[str] | None = None,
    label: str | None = None,
    model: Any = None,
    window: int | str | None = None,
    method: str | None = None,
    policy: str | dict[str, Any] | None = None,
    alignment: str | dict[str, Any] | None = None,
    labeler: str | dict[str, Any] | None = None,
    settings: dict[str, Any] | None = None,
    time: str | None = None,
    answers: str | None = None,
    ids: list[str] | None = None,
    exclude: list[str] | None = None,
    categories: list[str] | None = None,
    impute: bool | str = False,
    source_sample: bool = True,
    seed: int = 0,
    parts: int | None = None,
) -> FleetResult:
    """Adapts to every group of a Spark frame as a stream of its own, into the folder that ``driftline fleet`` would have made.

    Spark brings the rows of a group to one worker, which sends back what it has made of them; a task that is lost is begun again by
    Spark (``spark.task.maxFailures``). The folder is written by the process that calls. Call it again to go on where it was lost: what
    the folder has is not done again.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        The streams. A group has to fit into the memory of a worker.
    by : str
        The column that names the stream of a row.
    source : path, list of them, frame or Spark frame
        Labelled rows, with the column `label`; none if `model` is a model file. They are sent to every worker.
    out : path
        The folder of the fleet, on the machine that calls.
    order : str or list of str, optional
        Columns that order the rows of a stream, and are not features; Spark keeps no order by itself. Not needed with `time`. Rows that
        are alike in it are ordered by their other columns.
    label, model, window, method, policy, alignment, labeler, settings, time, answers, ids, exclude, categories, impute, source_sample, seed
        As in ``driftline fleet`` and `DriftClassifier`; what is absent is as there.
    parts : int, optional
        Into how many parts Spark cuts the streams; eight for each processor if absent.

    Returns
    -------
    FleetResult
        With a Spark frame of how the streams stand, ``.frame``, and the estimator of every stream: ``fleet(…)["sensor-17"]``.

    Examples
    --------
    >>> fleet(df, by="sensor", order="row", source="labelled.csv", label="state", out="fleet")  # doctest: +SKIP
    FleetResult('fleet', 1000 streams: 1000 done, 0 failed, 12 held)
    """
    out = Path(out)
    before = [] if order is None else [order] if isinstance(order, str) else list(order)
    if not before and time is None:
        raise ValueError("rows of a Spark frame have no order: name the columns that give it as `order`, or `time`")
    for name in [by, *before, *([] if time is None else [time])]:
        if name not in df.columns:
            raise ValueError(f"the frame has no column {name!r}; it has {', '.join(df.columns)}")
    teaches = None if source is None or model is None else learner(model)
    # A frame of Spark comes here as it lies there.
    source, classes = frames.with_classes(source.toArrow() if hasattr(source, "toArrow") else source, label)
    source = frames.named(source, "source")
    keys = _keys(df, by)
    streams = list(frames.named(dict.fromkeys(keys), "stream"))
    own = Fleet.of(
        streams, source, out, label=label, model=model, by=None, source_model="shared", window=window, method=method,
        policy=policy, alignment=alignment, labeler=labeler, settings=settings, time=time, answers=answers, ids=ids,
        exclude=exclude, categories=categories, impute=impute, source_sample=source_sample, seed=seed,
    )  # fmt: skip
    given = _contents(source, model if own.is_model_file else None)
    own.made["source"] = [] if own.is_model_file else list(given)
    # Names lead to files here, or to frames where they are put.
    framed = isinstance(source, dict)
    options = own.options(str(out.absolute() if framed else out), None)
    with in_place(given) if framed else contextlib.nullcontext():
        begun = _driftline.Fleet.begin(json.dumps(own.made), options, streams, teaches)
    pieces = {key: begun.piece([place]) for place, key, _, _ in begun.open_streams()}
    if pieces:
        # Equal times, too, come in an order that does not depend on who read them first.
        first = before + ([time] if time is not None and time not in before else [])
        work = Work(own, given, begun_files(out), pieces, teaches, by, first, [name for name in before if name != time])
        _store(df, by, work, parts, begun, out)
    told = json.loads(begun.finish())
    counts = {name: told[name] for name in ("streams", "done", "failed", "held", "rows")}
    frame = df.sparkSession.createDataFrame(_plain(out / "streams.parquet"))
    return FleetResult(folder=out, **counts, frame=frame, model=None if teaches is None else model, classes=classes)


def _keys(df: DataFrame, by: str) -> list[str]:
    found = [row[0] for row in df.select(columns.col(by).cast("string")).distinct().collect()]
    if None in found:
        raise ValueError(f"the column {by!r} has rows without a key")
    return sorted(found, key=natural)


def _contents(source: Any, model: str | None) -> dict[str, bytes]:
    """The files that every worker needs, by their names."""
    if model is not None:
        return {model: Path(model).read_bytes()}
    if isinstance(source, dict):
        return {name: frames.parquet(rows) for name, rows in source.items()}
    names = _driftline.match_files([str(one) for one in ([source] if isinstance(source, (str, Path)) else source)])
    return {name: Path(name).read_bytes() for name in names}


def _store(df: DataFrame, by: str, work: Work, parts: int | None, begun: _driftline.Fleet, out: Path) -> None:
    session = df.sparkSession
    named = df.withColumn(by, columns.col(by).cast("string"))
    wanted = session.createDataFrame([(key,) for key in work.pieces], f"`{by}` string")
    count = max(1, min(parts or _PARTS_PER_CPU * session.sparkContext.defaultParallelism, len(work.pieces)))
    groups = named.join(columns.broadcast(wanted), by, "left_semi").repartition(count, by).groupBy(by)

    def adapted(key: tuple[Any, ...], rows: pyarrow.Table) -> pyarrow.Table:
        return work(key, rows)

    # What workers have made stays on their disks until it is stored here, so that asking for a part of it makes nothing again.
    packs = groups.applyInArrow(adapted, SCHEMA).persist(StorageLevel.DISK_ONLY)
    try:
        packs.count()
        for row in packs.toLocalIterator(prefetchPartitions=True):
            add(begun, out, bytes(row[PACK]))
    finally:
        packs.unpersist()


def _plain(path: Path) -> pyarrow.Table:
    return parquet.read_table(path).replace_schema_metadata()
