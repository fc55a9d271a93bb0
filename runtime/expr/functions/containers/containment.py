"""`@>`, `<@` and `&&`: signs that arrays, documents and ranges have in common.

The operators are calls of the functions of one of these by the time they are evaluated; only the choice is here.
"""

from __future__ import annotations

from ....errors import UndefinedFunction
from ....repr.types import BOOL, JSON, JSONB, Kind
from ...coercion.literals import coerce_unknown
from ...coercion.type_rules import base_name
from ...tree.function import Function, Resolver
from ...tree.scalar import Call, Scalar
from . import arrays
from .lists import list_containment
from .maps import resolve_map_operator

_OF_ARRAYS = {function.name: function for function in arrays.FUNCTIONS}

_OF_RANGES = {"@>": "range_contains", "<@": "range_contained_by", "&&": "range_overlaps"}
_OF_ELEMENTS = {"@>": "range_contains_elem", "<@": "elem_contained_by_range"}


def _resolver(sign: str, of_arrays: str, of_documents: str | None = None) -> Resolver:
    array_resolver = _OF_ARRAYS[of_arrays].resolver
    assert array_resolver is not None

    def resolve(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
        known = [arg.type for arg, flag in zip(args, unknown, strict=True) if not flag]
        if any(type_.is_range for type_ in known):
            return _of_ranges(sign, of_arrays, args, unknown)
        if of_documents is not None and known and all(type_.kind is Kind.JSONB for type_ in known):
            both = tuple(
                coerce_unknown(a, JSONB) if flag else a for a, flag in zip(args, unknown, strict=True)
            )
            return Call(of_documents, both, BOOL, any(arg.nullable for arg in both))
        if any(type_.kind is Kind.LIST for type_ in known):
            return list_containment(sign, args, unknown)
        if any(type_.kind is Kind.MAP for type_ in known) and of_documents is not None:
            return resolve_map_operator(sign, args, unknown)
        if JSON in known:
            raise arrays.undefined(of_arrays, args, unknown)
        if of_documents is not None and len(known) == 1 and known[0].element is None:
            # The literal might be a range and the other side an element of it, of which there are several kinds.
            names = ["unknown" if flag else base_name(a.type) for a, flag in zip(args, unknown, strict=True)]
            raise UndefinedFunction(
                f"operator is not unique: {names[0]} {sign} {names[1]}",
                sqlstate="42725",
                hint="Could not choose a best candidate operator. You might need to add explicit type casts.",
            )
        return array_resolver(args, unknown)

    return resolve


def _of_ranges(sign: str, of_arrays: str, args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    """Of two ranges of one type, or of one and an element of exactly its subtype; an untyped literal is a range."""
    left, right = args
    if unknown[0]:
        left = coerce_unknown(left, right.type)
    if unknown[1]:
        right = coerce_unknown(right, left.type)
    if left.type == right.type:
        name = _OF_RANGES[sign]
    else:
        container, element = (left, right) if sign == "@>" else (right, left)
        subtype = container.type.subtype if container.type.is_range else None
        if sign not in _OF_ELEMENTS or subtype is None or element.type.kind is not subtype.kind:
            raise arrays.undefined(of_arrays, args, unknown)
        name = _OF_ELEMENTS[sign]
    return Call(name, (left, right), BOOL, left.nullable or right.nullable)


FUNCTIONS: tuple[Function, ...] = (
    Function("either contains", (), "@>", _resolver("@>", "array_contains", "jsonb_contains")),
    Function("either contained", (), "<@", _resolver("<@", "array_contained", "jsonb_contained")),
    Function("either overlaps", (), "&&", _resolver("&&", "array_overlaps")),
)
