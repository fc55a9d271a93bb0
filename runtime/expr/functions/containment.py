"""`@>` and `<@`: signs that arrays and documents have in common.

The operators are calls of the functions of either family by the time they are evaluated; only the choice is here.
"""

from __future__ import annotations

from ...repr.types import BOOL, JSONB, Kind
from ..function import Function, Resolver
from ..literals import coerce_unknown
from ..scalar import Call, Scalar
from . import arrays

_OF_ARRAYS = {function.name: function for function in arrays.FUNCTIONS}


def _resolver(of_arrays: str, of_documents: str) -> Resolver:
    array_resolver = _OF_ARRAYS[of_arrays].resolver
    assert array_resolver is not None

    def resolve(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
        known = {arg.type.kind for arg, flag in zip(args, unknown, strict=True) if not flag}
        if known != {Kind.JSONB}:
            return array_resolver(args, unknown)
        both = tuple(coerce_unknown(a, JSONB) if flag else a for a, flag in zip(args, unknown, strict=True))
        return Call(of_documents, both, BOOL, any(arg.nullable for arg in both))

    return resolve


FUNCTIONS: tuple[Function, ...] = (
    Function("either contains", (), "@>", _resolver("array_contains", "jsonb_contains")),
    Function("either contained", (), "<@", _resolver("array_contained", "jsonb_contained")),
)
