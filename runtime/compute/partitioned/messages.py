"""What the workers of a divided dataflow tell each other.  Worker 0 leads: it alone begins and gives up steps.

```
leader ── Install, Begin, Abort, Ask, Forget ──> members          worker ── Rows ──> every other worker, once per level
leader <── Done, Failed, Aborted, Told ───────── members
leader ── Keep, Press, Save, Sweep ────────────> members
leader <── Kept, and by a way of its own Saved ─ members
leader ── ReadIndex, Release ──────────────────> members
leader <── IndexRows ─────────────────────────── members
```

Between two workers messages stay in order.  From different workers they may come in any: rows of a step may be there before the
leader has said that it begins.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import PtvcError
from ...persist.part import PartRef, ShardId
from ..checkpoint import StoredState
from ..dataflow import OperatorStatistics
from ..run import RunFile
from .part_state import Beginning
from .passing import Piece
from .placement import Division
from .row_format import Crossing
from .stored import Share
from .totals import PartStatistics, WorkerStatistics


@dataclass(frozen=True, slots=True)
class Install:
    """Have a part of a new dataflow; `arranged` is as in `Dataflow`."""

    dataflow: int
    division: Division
    as_of: int
    arranged: bool


@dataclass(frozen=True, slots=True)
class Forget:
    """Let go of the dataflow."""

    dataflow: int


@dataclass(frozen=True, slots=True)
class Writing:
    """Rows of the output that are not before `since` are appended to the shard; `passing` as in `write_parts`.  Of no more than `few` rows a
    worker makes no part of its own: the leader writes them with others'."""

    shard: ShardId
    since: int
    passing: bool
    few: int


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be done in a step, beside what each worker takes in: `writing` (None: rows of the output are the leader's), and whether
    rows of the output are brought together for it (`gather`).  An index is read from `since` on."""

    lower: int
    upper: int
    writing: Writing | None = None
    gather: bool = False
    since: int = 0


@dataclass(frozen=True, slots=True)
class Begin:
    """Make step number `step`, of one dataflow, over this share of the inputs: `rows` of imports, and what is `stored`, by the position of
    the import (None: nobody reads); the process may have `most` bytes meanwhile.

    Nobody but the leader has had anything to do before `level`, and from there this member has `arrived`; of those who have anything to do
    in that level, the `active`, each says at its end what goes where, and then all do."""

    step: int
    dataflow: int
    work: Work
    rows: dict[int, Crossing]
    stored: tuple[tuple[int, Share], ...] | None
    level: int
    arrived: tuple[Piece, ...]
    active: tuple[int, ...]
    most: int | None


@dataclass(frozen=True, slots=True)
class Rows:
    """All that goes from one worker to another at the end of a level, be it nothing."""

    step: int
    level: int
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """The member's part of the step is over: the rows (None: none) and the errors that have come out there, or the rows as the `parts` that
    it has written; when its part is due next, and the bytes that it holds."""

    step: int
    rows: Crossing | None
    errors: Crossing | None
    parts: tuple[PartRef, ...]
    next_due: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The member cannot make the step, and has let go of the dataflow."""

    step: int
    error: PtvcError


@dataclass(frozen=True, slots=True)
class Abort:
    """Nobody wants the step any more: let go of its dataflow."""

    step: int
    dataflow: int


@dataclass(frozen=True, slots=True)
class Aborted:
    """The member does nothing for the step any more, and never will."""

    step: int


@dataclass(frozen=True, slots=True)
class Ask:
    """What the member's operators of the dataflow have done and hold; with None, only what its process has."""

    dataflow: int | None


@dataclass(frozen=True, slots=True)
class Told:
    """An answer to `Ask`; `part` is of all operators together.  `at_rest`: without another step it holds what it holds now."""

    worker: WorkerStatistics
    operators: tuple[OperatorStatistics, ...] = ()
    part: PartStatistics | None = None
    at_rest: bool = True


@dataclass(frozen=True, slots=True)
class Keep:
    """Have the member's part of the dataflow in this folder: what it begins with, if that is not nothing, and runs of `spill_rows` rows
    from now on."""

    dataflow: int
    directory: str
    spill_rows: int
    beginning: Beginning | None


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer to `Keep` and `Press`: when the part is due next, and the bytes that it holds in memory; or why it cannot begin so.
    `moving`: some of them are on their way to files."""

    dataflow: int
    next_due: int
    nbytes: int
    error: PtvcError | None = None
    moving: bool = False


@dataclass(frozen=True, slots=True)
class Press:
    """Memory is short: move to files what of the part's state is in memory."""

    dataflow: int


@dataclass(frozen=True, slots=True)
class Save:
    """Have what the part holds now on file."""

    dataflow: int
    number: int
    pack: bool


@dataclass(frozen=True, slots=True)
class Saved:
    """An answer to `Save`, however long it takes: where it is, or why it could not be written."""

    dataflow: int
    number: int
    state: StoredState
    error: PtvcError | None = None


@dataclass(frozen=True, slots=True)
class Sweep:
    """There is a checkpoint with this state of the part's: other files of the part's go, unless they are needed."""

    dataflow: int
    kept: StoredState


@dataclass(frozen=True, slots=True)
class ReadIndex:
    """What does the member hold of the dataflow's index: in all, or of rows with these keys (`to_record`)?"""

    dataflow: int
    keys: bytes | None


@dataclass(frozen=True, slots=True)
class IndexRows:
    """An answer to `ReadIndex`: updates at whatever times, as they cross and in mapped files, of so many rows,
    each of which exists until the leader releases its number."""

    rows: tuple[Crossing, ...]
    files: tuple[tuple[int, RunFile], ...] = ()
    file_rows: int = 0


@dataclass(frozen=True, slots=True)
class Release:
    """Nobody reads these files of `IndexRows` any more."""

    numbers: tuple[int, ...]


ToMember = Install | Forget | Begin | Rows | Abort | Ask | Keep | Press | Save | Sweep | ReadIndex | Release
ToLeader = Rows | Done | Failed | Aborted | Told | Kept | IndexRows
Message = ToMember | ToLeader
