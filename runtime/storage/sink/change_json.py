"""Change records as JSON lines, made by kernels over whole columns.

Numbers are written with the digits that SQL prints (a numeric exactly, `NaN` and `Infinity` as text, which JSON has
no number for), timestamps as ISO 8601, everything else as text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...expr.text.text_format import to_text
from ...repr.batch import Batch, Indices
from ...repr.schema import Schema
from ...repr.types import Kind, ScalarType
from .change_records import ChangeRecords, SinkEnvelope, chosen

_RECORDS_AT_ONCE = 32_768
_CONTROL = "[\\x00-\\x1f]"


def encode_json(
    schema: Schema, batch: Batch, records: ChangeRecords, envelope: SinkEnvelope, key: Sequence[int]
) -> list[bytes]:
    """The lines of all records, in pieces of bounded size."""
    pieces: list[bytes] = []
    for start in range(0, len(records), _RECORDS_AT_ONCE):
        stop = min(start + _RECORDS_AT_ONCE, len(records))
        lines = _lines(schema, batch, records.slice(start, stop), envelope, key)
        # One value per line, each ended by a newline: the values' buffer is the file's content.
        offsets = np.frombuffer(lines.buffers()[1], np.int32)[lines.offset : lines.offset + len(lines) + 1]
        pieces.append(lines.buffers()[2].slice(int(offsets[0]), int(offsets[-1] - offsets[0])).to_pybytes())
    return pieces


def _lines(
    schema: Schema, batch: Batch, records: ChangeRecords, envelope: SinkEnvelope, key: Sequence[int]
) -> pa.Array:
    times = pa.array(records.times).cast(pa.string())
    everything = range(len(schema))
    if envelope is SinkEnvelope.NONE:
        fields = _fields(schema, batch, records.after, everything)
        diffs = pa.array(records.diffs).cast(pa.string())
        return _join("{", *fields, '"mz_timestamp":', times, ',"mz_diff":', diffs, "}\n")
    after = _object_or_null(schema, batch, records.after)
    if envelope is SinkEnvelope.UPSERT:
        fields = _fields(schema, batch, records.keys, key)
        return _join("{", *fields, '"after":', after, ',"ts":', times, "}\n")
    before = _object_or_null(schema, batch, records.before)
    return _join('{"before":', before, ',"after":', after, ',"ts":', times, "}\n")


def before_and_after(
    schema: Schema, batch: Batch, records: ChangeRecords, columns: Sequence[int]
) -> pa.Array:
    """`{"before":row or null,"after":row or null}` of each record, rows with these columns."""
    before = _object_or_null(schema, batch, records.before, columns)
    after = _object_or_null(schema, batch, records.after, columns)
    return _join('{"before":', before, ',"after":', after, "}")


def row_objects(schema: Schema, batch: Batch, rows: Indices, columns: Sequence[int]) -> pa.Array:
    """These columns of the rows as objects: string, NULL where there is no row."""
    there = chosen(rows)
    if not there.any():
        return pa.nulls(len(rows), pa.string())
    text = _join("{", *_fields(schema, batch, rows, columns, last=True), "}")
    return text if there.all() else pc.if_else(pa.array(there), text, pa.scalar(None, pa.string()))


def _object_or_null(
    schema: Schema, batch: Batch, rows: Indices, columns: Sequence[int] | None = None
) -> pa.Array:
    """The rows as objects; `null` where there is none."""
    objects = row_objects(schema, batch, rows, range(len(schema)) if columns is None else columns)
    return pc.fill_null(objects, "null") if objects.null_count else objects


def _fields(
    schema: Schema, batch: Batch, rows: Indices, columns: Sequence[int], *, last: bool = False
) -> list[pa.Array | str]:
    """`"name":value,` for each of the columns; without the comma at the end when these are the last fields."""
    index = pa.array(rows, mask=~chosen(rows))
    parts: list[pa.Array | str] = []
    for position in columns:
        column = schema[position]
        parts += [
            json.dumps(column.name, ensure_ascii=False) + ":",
            _values(batch.columns[position].take(index), column.type),
            ",",
        ]
    return parts[:-1] if last else parts


def _values(values: pa.Array, type_: ScalarType) -> pa.Array:
    match type_.kind:
        case Kind.BOOL:
            text = pc.if_else(values, pa.scalar("true"), pa.scalar("false"))
        case Kind.FLOAT4 | Kind.FLOAT8:
            text = to_text(values, type_)
            finite = pc.is_finite(values)
            if not pc.all(finite).as_py():
                text = pc.if_else(finite, text, _join('"', text, '"'))
        case Kind.TIMESTAMP | Kind.TIMESTAMPTZ:
            text = pc.replace_substring(to_text(values, type_), " ", "T", max_replacements=1)
            if type_.kind is Kind.TIMESTAMPTZ:
                text = pc.replace_substring_regex(text, r"\+00( BC)?$", r"Z\1")
            text = _join('"', text, '"')
        case Kind.JSONB | Kind.JSON:
            text = values  # which is JSON as it stands
        case _ if type_.is_integer or type_.kind in (Kind.OID, Kind.NUMERIC):
            text = to_text(values, type_)
        case Kind.DATE:
            text = _join('"', to_text(values, type_), '"')
        case _:
            text = _join('"', _escaped(to_text(values, type_)), '"')
    return pc.fill_null(text, "null") if text.null_count else text


def _escaped(text: pa.Array) -> pa.Array:
    text = pc.replace_substring(text, "\\", "\\\\")
    text = pc.replace_substring(text, '"', '\\"')
    if pc.any(pc.match_substring_regex(text, _CONTROL)).as_py():
        for code in range(32):
            text = pc.replace_substring(text, chr(code), json.dumps(chr(code))[1:-1])
    return text


def _join(*parts: pa.Array | str) -> pa.Array:
    return pc.binary_join_element_wise(*(pa.scalar(p) if isinstance(p, str) else p for p in parts), "")
