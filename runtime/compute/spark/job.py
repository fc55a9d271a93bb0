"""A job: one large step of a plan, and what its tasks are told and tell.

A job answers for one time.  What becomes of its output is said by whoever wants it: a view's contents are written as
parts (`output_shard`), an index's as runs (`index_key`), a query's as files of rows (`answer_bytes`).  The state of the
operators is left as run files, except by a query, which nobody will continue.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...expr.relation import GlobalId
from ...persist.part import PartRef, ShardId
from ...repr.schema import Schema
from ..plan import DataflowPlan

HOT_ROWS = 250_000
"""A key of a join with at least so many rows on one side is split among tasks, if that is much for one of them."""


@dataclass(frozen=True, slots=True)
class Job:
    """Everything that all tasks need to know.

    `directory` receives state and answers.  `rows` is the size of all imports; `answer_bytes` bounds what one task may
    answer; `combine` is False only to measure what combining saves.
    """

    plan: DataflowPlan
    as_of: int
    schemas: dict[GlobalId, Schema]
    blobs: str
    directory: str
    writer: str
    partitions: int
    rows: int
    output_shard: ShardId | None = None
    index_key: tuple[int, ...] | None = None
    answer_bytes: int | None = None
    hot_rows: int = HOT_ROWS
    combine: bool = True

    @property
    def keeps_state(self) -> bool:
        return self.answer_bytes is None


@dataclass(frozen=True, slots=True)
class WorkItem:
    """Rows `[rows * piece // pieces, rows * (piece + 1) // pieces)` of one part of an import, for one task."""

    id: GlobalId
    part: PartRef
    piece: int
    pieces: int


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a task as soon as it has ended, while its output waits to be read.

    Per port: `sent` counts rows, `heavy` those of hashes that many of them have (estimates); `uncut` are ports on which
    a top k could not be cut short.
    """

    rows_read: int = 0
    rows_out: int = 0
    sent: dict[int, int] = field(default_factory=dict)
    heavy: dict[int, dict[int, int]] = field(default_factory=dict)
    uncut: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Answer:
    """A file with rows of a query's answer; `nbytes` as Arrow, `path` is empty when that is more than was allowed.
    `retracts`: some of the rows have a negative multiplicity."""

    path: str
    nbytes: int
    retracts: bool


@dataclass(frozen=True, slots=True)
class Report:
    """What one task leaves behind.  `state` is (node, spine name, path), `errors` those of the output (IPC), `index` a
    path; `bytes_sent` counts the payloads that it made for other levels, `seconds` the time of its operators."""

    level: int
    partition: int
    parts: tuple[PartRef, ...] = ()
    state: tuple[tuple[int, str, str], ...] = ()
    errors: bytes | None = None
    index: str | None = None
    answer: Answer | None = None
    rows_read: int = 0
    rows_in: int = 0
    bytes_sent: int = 0
