"""Raw values of an Avro type as values of its SQL type; what does not fit is an error of that value."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....expr.columns.arrays import both_valid, with_nulls
from ....expr.columns.lists import counts_of, list_array, owners_of
from ....expr.columns.maps import keyed
from ....expr.columns.row_errors import Evaluated, RowErrors, merge_errors, same_error
from ....expr.datetimes.datetime_input import MAX_DATE, MAX_TIMESTAMP, MIN_DATE, MIN_TIMESTAMP
from ....expr.functions.json.build import to_json
from ....expr.text.text_format import from_text
from ....repr.batch import Mask
from ....repr.buffers import present, validity
from ....repr.types import DATE, JSONB, TIMESTAMP, TIMESTAMPTZ, UUID, map_of, record_of
from ...decode import read_text
from ..texts import without_zero_bytes
from .decimals import decimals
from .schema import Again, Array, Enum, Fixed, Logical, Map, Primitive, Record, Type, Union, nullable_of
from .types import branches_of, sql_type

_MILLI = 1000
_DAY = 86_400_000_000


def sql_values(raw: pa.Array, type_: Type) -> Evaluated:
    """`raw` has `raw_type(type_)`; the values have `sql_type(type_)`."""
    match type_:
        case Primitive(logical=Logical() as logical) | Fixed(logical=Logical() as logical):
            return _logical(raw, logical, type_)
        case Primitive(kind="int"):
            return Evaluated(raw.cast(pa.int32()))
        case Primitive(kind="string"):
            return without_zero_bytes(raw)
        case Primitive() | Fixed() | Enum():
            return Evaluated(raw)
        case Array(items=items):
            counts = counts_of(raw)
            inner = sql_values(raw.flatten(), items)
            errors = _of_owners(inner.errors, counts)
            values = list_array(inner.values, counts, present(raw))
            return Evaluated(_without(values, errors), errors)
        case Map(values=values_type):
            return _map(raw, values_type)
        case Record():
            return _record(raw, type_)
        case Again():
            raise AssertionError("no column is made of it")
        case Union() if (inner_type := nullable_of(type_)) is not None:
            return sql_values(raw, inner_type)
        case Union():
            return _union(raw, type_)


def _without(values: pa.Array, errors: RowErrors | None) -> pa.Array:
    return values if errors is None else with_nulls(values, errors.indices)


def _logical(raw: pa.Array, logical: Logical, type_: Type) -> Evaluated:
    match logical.name:
        case "decimal":
            return decimals(raw, logical, sql_type(type_, ""))
        case "uuid":
            return Evaluated(raw) if isinstance(type_, Fixed) else from_text(raw, UUID)
        case "json":
            return from_text(raw, JSONB)
        case "zoned-timestamp":
            return read_text(raw, TIMESTAMPTZ)
        case "date":
            return _bounded(raw, 1, MIN_DATE, MAX_DATE, DATE.arrow, "date")
        case "time-millis" | "time-micros":
            unit = _MILLI if logical.name == "time-millis" else 1
            return _bounded(raw, unit, 0, _DAY, pa.int64(), "time")
        case name:
            unit = _MILLI if name.endswith("millis") else 1
            return _bounded(raw, unit, MIN_TIMESTAMP, MAX_TIMESTAMP, TIMESTAMP.arrow, "timestamp")


def _bounded(raw: pa.Array, unit: int, least: int, last: int, type_: pa.DataType, name: str) -> Evaluated:
    """Numbers times `unit` as values of `type_`, of which `least` and `last` are the bounds."""
    values = np.asarray(raw.fill_null(0))
    wrong = (values < -(-least // unit)) | (values > last // unit)
    errors = same_error(np.flatnonzero(wrong), "22008", f"{name} out of range")
    if errors is not None:
        values = np.where(wrong, 0, values)
    valid: Mask | None = both_valid(validity(raw), None if errors is None else ~wrong)
    numbers = values * unit if unit > 1 else values
    array = pa.array(numbers, mask=None if valid is None else ~valid)
    if type_ == DATE.arrow:
        array = array.cast(pa.int32())
    return Evaluated(array if array.type == type_ else array.view(type_), errors)


def _of_owners(errors: RowErrors | None, counts: np.ndarray) -> RowErrors | None:
    """Errors of elements as those of the rows that own them: the first of each."""
    if errors is None:
        return None
    rows, first = np.unique(owners_of(counts)[errors.indices], return_index=True)
    chosen = pa.array(first)
    return RowErrors(rows, errors.sqlstates.take(chosen), errors.messages.take(chosen))


def _map(raw: pa.Array, values_type: Type) -> Evaluated:
    """Of a key that comes twice, the last value counts."""
    counts = counts_of(raw)
    raw_keys, raw_values = raw.flatten().flatten()
    keys, values = without_zero_bytes(raw_keys), sql_values(raw_values, values_type)
    fields = [pa.field(f.name, f.type) for f in map_of(sql_type(values_type, "")).arrow.value_type]
    entries = pa.StructArray.from_arrays([keys.values, values.values], fields=fields)
    errors = _of_owners(merge_errors([keys.errors, values.errors]), counts)
    found = keyed(list_array(entries, counts, present(raw)))
    return Evaluated(_without(found, errors), errors)


def _record(raw: pa.StructArray, type_: Record) -> Evaluated:
    if not type_.fields:
        return Evaluated(pc.if_else(raw.is_valid(), "{}", pa.scalar(None, pa.string())))
    inner = [sql_values(part, field.type) for part, field in zip(raw.flatten(), type_.fields, strict=True)]
    row = record_of(tuple((field.name, sql_type(field.type, "")) for field in type_.fields))
    mask = raw.is_null() if raw.null_count else None
    struct = pa.StructArray.from_arrays([part.values for part in inner], fields=list(row.arrow), mask=mask)
    errors = merge_errors([part.errors for part in inner])
    return Evaluated(_without(to_json(struct, row), errors), errors)


def _union(raw: pa.StructArray, type_: Union) -> Evaluated:
    """The document of the one branch that is there."""
    branches = branches_of(type_, "")
    inner = [sql_values(part, branch) for part, branch in zip(raw.flatten(), branches, strict=True)]
    documents = [
        to_json(part.values, sql_type(branch, "")) for part, branch in zip(inner, branches, strict=True)
    ]
    errors = merge_errors([part.errors for part in inner])
    return Evaluated(_without(pc.coalesce(*documents), errors), errors)
