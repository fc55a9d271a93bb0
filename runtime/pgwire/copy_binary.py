"""COPY data in binary: a header, rows of fields with length words, a trailer.

Rows whose columns all have a fixed width and no NULL have one stride: their values are read as one numpy view.  Others
are walked, field by field, for where values lie; the values are then taken column by column.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..coord.results.results import Columns
from ..errors import DataError, PtvcError
from ..expr.columns.row_errors import Evaluated
from ..expr.datetimes.clock_precision import rounded
from ..expr.text.text_format import from_text
from ..repr.schema import Schema
from ..repr.types import CLOCKS, Kind, ScalarType
from .codec import CopyDataError, decode_text
from .fields import FIXED
from .numeric import numeric_text
from .pieces import packed
from .range_input import NULL_RANGE, RawRange, cut_range, ranges_of
from .types import BadSize, decode_binary

SIGNATURE = b"PGCOPY\n\xff\r\n\0"
TRAILER = b"\xff\xff"
MAX_FIELD = 1 << 30

Positions = npt.NDArray[np.int64]


class BinaryReader:
    """Feed it bytes, get columns.  `context` is how errors name the statement."""

    def __init__(self, schema: Schema, context: str) -> None:
        self._schema = schema
        self._context = context
        self._buffer = b""
        self._header = False
        self._ended = False
        self._row = 0
        fixed = [FIXED.get(type_.kind) for type_ in schema.types]
        self._stride: np.dtype[np.void] | None = None
        if schema.columns and all(entry is not None for entry in fixed):
            items = [("fields", ">i2")]
            for i, entry in enumerate(fixed):
                assert entry is not None
                items += [(f"size{i}", ">i4"), (f"value{i}", entry[1])]
            self._stride = np.dtype(items)

    def feed(self, data: bytes, final: bool) -> Iterator[Columns]:
        self._buffer += data
        if not self._header and not self._read_header(final):
            return
        while not self._ended and self._buffer:
            columns, used = self._strided() or self._walked()
            self._buffer = self._buffer[used:]
            if not used:
                break
            if columns is not None:
                yield columns
        if self._ended and self._buffer:
            raise self._error("received copy data after EOF marker")
        if final and self._buffer:
            raise self._error("unexpected EOF in COPY data")

    def _error(self, message: str) -> CopyDataError:
        return CopyDataError(message, context=f"{self._context}, line {self._row + 1}")

    def _read_header(self, final: bool) -> bool:
        buffer = self._buffer
        if len(buffer) < 19:
            if final or not SIGNATURE.startswith(buffer[:11]):
                raise self._error("COPY file signature not recognized")
            return False
        if buffer[:11] != SIGNATURE:
            raise self._error("COPY file signature not recognized")
        flags, extension = struct.unpack_from("!Ii", buffer, 11)
        if flags & (1 << 16):
            raise self._error("invalid COPY file header (WITH OIDS)")
        if flags >> 16:
            raise self._error("unrecognized critical flags in COPY file header")
        if extension < 0 or extension > MAX_FIELD:
            raise self._error("invalid COPY file header (wrong length)")
        if len(buffer) < 19 + extension:
            if final:
                raise self._error("invalid COPY file header (missing length)")
            return False
        self._buffer = buffer[19 + extension :]
        self._header = True
        return True

    def _strided(self) -> tuple[Columns, int] | None:
        """The leading rows that have the one stride of fixed columns without NULLs."""
        if self._stride is None:
            return None
        count = len(self._buffer) // self._stride.itemsize
        records = np.frombuffer(self._buffer, self._stride, count)
        matches = records["fields"] == len(self._schema)
        for i, type_ in enumerate(self._schema.types):
            matches &= records[f"size{i}"] == FIXED[type_.kind][2]
        rows = count if matches.all() else int(matches.argmin())
        if not rows:
            return None
        columns = tuple(
            self._fixed(records[f"value{i}"][:rows], type_, None, i)
            for i, type_ in enumerate(self._schema.types)
        )
        self._row += rows
        return columns, rows * self._stride.itemsize

    def _walked(self) -> tuple[Columns | None, int]:
        """All whole rows of the buffer, by their length words; how many bytes they took, the trailer included."""
        buffer, at, rows = self._buffer, 0, 0
        width = len(self._schema)
        spans: list[int] = []
        size_of = struct.Struct("!i").unpack_from
        while at + 2 <= len(buffer):
            if buffer[at : at + 2] == TRAILER:
                self._ended = True
                at += 2
                break
            fields = int.from_bytes(buffer[at : at + 2], "big", signed=True)
            if fields != width:
                self._row += rows
                raise self._error(f"row field count is {fields}, expected {width}")
            row: list[int] = []
            place = at + 2
            while len(row) < 2 * width and place + 4 <= len(buffer):
                (size,) = size_of(buffer, place)
                if size < -1 or size > MAX_FIELD:
                    self._row += rows
                    raise self._error("invalid field size")
                row += (place + 4, size)
                place += 4 + max(size, 0)
            if len(row) < 2 * width or place > len(buffer):
                break
            spans += row
            at, rows = place, rows + 1
        if not rows:
            return None, at
        table = np.array(spans, np.int64).reshape(rows, width, 2)
        columns = tuple(
            self._column(table[:, i, 0], table[:, i, 1], type_, i)
            for i, type_ in enumerate(self._schema.types)
        )
        self._row += rows
        return columns, at

    # --- columns -------------------------------------------------------------------------------------------------

    def _column(self, starts: Positions, sizes: Positions, type_: ScalarType, index: int) -> pa.Array:
        valid = sizes >= 0
        if type_.kind in FIXED:
            width = FIXED[type_.kind][2]
            if (wrong := valid & (sizes != width)).any():
                raise self._at("incorrect binary data format", int(wrong.argmax()), index, "22P03")
            raw = np.frombuffer(self._buffer, np.uint8)
            picked = np.zeros((len(starts), width), np.uint8)
            picked[valid] = raw[starts[valid][:, None] + np.arange(width)]
            return self._fixed(picked.view(FIXED[type_.kind][1])[:, 0], type_, valid, index)
        if type_.kind in (Kind.TEXT, Kind.NAME, Kind.VARCHAR, Kind.BPCHAR):
            return self._texts(starts, sizes, valid, type_, index)
        values: list[object] = []
        for row, (start, size) in enumerate(zip(starts.tolist(), sizes.tolist(), strict=True)):
            values.append(
                None if size < 0 else self._one(self._buffer[start : start + size], type_, row, index)
            )
        if type_.kind is Kind.NUMERIC:
            return self._parsed(pa.array(values, pa.string()), type_, index)
        if type_.is_range:
            found = [one if isinstance(one, RawRange) else NULL_RANGE for one in values]
            return self._checked(ranges_of(found, type_, valid), index)
        return pa.array(values, type_.arrow)

    def _one(self, raw: bytes, type_: ScalarType, row: int, index: int) -> object:
        try:
            if type_.is_range:
                return cut_range(raw, type_, decode_binary)
            return numeric_text(raw) if type_.kind is Kind.NUMERIC else decode_binary(raw, type_)
        except BadSize:
            raise self._at("incorrect binary data format", row, index, "22P03") from None
        except PtvcError as error:
            raise self._at(error.message, row, index, error.sqlstate) from None

    def _texts(
        self, starts: Positions, sizes: Positions, valid: npt.NDArray[np.bool_], type_: ScalarType, index: int
    ) -> pa.Array:
        view = memoryview(self._buffer)
        data = b"".join(
            view[start : start + size]
            for start, size in zip(starts[valid].tolist(), sizes[valid].tolist(), strict=True)
        )
        raw = packed(np.where(valid, sizes, 0), data)
        texts = self._utf8(raw, index)
        if not valid.all():
            mask = np.packbits(valid, bitorder="little")
            texts = pa.Array.from_buffers(
                pa.string(), len(texts), [pa.py_buffer(mask), texts.buffers()[1], texts.buffers()[2]]
            )
        return self._parsed(texts, type_, index) if type_.length is not None else texts

    def _utf8(self, raw: pa.Array, index: int) -> pa.Array:
        texts, row, error = decoded(raw)
        if error is not None:
            raise self._at(error.message, row, index, error.sqlstate)
        return texts

    def _parsed(self, texts: pa.Array, type_: ScalarType, index: int) -> pa.Array:
        return self._checked(from_text(texts, type_, explicit=False), index)

    def _checked(self, found: Evaluated, index: int) -> pa.Array:
        if found.errors is not None:
            errors = found.errors
            raise self._at(
                errors.messages[0].as_py(), int(errors.indices[0]), index, errors.sqlstates[0].as_py()
            )
        return found.values

    def _fixed(
        self,
        values: npt.NDArray[np.generic],
        type_: ScalarType,
        valid: npt.NDArray[np.bool_] | None,
        index: int,
    ) -> pa.Array:
        source, _, _, epoch = FIXED[type_.kind]
        native = values.astype(source)
        if epoch:
            bounds = np.iinfo(native.dtype)
            with np.errstate(over="ignore"):
                moved = native + epoch
            endless = (native == bounds.max) | (native == bounds.min)
            if (wrong := ((moved < native) | (moved == bounds.max)) & ~endless).any():
                raise self._at("date/time value out of range", int(wrong.argmax()), index, "22008")
            native = np.where(endless, native, moved)
        array = pa.array(native, mask=None if valid is None else ~valid)
        if type_.kind is Kind.BOOL:
            return array.cast(pa.bool_())
        array = array.view(type_.arrow) if array.type != type_.arrow else array
        return self._checked(rounded(array, type_), index) if type_.kind in CLOCKS else array

    def _at(self, message: str, row: int, index: int, sqlstate: str) -> CopyDataError:
        name = self._schema[index].name
        context = f"{self._context}, line {self._row + row + 1}, column {name}"
        return CopyDataError(message, context=context, sqlstate=sqlstate)


def decoded(raw: pa.Array) -> tuple[pa.Array, int, DataError | None]:
    """A binary array as text; or the first entry that is not UTF-8 without NUL, and its error."""
    try:
        text = raw.cast(pa.string())
        data = text.buffers()[2]
        if data is None or b"\0" not in data.to_pybytes():
            return text, 0, None
    except pa.ArrowInvalid:
        pass  # the loop below finds which row it is, with PostgreSQL's message
    for row, value in enumerate(raw.to_pylist()):
        try:
            if value is not None:
                decode_text(value)
        except DataError as error:
            return None, row, error
    return raw.cast(pa.string()), 0, None
