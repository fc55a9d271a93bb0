"""Type names: what may stand after `::`, and the type that it is."""

from __future__ import annotations

from collections.abc import Callable

from ...errors import PtvcError, UndefinedObject, Unsupported
from ...repr.types import (
    BOOL,
    BPCHAR,
    BYTEA,
    CHAR,
    CLOCKS,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    INTERVAL,
    INTERVAL_BITS,
    JSON,
    JSONB,
    MZ_TIMESTAMP,
    NAME,
    NESTED,
    NUMERIC,
    NUMERIC_MAX_PRECISION,
    OID,
    RANGES,
    REGPROC,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UINT2,
    UINT4,
    UINT8,
    UUID,
    Kind,
    ScalarType,
    array_of,
)
from . import ast

VARCHAR = ScalarType(Kind.VARCHAR)
_ONE_CHARACTER = ScalarType(Kind.BPCHAR, length=1)

TYPE_NAMES: dict[str, ScalarType] = {
    "bool": BOOL,
    "boolean": BOOL,
    "int2": INT2,
    "smallint": INT2,
    "int4": INT4,
    "int": INT4,
    "integer": INT4,
    "int8": INT8,
    "bigint": INT8,
    "uint2": UINT2,
    "uint4": UINT4,
    "uint8": UINT8,
    "mz_timestamp": MZ_TIMESTAMP,
    "float4": FLOAT4,
    "real": FLOAT4,
    "float8": FLOAT8,
    "float": FLOAT8,
    "double precision": FLOAT8,
    "numeric": NUMERIC,
    "decimal": NUMERIC,
    "dec": NUMERIC,
    "text": TEXT,
    "varchar": VARCHAR,
    "character varying": VARCHAR,
    "char varying": VARCHAR,
    "character": _ONE_CHARACTER,
    "nchar": _ONE_CHARACTER,
    "bpchar": BPCHAR,
    "name": NAME,
    "bytea": BYTEA,
    "uuid": UUID,
    "date": DATE,
    "timestamp": TIMESTAMP,
    "timestamptz": TIMESTAMPTZ,
    "time": TIME,
    "interval": INTERVAL,
    "jsonb": JSONB,
    "json": JSON,
    **{str(type_): type_ for type_ in RANGES},
    "oid": OID,
    "xid": OID,
    "regclass": OID,
    "regtype": OID,
    "regproc": REGPROC,
    "regprocedure": OID,
    "regnamespace": OID,
    "regrole": OID,
}

REG_TYPES = frozenset({"regclass", "regtype", "regproc", "regprocedure", "regnamespace", "regrole"})

_MULTIRANGES = frozenset(f"{name}multirange" for name in ("int4", "int8", "num", "date", "ts", "tstz"))

REFUSED_NAMES = _MULTIRANGES | {"timetz"}
"""Types that exist in PostgreSQL and are refused: in `json '...'` they are type names all the same."""

_KNOWN_ELSEWHERE = REFUSED_NAMES | {
    "bit", "varbit", "money", "xml", "inet", "cidr", "macaddr", "point", "line", "box", "path", "polygon",
    "circle", "tsvector", "tsquery", "hstore", "list", "map", "record",
}  # fmt: skip


_INSTEAD = {
    **dict.fromkeys(_MULTIRANGES, "Use a range, or an array of ranges."),
    "list": "Say what it holds: integer list.",
    "map": "Say what it holds: map[text => integer].",
}


FindType = Callable[[ast.TypeName], ScalarType | None]
"""What a name stands for that CREATE TYPE gave; None where there is no such type."""


def is_system_type(name: str) -> bool:
    """Whether it is a type of the system's, or one that is refused: no other type may have the name."""
    return name in TYPE_NAMES or name in _KNOWN_ELSEWHERE or name == "char"


def resolve_type(name: ast.TypeName, find: FindType) -> ScalarType:
    """42704 for a type that does not exist, 0A000 for one of PostgreSQL's that is not supported."""
    base = _base_type(name, find)
    for _ in range(name.dimensions):
        if base.kind is Kind.ARRAY:
            raise Unsupported("arrays of several dimensions are not supported", position=name.position)
        if base.kind in NESTED:
            raise Unsupported(
                f"arrays of {base} are not supported", hint=f"Write {base} list.", position=name.position
            )
        base = array_of(base)
    return base


def _base_type(name: ast.TypeName, find: FindType) -> ScalarType:
    if name.element is not None:
        return _nested(name, find)
    if name.schema or not is_system_type(name.name):
        return _named(name, find)
    word, modifiers = name.name, name.modifiers
    if word == "char" and not modifiers:
        return CHAR
    type_ = TYPE_NAMES.get(word)
    if type_ is None:
        raise Unsupported(
            f"type {word} is not supported yet", hint=_INSTEAD.get(word), position=name.position
        )
    if type_.kind is Kind.INTERVAL:
        return _interval(name)
    if not modifiers:
        return type_
    if type_.kind is Kind.NUMERIC:
        return _numeric(modifiers, name.position)
    if type_.kind in (Kind.VARCHAR, Kind.BPCHAR) and len(modifiers) == 1:
        if not 1 <= modifiers[0] <= 10485760:
            raise PtvcError(
                f"length for type {'char' if type_.kind is Kind.BPCHAR else 'varchar'} must be at least 1 and at"
                " most 10485760",
                sqlstate="22023",
                position=name.position,
            )
        return ScalarType(type_.kind, length=modifiers[0])
    if word == "float" and len(modifiers) == 1 and 1 <= modifiers[0] <= 53:
        return FLOAT4 if modifiers[0] <= 24 else FLOAT8
    if type_.kind in CLOCKS:
        return with_precision(type_, modifiers, name.position)
    raise PtvcError(
        f'type modifier is not allowed for type "{word}"', sqlstate="42601", position=name.position
    )


def _named(name: ast.TypeName, find: FindType) -> ScalarType:
    """The list or the map that CREATE TYPE gave the name."""
    shown = ".".join((*name.schema, name.name))
    type_ = find(name)
    if type_ is None:
        raise UndefinedObject(f'type "{shown}" does not exist', position=name.position)
    if name.modifiers:
        raise PtvcError(
            f'type modifier is not allowed for type "{shown}"', sqlstate="42601", position=name.position
        )
    return type_


def _nested(name: ast.TypeName, find: FindType) -> ScalarType:
    """`T list` or `map[text => T]`."""
    layers, innermost = 0, name
    while innermost.element is not None:
        layers, innermost = layers + 1, innermost.element
    if layers > _MAX_LAYERS:
        raise PtvcError(f"types nest at most {_MAX_LAYERS} levels", sqlstate="54001", position=name.position)
    assert name.element is not None
    element = resolve_type(name.element, find)
    refuse_element(element, name.position, name.name)
    return ScalarType(Kind(name.name), element=element)


def refuse_element(element: ScalarType, position: int, container: str = "list") -> None:
    """0A000 for what lists and maps do not hold."""
    if element.kind is Kind.ARRAY:
        raise Unsupported(
            f"{container}s of {element} are not supported",
            hint=f"Write {element.element} list in the place of {element}.",
            position=position,
        )


_MAX_LAYERS = 32


def with_precision(type_: ScalarType, modifiers: tuple[int, ...], position: int) -> ScalarType:
    """A time or timestamp that keeps so many digits of a second; more than six are six, as in PostgreSQL."""
    if len(modifiers) > 1:
        raise PtvcError("invalid type modifier", sqlstate="22023", position=position)
    if modifiers[0] < 0:
        raise PtvcError(
            f"{_SHORT[type_.kind]}({modifiers[0]}) precision must not be negative",
            sqlstate="22023",
            position=position,
        )
    return ScalarType(type_.kind, precision=min(modifiers[0], 6))


_SHORT = {Kind.TIME: "TIME", Kind.TIMESTAMP: "TIMESTAMP", Kind.TIMESTAMPTZ: "TIMESTAMP"}


def _interval(name: ast.TypeName) -> ScalarType:
    modifiers, fields = name.modifiers, name.fields
    if len(modifiers) > 1 or (modifiers and modifiers[0] < 0):
        raise PtvcError("invalid INTERVAL type modifier", sqlstate="22023", position=name.position)
    mask = None
    if fields:
        order = ("year", "month", "day", "hour", "minute", "second")
        first, last = order.index(fields[0]), order.index(fields[-1])
        mask = sum(1 << INTERVAL_BITS[field] for field in order[first : last + 1])
    precision = min(modifiers[0], 6) if modifiers else None
    return ScalarType(Kind.INTERVAL, precision=precision, length=mask)


def _numeric(modifiers: tuple[int, ...], position: int) -> ScalarType:
    precision, scale = modifiers[0], modifiers[1] if len(modifiers) > 1 else 0
    if len(modifiers) > 2:
        raise PtvcError("invalid NUMERIC type modifier", sqlstate="22023", position=position)
    if not 1 <= precision <= 1000:
        raise PtvcError(
            f"NUMERIC precision {precision} must be between 1 and 1000", sqlstate="22023", position=position
        )
    if precision > NUMERIC_MAX_PRECISION or not 0 <= scale <= precision:
        raise Unsupported(
            f"type numeric({precision},{scale}) is not supported",
            hint=f"Precision may be up to {NUMERIC_MAX_PRECISION}, and scale from 0 to the precision.",
            position=position,
        )
    return ScalarType(Kind.NUMERIC, precision, scale)
