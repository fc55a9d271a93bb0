"""Parts, decoded once: columns of Parquet as Arrow files that every process of the machine maps, parts of Arrow in memory.

A part never changes, so neither does a column that was decoded from it.  A file is written under another name and renamed, so
it is whole or not there; it need not survive a loss of power, as `clear` empties the directory before its first use.  What
was not used for the longest time goes when the files take more than the budget, give or take a 64th for each process; a process that has mapped it keeps it until it
lets go.  No file is needed: where none can be written, columns are decoded each time.

Parts of Arrow are small and many, some hundred of a collection that is written often, and each of its readers sees most of them
again.
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from time import monotonic
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..repr.batch import NO_ERRORS, Batch, Delta, Indices
from ..repr.buffers import constant
from ..repr.float_facts import FloatFacts
from ..repr.schema import Schema
from .codec import Columns
from .key_search import KeySearch, key_order, positions
from .part import PartRef

logger = logging.getLogger(__name__)

_W = TypeVar("_W", bound=np.generic)

_Shape = tuple[Schema, tuple[int, ...] | None]

Load = Callable[[tuple[int, ...]], Delta]
"""The updates of a part, with the columns at these positions."""

BUDGET = 4 << 30

DISK_PART = 8
"""The files take at most this part of what is free with them."""

_LARGEST_PART = 4
"""A file that would take more than this part of the budget is not written: it would only push others out."""

PATIENCE_S = 5.0
"""After a file could not be written, the next is tried so much later."""

_KEPT = 0.8
"""So much of the budget is left when files had to go, so that not each new one looks through all."""

_UNSWEPT = 1 / 64
"""A process writes at most so much of the budget between two looks at what all have: there may be thousands of files."""

_UPDATES = "updates"

_FLOATS = b"floats"
"""The key of `FloatFacts` in the file of a column of floats."""

MOST_OPEN = 8_192
"""A process keeps at most so many files mapped."""

ARROW_BYTES = 16 << 20
"""A process keeps at most so many bytes of parts of Arrow decoded."""


class ColumnCache:
    """Picklable; any number of processes may use one directory, but each object has one thread.  `budget` is in bytes."""

    def __init__(self, directory: Path, budget: int = BUDGET) -> None:
        self._directory = directory
        self._budget = budget
        self._open: dict[str, pa.Array] = {}
        self._floats: dict[str, FloatFacts] = {}
        self._arrow: dict[_Shape, dict[PartRef, Delta]] = {}
        self._arrow_nbytes = 0
        self._failed_at: float | None = None
        self._unswept = 0

    def __reduce__(self) -> tuple[type[ColumnCache], tuple[Path, int]]:
        return ColumnCache, (self._directory, self._budget)  # what is mapped here is mapped there anew

    def clear(self) -> None:
        """An empty directory, before anybody uses it.  Raises OSError."""
        shutil.rmtree(self._directory, ignore_errors=True)
        # It may be there again: a worker that is ending has written.
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)

    def read(self, part: PartRef, schema: Schema, places: tuple[int, ...], load: Load) -> Delta:
        """The updates of a part of Parquet without errors, with the columns at `places`; `load` decodes those that are missing."""
        found = self._columns(part, schema, places)
        updates = self._mapped(part, _UPDATES)
        missing = tuple(place for place in places if place not in found)
        if updates is None or missing:
            loaded = load(missing)
            found |= dict(zip(missing, loaded.oks.columns, strict=True))
            if updates is None:
                updates = _packed(loaded.oks)
                self._write(part, _UPDATES, updates)
            for place in missing:
                if not schema[place].dropped:
                    self._write(part, _name(schema, place), found[place])
            self._sweep()
        return Delta(_batch(part, [found[place] for place in places], updates), NO_ERRORS)

    def known(self, part: PartRef, schema: Schema, places: tuple[int, ...]) -> Batch | None:
        """As `read`; None if anything of it is yet to be decoded."""
        found = self._columns(part, schema, places)
        updates = self._mapped(part, _UPDATES)
        if updates is None or len(found) < len(set(places)):
            return None
        return _batch(part, [found[place] for place in places], updates)

    def floats(self, part: PartRef, schema: Schema, place: int) -> FloatFacts | None:
        """What is true of the values of a column of floats of such a part; None if it is yet to be decoded."""
        path = self._path(part, _name(schema, place))
        return self._floats.get(path) if path in self._open else None

    def positions(self, part: PartRef, schema: Schema, search: KeySearch, load: Load) -> Indices:
        """Where in a part of Parquet without errors the rows are that are asked for; `load` as of `read`."""
        ordered = self.known_order(part, schema, search.columns)
        if ordered is None:
            columns = self.read(part, schema, search.columns, load).oks.columns
            ordered = key_order(columns, part.rows)
            self._write(part, _order_name(schema, search.columns), ordered)
            self._sweep()
        return positions(ordered, search.hashes)

    def known_order(self, part: PartRef, schema: Schema, columns: tuple[int, ...]) -> pa.StructArray | None:
        """The rows of such a part in the order of these columns' hashes (`key_order`), if anybody has looked for some before."""
        ordered = self._mapped(part, _order_name(schema, columns))
        return ordered if ordered is not None and len(ordered) == part.rows else None

    def arrow(self, schema: Schema, columns: Columns | None) -> Mapping[PartRef, Delta]:
        """The updates of parts of Arrow that are known, in rows of `schema`, with these columns (None: all)."""
        return self._arrow.get(_shape(schema, columns), {})

    def keep_arrow(self, part: PartRef, schema: Schema, columns: Columns | None, delta: Delta) -> None:
        """Has `arrow` know the updates of a part."""
        nbytes = part.decoded_nbytes
        if self._arrow_nbytes + nbytes > ARROW_BYTES:
            self._arrow, self._arrow_nbytes = {}, 0
        self._arrow.setdefault(_shape(schema, columns), {})[part] = delta
        self._arrow_nbytes += nbytes

    def _columns(self, part: PartRef, schema: Schema, places: tuple[int, ...]) -> dict[int, pa.Array]:
        """Those of the columns that have been decoded."""
        return {
            place: values
            for place in places
            if not schema[place].dropped  # its values are there, but not to be seen
            and (values := self._mapped(part, _name(schema, place))) is not None
            and values.type == schema[place].type.arrow
            and len(values) == part.rows
        }

    def _path(self, part: PartRef, what: str) -> str:
        assert part.blob is not None
        return f"{self._directory}/{part.blob.replace('/', '-')}.{what}"

    def _mapped(self, part: PartRef, what: str) -> pa.Array | None:
        path = self._path(part, what)
        try:
            os.utime(path)
            if (found := self._open.get(path)) is None:
                with pa.memory_map(path, "r") as source:
                    file = pa.ipc.open_file(source)
                    found = file.get_batch(0).column(0)
                if len(self._open) >= MOST_OPEN:
                    self._open.clear()
                    self._floats.clear()
                self._open[path] = found
                if (facts := (file.schema.metadata or {}).get(_FLOATS)) is not None:
                    self._floats[path] = FloatFacts.unpacked(facts)
        except (OSError, pa.ArrowInvalid):
            self._open.pop(path, None)  # its space is free once nobody has mapped it
            self._floats.pop(path, None)
            return None
        return found

    def _write(self, part: PartRef, what: str, values: pa.Array) -> None:
        if values.nbytes > self._budget // _LARGEST_PART:
            return
        if self._failed_at is not None and monotonic() - self._failed_at < PATIENCE_S:
            return
        temporary = self._directory / f".{secrets.token_hex(8)}"
        try:
            with pa.OSFile(str(temporary), "wb") as sink:
                facts = (
                    {_FLOATS: FloatFacts.of(values).packed()} if pa.types.is_floating(values.type) else None
                )
                schema = pa.schema([("values", values.type)], facts)
                record = pa.RecordBatch.from_arrays([values], schema=schema)
                with pa.ipc.new_file(sink, schema) as writer:
                    writer.write_batch(record)
            temporary.replace(self._path(part, what))
            self._unswept += values.nbytes
        except OSError as error:
            self._failed_at = monotonic()
            logger.warning("cannot keep a decoded column in %s: %s", self._directory, error)
            with suppress(OSError):
                temporary.unlink()

    def _sweep(self) -> None:
        """Deletes what was not used for the longest time, as far as the budget asks for it."""
        try:
            disk = os.statvfs(self._directory)
        except OSError:
            return
        free = disk.f_bavail * disk.f_frsize
        if self._unswept <= min(self._budget, free // DISK_PART) * _UNSWEPT:
            return
        self._unswept = 0
        files = []
        try:
            for entry in os.scandir(self._directory):
                with suppress(FileNotFoundError):  # another process has deleted it
                    status = entry.stat()
                    files.append((status.st_mtime_ns, status.st_size, entry.path))
        except OSError:
            return
        held = sum(nbytes for _, nbytes, _ in files)
        most = min(self._budget, (free + held) // DISK_PART)
        if held <= most:
            return
        for _, nbytes, path in sorted(files):
            if held <= _KEPT * most:
                break
            with suppress(OSError):
                os.unlink(path)
            held -= nbytes


def _name(schema: Schema, place: int) -> str:
    """Of a column's file.  What old rows have in one that was added is said by the schema, which may be that of a block: if it is
    rolled back, another column may come to stand there."""
    missing = schema[place].missing
    return str(place) if missing is None else f"{place}-{_digest(missing)}"


def _order_name(schema: Schema, columns: tuple[int, ...]) -> str:
    key = [f"{_name(schema, place)} {schema[place].type.arrow}" for place in columns]
    return f"key-{_digest(','.join(key))}"


def _batch(part: PartRef, columns: Sequence[pa.Array], updates: pa.StructArray) -> Batch:
    times, diffs = (_unpacked(values.to_numpy(), part.rows) for values in updates.flatten())
    return Batch(tuple(columns), times, diffs)


def _digest(text: str) -> str:
    """Of no other text: 128 bits."""
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _shape(schema: Schema, columns: Columns | None) -> _Shape:
    return schema, None if columns is None else tuple(columns)


def _packed(updates: Batch) -> pa.StructArray:
    """Times and diffs; a single pair when all are the same, as in most parts."""
    times, diffs = updates.times, updates.diffs
    if len(times) and (times == times[0]).all() and (diffs == diffs[0]).all():
        times, diffs = times[:1], diffs[:1]
    return pa.StructArray.from_arrays([pa.array(times), pa.array(diffs)], ["time", "diff"])


def _unpacked(values: npt.NDArray[_W], rows: int) -> npt.NDArray[_W]:
    return values if len(values) == rows else constant(values[0], rows)
