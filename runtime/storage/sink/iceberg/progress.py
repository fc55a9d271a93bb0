"""How far a sink has come, in the summaries of the snapshots that it makes.

It is that of the last of them among the ancestors of the table's current snapshot: others make snapshots too, such as compaction, and going
back to an older snapshot goes back in the sink's progress with it.
"""

from __future__ import annotations

from pyiceberg.table import Table

from ..lake.table import Progress

SINK, FRONTIER, WRITER, TERM, GENERATION = (
    "ptvc.sink-id",
    "ptvc.frontier",
    "ptvc.writer",
    "ptvc.term",
    "ptvc.generation",
)


def summary_of(progress: Progress) -> dict[str, str]:
    return {
        SINK: progress.sink,
        FRONTIER: str(progress.upper),
        WRITER: progress.writer,
        TERM: str(progress.term),
        GENERATION: str(progress.generation),
    }


def progress_of(table: Table, sink: str) -> Progress | None:
    """None: nobody has written as this sink, or its snapshots have expired."""
    snapshots = {snapshot.snapshot_id: snapshot for snapshot in table.metadata.snapshots}
    current = table.metadata.current_snapshot_id
    while current is not None and (snapshot := snapshots.get(current)) is not None:
        summary = snapshot.summary
        if summary is not None and summary.get(SINK) == sink:
            return Progress(
                sink,
                int(summary[FRONTIER] or 0),
                summary[WRITER] or "",
                int(summary[TERM] or 0),
                int(summary[GENERATION] or 0),
            )
        current = snapshot.parent_snapshot_id
    return None
