"""Functions and operators of arrays of one dimension, whose first subscript is 1.

Arguments of the element's type follow PostgreSQL's `anycompatible`: array and elements are brought to one type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....errors import DatatypeMismatch, UndefinedFunction
from ....repr.buffers import present
from ....repr.order import sort_indices
from ....repr.types import BOOL, INT4, TEXT, Kind, ScalarType, array_of, list_of
from ...coercion.literals import cast_to, coerce_unknown
from ...coercion.type_rules import CastContext, base_name, can_cast, common_type
from ...columns.arrays import numpy_values
from ...columns.lists import (
    Ints,
    counts_of,
    element_codes,
    joined,
    kept_elements,
    list_array,
    owners_of,
    places_of,
    singletons,
    zipped,
)
from ...columns.row_errors import Evaluated, Mask, merge_errors, same_error
from ...tree.function import CallInfo, Datum, Function, Kernel, Overload, as_array
from ...tree.scalar import Call, Scalar
from ..comparison.comparison import compare
from ..comparison.comparison_keys import equality_keys, order_keys

Resolver = Callable[[tuple[Scalar, ...], tuple[bool, ...]], Call]

_MAX_FILL = 10_000_000
"""So many elements array_fill makes of one row: memory does not depend on a number in a row."""

# --- types -----------------------------------------------------------------------------------------------------------


def undefined(name: str, args: Sequence[Scalar], unknown: Sequence[bool]) -> UndefinedFunction:
    types = ["unknown" if flag else base_name(arg.type) for arg, flag in zip(args, unknown, strict=True)]
    if name in _SIGNS:
        return UndefinedFunction(
            f"operator does not exist: {types[0]} {_SIGNS[name]} {types[1]}",
            hint="No operator matches the given name and argument types. You might need to add explicit type casts.",
        )
    return UndefinedFunction(
        f"function {name}({', '.join(types)}) does not exist",
        hint="No function matches the given name and argument types. You might need to add explicit type casts.",
    )


_CONTAINERS = {"a": Kind.ARRAY, "l": Kind.LIST}


def _element_type(name: str, args: Sequence[Scalar], unknown: Sequence[bool], shape: str) -> ScalarType:
    """The one element type of arguments, of which `shape` says what each is: `a` an array, `l` a list, `e` an element."""
    known: list[ScalarType] = []
    for arg, flag, kind in zip(args, unknown, shape, strict=False):
        if flag or kind not in "ale":
            continue
        if kind in _CONTAINERS and arg.type.kind is not _CONTAINERS[kind]:
            raise undefined(name, args, unknown)
        type_ = arg.type.element if kind in _CONTAINERS else arg.type
        if type_ is None or (kind == "e" and type_.kind is Kind.ARRAY):
            raise undefined(name, args, unknown)
        known.append(type_)
    if not known:
        raise DatatypeMismatch("could not determine polymorphic type because input has type unknown")
    try:
        found = common_type(known, name)
    except DatatypeMismatch as error:
        raise undefined(name, args, unknown) from error
    return found.unrestricted


def _coerced(
    name: str, args: Sequence[Scalar], unknown: Sequence[bool], types: Sequence[ScalarType]
) -> tuple[Scalar, ...]:
    out: list[Scalar] = []
    for arg, flag, type_ in zip(args, unknown, types, strict=True):
        if flag:
            out.append(coerce_unknown(arg, type_))
        elif arg.type == type_ or can_cast(arg.type, type_, CastContext.IMPLICIT):
            out.append(cast_to(arg, type_))
        else:
            raise undefined(name, args, unknown)
    return tuple(out)


def polymorphic(name: str, shape: str, result: str, optional: int = 0) -> Resolver:
    """`shape` has a letter per argument: array, list, element, int, text, bool; `result` likewise, or `A`, an int[]."""

    def resolve(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
        if not len(shape) - optional <= len(args) <= len(shape):
            raise undefined(name, args, unknown)
        element = _element_type(name, args, unknown, shape)
        types = {"e": element, "i": INT4, "t": TEXT, "b": BOOL, "A": array_of(INT4)}
        for letter, container in (("a", array_of), ("l", list_of)):
            if letter in shape + result:
                types[letter] = container(element)
        coerced = _coerced(name, args, unknown, [types[letter] for letter in shape[: len(args)]])
        returned = types[result]
        return Call(name, coerced, returned, True)

    return resolve


def resolve_concatenation(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    """`||` with an array on at least one side; an untyped literal is an array too."""
    left, right = (flag or arg.type.kind is Kind.ARRAY for arg, flag in zip(args, unknown, strict=True))
    name, shape = (
        ("array_cat", "aa") if left and right else ("array_append", "ae") if left else ("array_prepend", "ea")
    )
    try:
        return polymorphic(name, shape, "a")(args, unknown)
    except UndefinedFunction:
        raise undefined("||", args, unknown) from None


def resolve_array(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    """ARRAY[...] of elements that are of one type by now."""
    return Call("array_of", args, array_of(args[0].type), False)


# --- making and cutting ----------------------------------------------------------------------------------------------


def make(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    return zipped([as_array(datum, info.length) for datum in args])


def append(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    lists, items = (as_array(datum, info.length) for datum in args)
    return joined(lists, singletons(items))


def prepend(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    items, lists = (as_array(datum, info.length) for datum in args)
    return joined(singletons(items), lists)


def cat(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    left, right = (as_array(datum, info.length) for datum in args)
    return joined(left, right, present(left) | present(right))


def _taken(lists: pa.Array, first: Datum, last: Datum, valid: Mask) -> pa.Array:
    """Elements from the 1-based `first` to `last` of each array."""
    counts = counts_of(lists)
    low = np.maximum(np.asarray(first, np.int64), 1)
    high = np.minimum(np.asarray(last, np.int64), counts)
    kept = np.where(valid, np.maximum(high - low + 1, 0), 0)
    begins = np.cumsum(counts) - counts
    index = np.repeat(begins + low - 1, kept) + places_of(kept)
    return list_array(lists.flatten().take(pa.array(index)), kept, valid)


def subscript(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    lists, wanted = (as_array(datum, info.length) for datum in args)
    counts = counts_of(lists)
    place = numpy_values(wanted).astype(np.int64)
    inside = (place >= 1) & (place <= counts) & present(wanted)
    begins = np.cumsum(counts) - counts
    index = pa.array(np.where(inside, begins + place - 1, 0), mask=~inside)
    return lists.flatten().take(index)


def cut(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    """array[first:last]; NULL bounds were left out of the text."""
    lists, first, last = (as_array(datum, info.length) for datum in args)
    valid = present(lists) & present(first) & present(last)
    return _taken(lists, numpy_values(first), numpy_values(last), valid)


def _trim_array(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    lists, fewer = (as_array(datum, info.length) for datum in args)
    counts, drop = counts_of(lists), numpy_values(fewer).astype(np.int64)
    valid = present(lists) & present(fewer)
    wrong = valid & ((drop < 0) | (drop > counts))
    messages = [
        same_error(
            np.array([row]), "2202E", f"number of elements to trim must be between 0 and {counts[row]}"
        )
        for row in np.flatnonzero(wrong)
    ]
    return Evaluated(
        _taken(lists, np.ones(info.length), counts - drop, valid & ~wrong), merge_errors(messages)
    )


def _reverse(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    lists = as_array(args[0], info.length)
    counts = counts_of(lists)
    ends = np.cumsum(counts)
    index = np.repeat(ends, counts) - 1 - places_of(counts)
    return list_array(lists.flatten().take(pa.array(index)), counts, present(lists))


def _sort(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    """array_sort(array [, descending [, nulls_first]]), of options that are the same for all rows or not."""
    lists = as_array(args[0], info.length)
    options = [as_array(datum, info.length) for datum in args[1:]]
    valid = present(lists)
    for option in options:
        valid = valid & present(option)
    counts = np.where(valid, counts_of(lists), 0)
    lists = lists if valid.all() else pc.if_else(pa.array(valid), lists, pa.scalar(None, lists.type))
    down = numpy_values(options[0]) if options else np.zeros(info.length, np.bool_)
    first = numpy_values(options[1]) if len(options) > 1 else down
    values, owners = lists.flatten(), owners_of(counts)
    keys = as_array(order_keys(values, _element(info)), len(values))
    order = np.empty(len(values), np.int64)
    slots = np.arange(len(values))
    for descending in (False, True):
        for nulls_first in (False, True):
            here = slots[((down == descending) & (first == nulls_first))[owners]]
            columns = [pa.array(owners[here]), keys.take(pa.array(here))]
            order[here] = here[sort_indices(columns, [False, descending], [False, nulls_first])]
    return list_array(values.take(pa.array(order)), counts, valid)


def _fill(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    """array_fill(value, array[length])."""
    value, bounds = (as_array(datum, info.length) for datum in args)
    dimensions, valid = counts_of(bounds), present(bounds)
    sizes = subscript((bounds, pa.scalar(1, pa.int32())), info)
    size = numpy_values(sizes).astype(np.int64)
    several = valid & (dimensions > 1)
    null = valid & (dimensions == 1) & ~present(sizes)
    negative = valid & (dimensions == 1) & present(sizes) & (size < 0)
    large = valid & (dimensions == 1) & present(sizes) & (size > _MAX_FILL)
    wrong = several | null | negative | large
    counts = np.where(valid & ~wrong & (dimensions == 1), size, 0)
    errors = merge_errors(
        [
            same_error(np.flatnonzero(several), "0A000", "arrays of several dimensions are not supported"),
            same_error(np.flatnonzero(null), "22004", "dimension values cannot be null"),
            same_error(
                np.flatnonzero(negative), "54000", "array size exceeds the maximum allowed (134217727)"
            ),
            same_error(np.flatnonzero(large), "54000", f"array_fill gives more than {_MAX_FILL} elements"),
        ]
    )
    null_bounds = same_error(
        np.flatnonzero(~valid), "22004", "dimension array or low bound array cannot be null"
    )
    values = value.take(pa.array(owners_of(counts)))
    return Evaluated(list_array(values, counts, valid & ~wrong), merge_errors([errors, null_bounds]))


# --- looking for elements --------------------------------------------------------------------------------------------


def _matches(lists: pa.Array, item: Datum, element: ScalarType) -> Mask:
    """Which elements are not distinct from the `item` of their row."""
    values = lists.flatten()
    owners = pa.array(owners_of(counts_of(lists)))
    other = item.take(owners) if isinstance(item, pa.Array) else pa.repeat(item, len(values))
    same = compare("eq", values, other, element).fill_null(False)
    both = pc.and_(values.is_null(), other.is_null())
    found: Mask = pc.or_(same, both).to_numpy(zero_copy_only=False)
    return found


def _element(info: CallInfo, index: int = 0) -> ScalarType:
    element = info.types[index].element
    assert element is not None
    return element


def _remove(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    lists = as_array(args[0], info.length)
    return kept_elements(lists, ~_matches(lists, args[1], _element(info)))


def _replace(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    lists, new = as_array(args[0], info.length), as_array(args[2], info.length)
    found = _matches(lists, args[1], _element(info))
    counts = counts_of(lists)
    values = pc.if_else(pa.array(found), new.take(pa.array(owners_of(counts))), lists.flatten())
    return list_array(values, counts, present(lists))


def _position(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    lists = as_array(args[0], info.length)
    found = _matches(lists, args[1], _element(info))
    counts = counts_of(lists)
    owners, places = owners_of(counts), places_of(counts) + 1
    errors = None
    if len(args) > 2:
        start = as_array(args[2], info.length)
        found &= places >= numpy_values(start)[owners]
        missing = ~present(start)
        found &= ~missing[owners]
        # PostgreSQL looks at it only where the element might be there.
        holds_null = np.zeros(info.length, np.bool_)
        holds_null[owners[~present(lists.flatten())]] = True
        looked = (counts > 0) & (present(as_array(args[1], info.length)) | holds_null)
        errors = same_error(np.flatnonzero(missing & looked), "22004", "initial position must not be null")
    result = np.zeros(info.length, np.int32)
    rows, first = np.unique(owners[found], return_index=True)
    result[rows] = places[found][first]
    return Evaluated(pa.array(result, mask=result == 0), errors)


def _positions(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    lists = as_array(args[0], info.length)
    found = _matches(lists, args[1], _element(info))
    counts = counts_of(lists)
    places = pa.array((places_of(counts) + 1)[found].astype(np.int32))
    fewer = np.bincount(owners_of(counts)[found], minlength=info.length).astype(np.int64)
    return list_array(places, fewer, present(lists))


def _shared(left: pa.Array, right: pa.Array, info: CallInfo) -> tuple[Mask, Ints]:
    """Which elements of `right` are among the same row's of `left` (a NULL is not); their owners."""
    type_ = _element(info)
    a, b = element_codes(equality_keys(left.flatten(), type_), equality_keys(right.flatten(), type_))
    owners, others = owners_of(counts_of(left)), owners_of(counts_of(right))
    width = int(max(a.max(initial=0), b.max(initial=0))) + 1
    there = np.isin(others * width + b, (owners * width + a)[present(left.flatten())])
    return there & present(right.flatten()), others


def contains(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    left, right = (as_array(datum, info.length) for datum in args)
    there, owners = _shared(left, right, info)
    result = np.ones(info.length, np.bool_)
    result[owners[~there]] = False
    return pa.array(result, mask=~(present(left) & present(right)))


def contained(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    return contains((args[1], args[0]), info)


def _overlaps(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    left, right = (as_array(datum, info.length) for datum in args)
    there, owners = _shared(left, right, info)
    result = np.zeros(info.length, np.bool_)
    result[owners[there]] = True
    return pa.array(result, mask=~(present(left) & present(right)))


# --- sizes -----------------------------------------------------------------------------------------------------------


def _dimensions(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    counts = counts_of(as_array(args[0], info.length))
    return pa.array(np.ones(info.length, np.int32), mask=counts == 0)


def _lower(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    lists, dimension = (as_array(datum, info.length) for datum in args)
    shown = (counts_of(lists) > 0) & (numpy_values(dimension) == 1) & present(dimension)
    return pa.array(np.ones(info.length, np.int32), mask=~shown)


def _upper(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    lists, dimension = (as_array(datum, info.length) for datum in args)
    counts = counts_of(lists)
    shown = (counts > 0) & (numpy_values(dimension) == 1) & present(dimension)
    return pa.array(counts.astype(np.int32), mask=~shown)


def _dims(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    counts = counts_of(as_array(args[0], info.length))
    text = pc.binary_join_element_wise("[1:", pa.array(counts).cast(pa.string()), "]", "")
    return pc.if_else(pa.array(counts > 0), text, pa.scalar(None, pa.string()))


def _resolve_fill(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    if len(args) != 2 or unknown[0]:
        if len(args) == 2:
            raise DatatypeMismatch("could not determine polymorphic type because input has type unknown")
        raise undefined("array_fill", args, unknown)
    bounds = _coerced("array_fill", args[1:], unknown[1:], [array_of(INT4)])
    return Call("array_fill", (args[0], *bounds), array_of(args[0].type), True)


_SIGNS = {"||": "||", "array_contains": "@>", "array_contained": "<@", "array_overlaps": "&&"}


def _function(
    name: str,
    shape: str,
    result: str,
    kernel: Kernel,
    *,
    optional: int = 0,
    strict: bool = True,
    fails: bool = False,
) -> Function:
    overload = Overload(None, TEXT, kernel, can_fail=fails, strict=strict, nullable=True)
    return Function(name, (overload,), _SIGNS.get(name), polymorphic(name, shape, result, optional))


FUNCTIONS: tuple[Function, ...] = (
    Function("array_of", (Overload(None, TEXT, make, strict=False, nullable=False),), None, resolve_array),
    _function("array_subscript", "ai", "e", subscript),
    _function("array_slice", "aii", "a", cut),
    _function("array_append", "ae", "a", append, strict=False),
    _function("array_prepend", "ea", "a", prepend, strict=False),
    _function("array_cat", "aa", "a", cat, strict=False),
    _function("trim_array", "ai", "a", _trim_array, fails=True),
    _function("array_reverse", "a", "a", _reverse),
    _function("array_sort", "abb", "a", _sort, optional=2),
    Function("array_fill", (Overload(None, TEXT, _fill, can_fail=True, strict=False),), None, _resolve_fill),
    _function("array_remove", "ae", "a", _remove, strict=False),
    _function("array_replace", "aee", "a", _replace, strict=False),
    _function("array_position", "aei", "i", _position, optional=1, strict=False, fails=True),
    _function("array_positions", "ae", "A", _positions, strict=False),
    _function("array_contains", "aa", "b", contains),
    _function("array_contained", "aa", "b", contained),
    _function("array_overlaps", "aa", "b", _overlaps),
    _function("array_ndims", "a", "i", _dimensions),
    _function("array_lower", "ai", "i", _lower),
    _function("array_upper", "ai", "i", _upper),
    _function("array_dims", "a", "t", _dims),
)
