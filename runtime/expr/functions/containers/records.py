"""Records: rows as values, made of their fields and taken apart again.

A record is NULL as a whole only where something that holds records is; `IS NULL` of a row is of its fields, and the planner
writes it so.  Comparisons of records, other than of rows as they are written, hold NULL fields equal and the greatest.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from ....errors import UndefinedFunction, Unsupported
from ....repr.types import INT4, JSON, TEXT, Kind, record_of
from ...tree.function import CallInfo, Datum, Function, Overload, as_array
from ...tree.scalar import Call, Literal, Scalar
from ..json.build import as_written
from .arrays import undefined


def row(fields: Sequence[tuple[str, Scalar]]) -> Call:
    """A record of named fields, at least one."""
    type_ = record_of(tuple((name, field.type) for name, field in fields))
    return Call("record of", tuple(field for _, field in fields), type_, False)


def field_of(record: Scalar, index: int) -> Scalar:
    """The field at the 0-based `index`; of a NULL record it is NULL."""
    if isinstance(record, Call) and record.function == "record of":
        return record.args[index]
    return Call("record field", (record, Literal(index, INT4)), record.type.fields[index][1], True)


def _made(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    columns = [as_array(datum, info.length) for datum in args]
    return pa.StructArray.from_arrays(columns, fields=list(info.result.arrow))


def _field(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    records = as_array(args[0], info.length)
    index = args[1] if isinstance(args[1], pa.Scalar) else args[1][0]
    return records.flatten()[index.as_py()]


def _resolve_made(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    return row([(f"f{number}", arg) for number, arg in enumerate(args, 1)])


def _resolve_row_to_json(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    if len(args) == 2:
        raise Unsupported("row_to_json with line feeds is not supported")
    if len(args) != 1 or unknown[0] or args[0].type.kind is not Kind.RECORD:
        raise undefined("row_to_json", args, unknown)
    return Call("row_to_json", args, JSON, args[0].nullable)


def _to_json(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    return as_written(as_array(args[0], info.length), info.types[0])


def _refused(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    raise UndefinedFunction("fields of records are written (record).name")


FUNCTIONS: tuple[Function, ...] = (
    Function("record of", (Overload(None, TEXT, _made, strict=False, nullable=False),), None, _resolve_made),
    Function("record field", (Overload(None, TEXT, _field, nullable=True),), None, _refused),
    Function("row_to_json", (Overload(None, JSON, _to_json),), None, _resolve_row_to_json),
)
