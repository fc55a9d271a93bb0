"""Table functions: from a row's arguments to a column of values, for a whole batch of rows at once.

A kernel takes one datum per argument and says how many values each row has, and all of them one after the other.  A
row that fails has none.  NULL arguments give no rows, but where PostgreSQL says otherwise.

One call on one row gives at most MAX_ROWS values; more is error 54000 of that row, so that memory does not depend on
a number in somebody's row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ...errors import DatatypeMismatch, PtvcError, UndefinedFunction, Unsupported
from ...repr.buffers import present, truth, validity
from ...repr.types import (
    BOOL,
    INT4,
    INT8,
    INTERVAL,
    JSON,
    JSONB,
    NUMERIC,
    OID,
    PAIR,
    SEQUENCES,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    Kind,
    ScalarType,
    array_of,
)
from ..coercion.literals import cast_to, coerce_unknown
from ..coercion.type_rules import CastContext, as_signed, base_name, can_cast, common_type
from ..columns.arrays import numpy_values
from ..columns.row_errors import Mask, RowErrors, merge_errors, same_error
from ..functions.aggregates import plain_type
from ..functions.json.jsonb_path import found, path_arguments
from ..functions.strings.pattern import all_matches, split_by_pattern
from ..functions.strings.splitting import by_delimiter, split_by
from ..jsonb.document import encode
from ..tree.function import CallInfo, Datum, as_array
from ..tree.relation import TableCall
from ..tree.scalar import Literal, Scalar
from . import csv_tables, json_tables, regex_tables
from .jsonb_tables import PAIRS as DOCUMENT_PAIRS
from .jsonb_tables import SINGLE, Members, members
from .numeric_series import numerics
from .time_series import timestamps

MAX_ROWS = 10_000_000

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Expanded:
    """`counts` int64[n]: how many values each row has; `values`: those of row 0, of row 1, and so on; rows of
    `errors` have none."""

    counts: Ints
    values: pa.Array
    errors: RowErrors | None = None


Kernel = Callable[[Sequence[Datum], int], Expanded]
Resolver = Callable[[tuple[Scalar, ...], tuple[bool, ...]], TableCall]


@dataclass(frozen=True, slots=True)
class TableFunction:
    """A kernel, and what makes a call of it from arguments, some of which may be literals of unknown type."""

    resolve: Resolver
    kernel: Kernel


def expand(call: TableCall, args: Sequence[Datum], length: int) -> Expanded:
    """The values of the call on each of `length` rows."""
    return TABLE_FUNCTIONS[call.function].kernel(args, length)


# --- overloads -------------------------------------------------------------------------------------------------------


def _undefined(name: str, args: Sequence[Scalar], unknown: Sequence[bool]) -> UndefinedFunction:
    types = ["unknown" if flag else base_name(arg.type) for arg, flag in zip(args, unknown, strict=True)]
    return UndefinedFunction(
        f"function {name}({', '.join(types)}) does not exist",
        hint="No function matches the given name and argument types. You might need to add explicit type casts.",
    )


def _coerced(
    name: str, args: Sequence[Scalar], unknown: Sequence[bool], types: Sequence[ScalarType]
) -> tuple[Scalar, ...]:
    out: list[Scalar] = []
    for arg, flag, type_ in zip(args, unknown, types, strict=True):
        if flag and isinstance(arg, Literal):
            out.append(coerce_unknown(arg, type_))
        elif arg.type.kind is type_.kind or can_cast(arg.type, type_, CastContext.IMPLICIT):
            out.append(cast_to(arg, type_))
        else:
            raise _undefined(name, args, unknown)
    return tuple(out)


def _series_call(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> TableCall:
    name = "generate_series"
    known = [as_signed(arg.type) for arg, flag in zip(args, unknown, strict=True) if not flag]
    if any(t.kind in _TIMES for t in known):
        return _times_call(args, unknown)
    if len(args) not in (2, 3) or any(not t.is_numeric_category for t in known):
        raise _undefined(name, args, unknown)
    if any(not t.is_integer for t in known):
        if any(t.is_float or t.kind is Kind.OID for t in known):
            raise _undefined(name, args, unknown)
        return _numeric_call(args, unknown)
    type_ = INT8 if any(t == INT8 for t in known) else INT4
    return TableCall(name, _coerced(name, args, unknown, [type_] * len(args)), type_, False)


def _numeric_call(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> TableCall:
    """Of numerics, at the one scale that all ends and steps fit in."""
    scalars = [coerce_unknown(arg, NUMERIC) if flag else arg for arg, flag in zip(args, unknown, strict=True)]
    type_ = plain_type(common_type([as_signed(arg.type) for arg in scalars], "generate_series"))
    return TableCall("generate_series", tuple(cast_to(arg, type_) for arg in scalars), type_, False)


_TIMES = frozenset((Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ, Kind.INTERVAL))


def _times_call(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> TableCall:
    """Of timestamps without a zone where one of the ends is such, else with one, which dates become too."""
    name = "generate_series"
    if len(args) == 4:
        raise Unsupported(
            "generate_series in a time zone is not supported",
            hint="Generate timestamps without a zone, and apply AT TIME ZONE to them.",
        )
    ends = {arg.type.kind for arg, flag in zip(args[:2], unknown[:2], strict=True) if not flag}
    if len(args) != 3 or not ends <= {Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ}:
        raise _undefined(name, args, unknown)
    type_ = TIMESTAMP if Kind.TIMESTAMP in ends and Kind.TIMESTAMPTZ not in ends else TIMESTAMPTZ
    return TableCall(name, _coerced(name, args, unknown, (type_, type_, INTERVAL)), type_, False)


def _subscripts_call(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> TableCall:
    name = "generate_subscripts"
    if args and unknown[0]:
        raise DatatypeMismatch("could not determine polymorphic type because input has type unknown")
    if len(args) not in (2, 3) or args[0].type.kind is not Kind.ARRAY:
        raise _undefined(name, args, unknown)
    rest = _coerced(name, args[1:], unknown[1:], (INT4, BOOL)[: len(args) - 1])
    if args[0].type.is_vector:
        if len(args) > 2:
            raise Unsupported("generate_subscripts of a vector in reverse is not supported")
        name = "generate_subscripts.vector"
    return TableCall(name, (args[0], *rest), INT4, False)


def _ancestors_call(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> TableCall:
    if len(args) != 1:
        raise _undefined("pg_partition_ancestors", args, unknown)
    return TableCall(
        "pg_partition_ancestors", _coerced("pg_partition_ancestors", args, unknown, (OID,)), OID, False
    )


def _expand_call(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> TableCall:
    element = args[0].type.element if len(args) == 1 and args[0].type.kind is Kind.ARRAY else None
    if element is None or not can_cast(element, INT4, CastContext.IMPLICIT):
        raise _undefined("information_schema._pg_expandarray", args, unknown)
    return TableCall("_pg_expandarray", (cast_to(args[0], array_of(INT4)),), PAIR, False)


def _unnest_call(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> TableCall:
    if len(args) == 1 and unknown[0]:
        raise PtvcError(
            "function unnest(unknown) is not unique",
            sqlstate="42725",
            hint="Could not choose a best candidate function. You might need to add explicit type casts.",
        )
    if len(args) != 1 or args[0].type.kind not in SEQUENCES or args[0].type.element is None:
        raise _undefined("unnest", args, unknown)
    if args[0].type.element.kind is Kind.RECORD:
        raise Unsupported("unnest of records is not supported")
    if args[0].type.element.kind is Kind.ARRAY:
        raise Unsupported("arrays of several dimensions are not supported")
    return TableCall("unnest", args, args[0].type.element)


def _text_call(name: str, nullable: bool, result: ScalarType = TEXT) -> Resolver:
    def resolve(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> TableCall:
        if len(args) not in (2, 3):
            raise _undefined(name, args, unknown)
        texts = _coerced(name, args, unknown, [TEXT] * len(args))
        return TableCall(name, texts, result, nullable and len(args) > 2)

    return resolve


def _document_type(name: str) -> ScalarType:
    return JSONB if name.startswith("jsonb") else JSON


def _document_call(name: str, type_: ScalarType) -> Resolver:
    def resolve(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> TableCall:
        if len(args) != 1:
            raise _undefined(name, args, unknown)
        return TableCall(
            name, _coerced(name, args, unknown, [_document_type(name)]), type_, name.endswith("_text")
        )

    return resolve


def _path_call(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> TableCall:
    name = "jsonb_path_query"
    return TableCall(name, path_arguments(name, args, unknown), JSONB, False)


def _path_query(args: Sequence[Datum], length: int) -> Expanded:
    def queried(*arguments: Any) -> list[str | None]:
        return [encode(item) for item in found(*arguments)]

    return Expanded(*members(queried, args, (JSONB, TEXT, JSONB, BOOL), length))


def _document_kernel(name: str, one: Members) -> Kernel:
    def kernel(args: Sequence[Datum], length: int) -> Expanded:
        return Expanded(*members(one, args, (_document_type(name),), length))

    return kernel


def _by_place(name: str, first: ScalarType, call: Callable[[Scalar, Scalar, Scalar], TableCall]) -> Resolver:
    """Of a function's two arguments, the second a text, and the place of the column."""

    def resolve(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> TableCall:
        *given, place = args
        if len(given) != 2:
            raise _undefined(name, given, unknown[:-1])
        about, text = _coerced(name, given, unknown[:-1], (first, TEXT))
        return call(about, text, place)

    return resolve


def _csv_column(args: Sequence[Datum], length: int) -> Expanded:
    return Expanded(*csv_tables.column(args, length))


def _regexp_extract_column(args: Sequence[Datum], length: int) -> Expanded:
    return Expanded(*regex_tables.column(args, length))


def _once_call(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> TableCall:
    (arg,) = args
    return TableCall("once", args, arg.type, arg.nullable)


# --- kernels ---------------------------------------------------------------------------------------------------------


def positions(counts: Ints) -> tuple[Ints, Ints]:
    """For each of `sum(counts)` values: its row, and its place among the values of that row."""
    rows = np.repeat(np.arange(len(counts)), counts)
    begins = np.cumsum(counts) - counts
    return rows, np.arange(len(rows)) - begins[rows]


def _integers(datum: Datum, length: int) -> tuple[Ints, Mask | None]:
    array = as_array(datum, length)
    return numpy_values(array).astype(np.int64), validity(array)


def _series(args: Sequence[Datum], length: int) -> Expanded:
    arrow = args[0].type
    if pa.types.is_timestamp(arrow):
        return Expanded(*timestamps(args, length, MAX_ROWS))
    if pa.types.is_decimal(arrow):
        return Expanded(*numerics(args, length, MAX_ROWS))
    columns = [_integers(arg, length) for arg in args]
    first, last = columns[0][0], columns[1][0]
    step = columns[2][0] if len(columns) > 2 else np.ones(length, np.int64)
    live = np.ones(length, np.bool_)
    for _, valid in columns:
        if valid is not None:
            live &= valid
    stuck = live & (step == 0)
    rising = step > 0
    live &= np.where(rising, first <= last, first >= last) & ~stuck
    # Differences and steps as unsigned words: they may be larger than any int64.
    with np.errstate(over="ignore"):
        span = np.where(rising, last - first, first - last).view(np.uint64)
        size = np.where(rising, step, -step).view(np.uint64)
        after = np.where(live, span // np.where(size == 0, np.uint64(1), size), np.uint64(0))
        long = live & (after >= MAX_ROWS)
        counts = np.where(live & ~long, after.astype(np.int64) + 1, 0)
        rows, place = positions(counts)
        values = first[rows] + place * step[rows]
    errors = merge_errors(
        [
            same_error(np.flatnonzero(stuck), "22023", "step size cannot equal zero"),
            _too_many(np.flatnonzero(long), "generate_series"),
        ]
    )
    return Expanded(counts, pa.array(values).cast(arrow), errors)


def _too_many(rows: Ints, name: str) -> RowErrors | None:
    return same_error(rows, "54000", f"{name} gives more than {MAX_ROWS} rows")


def _lengths(lists: pa.Array) -> Ints:
    out: Ints = lists.value_lengths().fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    return out


def _listed(lists: pa.Array) -> Expanded:
    """The elements of each list; NULL has none."""
    return Expanded(_lengths(lists), lists.flatten())


def _unnest(args: Sequence[Datum], length: int) -> Expanded:
    return _listed(as_array(args[0], length))


def _ancestors(args: Sequence[Datum], length: int) -> Expanded:
    """Of relations, none of which is partitioned."""
    return Expanded(np.zeros(length, np.int64), pa.array([], OID.arrow))


def _subscripts(args: Sequence[Datum], length: int) -> Expanded:
    counts = _lengths(as_array(args[0], length))
    dimension, valid = _integers(args[1], length)
    counts = np.where(dimension == 1, counts, 0)
    if valid is not None:
        counts = np.where(valid, counts, 0)
    backwards = np.zeros(length, np.bool_)
    if len(args) > 2:
        given = as_array(args[2], length)
        backwards = truth(given)
        counts = np.where(present(given), counts, 0)
    rows, place = positions(counts)
    values = np.where(backwards[rows], counts[rows] - place, place + 1)
    return Expanded(counts, pa.array(values.astype(np.int32)))


def _subscripts_of_vector(args: Sequence[Datum], length: int) -> Expanded:
    found = _subscripts(args, length)
    return Expanded(found.counts, pc.subtract(found.values, 1))


def _expand_array(args: Sequence[Datum], length: int) -> Expanded:
    """Each element and its place, from 1 on."""
    elements = _listed(as_array(args[0], length))
    _, place = positions(elements.counts)
    count = len(place)
    both = pa.concat_arrays([elements.values, pa.array((place + 1).astype(np.int32))])
    turns = np.arange(2 * count).reshape(2, count).T.ravel()
    offsets = pa.array(np.arange(0, 2 * count + 1, 2, dtype=np.int32))
    return Expanded(elements.counts, pa.ListArray.from_arrays(offsets, both.take(pa.array(turns))))


def _string_to_table(args: Sequence[Datum], length: int) -> Expanded:
    lists, errors = split_by(as_array(args[0], length), args[1], by_delimiter)
    listed = _listed(lists)
    values = listed.values
    if len(args) > 2:
        null = args[2]
        if isinstance(null, pa.Array):
            null = null.take(pa.array(positions(listed.counts)[0]))
        values = pc.if_else(pc.equal(values, null).fill_null(False), pa.scalar(None, values.type), values)
    return Expanded(listed.counts, values, errors)


def _regexp_split(args: Sequence[Datum], length: int) -> Expanded:
    info = CallInfo((TEXT,) * len(args), array_of(TEXT), length)
    split = split_by_pattern(args, info, "regexp_split_to_table")
    return Expanded(_lengths(split.values), split.values.flatten(), split.errors)


def _regexp_matches(args: Sequence[Datum], length: int) -> Expanded:
    # What the call gives is unnested here: no column ever has that type.
    lists = ScalarType(Kind.ARRAY, element=array_of(TEXT))
    matches = all_matches(args, CallInfo((TEXT,) * len(args), lists, length))
    assert matches.values.type == lists.arrow
    return Expanded(_lengths(matches.values), matches.values.flatten(), matches.errors)


def _once(args: Sequence[Datum], length: int) -> Expanded:
    return Expanded(np.ones(length, np.int64), as_array(args[0], length))


PAIR_COLUMNS = ("key", "value")

PAIRS = DOCUMENT_PAIRS | json_tables.PAIRS
"""Functions of these two columns."""

BY_PLACE = frozenset((csv_tables.NAME, regex_tables.NAME))
"""Functions whose columns are as many as an argument, a literal, says."""

COLUMN_NAMES = dict.fromkeys(
    (f"{kind}_array_elements{suffix}" for kind in ("json", "jsonb") for suffix in ("", "_text")), "value"
) | dict.fromkeys(BY_PLACE, "column1")
"""What the column of a function in FROM is called, where that is not the function's or the alias's name."""

TABLE_FUNCTIONS: Mapping[str, TableFunction] = {
    "generate_series": TableFunction(_series_call, _series),
    "generate_subscripts": TableFunction(_subscripts_call, _subscripts),
    "generate_subscripts.vector": TableFunction(_subscripts_call, _subscripts_of_vector),
    "pg_partition_ancestors": TableFunction(_ancestors_call, _ancestors),
    "_pg_expandarray": TableFunction(_expand_call, _expand_array),
    "unnest": TableFunction(_unnest_call, _unnest),
    "string_to_table": TableFunction(_text_call("string_to_table", True), _string_to_table),
    "regexp_split_to_table": TableFunction(_text_call("regexp_split_to_table", False), _regexp_split),
    "regexp_matches": TableFunction(_text_call("regexp_matches", False, array_of(TEXT)), _regexp_matches),
    csv_tables.COLUMN: TableFunction(_by_place(csv_tables.NAME, INT4, csv_tables.call), _csv_column),
    regex_tables.COLUMN: TableFunction(
        _by_place(regex_tables.NAME, TEXT, regex_tables.call), _regexp_extract_column
    ),
    "once": TableFunction(_once_call, _once),
    "jsonb_path_query": TableFunction(_path_call, _path_query),
    **{
        name: TableFunction(_document_call(name, type_), _document_kernel(name, one))
        for name, (one, type_) in (SINGLE | json_tables.SINGLE).items()
    },
    **{
        f"{name}.{column}": TableFunction(
            _document_call(f"{name}.{column}", type_), _document_kernel(name, one)
        )
        for name, pair in PAIRS.items()
        for column, (one, type_) in zip(PAIR_COLUMNS, pair, strict=True)
    },
}
"""By name.  `once` has no name in SQL: it is a scalar function in FROM, one value for every row.  Those with a point in their names are
columns of a function of several."""

NAMES = frozenset(name for name in TABLE_FUNCTIONS if "." not in name) - {"once"} | PAIRS.keys() | BY_PLACE
