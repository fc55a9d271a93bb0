"""Payloads for decoders of lines: each payload is a line, and errors are about payloads."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...repr.schema import Schema
from ..decode import Decoded, ErrorList
from ..lines import Lines
from .contract import DecodedPayloads, PayloadErrors


def lines_of(payloads: pa.LargeBinaryArray) -> Lines:
    """Line i is payload i, also where that is empty, or has line ends in it."""
    count = len(payloads)
    line_end, nothing = (pa.scalar(text, pa.large_binary()) for text in (b"\n", b""))
    ended = pc.binary_join_element_wise(payloads, line_end, nothing)
    _, offsets, data = ended.buffers()
    bounds = np.frombuffer(offsets, np.int64)[ended.offset : ended.offset + count + 1]
    return Lines(
        data.to_pybytes() if data is not None else b"", bounds[:-1], bounds[1:] - 1, np.arange(count)
    )


class Reasons(ErrorList):
    """Errors that say what is wrong, not where."""

    def __init__(self, schema: Schema, lines: Lines) -> None:
        super().__init__(schema, "", lines.numbers)

    def _message(self, row: int, column: int, reason: str) -> str:
        return reason


def decoded_payloads(decoded: Decoded) -> DecodedPayloads:
    found = decoded.errors
    return DecodedPayloads(
        decoded.columns, PayloadErrors(found.rows, found.columns, found.sqlstates, found.messages)
    )


def nullable(schema: Schema) -> Schema:
    """NULL is no matter of a format: whether a column may be NULL is checked where it is known what a record does."""
    return Schema(tuple(column.or_null() for column in schema))
