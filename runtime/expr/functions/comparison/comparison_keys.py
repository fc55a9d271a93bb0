"""What values are compared and sorted by that may be equal and print differently: documents, and `bpchar` with its blanks.

Whatever tells rows apart by such a value (GROUP BY, joins, constraints) does so by its *equality key*, which is the same for
equal values; an *order key* sorts, too.  That of a `bpchar` is the value without the blanks at its end; for those
of documents see `jsonb_keys.py`.  The key of an array is the array of its elements' keys, and anything else is its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ....errors import DatatypeMismatch, UndefinedFunction, Unsupported
from ....repr.buffers import over_leaves
from ....repr.types import BPCHAR_KEY, Kind, ScalarType
from ...coercion.type_rules import base_name, same_kind
from ...columns.blank_padding import is_padded
from ...tree.function import Datum, as_array
from ...tree.scalar import Call, Cast, Literal, Scalar
from ..json import jsonb_keys
from ..json.jsonb_keys import holds_documents


def has_keys(type_: ScalarType) -> bool:
    """Whether values of the type are compared by keys."""
    return holds_documents(type_) or is_padded(type_.leaf)


def comparison_keys(name: str, args: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """What the comparison `name` of such values compares instead."""
    if name in ("eq", "ne"):
        return tuple(equality_key(arg) for arg in args)
    return tuple(sort_key(arg) for arg in args)


def equality_key(arg: Scalar) -> Scalar:
    """What is the same for equal values.  Raises UndefinedFunction (42883) for json, which has no equality."""
    _require(arg, "an equality")
    return _unpadded(arg) if is_padded(arg.type.leaf) else jsonb_keys.equality_key(arg)


def sort_key(arg: Scalar) -> Scalar:
    """What a value sorts by.  Raises UndefinedFunction (42883) for json, which has no order."""
    _require(arg, "an ordering")
    return _unpadded(arg) if is_padded(arg.type.leaf) else jsonb_keys.sort_key(arg)


def compared(arg: Scalar) -> Scalar:
    """What a key was made of; anything else is what it is."""
    return arg.args[0] if isinstance(arg, Call) and arg.function in jsonb_keys.KEYS else arg


def equality_keys(column: pa.Array, type_: ScalarType) -> pa.Array:
    """As `equality_key`, of a column of values of the type."""
    if is_padded(type_.leaf):
        return _without_blanks(column)
    return jsonb_keys.equality_keys(column, type_)


def order_keys(datum: Datum, type_: ScalarType) -> Datum:
    """As `sort_key`, of a datum of the type."""
    if is_padded(type_.leaf):
        found = _without_blanks(as_array(datum, 1) if isinstance(datum, pa.Scalar) else datum)
        return found[0] if isinstance(datum, pa.Scalar) else found
    return jsonb_keys.order_keys(datum, type_)


def _require(arg: Scalar, what: str) -> None:
    refuse_records(arg.type)
    if arg.type.leaf.kind is Kind.JSON:
        raise UndefinedFunction(f"could not identify {what} operator for type {base_name(arg.type)}")


def check_records(left: ScalarType, right: ScalarType) -> None:
    """42804 for records that are not compared: of another number of fields, or of other types."""
    if len(left.fields) != len(right.fields):
        raise DatatypeMismatch("cannot compare record types with different numbers of columns")
    for number, ((_, a), (_, b)) in enumerate(zip(left.fields, right.fields, strict=True), 1):
        if not same_kind(a, b):
            raise DatatypeMismatch(
                f"cannot compare dissimilar column types {base_name(a)} and {base_name(b)} at record column {number}"
            )
    refuse_records(left)
    refuse_records(right)


def refuse_records(type_: ScalarType) -> None:
    """0A000 for records some of whose fields are compared by keys; 42883 if one cannot be compared."""
    for _, field in type_.leaf.fields:
        if field.leaf.kind is Kind.JSON:
            raise UndefinedFunction("could not identify an equality operator for type json")
        if has_keys(field):
            raise Unsupported(
                f"comparisons of records with a field of type {field} are not supported",
                hint="Compare the fields by themselves.",
            )
        refuse_records(field)


def _unpadded(arg: Scalar) -> Scalar:
    if isinstance(arg, Literal) and isinstance(arg.value, str | None):
        return Literal(None if arg.value is None else arg.value.rstrip(" "), BPCHAR_KEY)
    return Cast(arg, arg.type.with_leaf(BPCHAR_KEY))


def _without_blanks(column: pa.Array) -> pa.Array:
    return over_leaves(column, lambda texts: pc.utf8_rtrim(texts, " "))
