"""Type rules: which casts exist, which are implicit, and what type several expressions have in common.

These are PostgreSQL's tables (pg_cast, type categories, preferred types) for the types that exist here.
`None` in a list of types stands for an untyped literal (`'...'` or NULL).
"""

from __future__ import annotations

import enum
from collections.abc import Sequence

from ...errors import DatatypeMismatch, Unsupported
from ...repr.types import (
    BPCHAR,
    FLOAT8,
    INT4,
    INT8,
    NESTED,
    NUMERIC,
    NUMERIC_MAX_PRECISION,
    RANGES,
    TEXT,
    UNSIGNED,
    Kind,
    ScalarType,
    derived_numeric,
    record_of,
)


class CastContext(enum.IntEnum):
    """Where a cast may happen: a cast allowed in one context is allowed in all that come after it."""

    IMPLICIT = 0
    ASSIGNMENT = 1
    EXPLICIT = 2


_I, _A, _E = CastContext.IMPLICIT, CastContext.ASSIGNMENT, CastContext.EXPLICIT

_INTEGERS = (Kind.INT2, Kind.INT4, Kind.INT8)
_WIDE_NUMBERS = (Kind.NUMERIC, Kind.FLOAT4, Kind.FLOAT8)
_NUMBERS = (*_INTEGERS, *_WIDE_NUMBERS)
_UNSIGNED = (Kind.UINT2, Kind.UINT4, Kind.UINT8)
_STRINGS = (Kind.TEXT, Kind.VARCHAR, Kind.BPCHAR, Kind.NAME)

_CASTS: dict[tuple[Kind, Kind], CastContext] = {
    **{
        (low, high): (_I if i < j else _A)
        for i, low in enumerate(_NUMBERS)
        for j, high in enumerate(_NUMBERS)
        if i != j
    },
    **{
        (low, high): (_I if i < j else _A)
        for i, low in enumerate(_UNSIGNED)
        for j, high in enumerate(_UNSIGNED)
        if i != j
    },
    **{(kind, integer): _A for kind in _UNSIGNED for integer in _INTEGERS},
    **{(integer, kind): _A for kind in _UNSIGNED for integer in (*_INTEGERS, *_WIDE_NUMBERS)},
    **{(kind, wide): _I for kind in _UNSIGNED for wide in _WIDE_NUMBERS},
    (Kind.UINT2, Kind.INT4): _I,
    (Kind.UINT2, Kind.INT8): _I,
    (Kind.UINT4, Kind.INT8): _I,
    **{(kind, Kind.OID): _I for kind in _INTEGERS},
    **{(kind, Kind.MZ_TIMESTAMP): _A for kind in (*_INTEGERS, *_UNSIGNED, Kind.NUMERIC)},
    **{(kind, Kind.MZ_TIMESTAMP): _A for kind in (Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ)},
    **{
        (Kind.MZ_TIMESTAMP, kind): _A
        for kind in (Kind.INT8, Kind.UINT8, Kind.NUMERIC, Kind.TIMESTAMP, Kind.TIMESTAMPTZ)
    },
    (Kind.OID, Kind.INT4): _A,
    (Kind.OID, Kind.INT8): _A,
    (Kind.TEXT, Kind.VARCHAR): _I,
    (Kind.VARCHAR, Kind.TEXT): _I,
    (Kind.NAME, Kind.TEXT): _I,
    (Kind.TEXT, Kind.NAME): _I,
    (Kind.VARCHAR, Kind.NAME): _I,
    (Kind.NAME, Kind.VARCHAR): _A,
    (Kind.TEXT, Kind.BPCHAR): _I,
    (Kind.VARCHAR, Kind.BPCHAR): _I,
    (Kind.BPCHAR, Kind.TEXT): _I,
    (Kind.BPCHAR, Kind.VARCHAR): _I,
    (Kind.BPCHAR, Kind.NAME): _I,
    (Kind.NAME, Kind.BPCHAR): _A,
    (Kind.CHAR, Kind.BPCHAR): _A,
    (Kind.BPCHAR, Kind.CHAR): _A,
    (Kind.CHAR, Kind.TEXT): _I,
    (Kind.TEXT, Kind.CHAR): _A,
    (Kind.VARCHAR, Kind.CHAR): _A,
    (Kind.CHAR, Kind.VARCHAR): _A,
    (Kind.CHAR, Kind.INT4): _E,
    (Kind.INT4, Kind.CHAR): _E,
    (Kind.BOOL, Kind.INT4): _E,
    (Kind.INT4, Kind.BOOL): _E,
    **{(Kind.JSONB, kind): _E for kind in (Kind.BOOL, *_NUMBERS)},
    (Kind.JSON, Kind.JSONB): _A,
    (Kind.JSONB, Kind.JSON): _A,
    **{(kind, Kind.BYTEA): _E for kind in _INTEGERS},
    **{(Kind.BYTEA, kind): _E for kind in _INTEGERS},
    (Kind.DATE, Kind.TIMESTAMP): _I,
    (Kind.DATE, Kind.TIMESTAMPTZ): _I,
    (Kind.TIMESTAMP, Kind.TIMESTAMPTZ): _I,
    (Kind.TIMESTAMP, Kind.DATE): _A,
    (Kind.TIMESTAMPTZ, Kind.DATE): _A,
    (Kind.TIMESTAMPTZ, Kind.TIMESTAMP): _A,
    (Kind.TIME, Kind.INTERVAL): _I,
    (Kind.INTERVAL, Kind.TIME): _A,
    (Kind.TIMESTAMP, Kind.TIME): _A,
    (Kind.TIMESTAMPTZ, Kind.TIME): _A,
}

_CATEGORY = {
    Kind.BOOL: "B",
    **dict.fromkeys((*_NUMBERS, *_UNSIGNED, Kind.OID, Kind.MZ_TIMESTAMP), "N"),
    **dict.fromkeys(_STRINGS, "S"),
    Kind.CHAR: "Z",
    Kind.DATE: "D",
    Kind.TIMESTAMP: "D",
    Kind.TIMESTAMPTZ: "D",
    Kind.JSONB: "U",
    Kind.JSON: "U",
    Kind.BYTEA: "U",
    Kind.UUID: "U",
    Kind.TIME: "D",
    Kind.INTERVAL: "T",
    Kind.ARRAY: "A",
    Kind.LIST: "l",
    Kind.MAP: "m",
    Kind.RECORD: "P",
    **{type_.kind: "R" for type_ in RANGES},
}
_PREFERRED = frozenset((Kind.BOOL, Kind.FLOAT8, Kind.OID, Kind.TEXT, Kind.TIMESTAMPTZ, Kind.INTERVAL))


def category(kind: Kind) -> str:
    """PostgreSQL's typcategory: B, N, S, D, T, A, R, P, U for types of no category, Z for internal ones; l and m for
    lists and maps."""
    return _CATEGORY[kind]


def is_preferred(kind: Kind) -> bool:
    return kind in _PREFERRED


def can_cast(source: ScalarType, target: ScalarType, context: CastContext) -> bool:
    """Whether a value of `source` may become a `target` in that context; lengths and precisions never matter."""
    if source.kind in NESTED or target.kind in NESTED:
        return _can_cast_nested(source, target, context)
    return can_cast_kind(source.kind, target.kind, context)


def _can_cast_nested(source: ScalarType, target: ScalarType, context: CastContext) -> bool:
    """Between types of which one holds others: as what they hold casts; to text, and out of it; an array to a list."""
    to_list = source.kind is Kind.ARRAY and target.kind is Kind.LIST and context >= _E
    if source.kind is target.kind is Kind.RECORD:
        pairs = zip(source.fields, target.fields, strict=False)
        return len(source.fields) == len(target.fields) and all(
            can_cast(a, b, context) for (_, a), (_, b) in pairs
        )
    if to_list or source.kind is target.kind:
        assert source.element is not None
        assert target.element is not None
        return can_cast(source.element, target.element, context)
    if source.kind in NESTED:
        return target.kind in _STRINGS and context >= _A
    return target.kind is not Kind.RECORD and source.kind in _STRINGS and context >= _E


def can_cast_kind(source: Kind, target: Kind, context: CastContext) -> bool:
    if source is target:
        return True
    found = _CASTS.get((source, target))
    if found is not None:
        return context >= found
    if target in _STRINGS:
        return context >= _A
    return source in _STRINGS and context >= _E


_BEHIND_ELEMENT = {Kind.ARRAY: "[]", Kind.LIST: " list"}


def base_name(type_: ScalarType | None) -> str:
    """The type's name without length and precision, as error messages print it."""
    if type_ is None:
        return "unknown"
    if type_.kind is Kind.MAP and type_.element is not None:
        return f"map[text=>{base_name(type_.element)}]"
    if type_.element is not None:
        return f"{base_name(type_.element)}{_BEHIND_ELEMENT[type_.kind]}"
    if type_.is_function:
        return str(type_)
    return "character" if type_.kind is Kind.BPCHAR else str(ScalarType(type_.kind))


def common_type(types: Sequence[ScalarType | None], context: str = "UNION") -> ScalarType:
    """The type that all of `types` are brought to, as PostgreSQL's select_common_type chooses it.

    `context` is the construct as its message names it: UNION, CASE, COALESCE, VALUES, GREATEST, IN, JOIN/USING.
    Raises DatatypeMismatch (42804) when categories differ.
    """
    known = among_signed([type_ for type_ in types if type_ is not None])
    if not known:
        return TEXT
    chosen = known[0]
    for candidate in known[1:]:
        if same_kind(candidate, chosen):
            continue
        if candidate.kind is chosen.kind is Kind.RECORD:
            raise Unsupported(
                f"{context} of records of different fields is not supported",
                hint="Cast the fields to one type.",
            )
        if category(candidate.kind) != category(chosen.kind):
            raise DatatypeMismatch(
                f"{context} types {base_name(chosen)} and {base_name(candidate)} cannot be matched"
            )
        if (
            not is_preferred(chosen.kind)
            and can_cast(chosen, candidate, _I)
            and not can_cast(candidate, chosen, _I)
        ):
            chosen = candidate
    for candidate in known:
        if not can_cast(candidate, chosen, _I):
            raise DatatypeMismatch(
                f"{context} could not convert type {base_name(candidate)} to {base_name(chosen)}",
                sqlstate="42846",
            )
    return _merge_modifiers(chosen, known, has_unknown=len(known) < len(types))


def compared_type(left: ScalarType, right: ScalarType) -> ScalarType | None:
    """The type in which an operator compares two types of strings, where that is not their `common_type`: a `bpchar` beside a text
    is a text, and a varchar beside a `bpchar` is one, whichever comes first.  None: their common type."""
    return _COMPARED.get(frozenset((left.kind, right.kind)))


_COMPARED = {
    frozenset((Kind.BPCHAR, Kind.TEXT)): TEXT,
    frozenset((Kind.BPCHAR, Kind.VARCHAR)): BPCHAR,
}


_SIGNED = {Kind.UINT2: INT4, Kind.UINT4: INT8, Kind.UINT8: derived_numeric(0)}


def as_signed(type_: ScalarType) -> ScalarType:
    """The least type with a sign that holds every value of an unsigned integer's; any other type as it is."""
    return _SIGNED.get(type_.kind, type_)


def among_signed(types: list[ScalarType]) -> list[ScalarType]:
    """Unsigned integers as what they are among integers that have a sign; as they are, if there are none of these."""
    if UNSIGNED.isdisjoint(type_.kind for type_ in types):
        return types
    mixed = any(type_.is_integer and not type_.is_unsigned for type_ in types)
    return [as_signed(type_) for type_ in types] if mixed else types


def same_kind(left: ScalarType, right: ScalarType) -> bool:
    """Whether two types differ in lengths, precisions and the forms of numerics at most."""
    if left.kind is Kind.RECORD and right.kind is Kind.RECORD:
        pairs = zip(left.fields, right.fields, strict=False)
        return len(left.fields) == len(right.fields) and all(same_kind(a, b) for (_, a), (_, b) in pairs)
    return left.kind is right.kind and (
        left.element is None or right.element is None or same_kind(left.element, right.element)
    )


def _merge_modifiers(chosen: ScalarType, types: Sequence[ScalarType], *, has_unknown: bool) -> ScalarType:
    if all(type_ == chosen for type_ in types) and not has_unknown:
        return chosen
    if chosen.kind is Kind.NUMERIC:
        scales = [numeric_scale(type_) for type_ in types]
        if any(scale is None for scale in scales):
            return NUMERIC
        widest = max(scale for scale in scales if scale is not None)
        whole = max(_whole_digits(type_) for type_ in types)
        return derived_numeric(widest) if whole + widest <= NUMERIC_MAX_PRECISION else NUMERIC
    if chosen.kind is Kind.RECORD:
        columns = zip(*(type_.fields for type_ in types), strict=True)
        merged = [
            _merge_modifiers(column[0][1], [type_ for _, type_ in column], has_unknown=False)
            for column in columns
        ]
        return record_of(tuple((name, type_) for (name, _), type_ in zip(chosen.fields, merged, strict=True)))
    if chosen.element is not None:
        elements = [type_.element for type_ in types if type_.element is not None]
        element = _merge_modifiers(chosen.element, elements, has_unknown=False)
        return ScalarType(chosen.kind, element=element.unrestricted if has_unknown else element)
    return ScalarType(chosen.kind)


_INTEGER_DIGITS = {
    Kind.INT2: 5,
    Kind.INT4: 10,
    Kind.INT8: 19,
    Kind.UINT2: 5,
    Kind.UINT4: 10,
    Kind.UINT8: 20,
    Kind.OID: 10,
}


def _whole_digits(type_: ScalarType) -> int:
    """Digits before the point, where the type bounds them."""
    if type_.precision is not None and type_.scale is not None:
        return type_.precision - type_.scale
    return _INTEGER_DIGITS.get(type_.kind, 0)


def numeric_scale(type_: ScalarType) -> int | None:
    """Digits after the point that every value of a number type fits in; None when that is not known."""
    if type_.is_integer or type_.kind is Kind.OID:
        return 0
    return type_.scale if type_.kind is Kind.NUMERIC else None


def as_kind(source: ScalarType | None, target: Kind) -> ScalarType:
    """The type of kind `target` that holds every value of `source`: what an implicit cast casts to."""
    if source is not None and source.kind is target:
        return source
    if target is Kind.NUMERIC:
        if source is not None and source.is_integer:
            return derived_numeric(0)
        return NUMERIC
    if target is Kind.FLOAT8:
        return FLOAT8
    if target is Kind.INT8:
        return INT8
    return ScalarType(target)
