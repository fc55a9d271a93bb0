"""Scalar types: PostgreSQL's, each with one Arrow representation.

A type is a frozen value.  `numeric` comes in three forms, distinguished by (precision, scale):

| form                | (precision, scale) | Arrow              | where it comes from                  |
|---------------------|--------------------|--------------------|--------------------------------------|
| declared            | (p, s), p <= 38    | decimal128(38, s)  | `numeric(10, 2)`; checked on a cast  |
| derived             | (None, s)          | decimal128(38, s)  | literals, sums and products of these |
| unconstrained       | (None, None)       | decimal256(76, 38) | `numeric`, quotients, averages       |

So the common numerics are one machine-friendly width, and the general one is exact to 38 digits on each side
of the point.  Anything that does not fit is error 22003, never a wrapped or silently rounded value.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

import pyarrow as pa

from ..errors import Unsupported

NUMERIC_MAX_PRECISION = 38
UNCONSTRAINED_SCALE = 38


class Kind(enum.Enum):
    BOOL = "bool"
    INT2 = "int2"
    INT4 = "int4"
    INT8 = "int8"
    UINT2 = "uint2"  # Materialize's unsigned integers
    UINT4 = "uint4"
    UINT8 = "uint8"
    FLOAT4 = "float4"
    FLOAT8 = "float8"
    NUMERIC = "numeric"
    TEXT = "text"
    VARCHAR = "varchar"
    BPCHAR = "bpchar"  # char(n): without the blanks at its end, which are its text's; see expr/columns/blank_padding.py
    NAME = "name"
    CHAR = "char"  # PostgreSQL's internal one-byte "char", as in pg_class.relkind
    DATE = "date"
    TIMESTAMP = "timestamp"
    TIMESTAMPTZ = "timestamptz"
    BYTEA = "bytea"
    UUID = "uuid"  # its 16 bytes, most significant first
    TIME = "time"
    INTERVAL = "interval"
    OID = "oid"
    MZ_TIMESTAMP = "mz_timestamp"  # Materialize's time of a collection: milliseconds since 1970
    JSONB = "jsonb"  # canonical text, see expr/jsonb/document.py
    JSON = "json"  # the text as it was written, see expr/text/json_text.py
    ARRAY = "array"  # one-dimensional; `element` says of what
    LIST = "list"  # Materialize's; `element` may be a list itself
    MAP = "map"  # Materialize's map[text => T], of which `element` is the T; a list of entries in order of their keys
    RECORD = "record"  # a row; `fields` says of what
    INT4RANGE = "int4range"  # for this and the others see repr/ranges.py
    INT8RANGE = "int8range"
    NUMRANGE = "numrange"
    DATERANGE = "daterange"
    TSRANGE = "tsrange"
    TSTZRANGE = "tstzrange"

    __hash__ = object.__hash__  # Enum's is Python code, and every batch looks up types


@dataclass(frozen=True, slots=True)
class ScalarType:
    """One SQL type.  `length` is varchar's limit and char's number of characters, the fields of an interval (see
    `expr/datetimes/interval_fields.py`), or tells what catalogs have from arrays and OIDs: see `vector_of`, `REGPROC`; `element` the type of what an
    array, a list or a map holds; `fields` the names and types of a record's.  `precision` is also how many digits of a
    second an interval, a time or a timestamp keeps; None: six."""

    kind: Kind
    precision: int | None = None
    scale: int | None = None
    length: int | None = None
    element: ScalarType | None = None
    fields: tuple[tuple[str, ScalarType], ...] = ()

    @property
    def arrow(self) -> pa.DataType:
        """The one Arrow type in which values of this type travel and are stored."""
        if self.kind is Kind.NUMERIC:
            if self.scale is None:
                return pa.decimal256(76, UNCONSTRAINED_SCALE)
            return pa.decimal128(NUMERIC_MAX_PRECISION, self.scale)
        if self.kind in SEQUENCES:
            assert self.element is not None
            return pa.list_(self.element.arrow)
        if self.kind is Kind.MAP:
            return pa.list_(self.entry.arrow)
        if self.kind is Kind.RECORD:
            return pa.struct([(f"f{i}", type_.arrow) for i, (_, type_) in enumerate(self.fields)])
        return _ARROW[self.kind]

    @property
    def is_integer(self) -> bool:
        return self.kind in _INTEGER_BOUNDS

    @property
    def is_unsigned(self) -> bool:
        return self.kind in UNSIGNED

    @property
    def integer_bounds(self) -> tuple[int, int]:
        """The least and the greatest value of an integer type, of oid, or of mz_timestamp."""
        return _INTEGER_BOUNDS.get(self.kind) or _OTHER_BOUNDS[self.kind]

    @property
    def is_float(self) -> bool:
        return self.kind in (Kind.FLOAT4, Kind.FLOAT8)

    @property
    def is_numeric_category(self) -> bool:
        return self.is_integer or self.is_float or self.kind is Kind.NUMERIC

    @property
    def is_string_category(self) -> bool:
        return self.kind in (Kind.TEXT, Kind.VARCHAR, Kind.BPCHAR, Kind.NAME, Kind.CHAR)

    @property
    def is_range(self) -> bool:
        return self.kind in _SUBTYPE

    @property
    def subtype(self) -> ScalarType:
        """The type of a range's bounds."""
        return _SUBTYPE[self.kind]

    @property
    def unrestricted(self) -> ScalarType:
        """The type without a declared length or precision, as untyped literals are read; a numeric's are its form."""
        if self.element is not None:
            return ScalarType(self.kind, element=self.element.unrestricted)
        if self.kind is Kind.RECORD:
            return self
        return self if self.kind is Kind.NUMERIC else ScalarType(self.kind)

    @property
    def entry(self) -> ScalarType:
        """The record that a map has for each key."""
        assert self.kind is Kind.MAP
        assert self.element is not None
        return record_of((("key", TEXT), ("value", self.element)))

    @property
    def leaf(self) -> ScalarType:
        """What the values are made of in the end: a list's elements' elements, and so on; the type itself if of nothing."""
        type_ = self
        while type_.element is not None:
            type_ = type_.element
        return type_

    def with_leaf(self, leaf: ScalarType) -> ScalarType:
        """The same arrays or lists, made of something else."""
        if self.element is None:
            return leaf
        return ScalarType(self.kind, element=self.element.with_leaf(leaf))

    @property
    def oid(self) -> int:
        """PostgreSQL's type OID, or Materialize's; lists of anything have one."""
        if self.kind is Kind.ARRAY:
            assert self.element is not None
            if self.element.is_function:
                return _REGPROC_ARRAY_OID
            return (_VECTOR_OID if self.is_vector else _ARRAY_OID)[self.element.kind]
        return _REGPROC_OID if self.is_function else _OID[self.kind]

    @property
    def is_vector(self) -> bool:
        """Whether this is int2vector or oidvector."""
        return self.kind is Kind.ARRAY and self.length == _VECTOR

    @property
    def is_function(self) -> bool:
        """Whether this is regproc."""
        return self.kind is Kind.OID and self.length == _FUNCTION

    @property
    def typlen(self) -> int:
        """PostgreSQL's `typlen`: bytes of a fixed-width type, -1 for a varying one."""
        return _TYPLEN.get(self.kind, -1)

    @property
    def typmod(self) -> int:
        """PostgreSQL's type modifier, as RowDescription and pg_attribute carry it; -1 for none."""
        if self.kind is Kind.NUMERIC and self.precision is not None:
            return ((self.precision << 16) | (self.scale or 0)) + 4
        if self.kind in (Kind.VARCHAR, Kind.BPCHAR) and self.length is not None:
            return self.length + 4 if self.length != UNPADDED else -1
        if self.kind is Kind.INTERVAL and (self.length is not None or self.precision is not None):
            fields = 0x7FFF if self.length is None else self.length
            return (fields << 16) | (0xFFFF if self.precision is None else self.precision)
        if self.kind in CLOCKS and self.precision is not None:
            return self.precision
        if self.kind is Kind.ARRAY and self.element is not None:
            return self.element.typmod
        return -1

    def __str__(self) -> str:
        """As PostgreSQL's format_type prints it."""
        if self.kind is Kind.NUMERIC and self.precision is not None:
            return f"numeric({self.precision},{self.scale})"
        if self.kind is Kind.VARCHAR and self.length is not None:
            return f"character varying({self.length})"
        if self.kind is Kind.BPCHAR and self.length not in (None, UNPADDED):
            return f"character({self.length})"
        if self.kind is Kind.INTERVAL:
            return _interval_name(self.length, self.precision)
        if self.kind in CLOCKS and self.precision is not None:
            return _FORMAT[self.kind].replace(" ", f"({self.precision}) ", 1)
        if self.kind is Kind.ARRAY:
            assert self.element is not None
            return f"{self.element.kind.value}vector" if self.is_vector else f"{self.element}[]"
        if self.kind is Kind.LIST:
            return f"{self.element} list"
        if self.kind is Kind.MAP:
            return f"map[text=>{self.element}]"
        if self.kind is Kind.RECORD:
            return "record"
        if self.is_function:
            return "regproc"
        return _FORMAT[self.kind]


BOOL = ScalarType(Kind.BOOL)
INT2 = ScalarType(Kind.INT2)
INT4 = ScalarType(Kind.INT4)
INT8 = ScalarType(Kind.INT8)
UINT2 = ScalarType(Kind.UINT2)
UINT4 = ScalarType(Kind.UINT4)
UINT8 = ScalarType(Kind.UINT8)
FLOAT4 = ScalarType(Kind.FLOAT4)
FLOAT8 = ScalarType(Kind.FLOAT8)
NUMERIC = ScalarType(Kind.NUMERIC)
TEXT = ScalarType(Kind.TEXT)
BPCHAR = ScalarType(Kind.BPCHAR)
NAME = ScalarType(Kind.NAME)
CHAR = ScalarType(Kind.CHAR)
DATE = ScalarType(Kind.DATE)
TIMESTAMP = ScalarType(Kind.TIMESTAMP)
TIMESTAMPTZ = ScalarType(Kind.TIMESTAMPTZ)
BYTEA = ScalarType(Kind.BYTEA)
UUID = ScalarType(Kind.UUID)
TIME = ScalarType(Kind.TIME)
INTERVAL = ScalarType(Kind.INTERVAL)
OID = ScalarType(Kind.OID)
MZ_TIMESTAMP = ScalarType(Kind.MZ_TIMESTAMP)
JSONB = ScalarType(Kind.JSONB)
JSON = ScalarType(Kind.JSON)
INT4RANGE = ScalarType(Kind.INT4RANGE)
INT8RANGE = ScalarType(Kind.INT8RANGE)
NUMRANGE = ScalarType(Kind.NUMRANGE)
DATERANGE = ScalarType(Kind.DATERANGE)
TSRANGE = ScalarType(Kind.TSRANGE)
TSTZRANGE = ScalarType(Kind.TSTZRANGE)

RANGES = (INT4RANGE, INT8RANGE, NUMRANGE, DATERANGE, TSRANGE, TSTZRANGE)

SEQUENCES = frozenset((Kind.ARRAY, Kind.LIST))
"""Kinds whose values are elements of one type, in order."""

NESTED = SEQUENCES | {Kind.MAP, Kind.RECORD}
"""Kinds whose values hold values of other types: there is no such type without saying which."""

SIMPLE = tuple(kind for kind in Kind if kind not in NESTED)
"""Kinds that alone are a type."""

UNSIGNED = frozenset((Kind.UINT2, Kind.UINT4, Kind.UINT8))

_INTEGER_BOUNDS = {
    **{
        kind: (-(1 << bits), (1 << bits) - 1)
        for kind, bits in ((Kind.INT2, 15), (Kind.INT4, 31), (Kind.INT8, 63))
    },
    **{kind: (0, (1 << bits) - 1) for kind, bits in ((Kind.UINT2, 16), (Kind.UINT4, 32), (Kind.UINT8, 64))},
}
_OTHER_BOUNDS = {Kind.OID: (0, (1 << 32) - 1), Kind.MZ_TIMESTAMP: (0, (1 << 64) - 1)}

UNPADDED = 1 << 31
"""The length of a `bpchar` that is only compared: its values have no blanks at their end, and are not padded."""

BPCHAR_KEY = ScalarType(Kind.BPCHAR, length=UNPADDED)

CLOCKS = frozenset((Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ))
"""Kinds of points in time whose seconds may be declared to keep fewer digits: `timestamp(3)`."""

_SUBTYPE = {
    Kind.INT4RANGE: INT4,
    Kind.INT8RANGE: INT8,
    Kind.NUMRANGE: NUMERIC,
    Kind.DATERANGE: DATE,
    Kind.TSRANGE: TIMESTAMP,
    Kind.TSTZRANGE: TIMESTAMPTZ,
}


def derived_numeric(scale: int) -> ScalarType:
    """A numeric whose scale is known though none was declared; unconstrained when it would not fit."""
    return ScalarType(Kind.NUMERIC, None, scale) if 0 <= scale <= NUMERIC_MAX_PRECISION else NUMERIC


def array_of(element: ScalarType) -> ScalarType:
    """0A000 for an element of which no array has an OID: a client could not be given one."""
    if element.kind is Kind.ARRAY:
        raise Unsupported("arrays of several dimensions are not supported")
    if element.kind in (Kind.LIST, Kind.MAP):
        raise Unsupported(f"arrays of {element} are not supported", hint=f"Write {element} list.")
    return ScalarType(Kind.ARRAY, element=element)


def list_of(element: ScalarType) -> ScalarType:
    return ScalarType(Kind.LIST, element=element)


def map_of(element: ScalarType) -> ScalarType:
    return ScalarType(Kind.MAP, element=element)


def record_of(fields: tuple[tuple[str, ScalarType], ...]) -> ScalarType:
    return ScalarType(Kind.RECORD, fields=fields)


_VECTOR, _PAIR = 0, 2


def vector_of(element: ScalarType) -> ScalarType:
    """int2vector or oidvector, as in pg_index.indkey: an array whose subscripts begin at 0, and its own output."""
    return ScalarType(Kind.ARRAY, length=_VECTOR, element=element)


PAIR = ScalarType(Kind.ARRAY, length=_PAIR, element=INT4)
"""What information_schema._pg_expandarray gives: an element and its place.  Queries pass it on, and never show it."""

PAIR_FIELDS = ("x", "n")

_FUNCTION, _REGPROC_OID, _REGPROC_ARRAY_OID = 0, 24, 1008

REGPROC = ScalarType(Kind.OID, length=_FUNCTION)
"""The OID of a function, as catalogs have it: its text is the function's name (`repr.type_functions`)."""


_ARROW = {
    Kind.BOOL: pa.bool_(),
    Kind.INT2: pa.int16(),
    Kind.INT4: pa.int32(),
    Kind.INT8: pa.int64(),
    Kind.UINT2: pa.uint16(),
    Kind.UINT4: pa.uint32(),
    Kind.UINT8: pa.uint64(),
    Kind.FLOAT4: pa.float32(),
    Kind.FLOAT8: pa.float64(),
    Kind.TEXT: pa.string(),
    Kind.VARCHAR: pa.string(),
    Kind.BPCHAR: pa.string(),
    Kind.NAME: pa.string(),
    Kind.CHAR: pa.string(),
    Kind.DATE: pa.date32(),
    Kind.TIMESTAMP: pa.timestamp("us"),
    Kind.TIMESTAMPTZ: pa.timestamp("us", tz="UTC"),
    Kind.BYTEA: pa.binary(),
    Kind.UUID: pa.binary(),
    Kind.TIME: pa.int64(),  # microseconds; time64 ends before 24:00:00, which PostgreSQL has
    Kind.INTERVAL: pa.binary(16),  # see repr/intervals.py
    Kind.OID: pa.int64(),
    Kind.MZ_TIMESTAMP: pa.uint64(),
    Kind.JSONB: pa.string(),
    Kind.JSON: pa.string(),
    **dict.fromkeys(_SUBTYPE, pa.binary()),
}

_OID = {
    Kind.BOOL: 16,
    Kind.BYTEA: 17,
    Kind.CHAR: 18,
    Kind.NAME: 19,
    Kind.INT8: 20,
    Kind.INT2: 21,
    Kind.INT4: 23,
    Kind.TEXT: 25,
    Kind.OID: 26,
    Kind.FLOAT4: 700,
    Kind.FLOAT8: 701,
    Kind.BPCHAR: 1042,
    Kind.VARCHAR: 1043,
    Kind.DATE: 1082,
    Kind.TIME: 1083,
    Kind.TIMESTAMP: 1114,
    Kind.TIMESTAMPTZ: 1184,
    Kind.INTERVAL: 1186,
    Kind.NUMERIC: 1700,
    Kind.JSON: 114,
    Kind.JSONB: 3802,
    Kind.UUID: 2950,
    Kind.INT4RANGE: 3904,
    Kind.NUMRANGE: 3906,
    Kind.TSRANGE: 3908,
    Kind.TSTZRANGE: 3910,
    Kind.DATERANGE: 3912,
    Kind.INT8RANGE: 3926,
    Kind.UINT2: 16460,  # as Materialize numbers its own
    Kind.UINT4: 16462,
    Kind.UINT8: 16464,
    Kind.MZ_TIMESTAMP: 16552,
    Kind.LIST: 16384,
    Kind.MAP: 16385,
    Kind.RECORD: 2249,
}

_ARRAY_OID = {
    Kind.BOOL: 1000,
    Kind.BYTEA: 1001,
    Kind.CHAR: 1002,
    Kind.NAME: 1003,
    Kind.INT2: 1005,
    Kind.INT4: 1007,
    Kind.TEXT: 1009,
    Kind.BPCHAR: 1014,
    Kind.VARCHAR: 1015,
    Kind.INT8: 1016,
    Kind.FLOAT4: 1021,
    Kind.FLOAT8: 1022,
    Kind.OID: 1028,
    Kind.TIMESTAMP: 1115,
    Kind.DATE: 1182,
    Kind.TIME: 1183,
    Kind.TIMESTAMPTZ: 1185,
    Kind.INTERVAL: 1187,
    Kind.NUMERIC: 1231,
    Kind.JSON: 199,
    Kind.JSONB: 3807,
    Kind.UUID: 2951,
    Kind.RECORD: 2287,
    **{kind: _OID[kind] + 1 for kind in (*_SUBTYPE, *UNSIGNED, Kind.MZ_TIMESTAMP)},
}

_TYPLEN = {
    Kind.BOOL: 1,
    Kind.CHAR: 1,
    Kind.NAME: 64,
    Kind.INT2: 2,
    Kind.INT4: 4,
    Kind.INT8: 8,
    Kind.UINT2: 2,
    Kind.UINT4: 4,
    Kind.UINT8: 8,
    Kind.MZ_TIMESTAMP: 8,
    Kind.OID: 4,
    Kind.FLOAT4: 4,
    Kind.FLOAT8: 8,
    Kind.DATE: 4,
    Kind.TIMESTAMP: 8,
    Kind.TIMESTAMPTZ: 8,
    Kind.UUID: 16,
    Kind.TIME: 8,
    Kind.INTERVAL: 16,
}

_FORMAT = {
    Kind.BOOL: "boolean",
    Kind.INT2: "smallint",
    Kind.INT4: "integer",
    Kind.INT8: "bigint",
    Kind.FLOAT4: "real",
    Kind.FLOAT8: "double precision",
    Kind.NUMERIC: "numeric",
    Kind.TEXT: "text",
    Kind.VARCHAR: "character varying",
    Kind.BPCHAR: "bpchar",  # "character" alone means character(1)
    Kind.NAME: "name",
    Kind.CHAR: '"char"',
    Kind.DATE: "date",
    Kind.TIMESTAMP: "timestamp without time zone",
    Kind.TIMESTAMPTZ: "timestamp with time zone",
    Kind.BYTEA: "bytea",
    Kind.UUID: "uuid",
    Kind.TIME: "time without time zone",
    Kind.INTERVAL: "interval",
    Kind.OID: "oid",
    Kind.JSONB: "jsonb",
    Kind.JSON: "json",
    **{kind: kind.value for kind in (*_SUBTYPE, *UNSIGNED, Kind.MZ_TIMESTAMP)},
}

INTERVAL_BITS = {"month": 1, "year": 2, "day": 3, "hour": 10, "minute": 11, "second": 12}
"""PostgreSQL's bits of the fields that an interval type is restricted to."""


def _interval_name(fields: int | None, precision: int | None) -> str:
    name = "interval"
    if fields is not None:
        order = ("year", "month", "day", "hour", "minute", "second")
        named = [field for field in order if fields & 1 << INTERVAL_BITS[field]]
        name += " " + (named[0] if len(named) == 1 else f"{named[0]} to {named[-1]}")
    return name if precision is None else f"{name}({precision})"


_VECTOR_OID = {Kind.INT2: 22, Kind.OID: 30}

_BY_OID = {oid: ScalarType(kind) for kind, oid in _OID.items() if kind not in NESTED} | {
    oid: array_of(ScalarType(kind)) for kind, oid in _ARRAY_OID.items() if kind not in NESTED
}


SYSTEM_OIDS = frozenset({*_OID.values(), *_ARRAY_OID.values(), _REGPROC_OID, _REGPROC_ARRAY_OID})
"""Of types that exist without CREATE TYPE; Materialize's are among those that PostgreSQL leaves to users."""


def type_from_oid(oid: int) -> ScalarType | None:
    """The type that PostgreSQL knows by this OID; None for one that is not supported."""
    return _BY_OID.get(oid)
