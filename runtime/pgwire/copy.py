"""COPY: rows to the client, and the client's data to columns, in text, csv, binary and parquet.

Incoming data is collected into blocks of about `BLOCK_BYTES`, cut at the last whole row, and decoded a block at a
time; what is left waits for the next one.  Errors say where, as PostgreSQL does: `COPY t, line 3, column a: "x"`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..coord.results.results import Columns, CopyIn, CopyOut
from ..errors import PtvcError, QueryCanceled
from ..expr.text.copy_text import unescape
from ..expr.text.text_format import from_text
from ..sql.syntax.vocabulary import CopyFormat
from . import codec
from .codec import CopyDataError, FrontendKind
from .copy_binary import BinaryReader, decoded
from .copy_parquet import RowGroups
from .copy_parquet_read import ParquetReader
from .copy_text import SHOWN_BYTES, Block, Splitter
from .copy_write import RowWriter
from .rows import slices
from .wire import FLUSH_BYTES, ClientGone, FramingError, Wire

BLOCK_BYTES = 1 << 20
ROWS_PER_CHUNK = 20_000
MAX_ROW_BYTES = 256 << 20


async def copy_out(wire: Wire, copy: CopyOut, check_cancel: Callable[[], None]) -> int:
    """Send all rows, one CopyData each; how many they were."""
    if copy.options.format is CopyFormat.PARQUET:
        return await _parquet_out(wire, copy, check_cancel)
    wire.send(codec.copy_response(b"H", len(copy.schema), not copy.options.format.is_text))
    writer = RowWriter(copy.schema, copy.options, copy.zone)
    wire.send(writer.header())
    if copy.endless:  # the first row may take its time
        await wire.flush()
    sent = 0
    async for chunk in copy.chunks:
        for piece in slices(chunk):
            check_cancel()
            wire.send(writer.rows(piece))
            sent += len(piece[0])
            if wire.unsent > FLUSH_BYTES:
                await wire.flush()
                await asyncio.sleep(0)
        if copy.endless:  # nobody is asked for more before the client has taken this
            await wire.flush()
        else:
            wire.flush_soon()
    wire.send(writer.trailer())
    wire.send(codec.COPY_DONE)
    return sent


async def _parquet_out(wire: Wire, copy: CopyOut, check_cancel: Callable[[], None]) -> int:
    groups = RowGroups(copy.schema, copy.zone)
    wire.send(codec.copy_response(b"H", len(copy.schema), True))
    sent = 0
    async for chunk in copy.chunks:
        for piece in slices(chunk):
            check_cancel()
            groups.add(piece)
            sent += len(piece[0])
            if groups.full:
                await _send_bytes(wire, await asyncio.to_thread(groups.take))
    await _send_bytes(wire, await asyncio.to_thread(groups.finish))
    wire.send(codec.COPY_DONE)
    return sent


async def _send_bytes(wire: Wire, data: bytes) -> None:
    for start in range(0, len(data), FLUSH_BYTES):
        wire.send(codec.message(b"d", data[start : start + FLUSH_BYTES]))
        await wire.flush()


async def copy_in_chunks(wire: Wire, copy: CopyIn) -> AsyncIterator[Columns]:
    """The client's data as columns of `copy.schema`, until CopyDone.  Raises PtvcError for what is wrong with it."""
    wire.send(codec.copy_response(b"G", len(copy.schema), not copy.options.format.is_text))
    await wire.flush()
    context = f"COPY {copy.table}" if copy.table else "COPY"
    if copy.options.format is CopyFormat.PARQUET:
        reading = ParquetReader(copy, context)
        try:
            async for data, _ in _blocks(wire):
                await asyncio.to_thread(reading.write, data)
            await asyncio.to_thread(reading.open)
            while (found := await asyncio.to_thread(reading.next)) is not None:
                yield found
        finally:  # not awaited: a statement that was cancelled may have left a thread that still reads
            asyncio.get_running_loop().run_in_executor(None, reading.close)
        return
    binary = copy.options.format is CopyFormat.BINARY
    reader = BinaryReader(copy.schema, context) if binary else TextReader(copy, context)
    async for data, final in _blocks(wire):
        for columns in reader.feed(data, final):
            yield columns


async def _blocks(wire: Wire) -> AsyncIterator[tuple[bytes, bool]]:
    """The client's data, about `BLOCK_BYTES` at a time, and whether that was all of it."""
    block: list[bytes] = []
    size = 0
    async for data in _copy_data(wire):
        block.append(data)
        size += len(data)
        if size >= BLOCK_BYTES:
            yield b"".join(block), False
            block, size = [], 0
    yield b"".join(block), True


async def _copy_data(wire: Wire) -> AsyncIterator[bytes]:
    while True:
        kind, body = await wire.read_message()
        match kind:
            case FrontendKind.COPY_DATA:
                yield body if isinstance(body, bytes) else bytes(body)
            case FrontendKind.COPY_DONE:
                return
            case FrontendKind.COPY_FAIL:
                raise QueryCanceled(f"COPY from stdin failed: {codec.parse_query(body)}")
            case FrontendKind.FLUSH | FrontendKind.SYNC:
                continue  # libpq sends these without knowing that the statement was COPY
            case FrontendKind.TERMINATE:
                raise ClientGone
            case _:
                raise FramingError(f"unexpected message type 0x{kind:02X} during COPY from stdin")


class TextReader:
    """Text and csv: feed it bytes, get columns."""

    def __init__(self, copy: CopyIn, context: str) -> None:
        self._schema = copy.schema
        self._zone = copy.zone
        self._csv = copy.options.format is CopyFormat.CSV
        self._splitter = Splitter(copy.options, context)
        self._context = context
        self._skip_header = copy.options.header
        self._rest = b""
        self._wanted = 0
        self._ended = False

    def feed(self, data: bytes, final: bool) -> Iterator[Columns]:
        if self._ended:
            return
        data = self._rest + data
        # While one row grows beyond a block, look again only when the data has doubled.
        if len(data) < self._wanted and not final:
            self._rest = data
            return
        block = self._splitter.split(data, final)
        if block is None:
            if len(data) > MAX_ROW_BYTES:
                raise PtvcError(
                    f"a row of COPY data is longer than {MAX_ROW_BYTES} bytes",
                    sqlstate="54000",
                    hint="Check the quotes and the delimiter of the data.",
                )
            self._rest, self._wanted = data, 2 * len(data)
            return
        self._rest, self._wanted = data[block.used :], 0
        self._ended = block.ended
        first = int(self._skip_header and len(block.widths) > 0)
        self._skip_header = self._skip_header and not first
        # Rows before one with too few or too many fields are looked at before that one is blamed.
        width = len(self._schema)
        bad = np.flatnonzero(block.widths[first:] != width)
        rows = first + int(bad[0]) if len(bad) else len(block.widths)
        for start in range(first, rows, ROWS_PER_CHUNK):
            yield self._columns(block, first, start, min(start + ROWS_PER_CHUNK, rows))
        if len(bad):
            raise self._width_error(block, rows)

    def _columns(self, block: Block, first: int, start: int, stop: int) -> Columns:
        """Rows `[start, stop)`, all of the right width, as are those from `first` on."""
        width = len(self._schema)
        begin = int(block.widths[:first].sum())
        picks = begin + np.arange(start - first, stop - first) * width
        failures: list[tuple[int, int, PtvcError]] = []
        columns = []
        for index in range(width):
            array, failure = self._column(block, picks + index, index)
            columns.append(array)
            if failure is not None:
                failures.append((failure[0], index, failure[1]))
        if failures:
            row, index, error = min(failures, key=lambda item: item[:2])
            raise self._value_error(block, int(picks[row]) + index, start + row, index, error)
        return tuple(columns)

    def _column(
        self, block: Block, picks: np.ndarray[tuple[int], np.dtype[np.int64]], index: int
    ) -> tuple[pa.Array, tuple[int, PtvcError] | None]:
        type_ = self._schema[index].type
        nulls = block.nulls[picks]
        raw = block.fields.take(pa.array(picks))
        if nulls.any():
            raw = pc.if_else(pa.array(nulls), pa.scalar(None, pa.binary()), raw)
        if not self._csv:
            raw = unescape(raw)
        text, row, error = decoded(raw)
        if error is not None:
            return None, (row, error)
        parsed = from_text(text, type_, explicit=False, zone=self._zone)
        if parsed.errors is None:
            return parsed.values, None
        message, state = parsed.errors.messages[0].as_py(), parsed.errors.sqlstates[0].as_py()
        return None, (int(parsed.errors.indices[0]), PtvcError(message, sqlstate=state))

    def _value_error(self, block: Block, field: int, row: int, index: int, error: PtvcError) -> CopyDataError:
        raw = block.fields.slice(field, 1)
        text = (raw if self._csv else unescape(raw))[0].as_py().decode("utf-8", "replace")
        where = f"{self._context}, line {int(block.lines[row])}"
        if error.sqlstate == "22021":
            # Bad bytes are named with the line alone; what escapes stand for, with its text.
            raw_row = block.data[block.starts[row] : block.ends[row]]
            if decoded(pa.array([raw_row], pa.binary()))[2] is None:
                where += f': "{shown(block.row_text(row))}"'
            return CopyDataError(error.message, context=where, sqlstate=error.sqlstate)
        context = f'{where}, column {self._schema[index].name}: "{shown(text)}"'
        return CopyDataError(error.message, context=context, sqlstate=error.sqlstate)

    def _width_error(self, block: Block, row: int) -> CopyDataError:
        found = int(block.widths[row])
        if found > len(self._schema):
            message = "extra data after last expected column"
        else:
            message = f'missing data for column "{self._schema[found].name}"'
        context = f'{self._context}, line {int(block.lines[row])}: "{shown(block.row_text(row))}"'
        return CopyDataError(message, context=context)


def shown(text: str) -> str:
    raw = text.encode()
    return text if len(raw) <= SHOWN_BYTES else raw[:SHOWN_BYTES].decode("utf-8", "ignore") + "..."
