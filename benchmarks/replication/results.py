"""What the benchmarks of replication find."""

from __future__ import annotations

from dataclasses import dataclass

from rich.table import Table

from ..measure import Transfer
from ..report import shows, transfers_table


@dataclass(frozen=True, slots=True)
class ReplicationResult(Transfer):
    """`rows` that changed on one side until they are on the other: there when their transaction is committed upstream, or, of a sink, when
    its statement has returned here.  `cpu_s` is that of the runtime, all its processes."""


@shows(ReplicationResult)
def _replication_table(results: list[ReplicationResult]) -> Table:
    return transfers_table("Rows of a database until they are here; of a sink, until they are there", results)
