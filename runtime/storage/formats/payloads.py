"""Payloads taken apart in front of their content, and errors of them as they are found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...expr.columns.row_errors import Mask, RowErrors
from ...repr.batch import Indices
from ..decode import WHOLE_RECORD
from .contract import PayloadErrors

MALFORMED = "22P03"
"""invalid_binary_representation: of a payload that is not as its schema says."""

_BY_ID, _BY_GUID = 0, 1
_ID_BYTES, _GUID_BYTES = 4, 16


@dataclass(frozen=True, slots=True)
class Framed:
    """Payload i: `data[starts[i]:ends[i]]` behind the id of its schema `ids[i]`; only of those that are `sound`.  An id of -1 - k is
    `guids[k]`."""

    data: npt.NDArray[np.uint8]
    starts: Indices
    ends: Indices
    ids: Indices
    sound: Mask
    guids: tuple[UUID, ...] = ()

    def schema_of(self, id_: int) -> int | UUID:
        return id_ if id_ >= 0 else self.guids[-1 - id_]


class ErrorParts:
    """Errors of a batch of payloads, collected in any order."""

    def __init__(self) -> None:
        self._parts: list[tuple[Indices, Indices, pa.Array, pa.Array]] = []

    def add(self, rows: Indices, column: int, sqlstate: str, reasons: Sequence[str]) -> None:
        if len(rows):
            states = pa.repeat(pa.scalar(sqlstate), len(rows))
            self._parts.append((rows, np.full(len(rows), column), states, pa.array(reasons, pa.string())))

    def add_values(self, column: int, errors: RowErrors | None) -> None:
        if errors is not None and len(errors):
            columns = np.full(len(errors), column)
            self._parts.append((errors.indices, columns, errors.sqlstates, errors.messages))

    def add_all(self, errors: PayloadErrors) -> None:
        if len(errors):
            self._parts.append((errors.rows, errors.columns, errors.sqlstates, errors.reasons))

    def finish(self) -> PayloadErrors:
        """By payload, and for each by column."""
        if not self._parts:
            none = pa.array([], pa.string())
            return PayloadErrors(np.empty(0, np.int64), np.empty(0, np.int64), none, none)
        rows = np.concatenate([part[0] for part in self._parts])
        columns = np.concatenate([part[1] for part in self._parts])
        order = np.lexsort((columns, rows))
        chosen = pa.array(order)
        sqlstates = pa.concat_arrays([part[2] for part in self._parts]).take(chosen)
        reasons = pa.concat_arrays([part[3] for part in self._parts]).take(chosen)
        return PayloadErrors(rows[order], columns[order], sqlstates, reasons)


def extents(payloads: pa.LargeBinaryArray) -> tuple[npt.NDArray[np.uint8], Indices, Indices]:
    """The bytes of all payloads, and where each begins and ends in them."""
    if not len(payloads):
        return np.empty(0, np.uint8), np.empty(0, np.int64), np.empty(0, np.int64)
    _, places, content = payloads.buffers()
    offsets = np.frombuffer(places, np.int64)[payloads.offset : payloads.offset + len(payloads) + 1]
    first, last = int(offsets[0]), int(offsets[-1])
    data = np.empty(0, np.uint8) if content is None else np.frombuffer(content, np.uint8)[first:last]
    return data, offsets[:-1] - first, offsets[1:] - first


def framed(payloads: pa.LargeBinaryArray, errors: ErrorParts) -> Framed:
    """A registry's frame: a zero byte, and four of the schema's id, the most significant first; or a one, and the 16 of its GUID."""
    data, starts, ends = extents(payloads)
    lengths = ends - starts
    first = np.full(len(starts), _BY_ID, np.uint8)
    first[lengths > 0] = data[starts[lengths > 0]]
    by_guid = first == _BY_GUID
    headers = np.where(by_guid, 1 + _GUID_BYTES, 1 + _ID_BYTES)
    sound = lengths >= headers
    strange = np.flatnonzero((first != _BY_ID) & ~by_guid & sound)
    reasons = [
        f"the payload begins with {byte}, not with 0 and the id of a schema"
        for byte in first[strange].tolist()
    ]
    errors.add(strange, WHOLE_RECORD, MALFORMED, reasons)
    short = np.flatnonzero(~sound)
    reasons = [f"{length} bytes are too few for the id of a schema" for length in lengths[short].tolist()]
    errors.add(short, WHOLE_RECORD, MALFORMED, reasons)
    sound[strange] = False
    ids = np.zeros(len(starts), np.int64)
    numbered, named = np.flatnonzero(sound & ~by_guid), np.flatnonzero(sound & by_guid)
    if len(numbered):
        digits = data[starts[numbered, None] + np.arange(1, 1 + _ID_BYTES)].astype(np.int64)
        ids[numbered] = digits @ np.array([1 << 24, 1 << 16, 1 << 8, 1])
    guids: tuple[UUID, ...] = ()
    if len(named):
        found = data[starts[named, None] + np.arange(1, 1 + _GUID_BYTES)]
        distinct, which = np.unique(found, axis=0, return_inverse=True)
        guids = tuple(UUID(bytes=row.tobytes()) for row in distinct)
        ids[named] = -1 - which.reshape(-1)
    return Framed(data, starts + headers, ends, ids, sound, guids)
