"""How far a replica is with filling a maintained object, or a source's tables, for the first time."""

from __future__ import annotations

from dataclasses import dataclass

from ptvc.errors import ENDED_TABLE


@dataclass(frozen=True, slots=True)
class HydrationStatus:
    """One row of mz_internal.mz_hydration_statuses, with the state of its replica.

    `seconds` and `rows` are known once it is hydrated; `spark_job_id` when a Spark job did, or does, the work, and then, of
    its input, `rows_read` of `rows_total`, and how far it has come with all of its work; `replica_trouble` when the replica is not there.
    """

    replica: str
    hydrated: bool
    seconds: float | None
    rows: int | None
    spark_job_id: int | None
    replica_trouble: str | None
    percent: float | None = None
    rows_read: int | None = None
    rows_total: int | None = None

    def summary(self) -> str:
        """What to say of one that is hydrated."""
        parts = []
        if self.rows is not None:
            parts.append(f"from {int(self.rows):,} rows")
        if self.seconds is not None:
            parts.append(f"in {self.seconds:.1f} s")
        return " ".join(parts) + self._job()

    def progress(self) -> str:
        """What to say of one that is not."""
        if self.replica_trouble is not None:
            return f"replica {self.replica} is {self.replica_trouble}"
        return f"replica {self.replica} is at work" + self._job(self._come())

    def _come(self) -> str:
        """How far the job has come, if it says so."""
        if self.percent is None or self.rows_read is None or self.rows_total is None:
            return ""
        return f": {self.percent:.0f} %, {int(self.rows_read):,} of {int(self.rows_total):,} rows read"

    def _job(self, come: str = "") -> str:
        return f" (Spark job {int(self.spark_job_id)}{come})" if self.spark_job_id is not None else ""


@dataclass(frozen=True, slots=True)
class IngestionStatus:
    """How far a source, or one of its tables, is with what was there when it began.

    `status` and `error` are those of the source; records are what a table begins with, where the source knows that.
    """

    status: str
    error: str | None = None
    snapshot_committed: bool | None = None
    records_staged: int | None = None
    records_known: int | None = None

    @property
    def is_complete(self) -> bool:
        return bool(self.snapshot_committed)

    def summary(self) -> str:
        """What to say of one that is complete."""
        return "" if self.records_known is None else f": {int(self.records_known):,} records"

    def progress(self) -> str:
        """What to say of one that is not."""
        if self.error is not None or self.records_known is None or self.records_staged is None:
            return f"{self.status}: {self.error}" if self.error else self.status
        return f"{int(self.records_staged):,} of {int(self.records_known):,} records"


def way_out(sqlstate: str | None, model: str) -> str:
    """How an error that a source's rows have is mended; `model` is the source's, or its table's."""
    if sqlstate == ENDED_TABLE:
        return f"When the table upstream is as it should be: `dbt run --full-refresh --select {model}+`."
    return (
        "It goes when the row goes upstream. ON ERROR = DEAD LETTER, EXCLUDE COLUMNS or TEXT COLUMNS in the model, where its source has "
        f"them, keep such rows from being errors: then `dbt run --select {model}+`."
    )
