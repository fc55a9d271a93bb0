"""LIKE, ILIKE and ~ with ANY and ALL of an array: each row's text meets every element of its array.

As with OR and AND, an element that decides wins over one that is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from ....errors import DatatypeMismatch, UndefinedFunction
from ....repr.buffers import present
from ....repr.types import BOOL, SEQUENCES, TEXT, array_of
from ...coercion.literals import cast_to, coerce_unknown
from ...coercion.type_rules import base_name
from ...columns.lists import Ints, counts_of, owners_of
from ...columns.row_errors import Evaluated, Mask, RowErrors
from ...tree.function import CallInfo, Datum, Function, Kernel, Overload, as_array
from ...tree.scalar import Call, Scalar
from . import like, pattern


def _kernel(one: Kernel, every: bool) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        subject, lists = (as_array(datum, info.length) for datum in args)
        owners = owners_of(counts_of(lists))
        pairs = (subject.take(pa.array(owners)), lists.flatten())
        found = one(pairs, CallInfo((TEXT, TEXT), BOOL, len(owners)))
        values, errors = (found.values, found.errors) if isinstance(found, Evaluated) else (found, None)
        hits = values.fill_null(every).to_numpy(zero_copy_only=False)
        decided = np.zeros(info.length, np.bool_)
        decided[owners[hits != every]] = True
        unclear = np.zeros(info.length, np.bool_)
        unclear[owners[~present(values)]] = True
        missing = (unclear & ~decided) | ~present(lists)
        result = pa.array(np.where(decided, not every, every), mask=missing)
        return Evaluated(result, _of_rows(errors, owners, decided))

    return kernel


def _of_rows(errors: RowErrors | None, owners: Ints, decided: Mask) -> RowErrors | None:
    """The first error of each row that nothing else has decided."""
    if errors is None:
        return None
    rows, first = np.unique(owners[errors.indices], return_index=True)
    open_ = ~decided[rows]
    if not open_.any():
        return None
    chosen = pa.array(first[open_])
    return RowErrors(rows[open_], errors.sqlstates.take(chosen), errors.messages.take(chosen))


def _resolver(full_name: str, operator: str) -> Callable[[tuple[Scalar, ...], tuple[bool, ...]], Call]:
    def resolve(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
        subject, patterns = args
        if unknown[1]:
            patterns = coerce_unknown(patterns, array_of(TEXT))
        if patterns.type.kind not in SEQUENCES or patterns.type.element is None:
            raise DatatypeMismatch("op ANY/ALL (array) requires array on right side", sqlstate="42809")
        if not patterns.type.element.is_string_category or not (
            unknown[0] or subject.type.is_string_category
        ):
            left = base_name(None if unknown[0] else subject.type)
            raise UndefinedFunction(
                f"operator does not exist: {left} {operator} {base_name(patterns.type.element)}",
                hint="No operator matches the given name and argument types. You might need to add explicit type casts.",
            )
        text = coerce_unknown(subject, TEXT) if unknown[0] else cast_to(subject, TEXT)
        return Call(full_name, (text, cast_to(patterns, array_of(TEXT))), BOOL, True)

    return resolve


def _function(single: Function, prefix: str) -> Function:
    overload = next(o for o in single.overloads if o.params == (TEXT, TEXT))
    name, operator = f"{prefix}_{single.name}", single.operator or single.name
    kernel = _kernel(overload.kernel, prefix == "all")
    return Function(
        name,
        (Overload(None, BOOL, kernel, can_fail=True, strict=False),),
        operator,
        _resolver(name, operator),
    )


FUNCTIONS: tuple[Function, ...] = tuple(
    _function(single, prefix)
    for single in (*like.FUNCTIONS, *pattern.FUNCTIONS)
    if single.operator is not None
    for prefix in ("any", "all")
)
