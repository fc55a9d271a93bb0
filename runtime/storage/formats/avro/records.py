"""Where the records of blocks begin and end: a block has them one after the other, and says only how many there are.

The first records of all blocks are passed over at once, then their second ones, and so on: a step in many blocks costs little more than
one in a few.  What is left when few blocks have more is passed over record by record: by fastavro, in C, but for records that contain
themselves, of which it passes over so many levels only as the stack of the process has room for.

Nothing of a record is checked here but that records follow each other up to the block's end: who decodes them finds out the rest.
"""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .codecs import BrokenBlock
from .container import Blocks
from .cursor import Ints, Mask, Payloads, byte_counts, folded
from .passing import MOST_LEVELS, pass_over
from .place import Malformed, Place
from .schema import (
    NULL,
    Again,
    Array,
    Enum,
    Fixed,
    Map,
    Primitive,
    Record,
    Type,
    Union,
    contains_again,
    least_bytes,
    plain,
    records_of,
)

_FEW = 24
"""Blocks, of which a step takes as long as a record of each by fastavro."""
_FIXED = {"boolean": 1, "float": 4, "double": 8}
_MALFORMED = (Malformed, EOFError, IndexError, KeyError, TypeError, ValueError, OverflowError, struct.error)
"""What is raised, by fastavro too, for bytes that are not as their schema says."""

Step = Callable[[Ints, "Mask | None"], Ints]
"""Passes over a value at each place; with a mask, only where that is true."""


class RecordBounds:
    """Of blocks that were written as `writer`, whose text is `schema`."""

    def __init__(self, writer: Record, schema: str) -> None:
        from fastavro.schema import parse_schema

        self._writer = writer
        self._records = records_of(writer)
        self._endless = contains_again(writer)
        self._least = least_bytes(writer)
        self._parsed = parse_schema(plain(json.loads(schema)))
        self._nothing = parse_schema({"type": "record", "name": writer.name, "fields": []})

    def find(self, blocks: Blocks, payloads: Payloads) -> tuple[Ints, Ints]:
        """Where each record begins and ends in the payloads, which have the data of the blocks.  Raises BrokenBlock, whose argument is the
        number of the block and the reason."""
        sizes = np.diff(blocks.ends, prepend=0)
        _refuse(blocks.counts * self._least > sizes, "cannot have so many records")
        _refuse((blocks.counts == 0) & (sizes > 0), "has bytes, and no records")
        order = np.argsort(-blocks.counts, kind="stable")
        counts, ends = blocks.counts[order], blocks.ends[order]
        at = ends - sizes[order]
        before = (np.cumsum(blocks.counts) - blocks.counts)[order]
        starts = np.empty(blocks.rows, np.int64)
        step = _Steps(payloads, ends, self._records).of(self._writer)
        row, left = 0, len(counts)
        while left := int(np.searchsorted(-counts[:left], -row)):  # as many have a record of that number
            if left <= _FEW:
                break
            starts[before[:left] + row] = at[:left]
            at[:left] = step(at[:left], None)
            row += 1
        for block in range(left):
            found, at[block] = self._one_by_one(
                payloads, int(at[block]), int(ends[block]), counts[block] - row
            )
            starts[before[block] + row : before[block] + counts[block]] = found
        wrong = np.zeros(len(counts), np.bool_)
        wrong[order] = at != ends
        _refuse(wrong, "has other records than its schema says")
        bounds = np.append(starts, blocks.ends[-1:])
        _refuse(_descending(bounds, blocks), "has other records than its schema says")
        return starts, bounds[1:]

    def _one_by_one(self, payloads: Payloads, at: int, end: int, count: int) -> tuple[Ints, int]:
        """Where so many records begin, and where the last one ends; that is before the end if they are malformed."""
        data = payloads.data[at:end].tobytes()
        places = self._places_again(data, count) if self._endless else self._places(data, count)
        try:
            found = np.fromiter(places, np.int64, count + 1)
        except _MALFORMED:
            return np.full(count, at), -1
        return found[:-1] + at, at + int(found[-1])

    def _places(self, data: bytes, count: int) -> Iterator[int]:
        """Where records begin, and where the last one ends."""
        from fastavro import schemaless_reader

        stream = io.BytesIO(data)
        yield 0
        for _ in range(count):
            schemaless_reader(stream, self._parsed, self._nothing)
            yield stream.tell()

    def _places_again(self, data: bytes, count: int) -> Iterator[int]:
        """As `_places`, of records that contain themselves."""
        place = Place(data)
        yield 0
        for _ in range(count):
            pass_over(place, self._writer, self._records)
            yield place.at


def _refuse(wrong: Mask, reason: str) -> None:
    if wrong.any():
        raise BrokenBlock(int(np.argmax(wrong)), reason)


def _descending(bounds: Ints, blocks: Blocks) -> Mask:
    """Which blocks have a record that ends before it begins."""
    wrong = np.zeros(len(blocks.counts), np.bool_)
    rows = np.flatnonzero(bounds[1:] < bounds[:-1])
    wrong[np.searchsorted(np.cumsum(blocks.counts), rows, "right")] = True
    return wrong


class _Steps:
    """Makes steps over values of types.  A place never leaves the payloads, however long a value says that it is.

    The places are in blocks, of which the first ones end at `ends`; `records` are those of the schema.
    """

    def __init__(self, payloads: Payloads, ends: Ints, records: Mapping[str, Record]) -> None:
        self._ends = ends
        self._records = records
        self._words = payloads.words
        self._data = payloads.data
        self._end = len(payloads.words) - 1
        self._most = np.uint64(self._end)

    def of(self, type_: Type, level: int = 0) -> Step:
        """`level` is of records around that contain themselves."""
        match type_:
            case Primitive(kind="null"):
                return _nothing
            case Primitive(kind="boolean" | "float" | "double" as kind):
                return self._fixed(_FIXED[kind])
            case Primitive(kind="bytes" | "string"):
                return self._sized
            case Primitive() | Enum():
                return self._number
            case Fixed(size=size):
                return self._fixed(size)
            case Record(fields=fields):
                return self._record([self.of(field.type, level) for field in fields])
            case Union(branches=branches):
                return self._union(
                    [None if branch == NULL else self.of(branch, level) for branch in branches]
                )
            case Again(name=name):
                return self._again(self._records[name], level)
            case Array(items=items):
                return self._items(self.of(items, level))
            case Map(values=values):
                return self._items(self._record([self._sized, self.of(values, level)]))

    def _fixed(self, size: int) -> Step:
        def step(at: Ints, there: Mask | None) -> Ints:
            return at + (size if there is None else size * there)

        return step

    def _record(self, steps: list[Step]) -> Step:
        def step(at: Ints, there: Mask | None) -> Ints:
            for each in steps:
                at = each(at, there)
            return at

        return step

    def _number(self, at: Ints, there: Mask | None) -> Ints:
        """Over an integer, of which only the size matters."""
        words = self._words[np.minimum(at, self._end)]
        stops = ~words & _MARKS
        sizes = byte_counts(stops ^ (stops - _ONE))
        if not stops.all():
            sizes = sizes + self._beyond(at, stops)
        return at + (sizes if there is None else sizes * there)

    def _sized(self, at: Ints, there: Mask | None) -> Ints:
        """Over bytes that have their length in front of them."""
        length, after = self._value(at)
        # As a number without a sign, a length below zero is one beyond all.
        after = after + np.minimum(length.view(np.uint64), self._most).view(np.int64)
        return after if there is None else np.where(there, after, at)

    def _union(self, branches: list[Step | None]) -> Step:
        def step(at: Ints, there: Mask | None) -> Ints:
            chosen, after = self._value(at)
            at = after if there is None else np.where(there, after, at)
            for number, branch in enumerate(branches):
                if branch is not None:
                    mine = chosen == number
                    at = branch(at, mine if there is None else mine & there)
            return at

        return step

    def _items(self, item: Step) -> Step:
        def step(at: Ints, there: Mask | None) -> Ints:
            there = np.ones(len(at), np.bool_) if there is None else there
            while (there := there & (at < self._end)).any():
                count, after = self._value(at)
                at = np.where(there, after, at)
                if (sized := there & (count < 0)).any():
                    at = self._sized(
                        at, sized
                    )  # its bytes are behind the number, however many items they are
                there = there & (count != 0)
                left = np.where(there, count, 0)
                while (more := (left > 0) & (at < self._end)).any():
                    at = item(at, more)
                    left -= more
            return at

        return step

    def _again(self, record: Record, level: int) -> Step:
        """Over a record within itself; how that is done is known when there is one."""
        made: list[Step] = []

        def step(at: Ints, there: Mask | None) -> Ints:
            if there is not None and not there.any():
                return at
            if level >= MOST_LEVELS:
                return self._one_by_one(record, at, there)
            if not made:
                made.append(self.of(record, level + 1))
            return made[0](at, there)

        return step

    def _one_by_one(self, record: Record, at: Ints, there: Mask | None) -> Ints:
        """Over what lies deep, which is rare; a place in what is malformed goes beyond all blocks."""
        at = at.copy()
        rows = np.arange(len(at)) if there is None else np.flatnonzero(there)
        for row in rows.tolist():
            place = Place(self._data[at[row] : self._ends[row]].tobytes())
            try:
                pass_over(place, record, self._records)
                at[row] += place.at
            except Malformed:
                at[row] = self._end
        return at

    def _value(self, at: Ints) -> tuple[Ints, Ints]:
        """Numbers, and the places behind them; of those of more than eight bytes the value is none."""
        words = self._words[np.minimum(at, self._end)]
        if not (words & _MARK).any():
            value = words & _SEVEN
            after = at + 1
        else:
            value, sizes, stops = folded(words)
            if not stops.all():
                value, sizes = np.where(stops == 0, _BEYOND, value), sizes + self._beyond(at, stops)
            after = at + sizes
        return (value >> _ONE).view(np.int64) ^ -(value & _ONE).view(np.int64), after

    def _beyond(self, at: Ints, stops: npt.NDArray[Any]) -> Ints:
        """How many bytes behind the eighth belong to numbers."""
        ninth = self._data[np.minimum(at + 8, len(self._data) - 1)] >= 0x80
        return np.where(stops == 0, 1 + ninth, 0)


def _nothing(at: Ints, there: Mask | None) -> Ints:
    return at


_MARKS = np.uint64(0x8080808080808080)
_MARK, _SEVEN, _ONE = np.uint64(0x80), np.uint64(0x7F), np.uint64(1)
_BEYOND = np.uint64(0xFFFFFFFFFFFFFFFE)
"""The greatest number: no length, no branch, and no count that there can be."""
