"""Portals: statements with their parameters bound, run in whole or a number of rows at a time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from ..coord.results.results import Columns, Rows, check_shape
from ..errors import PtvcError
from ..expr.datetimes.zones import Zone
from ..expr.tree.scalar import Literal
from ..sql.catalog.catalog_view import Prepared
from . import codec
from .types import decode_parameter


@dataclass(slots=True)
class Portal:
    """A bound statement.  `rows` is set once it runs; `pending` are rows of the current chunk that no Execute
    has asked for yet."""

    name: str
    prepared: Prepared
    parameters: tuple[Literal, ...]
    result_formats: tuple[int, ...]
    rows: Rows | None = None
    pending: Columns | None = None
    started: bool = False
    finished: bool = False
    formats: tuple[int, ...] = field(default=())

    def open(self, rows: Rows) -> None:
        """Take the result, if it has the shape that was described to the client."""
        check_shape(self.prepared.schema, rows.schema)
        self.rows = rows
        self.formats = codec.expand_formats(self.result_formats, len(rows.schema), "result")

    async def next_chunk(self, limit: int) -> Columns | None:
        """The next rows, at most `limit` of them (0: as they come); None at the end."""
        assert self.rows is not None
        chunk, self.pending = self.pending, None
        while chunk is None or not chunk or not len(chunk[0]):
            chunk = await anext(self.rows.chunks, None)
            if chunk is None:
                self.finished = True
                return None
        if limit and len(chunk[0]) > limit:
            self.pending = tuple(column.slice(limit) for column in chunk)
            chunk = tuple(column.slice(0, limit) for column in chunk)
        return chunk

    async def close(self) -> None:
        """Stop the query behind it, if it has not ended."""
        self.pending = None
        if self.rows is not None and not self.finished:
            await close_chunks(self.rows.chunks)


async def close_chunks(chunks: AsyncIterator[Columns]) -> None:
    """Tell a producer that no one will read on.  Iterators need not support it; generators do."""
    aclose = getattr(chunks, "aclose", None)
    if aclose is not None:
        await aclose()


def bind(message: codec.Bind, prepared: Prepared, zone: Zone | None = None) -> Portal:
    """`zone` is that of instants in text.  Raises PtvcError when the message does not suit the statement."""
    expected = len(prepared.parameter_types)
    if len(message.parameters) != expected:
        raise codec.ProtocolViolation(
            f"bind message supplies {len(message.parameters)} parameters, "
            f'but prepared statement "{message.statement}" requires {expected}'
        )
    formats = codec.expand_formats(message.parameter_formats, expected, "parameter")
    parameters = tuple(
        decode_parameter(raw, type_, format_, number, zone)
        for number, (raw, type_, format_) in enumerate(
            zip(message.parameters, prepared.parameter_types, formats, strict=True), 1
        )
    )
    if prepared.schema is not None:
        codec.expand_formats(message.result_formats, len(prepared.schema), "result")
    return Portal(message.portal, prepared, parameters, message.result_formats)


def missing_statement(name: str) -> PtvcError:
    what = f'prepared statement "{name}"' if name else "unnamed prepared statement"
    return PtvcError(f"{what} does not exist", sqlstate="26000")


def missing_portal(name: str) -> PtvcError:
    return PtvcError(f'portal "{name}" does not exist', sqlstate="34000")
