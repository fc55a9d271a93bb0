"""The SQL/JSON path language: its expressions, as values.

An accessor holds what it is applied to (`of`): `$.a[*]` is AnyElement(Member(Root(), "a")).
"""

from __future__ import annotations

from dataclasses import dataclass

from ...jsonb.document import Document


@dataclass(frozen=True, slots=True)
class Root:
    """$"""


@dataclass(frozen=True, slots=True)
class Current:
    """@"""


@dataclass(frozen=True, slots=True)
class Last:
    """The last index of the array whose subscript this stands in."""


@dataclass(frozen=True, slots=True)
class Variable:
    name: str


@dataclass(frozen=True, slots=True)
class Value:
    value: Document


@dataclass(frozen=True, slots=True)
class Member:
    of: Expression
    key: str


@dataclass(frozen=True, slots=True)
class AnyMember:
    of: Expression


@dataclass(frozen=True, slots=True)
class Descendants:
    """.**{first to last}; None is `last`."""

    of: Expression
    first: int | None
    last: int | None


@dataclass(frozen=True, slots=True)
class AnyElement:
    of: Expression


@dataclass(frozen=True, slots=True)
class Subscripts:
    of: Expression
    ranges: tuple[tuple[Expression, Expression | None], ...]


@dataclass(frozen=True, slots=True)
class Filter:
    of: Expression
    predicate: Expression


@dataclass(frozen=True, slots=True)
class Method:
    of: Expression
    name: str


@dataclass(frozen=True, slots=True)
class Sign:
    sign: str
    arg: Expression


@dataclass(frozen=True, slots=True)
class Arithmetic:
    sign: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Comparison:
    sign: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class StartsWith:
    arg: Expression
    prefix: Expression


@dataclass(frozen=True, slots=True)
class Exists:
    arg: Expression


@dataclass(frozen=True, slots=True)
class IsUnknown:
    arg: Expression


@dataclass(frozen=True, slots=True)
class Not:
    arg: Expression


@dataclass(frozen=True, slots=True)
class Connective:
    """`&&` or `||`."""

    sign: str
    left: Expression
    right: Expression


Predicate = Comparison | StartsWith | Exists | IsUnknown | Not | Connective
Item = (
    Root | Current | Last | Variable | Value | Member | AnyMember | Descendants | AnyElement | Subscripts
    | Filter | Method | Sign | Arithmetic
)  # fmt: skip
Expression = Item | Predicate


@dataclass(frozen=True, slots=True)
class Path:
    strict: bool
    expression: Expression
