"""Array operators of constants: what psql applies to columns that are NULL everywhere here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..expr.scalar import Literal
from ..repr.types import Kind

if TYPE_CHECKING:
    from .expressions import Typed


def concatenated(args: Sequence[Typed]) -> Typed | None:
    """`a || b` of two constant arrays of one type, of which NULL is the empty one unless both are; else None."""
    if len(args) != 2:
        return None
    left, right = (arg.scalar for arg in args)
    if not (isinstance(left, Literal) and isinstance(right, Literal)):
        return None
    if left.type.kind is not Kind.ARRAY or left.type != right.type:
        return None
    if left.value is None or right.value is None:
        return args[0] if right.value is None else args[1]
    return _typed([*left.value, *right.value], args[0])


def without(args: Sequence[Typed]) -> Typed | None:
    """`array_remove(array, element)` of constants; None otherwise."""
    if len(args) != 2:
        return None
    array, element = (arg.scalar for arg in args)
    if not (isinstance(array, Literal) and isinstance(element, Literal)) or array.type.kind is not Kind.ARRAY:
        return None
    if array.value is None:
        return args[0]
    if not args[1].unknown and element.type != array.type.element:
        return None
    return _typed([item for item in array.value if item != element.value], args[0])


def _typed(value: list[object], like: Typed) -> Typed:
    from .expressions import Typed

    return Typed(Literal(value, like.scalar.type))
