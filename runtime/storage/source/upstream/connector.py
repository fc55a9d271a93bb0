"""The connector of sources over tables of a database: the contents of tables first, then transactions, each whole.

```
no position ── a snapshot at S ── pieces ──┐
position ── the log ── transactions ───────┴── Polled
         └─ a table that is new: a snapshot at S ── transactions up to S ── pieces ── transactions ...
```

An update comes `poll` > `_transactions` > `Transactions.whole` > `changes` > `_polled`; contents come `poll` > `_piece` > `rows` > `_polled`.
A kind of database says how its snapshots and its log are read, and what their parts and events say of tables; all else is here.  A table that
upstream has become another one (altered, emptied, dropped) has an error from then on, and the others go on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, Generic, TypeVar

from ....errors import PtvcError
from ....repr.schema import Schema
from ...changes import no_changes
from ...ingestion import PROGRESS, Output, OutputChanges, Outputs, Pending, Polled
from ...statistics import OutputId
from .ended import an_error, joined
from .position import UpstreamPosition, progress_changes
from .snapshot import Part, Piece, Snapshot, StillWaiting
from .tables import TableThere
from .transactions import Transactions

WAIT_S = 0.1
"""How long an event is waited for."""
RETRY_S = 1.0
"""After something went wrong."""
IDLE_S = 10.0
"""Where nothing changes in the tables the position moves so often, so that the server needs to keep no more of its log than that."""
MOST_PENDING = 4
"""A transaction of more than so many times what is asked for is handed out in pieces."""

P = TypeVar("P", bound=UpstreamPosition)
L = TypeVar("L")
T = TypeVar("T", bound=TableThere[Any])


@dataclass(frozen=True, slots=True)
class Table(Generic[T]):
    """A table that the source makes, and what that is upstream."""

    output: Output
    upstream: T


Ended = tuple[Sequence[OutputChanges], str | None]
"""Changes of a table, up to what ends it, if something does."""


class UpstreamConnector(ABC, Generic[P, L, T]):
    """It waits for events itself."""

    def __init__(self, progress: Schema) -> None:
        """`progress` is the schema of the position as a row."""
        self._progress = progress
        self._log: Transactions[P, L] | None = None
        self._snapshot: Snapshot[L] | None = None
        self._copies = False
        """Whether pieces of the snapshot were handed out."""
        self._expected: Mapping[str, Any] | None = None
        """The position that is to come next: another one means that what was handed out was given up."""
        self._failure: tuple[PtvcError, float] | None = None
        self._moved = 0.0
        self._tables: dict[OutputId, Table[T]] = {}

    # -- what is another one for each kind of database --

    @abstractmethod
    def table(self, text: str) -> T:
        """As its `to_json` wrote it."""

    @abstractmethod
    def position(self, value: Mapping[str, Any]) -> P:
        """As its `to_json` wrote it."""

    @abstractmethod
    def failures(self) -> AbstractContextManager[None]:
        """What the server says stalls the source."""

    @abstractmethod
    def first_snapshot(self, tables: Mapping[OutputId, T]) -> Snapshot[L]:
        """Of all tables; from there on the server keeps its log.  Raises what keeps a source from reading it."""

    @abstractmethod
    def added_snapshot(self, tables: Mapping[OutputId, T]) -> Snapshot[L]:
        """Of tables that came to the others."""

    @abstractmethod
    def begins_at(self, snapshot: Snapshot[L]) -> P:
        """The position of the first one, which is ready."""

    @abstractmethod
    def log_behind(self, at: P) -> tuple[Transactions[P, L], P]:
        """What comes behind the position, which is said as the server says it now.  Raises SourceStalled where that is not there any more."""

    @abstractmethod
    def rows(self, part: Part, table: Table[T]) -> OutputChanges:
        """Of its contents."""

    @abstractmethod
    def changes(
        self, events: Sequence[bytes], tables: Mapping[OutputId, Table[T]]
    ) -> Mapping[OutputId, Ended]:
        """What the events say of the tables, and what has become of those."""

    def reached(self) -> int | None:
        """How far the server's log goes, as a number, where it has one; a position shows the same."""
        return None

    def failed(self, at: P) -> None:
        """What comes behind the position could not be read: connections are not used any more."""

    # -- the frame --

    def close(self) -> None:
        self.reset()

    def reset(self) -> None:
        """What comes next is read anew."""
        if self._log is not None:
            self._log.close()
        if self._snapshot is not None:
            self._snapshot.close()
        self._log = self._snapshot = None
        self._copies = False

    def poll(
        self, position: Mapping[str, Any] | None, outputs: Outputs, max_bytes: int
    ) -> Polled | Pending | None:
        if self._failure is not None:
            error, until = self._failure
            if monotonic() < until:
                raise error
            self._failure = None
        if position != self._expected:
            self.reset()
            self._expected = position
        try:
            with self.failures():
                polled = self._poll(position, outputs, max_bytes)
        except StillWaiting:
            raise
        except PtvcError as error:
            if position is not None:
                self.failed(self.position(position))
            self.close()
            self._failure = error, monotonic() + RETRY_S
            raise
        if isinstance(polled, Polled):
            self._expected = polled.position
        return polled

    def _poll(
        self, position: Mapping[str, Any] | None, outputs: Outputs, max_bytes: int
    ) -> Polled | Pending | None:
        self._take(outputs)
        if position is None:
            return self._begin(outputs, max_bytes) if self._tables else None
        at = self.position(position)
        if self._snapshot is not None and self._copies and at.piece:
            return self._piece(self._snapshot, at, outputs, max_bytes)
        if self._log is None:
            if at.piece:
                raise AssertionError("what was staged is not durable")
            self._log, at = self.log_behind(at)
        if not at.piece:
            new = {id_: table.upstream for id_, table in self._tables.items() if id_ not in at.outputs}
            if new and self._snapshot is None:
                self._snapshot = self.added_snapshot(new)
            self._log.acknowledge(at)
        return self._transactions(self._log, at, outputs, max_bytes)

    def _take(self, outputs: Outputs) -> None:
        known = self._tables
        self._tables = {
            id_: known[id_] if id_ in known else Table(output, self.table(output.upstream))
            for id_, output in outputs.items()
            if output.reference != PROGRESS
        }

    # -- contents --

    def _begin(self, outputs: Outputs, max_bytes: int) -> Polled | Pending:
        if self._snapshot is None:
            self._snapshot = self.first_snapshot({i: table.upstream for i, table in self._tables.items()})
        if not self._snapshot.ready(WAIT_S):
            self._snapshot.check_waiting()
            return Pending.PENDING
        return self._piece(self._snapshot, self.begins_at(self._snapshot), outputs, max_bytes)

    def _piece(self, snapshot: Snapshot[L], at: P, outputs: Outputs, max_bytes: int) -> Polled | Pending:
        """The next one; with the first, tables that are not what they were have an error instead of contents."""
        ended = {} if self._copies else snapshot.ended()
        piece = snapshot.piece(max_bytes)
        if piece is None:
            return Pending.PENDING
        self._copies = True
        contents = {id_: _ended(self._tables[id_].output, (), error) for id_, error in ended.items()}
        if piece.part is not None and piece.part.table in self._tables:
            contents[piece.part.table] = self.rows(piece.part, self._tables[piece.part.table])
        errors = {**at.outputs, **ended}
        if piece.more:
            now = at.with_outputs(errors).next_piece()
        else:
            self._snapshot, self._copies = None, False
            errors = {**dict.fromkeys(piece.staged), **errors}
            now = at.with_outputs({i: e for i, e in errors.items() if i in self._tables}).whole()
        nbytes = 0 if piece.part is None else piece.part.nbytes
        return self._polled(at, now, outputs, contents, nbytes, at_end=True, piece=piece)

    # -- transactions --

    def _transactions(
        self, log: Transactions[P, L], at: P, outputs: Outputs, max_bytes: int
    ) -> Polled | Pending | None:
        snapshot = self._snapshot
        ready = snapshot is not None and snapshot.ready()
        held = log.nbytes
        more = log.read(max_bytes if held <= MOST_PENDING * max_bytes else 0, WAIT_S if log.is_empty else 0.0)
        taken = log.whole(at, None if snapshot is None else snapshot.place)
        if not taken.ends and not taken.is_there and held > MOST_PENDING * max_bytes:
            return self._part(log, at, outputs)
        if not taken.ends and at.piece:
            return Pending.PENDING  # the rest of a transaction
        log.take(taken)
        contents, errors = self._contents(taken.events, at)
        now = taken.position.with_outputs(errors)
        if ready and taken.is_there and not contents and not at.piece:
            assert snapshot is not None
            return self._piece(snapshot, now, outputs, max_bytes)
        idle = not contents and not at.piece and errors == at.outputs
        if idle and (now.shown == at.shown or monotonic() - self._moved < IDLE_S):
            return self._idle(log)
        nbytes = sum(map(len, taken.events))
        return self._polled(at, now, outputs, contents, nbytes, at_end=log.is_empty and not more)

    def _idle(self, log: Transactions[P, L]) -> Pending | None:
        if self._snapshot is None:
            return None if log.is_empty else Pending.PENDING
        self._snapshot.check_waiting()
        return Pending.PENDING

    def _part(self, log: Transactions[P, L], at: P, outputs: Outputs) -> Polled:
        """Of a transaction whose end has not come yet, what there is of it."""
        events = log.part()
        contents, errors = self._contents(events, at)
        now = at.with_outputs(errors).next_piece()
        return self._polled(at, now, outputs, contents, sum(map(len, events)), at_end=False)

    def _contents(
        self, events: Sequence[bytes], at: P
    ) -> tuple[dict[OutputId, OutputChanges], dict[OutputId, str | None]]:
        errors = {id_: error for id_, error in at.outputs.items() if id_ in self._tables}
        reads = {id_: table for id_, table in self._tables.items() if errors.get(id_, "") is None}
        contents: dict[OutputId, OutputChanges] = {}
        for id_, (changes, error) in self.changes(events, reads).items():
            output = reads[id_].output
            if error is not None:
                errors[id_] = error
                contents[id_] = _ended(output, changes, error)
            elif changes:
                contents[id_] = joined(output, changes)
        return contents, errors

    def _polled(
        self,
        before: P,
        now: P,
        outputs: Outputs,
        contents: Mapping[OutputId, Any],
        nbytes: int,
        *,
        at_end: bool,
        piece: Piece | None = None,
    ) -> Polled:
        complete = now.piece == 0
        progress: dict[OutputId, Any] = {}
        if complete:
            self._moved = monotonic()
            exposed = [id_ for id_, output in outputs.items() if output.reference == PROGRESS]
            for id_ in exposed:
                progress[id_] = progress_changes(self._progress, before.progress.get(id_), now.shown)
            now = replace(now, progress=dict.fromkeys(exposed, now.shown))
        reached = self.reached()
        known = None if reached is None else max(reached, now.shown)
        return Polled(
            {**contents, **progress},
            now.to_json(),
            at_end=complete and at_end,
            lag_bytes=None if known is None else known - now.shown,
            nbytes=nbytes,
            complete=complete,
            snapshot={} if piece is None else piece.known,
            snapshot_staged={} if piece is None else piece.staged,
            offset_known=known,
            offset_committed=None if known is None else now.shown,
        )


def _ended(output: Output, changes: Sequence[OutputChanges], error: str) -> OutputChanges:
    return joined(output, [*changes, OutputChanges(no_changes(output.schema), an_error(error))])
