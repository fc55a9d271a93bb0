"""What a sink's target is: it takes consolidated changes, interval after interval, each exactly once.

```
open ── upper ── write [upper, ...) ── write ... ── close
```

What a target has is known to itself alone: `open` asks it, so that after any crash the next interval begins where the last one
that is durable there ended.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ...errors import PtvcError, StorageError
from ...repr.batch import Batch


class SinkStalled(PtvcError):
    """A sink cannot go on until its user has acted.  Nothing is lost: it resumes where it stands."""

    sqlstate = "58030"


class IntervalRefused(PtvcError):
    """The rows of an interval cannot be written as they are.  A sink that `writes_net` may take them with what comes behind them, in which
    they may have gone again."""


class RowsNotAsLeft(SinkStalled, IntervalRefused):
    """The target's rows are not those that an interval changes."""


class SinkFenced(PtvcError):
    """Another process writes as this sink since: this one has ended, and may not begin again by itself."""

    sqlstate = "55006"


class Unwritable(IntervalRefused):
    """A row that the sink's options have no message for; the past does not change, so that the sink stays where it is."""

    sqlstate = "22004"


@dataclass(frozen=True, slots=True)
class SinkStatistics:
    """Totals since the sink was opened: messages and their bytes that were handed over, and that are durable; files."""

    messages_staged: int = 0
    messages_committed: int = 0
    bytes_staged: int = 0
    bytes_committed: int = 0
    files: int = 0


def nothing() -> None:
    """Is done between two pieces."""


class SinkTarget(Protocol):
    statistics: SinkStatistics

    @property
    def writes_net(self) -> bool:
        """Whether of an interval what it makes of the contents is written alone: rows that come and go within it are not seen."""

    @property
    def written_generation(self) -> int:
        """How often what the sink reads had been exchanged when `durable_upper` was written."""

    @property
    def upper(self) -> int:
        """Everything below was handed over."""

    @property
    def durable_upper(self) -> int:
        """Everything below is what a crash would leave."""

    def open(self) -> int:
        """Takes the target and returns `upper`, 0 if nothing was written yet.  Raises PtvcError; then it may be called again."""

    def check_follows(self, acknowledged: int) -> None:
        """StorageError where the target has less than what it has said to be durable once: all below `acknowledged`."""

    def write(
        self,
        changes: Batch,
        lower: int,
        upper: int,
        switched_at: int = 0,
        between: Callable[[], None] = nothing,
    ) -> None:
        """Makes the changes of [lower, upper) durable.  `lower` must be `self.upper`.

        Raises PtvcError; then the call may be repeated, but for SinkFenced.  From `switched_at` on the changes are those of the
        present generation, and all of them in the columns of the exchange.  `between` is called between pieces of what is written, and may
        raise what ends it.
        """

    def close(self) -> None:
        """Lets go of the target."""


def fenced(place: str) -> SinkFenced:
    """Of who finds in the progress that the `place` is another one's."""
    return SinkFenced(
        f"another process writes to {place} as this sink",
        hint="It may be a copy of this runtime, or one that has taken its place: stop one of them.",
    )


def refuse_ahead(written: int, acknowledged: int, restored: int) -> None:
    """Raises StorageError where a target was written beyond the backup that the environment was restored from (all below `restored`), and not by
    this environment, as which all below `acknowledged` was: what is in between there may not be here."""
    if acknowledged <= restored < written:
        raise StorageError(
            f"the target was written up to {written}, and the backup that was restored ends at {restored}: what lies between is not "
            "here. DROP SINK, and create it again into an empty target"
        )


def refuse_lost(place: str, durable: int, acknowledged: int, as_of: int, hint: str) -> None:
    """Raises StorageError where the `place` of a sink's progress has only what lies before `durable`, and more was acknowledged; a sink
    that has not begun, as of its first contents, has lost nothing."""
    if (durable > 0 or acknowledged > as_of + 1) and durable < acknowledged:
        raise StorageError(
            f"{place} has no progress of the sink beyond {durable}, and all below {acknowledged} was acknowledged",
            hint=hint,
        )
