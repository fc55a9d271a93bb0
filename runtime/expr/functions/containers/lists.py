"""Functions and operators of Materialize's lists, whose first subscript is 1.

A list is to Arrow what an array is, and the kernels are those of arrays.  Its elements may be lists, so `||` goes by layers:
two lists of one depth are joined, and what is one layer less deep is an element of the other.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from ....errors import UndefinedFunction
from ....repr.types import INT4, TEXT, Kind, ScalarType, list_of
from ...tree.function import CallInfo, Datum, Function, Kernel, Overload, as_array
from ...tree.scalar import Call, Scalar
from . import arrays

_SIGNS = {"list contains": "@>", "list contained": "<@"}


def _layers(type_: ScalarType) -> int:
    count = 0
    while type_.kind is Kind.LIST:
        assert type_.element is not None
        count, type_ = count + 1, type_.element
    return count


def resolve_list_concatenation(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    """`||` with a list on at least one side; an untyped literal is a list like the other side."""
    left, right = (None if flag else _layers(arg.type) for arg, flag in zip(args, unknown, strict=True))
    if left is None or right is None or left == right:
        name, shape = "list_cat", "ll"
    elif left > right:
        name, shape = "list_append", "le"
    else:
        name, shape = "list_prepend", "el"
    try:
        return arrays.polymorphic(name, shape, "l")(args, unknown)
    except UndefinedFunction:
        raise arrays.undefined("||", args, unknown) from None


def list_containment(sign: str, args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    """`@>` and `<@` of lists; there is no `&&` of them."""
    name = next((name for name, spelled in _SIGNS.items() if spelled == sign), None)
    if name is None:
        raise arrays.undefined("array_overlaps", args, unknown)
    try:
        return arrays.polymorphic(name, "ll", "b")(args, unknown)
    except UndefinedFunction:
        shown = "array_contains" if sign == "@>" else "array_contained"
        raise arrays.undefined(shown, args, unknown) from None


def _resolve_made(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    """LIST[...] of elements that are of one type by now."""
    return Call("list of", args, list_of(args[0].type), False)


def _length(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    return as_array(args[0], info.length).value_lengths()


def _function(name: str, shape: str, result: str, kernel: Kernel, *, strict: bool = True) -> Function:
    overload = Overload(None, TEXT, kernel, strict=strict, nullable=True)
    return Function(name, (overload,), _SIGNS.get(name), arrays.polymorphic(name, shape, result))


FUNCTIONS: tuple[Function, ...] = (
    Function(
        "list of", (Overload(None, TEXT, arrays.make, strict=False, nullable=False),), None, _resolve_made
    ),
    _function("list subscript", "li", "e", arrays.subscript),
    _function("list slice", "lii", "l", arrays.cut),
    _function("list_append", "le", "l", arrays.append, strict=False),
    _function("list_prepend", "el", "l", arrays.prepend, strict=False),
    _function("list_cat", "ll", "l", arrays.cat, strict=False),
    _function("list contains", "ll", "b", arrays.contains),
    _function("list contained", "ll", "b", arrays.contained),
    Function("list_length", (Overload((list_of(TEXT),), INT4, _length),)),
)
