"""Jobs in the driver: a hydration asked for by the coordinator, run on Spark, reported back."""

from __future__ import annotations

import os
from pathlib import Path
from time import monotonic

from ..compute.spark.application import Application
from ..compute.spark.level_task import Hydration
from .protocol import JobFinished, RunJob, StateRuns, job_writer

PARTITION_ROWS = 4_000_000
"""A task holds the rows of its partition in memory, so there are more partitions than cores for larger inputs."""


def default_partitions(rows: int) -> int:
    """Tasks per level for so many input rows."""
    return max(len(os.sched_getaffinity(0)), -(-rows // PARTITION_ROWS))


def run_job(app: Application, command: RunJob, directory: Path) -> JobFinished:
    """Hydrates a dataflow; raises what made the job fail."""
    started = monotonic()
    Path(command.state_directory).mkdir(parents=True, exist_ok=True)
    rows = sum(part.rows for source in command.imports for part in source.snapshot)
    job = Hydration(
        plan=command.plan,
        as_of=command.as_of,
        schemas={source.id: source.schema for source in command.imports},
        blobs=str(directory / "blobs"),
        state_directory=command.state_directory,
        output_shard=command.output_shard,
        writer=job_writer(command.job_id),
        partitions=command.partitions or default_partitions(rows),
    )
    imports = [(source.id, source.snapshot) for source in command.imports]
    result = app.hydrate(job, imports, pool=command.pool, group=f"job-{command.job_id}")
    state = tuple(StateRuns(node, name, tuple(paths)) for (node, name), paths in result.state.items())
    return JobFinished(command.job_id, tuple(result.parts), state, result.rows_read, monotonic() - started)
