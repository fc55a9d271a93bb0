"""A job: one large step of a plan, and the messages to and from its tasks.

A hydration and a query answer for one time.  A step (`Step`) takes a dataflow's state from its frontier on: its tasks
leave what they add to that state, and the output's updates, at their times.  A compaction (`merge_upper`) takes the
batches of a shard, and writes the same updates, with their times advanced and added up.

The caller chooses what becomes of its output: a view's contents are written as
parts (`output_shard`), an index's as runs (`index_key`), a query's as files of rows (`answer_bytes`).  The state of the
operators is left as run files, except by a query, which is not continued.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...expr.tree.relation import GlobalId
from ...persist.part import PartRef, ShardId
from ...repr.schema import Schema
from ..plan import DataflowPlan
from ..run import StoredRun
from ..run_store import StateId
from ..shared_files import SharedRoot

HOT_ROWS = 250_000
"""A key of a join with at least so many rows on one side is split among tasks, if that is much for one of them."""

SMALL_BYTES = 1 << 20
"""A level that takes in so much, and reads nothing, is tried by the driver: to have Spark run it takes longer than it mostly does."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Updates of one import, on file in any order: `rows` of rows and `errors` of errors; no file where there are none."""

    id: GlobalId
    oks: StoredRun | None
    errs: StoredRun | None
    rows: int
    errors: int


@dataclass(frozen=True, slots=True)
class Step:
    """The step `[lower, upper)` of a dataflow whose whole state at `lower` is `base`, on file.

    `shared` has by node what it reads of others: arrangements of indexes, complete below `upper` at least, whose updates
    at times from `upper` on are none of its business, and whose columns may be more than the node's.
    """

    lower: int
    upper: int
    changes: tuple[Changes, ...]
    base: Mapping[StateId, tuple[StoredRun, ...]]
    shared: Mapping[int, tuple[StoredRun, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Job:
    """Everything that all tasks need to know.

    `schemas` are those of the stored imports; of those in `columns` the plan reads these columns only.  `copies` are
    the spines that hold what was sent everywhere, by node (`broadcast`).  `blobs` is their URL;
    `directory`, a name among `files`, receives state and answers.  `rows` is the size of all imports; `answer_bytes`
    bounds what one task may answer; `combine` is False only to measure what combining saves.  Of a `step`, `as_of` is
    its `lower`, and the rows of the output are left as an index's are.  Of a compaction, `as_of` is the time below which times are advanced, all
    are below `merge_upper`, and errors travel and are written as rows are.  The tasks run as long as the file `permit` is
    there (`permit`), and large payloads between them are in the folder of the name `payloads` (`payload_file`).
    """

    plan: DataflowPlan
    as_of: int
    schemas: dict[GlobalId, Schema]
    blobs: str
    directory: str
    writer: str
    partitions: int
    rows: int
    columns: Mapping[GlobalId, tuple[int, ...]] = field(default_factory=dict)
    copies: Mapping[int, frozenset[str]] = field(default_factory=dict)
    output_shard: ShardId | None = None
    index_key: tuple[int, ...] | None = None
    answer_bytes: int | None = None
    hot_rows: int = HOT_ROWS
    small_bytes: int = SMALL_BYTES
    combine: bool = True
    step: Step | None = None
    merge_upper: int | None = None
    permit: str | None = None
    payloads: str | None = None
    files: SharedRoot = field(default_factory=SharedRoot)

    @property
    def upper(self) -> int:
        """The job answers for the times from `as_of` up to here."""
        if self.merge_upper is not None:
            return self.merge_upper
        return self.as_of + 1 if self.step is None else self.step.upper

    @property
    def merges(self) -> bool:
        """Whether this is a compaction."""
        return self.merge_upper is not None

    @property
    def keeps_state(self) -> bool:
        return self.answer_bytes is None and not self.merges


@dataclass(frozen=True, slots=True)
class WorkItem:
    """Rows `[rows * piece // pieces, rows * (piece + 1) // pieces)` of one part of an import, for one task."""

    id: GlobalId
    part: PartRef
    piece: int
    pieces: int


@dataclass(frozen=True, slots=True)
class StepItem:
    """Updates `[start, stop)` of those in one file of an import of a step, for one task."""

    id: GlobalId
    file: StoredRun
    start: int
    stop: int
    errors: bool


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a task as soon as it has ended, while its output waits to be read.

    Per port: `sent` counts rows, `heavy` those of hashes that many of them have (estimates); `uncut` are ports on which
    what is sent could not be cut short (`can_be_cut`).
    """

    rows_read: int = 0
    rows_out: int = 0
    sent: dict[int, int] = field(default_factory=dict)
    heavy: dict[int, dict[int, int]] = field(default_factory=dict)
    uncut: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Answer:
    """A file with rows of a query's answer; `nbytes` as Arrow, `name` is empty when that is more than was allowed.
    `retracts`: some of the rows have a negative multiplicity."""

    name: str
    nbytes: int
    retracts: bool


@dataclass(frozen=True, slots=True)
class Report:
    """What one task leaves behind, files by name.  `state` is (node, spine name, file), `errors` those of the output (IPC),
    `index` a file; `bytes_sent` counts the payloads that it made for other levels, `seconds` the time of its operators."""

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
