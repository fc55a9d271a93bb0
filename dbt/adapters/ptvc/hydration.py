"""How far a replica is with filling a maintained object for the first time."""

from __future__ import annotations

from dataclasses import dataclass


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
