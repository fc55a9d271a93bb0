"""COPY FROM in parquet: the client's file as columns of the table, which are matched by name.

```
CopyData ──> a nameless file, for the footer comes last ──> batches ──> columns
```

Types are settled before any row: what SQL would not assign to its column refuses the file.  Text is read as the column's
input, as it is in COPY's text; what else does not fit its column is an error of its row.
"""

from __future__ import annotations

import errno
import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..coord.results.results import Columns, CopyIn
from ..errors import DiskFull, StorageError
from ..expr.coercion.casts import cast_array
from ..expr.coercion.type_rules import CastContext, base_name, can_cast
from ..expr.columns.arrays import numpy_values
from ..expr.columns.lists import counts_of, list_array, owners_of
from ..expr.columns.maps import keyed
from ..expr.columns.row_errors import Evaluated, RowErrors, listed_errors, merge_errors
from ..expr.datetimes.datetime_input import MAX_DATE, MAX_TIMESTAMP, MICROS_PER_DAY, MIN_DATE, MIN_TIMESTAMP
from ..expr.datetimes.zones import Zone
from ..expr.text.text_format import from_text
from ..repr import buffers
from ..repr.buffers import present
from ..repr.schema import Column
from ..repr.types import (
    BOOL,
    BYTEA,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    MZ_TIMESTAMP,
    NUMERIC,
    NUMERIC_MAX_PRECISION,
    SEQUENCES,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UINT2,
    UINT4,
    UINT8,
    UNCONSTRAINED_SCALE,
    UUID,
    Kind,
    ScalarType,
    derived_numeric,
)
from .codec import CopyDataError
from .copy_binary import decoded
from .copy_parquet import first_failed
from .rows import slices

BATCH_ROWS = 1024
CHUNK_ROWS = 16_384
CHUNK_BYTES = 4 << 20
"""A file is read `BATCH_ROWS` at a time, whatever it says of its row groups; as many are put together as the others allow."""

MAGIC = b"PAR1"
ENCRYPTED = b"PARE"


class ParquetReader:
    """The client's file: `write` its bytes, `open` it, and take columns of `copy.schema` until there are no more.

    For use in threads: calls exclude each other, so that a file is not closed under one that reads it.
    """

    def __init__(self, copy: CopyIn, context: str) -> None:
        self._copy = copy
        self._context = context
        self._lock = threading.Lock()
        self._file: BinaryIO | None = None
        self._size = 0
        self._row = 0
        self._picks: list[int | None] = []
        self._pieces: Iterator[Columns] = iter(())

    def write(self, data: bytes) -> None:
        """Raises DiskFull or StorageError when the file can be kept nowhere; CopyDataError when it is none of parquet."""
        with self._lock:
            if not self._size and len(data) >= len(MAGIC):
                self._check_magic(data[: len(MAGIC)])
            try:
                if self._file is None:
                    self._file = self._made()
                view = memoryview(data)
                while len(view):
                    written = os.pwrite(self._file.fileno(), view, self._size)
                    self._size += written
                    view = view[written:]
            except OSError as error:
                if error.errno == errno.ENOSPC:
                    raise DiskFull("the file that is loaded does not fit on the disk") from error
                raise StorageError(f"the file that is loaded cannot be kept: {error}") from error

    def open(self) -> None:
        """All was written.  Raises CopyDataError for a file that cannot be loaded into the columns."""
        with self._lock:
            descriptor = self._file.fileno() if self._file is not None else None
            ends = [
                b"" if descriptor is None else os.pread(descriptor, len(MAGIC), at)
                for at in (0, max(self._size - len(MAGIC), 0))
            ]
            self._check_magic(ends[0])
            if ends[1] != MAGIC or self._size < 3 * len(MAGIC):
                raise self._error(
                    "the parquet file is truncated", hint="Its footer, which ends it, is missing."
                )
            with self._reading():
                file = pq.ParquetFile(
                    self._file,
                    buffer_size=1 << 20,
                    page_checksum_verification=True,
                    coerce_int96_timestamp_unit="us",
                )
                names, types = file.schema_arrow.names, list(file.schema_arrow.types)
                int96 = _int96(file)
            self._picks = self._matched(names)
            for pick, column in zip(self._picks, self._copy.schema, strict=True):
                if pick is None:
                    continue
                if names[pick] in int96 and column.type.kind is Kind.TIMESTAMPTZ:
                    types[pick] = TIMESTAMPTZ.arrow
                if not _readable(types[pick], column.type):
                    raise self._mismatch(types[pick], column)
            self._pieces = _pieces(file, types)

    def next(self) -> tuple[pa.Array | None, ...] | None:
        """The next columns, None for each that the file does not have; nothing behind the last."""
        with self._lock:
            with self._reading():
                piece = next(self._pieces, None)
            if piece is None:
                return None
            read = [
                None if pick is None else _converted(piece[pick], column.type, self._copy.zone)
                for pick, column in zip(self._picks, self._copy.schema, strict=True)
            ]
            failures = [
                (int(part.errors.indices[0]), index, part.errors)
                for index, part in enumerate(read)
                if part is not None and part.errors is not None
            ]
            if failures:
                row, index, errors = min(failures, key=lambda failure: failure[:2])
                where = f"line {self._row + row + 1}, column {self._copy.schema[index].name}"
                raise CopyDataError(
                    errors.messages[0].as_py(),
                    context=f"{self._context}, {where}",
                    sqlstate=errors.sqlstates[0].as_py(),
                )
            self._row += len(piece[0])
            return tuple(None if part is None else part.values for part in read)

    def close(self) -> None:
        with self._lock:
            self._pieces = iter(())
            if self._file is not None:
                self._file.close()

    def _made(self) -> BinaryIO:
        directory = self._copy.directory
        if directory is not None:
            directory.mkdir(parents=True, exist_ok=True)
        return cast(BinaryIO, tempfile.TemporaryFile(dir=directory, buffering=0))

    def _check_magic(self, head: bytes) -> None:
        if head == ENCRYPTED:
            raise self._error("the parquet file is encrypted", hint="Decrypt it before it is loaded.")
        if head != MAGIC:
            raise self._error(
                "the data is not a parquet file", hint=f'Such files begin with "{MAGIC.decode()}".'
            )

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """What Arrow finds wrong with a file is the file's fault."""
        try:
            yield
        except (pa.ArrowException, OSError, ValueError) as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            raise self._error("the parquet file cannot be read", detail=reason) from error

    def _matched(self, names: list[str]) -> list[int | None]:
        """For each column to load where it stands in the file, of the columns `names`."""
        wanted = self._copy.schema.names
        unknown = [name for name in names if name not in wanted]
        if unknown or not names:
            listed = ", ".join(f'"{name}"' for name in unknown)
            plural = "s" if len(unknown) > 1 else ""
            raise self._error(
                f"the parquet file has column{plural} that COPY does not load: {listed}"
                if unknown
                else "the parquet file has no columns",
                sqlstate="42703" if unknown else "22P04",
                detail=f"Columns to load are: {', '.join(wanted)}.",
                hint="Columns are matched by their names.",
            )
        for name in names:
            if names.count(name) > 1:
                raise self._error(f'the parquet file has more than one column "{name}"', sqlstate="42701")
        for name in wanted:
            if name not in names and not self._copy.optional:
                raise self._error(
                    f'the parquet file has no column "{name}"', detail=f"It has: {', '.join(names)}."
                )
        return [names.index(name) if name in names else None for name in wanted]

    def _mismatch(self, found: pa.DataType, column: Column) -> CopyDataError:
        return self._error(
            f'column "{column.name}" is of type {base_name(column.type)} but that of the parquet file is {found}',
            sqlstate="42804",
            hint="Load it into a table with a column of such a type, and cast in a query.",
        )

    def _error(
        self, message: str, *, sqlstate: str = "22P04", detail: str | None = None, hint: str | None = None
    ) -> CopyDataError:
        return CopyDataError(message, context=self._context, sqlstate=sqlstate, detail=detail, hint=hint)


def _int96(file: pq.ParquetFile) -> set[str]:
    """The columns of Parquet's first timestamps, which do not say whether they have a zone: in Spark's files they are UTC."""
    leaves = (file.schema.column(i) for i in range(len(file.schema)))
    return {leaf.path for leaf in leaves if leaf.physical_type == "INT96"}


def _pieces(file: pq.ParquetFile, types: list[pa.DataType]) -> Iterator[Columns]:
    """All rows of the file, in its order and of these types, in chunks of bounded size."""
    held: list[list[pa.Array]] = []
    rows = size = 0
    for batch in file.iter_batches(batch_size=BATCH_ROWS):
        if held and (rows + batch.num_rows > CHUNK_ROWS or size + batch.nbytes > CHUNK_BYTES):
            yield from _joined(held)
            held, rows, size = [], 0, 0
        columns = zip(batch.columns, types, strict=True)
        held.append(
            [_plain(column if column.type == type_ else column.cast(type_)) for column, type_ in columns]
        )
        rows += batch.num_rows
        size += batch.nbytes
    if held:
        yield from _joined(held)


def _joined(held: list[list[pa.Array]]) -> Iterator[Columns]:
    return slices(tuple(pa.concat_arrays(parts) for parts in zip(*held, strict=True)))


def _plain(values: pa.Array) -> pa.Array:
    """The values themselves, of a dictionary or of a type that Arrow has made of another."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    return values.storage if isinstance(values.type, pa.BaseExtensionType) else values


def _plain_type(type_: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(type_):
        type_ = type_.value_type
    return type_.storage_type if isinstance(type_, pa.BaseExtensionType) else type_


def _is_list(type_: pa.DataType) -> bool:
    kinds = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    return any(is_such(type_) for is_such in kinds)


def _is_text(type_: pa.DataType) -> bool:
    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return any(is_such(type_) for is_such in kinds)


_SIGNED = {8: INT2, 16: INT2, 32: INT4, 64: INT8}
_UNSIGNED = {8: UINT2, 16: UINT2, 32: UINT4, 64: UINT8}
_AS_SIGNED = {8: INT2, 16: INT4, 32: INT8, 64: derived_numeric(0)}
"""By their bits; unsigned ones that are loaded into another type are read as a signed one that holds them all."""


def _source(type_: pa.DataType, target: ScalarType) -> ScalarType | None:
    """The SQL type as which values of a file are read, to be cast to the target; text is the target's input."""
    if _is_text(type_):
        return TEXT
    if pa.types.is_signed_integer(type_):
        return _SIGNED[type_.bit_width]
    if pa.types.is_unsigned_integer(type_):
        if target.kind is Kind.MZ_TIMESTAMP and type_.bit_width == 64:
            return MZ_TIMESTAMP
        return (_UNSIGNED if target.is_unsigned else _AS_SIGNED)[type_.bit_width]
    if pa.types.is_decimal(type_):
        whole = type_.precision - type_.scale
        if type_.scale >= 0 and whole + type_.scale <= NUMERIC_MAX_PRECISION:
            return derived_numeric(type_.scale)
        return NUMERIC if 0 <= type_.scale <= UNCONSTRAINED_SCALE else None
    if pa.types.is_timestamp(type_):
        return TIMESTAMP if type_.tz is None else TIMESTAMPTZ
    if pa.types.is_fixed_size_binary(type_) and type_.byte_width == 16 and target.kind is Kind.UUID:
        return UUID
    for is_such, source in _OTHERS:
        if is_such(type_):
            return source
    return None


_OTHERS = (
    (pa.types.is_boolean, BOOL),
    (pa.types.is_float16, FLOAT4),
    (pa.types.is_float32, FLOAT4),
    (pa.types.is_float64, FLOAT8),
    (pa.types.is_date, DATE),
    (pa.types.is_time, TIME),
    (pa.types.is_binary, BYTEA),
    (pa.types.is_large_binary, BYTEA),
    (pa.types.is_binary_view, BYTEA),
    (pa.types.is_fixed_size_binary, BYTEA),
)


def _readable(type_: pa.DataType, target: ScalarType) -> bool:
    """Whether values of the type may be assigned to the target."""
    type_ = _plain_type(type_)
    if pa.types.is_null(type_):
        return True
    if _is_list(type_):
        element = target.element
        return element is not None and target.kind in SEQUENCES and _readable(type_.value_type, element)
    if pa.types.is_map(type_):
        element = target.element
        return (
            element is not None
            and target.kind is Kind.MAP
            and _is_text(_plain_type(type_.key_type))
            and _readable(type_.item_type, element)
        )
    source = _source(type_, target)
    if source is None or target.kind is Kind.RECORD:
        return False
    if source == TEXT:
        return True
    # What else becomes of an instant depends on the session's zone.
    if source.kind is not target.kind and Kind.TIMESTAMPTZ in (source.kind, target.kind):
        return False
    return can_cast(source, target, CastContext.ASSIGNMENT)


def _converted(values: pa.Array, target: ScalarType, zone: Zone | None) -> Evaluated:
    """Values of a type that is `_readable` as the target's; those that do not fit are errors of their rows."""
    values = _plain(values)
    type_ = values.type
    if pa.types.is_null(type_):
        return Evaluated(pa.nulls(len(values), target.arrow))
    if target.element is not None and not _is_text(type_):
        return _converted_lists(values, target, target.element, zone)
    source = _source(type_, target)
    assert source is not None
    if source == TEXT:
        text, row, error = decoded(values.cast(pa.binary()))
        if error is not None:
            errors = listed_errors([(row, error.sqlstate, error.message)])
            return Evaluated(pa.nulls(len(values), target.arrow), errors)
        return from_text(text, target, explicit=False, zone=zone)
    read = _read(values, source)
    return read if read.errors is not None else cast_array(read.values, source, target, explicit=False)


def _converted_lists(
    values: pa.Array, target: ScalarType, element: ScalarType, zone: Zone | None
) -> Evaluated:
    type_ = values.type
    if pa.types.is_map(type_):
        entry = pa.struct([pa.field("key", type_.key_type, nullable=False), ("value", type_.item_type)])
        values = values.cast(pa.list_(entry))
    elif not pa.types.is_list(type_):
        values = values.cast(pa.list_(type_.value_type))
    counts = counts_of(values)
    held = values.flatten()
    if target.kind is Kind.MAP:
        keys, items = (
            _converted(part, wanted, zone)
            for part, wanted in zip(buffers.fields(held), (TEXT, element), strict=True)
        )
        errors = merge_errors([keys.errors, items.errors])
        entries = pa.StructArray.from_arrays([keys.values, items.values], names=["f0", "f1"])
        made = keyed(list_array(entries, counts, present(values)))
    else:
        elements = _converted(held, element, zone)
        errors = elements.errors
        made = list_array(elements.values, counts, present(values))
    if errors is None:
        return Evaluated(made)
    rows, first = np.unique(owners_of(counts)[errors.indices], return_index=True)
    chosen = pa.array(first)
    return Evaluated(made, RowErrors(rows, errors.sqlstates.take(chosen), errors.messages.take(chosen)))


def _read(values: pa.Array, source: ScalarType) -> Evaluated:
    """Values of a file as the one Arrow type of `source`."""
    target = pa.time64("us") if source == TIME else source.arrow
    if values.type != target:
        try:
            values = values.cast(target)
        except pa.ArrowInvalid:
            return _not_exact(values, target, source)
    if source == TIME:
        values = values.view(source.arrow)
        bounds, what = (0, MICROS_PER_DAY), "time"
    elif source == DATE:
        bounds, what = (MIN_DATE, MAX_DATE), "date"
    elif source in (TIMESTAMP, TIMESTAMPTZ):
        bounds, what = (MIN_TIMESTAMP, MAX_TIMESTAMP), "timestamp"
    else:
        return Evaluated(values)
    numbers = numpy_values(values)
    row = first_failed((numbers < bounds[0]) | (numbers > bounds[1]), values)
    errors = None if row is None else listed_errors([(row, "22008", f"{what} out of range")])
    return Evaluated(values, errors)


def _not_exact(values: pa.Array, target: pa.DataType, source: ScalarType) -> Evaluated:
    """The first of the values, one of which Arrow has refused, as an error of its row."""
    for row in range(len(values)):
        try:
            values.slice(row, 1).cast(target)
        except pa.ArrowInvalid:
            break
    if source.kind is Kind.NUMERIC:
        failure = (row, "22003", "value overflows numeric format")
    else:
        failure = (row, "22008", f"{source} out of range, or with digits beyond microseconds")
    return Evaluated(pa.nulls(len(values), source.arrow), listed_errors([failure]))
