"""A generator as a connector: the contents first, then what each tick changes.

A tick is a transaction upstream.  The position is `{"start_ms": when it began, "tick": how many have happened, "outputs":
[those whose contents are as of that tick]}`.  Beyond that the clock says how many are due, so a source that was down
catches up.  Contents come in pieces, of one transaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from ....clock import Clock
from ....repr.schema import Column, Schema
from ....repr.types import UINT8
from ...changes import Changes
from ...ingestion import PROGRESS, Outputs, Polled
from .options import GeneratorOptions

Rows = Mapping[str, tuple[pa.Array, ...]]
"""Columns of rows by table."""

Wanted = frozenset[str]
"""Tables that somebody has asked for."""


class Generator(Protocol):
    """`tables` are what it offers: "" is the only one, of a source that is a relation itself.  `first_tick` is the tick
    after which its contents are first seen: ticks up to 0 are due at once, one by one.  `bytes_per_tick` is a guess."""

    @property
    def tables(self) -> Mapping[str, Schema]: ...

    @property
    def first_tick(self) -> int: ...

    @property
    def bytes_per_tick(self) -> int: ...

    def contents(self, wanted: Wanted, tick: int, start_ms: int) -> Iterator[Rows]:
        """What the tables hold after `tick`, in pieces."""

    def count(self, table: str, tick: int) -> int:
        """How many rows the table has after `tick`."""

    def changes(self, wanted: Wanted, after: int, upto: int, start_ms: int) -> Mapping[str, Changes]:
        """How the contents after `upto` differ from those after `after`."""


PROGRESS_SCHEMA = Schema((Column("offset", UINT8, False),))


def table_of(reference: str) -> str:
    """What the generator calls a table: references may say the schema that it is in."""
    return reference.rpartition(".")[2]


class Ticking:
    """Keeps no position of its own, but where it is in contents that it is handing out."""

    def __init__(self, generator: Generator, options: GeneratorOptions, clock: Clock) -> None:
        self._generator = generator
        self._options = options
        self._clock = clock
        self._contents: _Contents | None = None

    def poll(self, position: Mapping[str, Any] | None, outputs: Outputs, max_bytes: int) -> Polled | None:
        if not outputs:
            return None
        now = self._clock.now_ms()
        if position is None:
            begin = self._options.as_of or self._generator.first_tick
            position = {"start_ms": now, "tick": begin, "outputs": []}
        start, tick = position["start_ms"], position["tick"]
        tables = {id_: table_of(output.reference) for id_, output in outputs.items()}
        new = {id_: table for id_, table in tables.items() if id_ not in position["outputs"]}
        due = self._due(now - start)
        if new:
            return self._piece(position, outputs, new, due)
        if due <= tick:
            return None
        # Ticks that make up the contents come one by one.
        most = 1 if tick < 0 else max(1, max_bytes // self._generator.bytes_per_tick)
        upto = min(due, tick + most)
        wanted = frozenset(tables.values())
        changes = dict(self._generator.changes(wanted - {PROGRESS}, tick, upto, start))
        changes[PROGRESS] = replaced(_progress(tick), _progress(upto))
        return Polled(
            {id_: changes[table] for id_, table in tables.items() if table in changes},
            {"start_ms": start, "tick": upto, "outputs": sorted(outputs)},
            at_end=upto == due,
            lag_bytes=(due - upto) * self._generator.bytes_per_tick,
            nbytes=sum(_nbytes(change.columns) for change in changes.values()),
            offset_known=max(due, 0),
            offset_committed=max(upto, 0),
        )

    def _due(self, elapsed_ms: int) -> int:
        """How many ticks have happened by now."""
        options = self._options
        ticks = options.as_of
        if options.tick_ms is not None:
            ticks += max(0, elapsed_ms // options.tick_ms)
        return ticks if options.up_to is None else min(ticks, options.up_to)

    def _piece(
        self, position: Mapping[str, Any], outputs: Outputs, new: Mapping[str, str], due: int
    ) -> Polled:
        """Of the contents of outputs that are new: those of others stand."""
        start, tick, number = position["start_ms"], position["tick"], position.get("piece", 0)
        if (contents := self._contents) is None or not contents.goes_on(new, tick, start, number):
            contents = self._contents = _Contents(self._generator, new, tick, start)
        piece = contents.next()
        after = {"start_ms": start, "tick": tick, "outputs": sorted(outputs)}
        if contents.more:
            after |= {"outputs": position["outputs"], "piece": contents.number}
        else:
            self._contents = None
        return Polled(
            {id_: _inserted(piece[table]) for id_, table in new.items() if table in piece},
            after,
            at_end=not contents.more and tick >= due,
            lag_bytes=max(due - tick, 0) * self._generator.bytes_per_tick,
            nbytes=sum(map(_nbytes, piece.values())),
            complete=not contents.more,
            snapshot={id_: contents.counts[table] for id_, table in new.items()},
            offset_known=max(due, 0),
            offset_committed=max(tick, 0),
        )


class _Contents:
    """Contents that are being handed out: `number` pieces so far, and there are `more`."""

    def __init__(self, generator: Generator, new: Mapping[str, str], tick: int, start_ms: int) -> None:
        wanted = frozenset(new.values()) - {PROGRESS}
        self._of = (dict(new), tick, start_ms)
        self._pieces = generator.contents(wanted, tick, start_ms) if wanted else iter(())
        self._next: Rows = {PROGRESS: _progress(tick), **next(self._pieces, {})}
        self.counts = {table: generator.count(table, tick) for table in wanted} | {PROGRESS: 1}
        self.number = 0
        self.more = True

    def goes_on(self, new: Mapping[str, str], tick: int, start_ms: int, number: int) -> bool:
        """Whether the piece of that number is the next.  After an abort it is not."""
        return self.more and number == self.number and self._of == (dict(new), tick, start_ms)

    def next(self) -> Rows:
        piece = self._next
        following = next(self._pieces, None)
        self.more = following is not None
        self._next = following or {}
        self.number += 1
        return piece


def _progress(tick: int) -> tuple[pa.Array, ...]:
    return (pa.array([max(tick, 0)], pa.uint64()),)


def _inserted(columns: tuple[pa.Array, ...]) -> Changes:
    return Changes(columns, np.ones(len(columns[0]), np.int64))


def inserted(rows: Rows) -> dict[str, Changes]:
    """Rows that come."""
    return {table: _inserted(columns) for table, columns in rows.items()}


def replaced(old: tuple[pa.Array, ...], new: tuple[pa.Array, ...]) -> Changes:
    """Rows that go, and rows that come."""
    columns = tuple(pa.concat_arrays(pair) for pair in zip(old, new, strict=True))
    diffs = np.concatenate([np.full(len(old[0]), -1, np.int64), np.ones(len(new[0]), np.int64)])
    return Changes(columns, diffs)


def _nbytes(columns: tuple[pa.Array, ...]) -> int:
    return sum(column.nbytes for column in columns)
