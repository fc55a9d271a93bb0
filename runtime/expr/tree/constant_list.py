"""`x IN (...)` of many constants, said as `x = ANY (array)` with one constant array for all of them.

A rule of the optimizer then looks at one node, however long the list is, and evaluation looks values up rather than compare each.
"""

from __future__ import annotations

from typing import Any

from ...repr.types import BOOL, NESTED, Kind, ScalarType, array_of
from .scalar import Call, Cast, Literal, Scalar

MANY = 32
"""From so many items on it is worth it."""


def as_array(scalar: Scalar) -> Scalar:
    """The same, where `scalar` is IN of many constants that are compared as one type."""
    if not isinstance(scalar, Call) or scalar.function != "in" or len(scalar.args) <= MANY:
        return scalar
    subject, *items = scalar.args
    type_ = items[0].type
    if not is_listed(type_) or subject.type != type_:
        return scalar
    values = []
    for item in items:
        constant = constant_of(item)
        if constant is None or item.type != type_:
            return scalar
        values.append(constant.value)
    return among(subject, values)


def among(subject: Scalar, values: list[Any]) -> Scalar:
    """Whether `subject` is one of `values`, which are of its type."""
    nullable = subject.nullable or None in values
    return Call("any_eq", (subject, Literal(values, array_of(subject.type))), BOOL, nullable)


def is_listed(type_: ScalarType) -> bool:
    """Whether values of the type that are equal are the same, so that they can be looked up."""
    return type_.kind not in NESTED and type_.kind is not Kind.NUMERIC


def constant_of(item: Scalar) -> Literal | None:
    """A literal, or the integer that is widened to the type that is compared: of the wider type it reads the same."""
    if isinstance(item, Cast) and item.type.is_integer and item.arg.type.is_integer:
        item = item.arg
    return item if isinstance(item, Literal) else None
