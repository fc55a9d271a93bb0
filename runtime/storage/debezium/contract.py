"""What an envelope of Debezium is: a function of values of messages to rows, or to nothing where a row was deleted.

| `op`                            | the event is                                                      |
|---------------------------------|-------------------------------------------------------------------|
| `r`, `c`, `u`: read, create, update | the row of its key, `after`                                   |
| `d`: delete                     | that there is no row of its key                                   |
| `t`: truncate                   | an error: it says nothing of any key, and all rows would be gone  |
| none, as after some transforms  | what `after` says                                                 |

`before` is not read: the last event of a key counts, so events that come again after a restart of Debezium are harmless.  A tombstone,
the message without a value behind a delete, is not the envelope's matter: it deletes what is deleted already.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...repr.batch import Mask
from ...repr.schema import Schema
from ...repr.types import Kind
from ..decode import WHOLE_RECORD
from ..formats.contract import DecodedPayloads, PayloadFormat
from ..formats.payloads import ErrorParts

_UNAVAILABLE = "__debezium_unavailable_value"
_NOT_A_CHANGE = "22023"
_ROWS = ("r", "c", "u")


@dataclass(frozen=True, slots=True)
class DecodedEvents:
    """Of n values: `payloads` has the row of each, NULL columns where there is none; `present` is whether there is one."""

    payloads: DecodedPayloads
    present: Mask


class EventFormat(Protocol):
    @property
    def schema(self) -> Schema:
        """The columns of a row."""

    def decode(self, payloads: pa.LargeBinaryArray) -> DecodedEvents:
        """As `PayloadFormat.decode`."""


class RowEvents:
    """Payloads of a format, each of which is a row."""

    def __init__(self, format: PayloadFormat) -> None:
        self._format = format

    @property
    def schema(self) -> Schema:
        return self._format.schema

    def decode(self, payloads: pa.LargeBinaryArray) -> DecodedEvents:
        return DecodedEvents(self._format.decode(payloads), np.ones(len(payloads), np.bool_))


def check_operations(ops: pa.StringArray, present: Mask, readable: Mask, errors: ErrorParts) -> None:
    """Adds an error for each event whose `op`, NULL if it has none, does not fit to whether it has a row.

    Those that are not `readable` are in error already.
    """
    given = ops.is_valid().to_numpy(zero_copy_only=False)
    rows = pc.is_in(ops, value_set=pa.array(_ROWS)).to_numpy(zero_copy_only=False)
    deletes = pc.equal(ops, "d").fill_null(False).to_numpy(zero_copy_only=False)
    wrong = readable & given & ~(rows & present) & ~(deletes & ~present)
    for row in np.flatnonzero(wrong).tolist():
        sqlstate, reason = _complaint(ops[row].as_py(), bool(present[row]))
        errors.add(np.array([row]), WHOLE_RECORD, sqlstate, [reason])


def _complaint(op: str, present: bool) -> tuple[str, str]:
    if op == "t":
        return (
            "0A000",
            "the table was truncated upstream, which its events do not say of each row: create the source anew",
        )
    if op in (*_ROWS, "d"):
        return (
            _NOT_A_CHANGE,
            f'a change event of operation "{op}" has {"a" if present else "no"} row after it',
        )
    return _NOT_A_CHANGE, f'"{op[:80]}" is no operation of a change event'


def check_available(schema: Schema, columns: tuple[pa.Array, ...], errors: ErrorParts) -> None:
    """Adds an error for each value that PostgreSQL did not send, as it had not changed and is stored apart."""
    for index, (column, values) in enumerate(zip(schema, columns, strict=True)):
        match column.type.kind:
            case Kind.TEXT | Kind.VARCHAR:
                placeholder = pa.scalar(_UNAVAILABLE, values.type)
            case Kind.BYTEA:
                placeholder = pa.scalar(_UNAVAILABLE.encode(), values.type)
            case Kind.JSONB:
                placeholder = pa.scalar(f'"{_UNAVAILABLE}"', values.type)
            case _:
                continue
        missing = np.flatnonzero(
            pc.equal(values, placeholder).fill_null(False).to_numpy(zero_copy_only=False)
        )
        reason = (
            "the event lacks the value, which had not changed: ALTER TABLE ... REPLICA IDENTITY FULL upstream"
        )
        errors.add(missing, index, _NOT_A_CHANGE, [reason] * len(missing))
