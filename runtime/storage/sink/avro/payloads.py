"""Payloads as Confluent's serializers write them: a zero byte, the id of a schema, and a row, or one before and one after."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....repr.batch import Batch, Indices
from ..change_records import ChangeRecords, chosen
from .encoding import Parts, column_parts, joined, spread
from .types import RowType

_MAGIC = b"\x00"
_NONE, _ROW = b"\x00", b"\x02"


class AvroPayloads:
    """Of the schema that a registry knows by `id_`."""

    def __init__(self, row: RowType, id_: int) -> None:
        self._row = row
        self._header = _MAGIC + id_.to_bytes(4, "big")

    def rows(self, batch: Batch, rows: Indices) -> pa.BinaryArray:
        """Of each row that is there; NULL where there is none.  Raises Unwritable."""
        there = chosen(rows)
        if not there.any():
            return pa.nulls(len(rows), pa.binary())
        present = joined([self._header, *self._parts(batch, rows[there])], int(np.count_nonzero(there)))
        return spread(present, there, absent_is_null=True)

    def changes(self, batch: Batch, records: ChangeRecords) -> pa.BinaryArray:
        """Of each record the row before and the row after.  Raises Unwritable."""
        parts = [
            self._header,
            *self._row_or_null(batch, records.before),
            *self._row_or_null(batch, records.after),
        ]
        return joined(parts, len(records))

    def _row_or_null(self, batch: Batch, rows: Indices) -> Parts:
        there = chosen(rows)
        if not there.any():
            return [_NONE]
        parts: Parts = [_ROW, *self._parts(batch, rows[there])]
        if there.all():
            return parts
        present = spread(joined(parts, int(np.count_nonzero(there))), there, absent_is_null=True)
        return [pc.fill_null(present, pa.scalar(_NONE, pa.binary()))]

    def _parts(self, batch: Batch, rows: Indices) -> Parts:
        index = pa.array(rows)
        parts: Parts = []
        for position in self._row.positions:
            column = self._row.schema[position]
            values = batch.columns[position].take(index)
            parts += column_parts(values, column.type, column.name, nullable=self._row.nullable(position))
        return parts
