"""A relation that a stream follows, open in the process that plans the query's batches; and the hold that follows the query.

The hold is leased and stands at the offset that the query has committed, so what comes after it stays readable, whatever is
merged.  A thread sends its heartbeats while the query runs.  It is not dropped when the query stops: one that is started again from
the checkpoint within the length of the lease finds everything there.  Later it is taken anew, if the history is there still.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from ..errors import InvalidParameter, ObjectNotReady, PtvcError, UndefinedObject, UndefinedTable
from ..persist.client import PartRef, PersistClient, ShardState
from .columns import changes_schema
from .division import Piece, by_part, divide
from .offset import Offset
from .options import LATEST, SNAPSHOT, Options
from .reading import Interval, first_error
from .relation import PersistedRelation, opened

_BEATS = 4
"""Heartbeats in the length of a lease."""

_ATTEMPTS = 10


@dataclass(frozen=True, slots=True)
class Planned:
    """What tasks read of a batch: pieces of the `contents` at its begin, and of the changes."""

    contents: tuple[Piece, ...]
    at: Interval
    changes: tuple[Piece, ...]
    between: Interval


class Following:
    """`close` leaves the hold."""

    def __init__(self, options: Options, fields: object, lease_ms: int) -> None:
        """InvalidParameter unless `fields`, Spark's schema, is of the relation's columns."""
        self._options = options
        self._lease_ms = lease_ms
        self._stack = ExitStack()
        self.relation: PersistedRelation = self._stack.enter_context(opened(options))
        self._name = f"{options.schema}.{options.name}"
        self._kept: Offset | None = None
        self._begun: str | None = None
        self._checked = -1
        self._lost = threading.Event()
        self._ended = threading.Event()
        self._beating: threading.Thread | None = None
        if fields != changes_schema(self.relation.schema):
            self.close()
            raise InvalidParameter(
                "the columns are not those of the relation",
                hint="Load it without a schema, and select from what there is; start the query again after ALTER TABLE.",
            )

    def close(self) -> None:
        self._ended.set()
        if self._beating is not None:
            self._beating.join()
        self._stack.close()

    @property
    def _persist(self) -> PersistClient:
        return self.relation.persist

    def state(self) -> ShardState:
        """The shard now.  UndefinedTable if it was dropped; ObjectNotReady if a column that is told was."""
        try:
            state = self._persist.state(self.relation.shard)
        except UndefinedObject:
            raise UndefinedTable(
                f'relation "{self._name}" was dropped',
                hint="A relation that is created anew is followed with a new checkpoint.",
            ) from None
        for place, column in zip(self.relation.layout, self.relation.schema, strict=True):
            if state.schema[place].dropped:
                raise ObjectNotReady(
                    f'column "{column.name}" of "{self._name}" was dropped', hint="Start the query again."
                )
        return state

    def begin(self) -> Offset:
        """Where a new query begins, by the option `starting`; what comes after it stays readable from now on.

        ObjectNotReady if the history does not go back so far, or nothing is there yet.
        """
        starting = self._options.starting
        holder = f"spark-stream-{secrets.token_hex(8)}"
        for attempt in range(_ATTEMPTS):
            state = self.state()
            written = state.upper > state.since
            if not (written or self.relation.is_table or isinstance(starting, int)):
                raise ObjectNotReady(
                    f'"{self._name}" holds nothing yet', hint="Wait until it has been hydrated."
                )
            begin, snapshot = state.upper, False
            if isinstance(starting, int):
                begin = starting
            elif starting == SNAPSHOT and written:
                begin, snapshot = state.upper - 1, True
            else:
                assert starting in (LATEST, SNAPSHOT), "parse_options has seen to it"
            offset = Offset(state.id, holder, begin, snapshot, begin)
            try:
                self.keep(offset)
            except ObjectNotReady:
                if isinstance(starting, int) or attempt == _ATTEMPTS - 1:
                    raise
            else:
                break
        if not isinstance(starting, int) and written:
            error = self.error_at(state.upper - 1)
            if error is not None:
                self._persist.drop_hold(offset.shard, holder)
                raise error
        self._begun = holder
        return offset

    def keep(self, offset: Offset) -> None:
        """What comes after `offset` stays readable from now on.

        ObjectNotReady, which names from when on history is there, if it does not go back so far.
        """
        if offset.shard != self.relation.shard:
            raise ObjectNotReady(
                f'relation "{self._name}" is another one than the query has followed so far',
                hint="It was dropped and created anew, or swapped: follow it with a new checkpoint.",
            )
        kept = self._kept
        known = kept is not None and kept.holder == offset.holder and kept.since <= offset.since
        if known and not self._lost.is_set():
            return
        self._lost.clear()
        found = True
        try:
            # The hold of an earlier process stands where the query had committed, perhaps before `offset`: it is left there.
            self._persist.heartbeat(offset.holder)
        except ObjectNotReady:
            found = False
            self._hold(offset)
        state = self.state()
        if not self._is_listenable(offset, state):
            if not found:
                self._persist.drop_hold(offset.shard, offset.holder)
            raise ObjectNotReady(
                f'the changes of "{self._name}" after {offset.since} are not there any more: '
                f"its history begins at {state.since}",
                hint="Follow it with a new checkpoint. RETAIN HISTORY keeps more, for queries that begin in the past or "
                "stand still for longer than their lease.",
            )
        self._kept = offset
        if self._begun is not None and self._begun != offset.holder:
            # Spark has asked for a begin, and goes on from another one.
            self._persist.drop_hold(offset.shard, self._begun)
            self._begun = None
        self._beat()

    def advance(self, offset: Offset) -> None:
        """The query is done with all before `offset`: the hold follows."""
        self.keep(offset)
        self._hold(offset)
        self._kept = offset

    def forget(self, offset: Offset) -> None:
        """What comes after `offset` need not be kept any more."""
        self._persist.drop_hold(offset.shard, offset.holder)

    def _hold(self, offset: Offset) -> None:
        at = max(offset.since, self.state().since)
        self._persist.set_hold(offset.shard, offset.holder, at, critical=False, lease_ms=self._lease_ms)

    def _is_listenable(self, offset: Offset, state: ShardState) -> bool:
        if offset.contents_first and offset.since < state.since:
            return False
        try:
            if offset.since + 1 < state.upper:
                self._persist.updates(offset.shard, offset.since + 1, state.upper)
        except ObjectNotReady:
            return False
        return True

    def latest(self, start: Offset, max_bytes: int | None, target: int | None = None) -> Offset:
        """The end of a batch that begins at `start`, of about `max_bytes` in memory, and not beyond `target`; `start` if
        nothing has happened.

        Raises an error of the collection that is live at the newest time.  No batch ends while one is.
        """
        self.keep(start)
        state = self.state()
        newest = state.upper if target is None else min(state.upper, target)
        if newest <= start.upper and not start.contents_first:
            return start
        end = self._end(start, newest, max_bytes)
        if end == start.upper and newest == self._checked:
            return start
        error = self.error_at(end - 1 if end > start.upper else newest - 1)
        if error is not None and end < newest:
            end, error = newest, self.error_at(newest - 1)
        if error is not None:
            raise error
        self._checked = newest
        return start.at(end)

    def _end(self, start: Offset, newest: int, max_bytes: int | None) -> int:
        """After the last update that is told; `start.upper` if there is none."""
        size, lower = 0, start.upper
        if start.contents_first:
            contents = self._persist.snapshot(start.shard, start.begin)
            size, lower = _size(contents.parts), start.begin + 1
        parts = self._persist.updates(start.shard, lower, newest)
        if not parts:
            return lower
        if max_bytes is None or size + _size(parts) <= max_bytes:
            return newest
        return _cut(parts, lower, newest, max_bytes - size)

    def error_at(self, time: int) -> PtvcError | None:
        """An error that the collection has at that time."""
        snapshot = self._persist.snapshot(self.relation.shard, time)
        return first_error(self._persist.blob, snapshot.parts, Interval.snapshot(snapshot.schema, time))

    def plan(self, start: Offset, end: Offset) -> Planned:
        """What is told between two offsets, the same whenever it is asked for."""
        if start.holder != end.holder:
            # The query has failed in its first batch, and Spark has asked for another begin.
            start = end.at(end.begin)
        self.keep(start)
        schema = self.state().schema
        contents: Sequence[PartRef] = ()
        lower = start.upper
        if start.contents_first:
            contents = self._persist.snapshot(start.shard, start.begin).parts
            lower += 1
        parts = self._persist.updates(start.shard, lower, end.upper) if lower < end.upper else ()
        size = self._options.partition_bytes
        return Planned(
            tuple(divide([part for part in contents if part.rows], schema, size)),
            Interval.snapshot(schema, start.begin),
            tuple(by_part([part for part in parts if part.rows], size)),
            Interval(schema, lower, end.upper, lower),
        )

    def _beat(self) -> None:
        if self._beating is None:
            self._beating = threading.Thread(target=self._beats, daemon=True)
            self._beating.start()

    def _beats(self) -> None:
        while not self._ended.wait(self._lease_ms / 1000 / _BEATS):
            try:
                if self._kept is not None:
                    self._persist.heartbeat(self._kept.holder)
            except PtvcError:
                self._lost.set()  # the next batch takes it anew, or says that it cannot


def _cut(parts: Sequence[PartRef], lower: int, upper: int, max_bytes: int) -> int:
    """The last time, after `lower`, before which there are at most about `max_bytes` of the parts' updates; at least that
    after the first of them, or the stream would stand still.

    A part that was merged has updates of many times: they are taken to be spread evenly.
    """
    sizes = np.array([part.decoded_nbytes for part in parts], np.float64)
    firsts = np.array([max(part.first_time, lower) for part in parts], np.float64)
    spans = np.array([part.max_time + 1 for part in parts], np.float64) - firsts

    def before(time: int) -> float:
        return float((sizes * np.clip((time - firsts) / spans, 0, 1)).sum())

    low, high = int(firsts.min()) + 1, upper
    while low < high:
        middle = (low + high + 1) // 2
        if before(middle) <= max_bytes:
            low = middle
        else:
            high = middle - 1
    return low


def _size(parts: Sequence[PartRef]) -> int:
    return sum(part.decoded_nbytes for part in parts)
