"""Evaluation of scalar expressions over columns.

Errors are data, so an expression is evaluated over whole columns, branches included, and the errors of branches
that a row does not take are left out: CASE, COALESCE, AND and OR choose values and errors in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import PtvcError
from ..interrupt import check_interrupt
from ..repr.buffers import present, truth, validity
from ..repr.types import BOOL, INT2, INT4, INT8, NUMERIC, TEXT, ScalarType, array_of
from .chunks import LEAST_ROWS, count_made, in_chunks, makes_values
from .coercion.casts import cast_array, cast_can_fail
from .coercion.literals import python_value
from .columns.arrays import put, with_nulls
from .columns.row_errors import (
    Evaluated,
    Mask,
    RowErrors,
    concat_errors,
    error_mask,
    merge_errors,
    same_error,
    select_errors,
)
from .columns.value_size import check_value
from .cost import is_cheap
from .external.kernel import call_rows
from .guarded import guarded
from .null_tests import NULL_TESTS, null_test
from .registry import overload_of
from .tree.function import CallInfo, Datum, as_array
from .tree.scalar import (
    And,
    Call,
    Case,
    Cast,
    Coalesce,
    ColumnRef,
    ExternalCall,
    Literal,
    MzNow,
    NowCompare,
    Or,
    Parameter,
    PerExecution,
    Scalar,
    calls_external,
    children,
    columns_of,
    remap,
    transform,
)

__all__ = ["Evaluated", "RowErrors", "can_fail", "evaluate", "evaluate_predicates", "fold"]

Partial = tuple[Datum, RowErrors | None]


def evaluate(scalar: Scalar, columns: tuple[pa.Array, ...], length: int) -> Evaluated:
    """`scalar` on each of `length` rows: values of type `scalar.type.arrow`, NULL on the rows of `errors`."""
    if length < LEAST_ROWS or not makes_values((scalar,)):
        return _evaluated(scalar, columns, length)
    pieces = in_chunks(
        length,
        lambda start, stop: _evaluated(scalar, _sliced(columns, start, stop), stop - start),
        lambda rows: _evaluated(scalar, _taken(columns, rows), len(rows)),
    )
    if len(pieces) == 1:
        return pieces[0]
    return Evaluated(
        pa.concat_arrays([piece.values for piece in pieces]),
        concat_errors([(len(piece.values), piece.errors) for piece in pieces]),
    )


def _evaluated(scalar: Scalar, columns: tuple[pa.Array, ...], length: int) -> Evaluated:
    datum, errors = _evaluate(scalar, columns, length)
    return Evaluated(as_array(datum, length), errors)


def _sliced(columns: tuple[pa.Array, ...], start: int, stop: int) -> tuple[pa.Array, ...]:
    """Columns that nobody reads may be missing (None)."""
    return tuple(None if column is None else column.slice(start, stop - start) for column in columns)


def _taken(columns: tuple[pa.Array, ...], rows: npt.NDArray[np.int64]) -> tuple[pa.Array, ...]:
    index = pa.array(rows)
    return tuple(None if column is None else column.take(index) for column in columns)


def evaluate_predicates(
    predicates: Sequence[Scalar], columns: tuple[pa.Array, ...], length: int
) -> tuple[Mask, RowErrors | None]:
    """bool[length]: rows on which every predicate is TRUE; and the errors of rows on which none is FALSE.

    A row with an error is not kept; the error says that the row's collection has no answer.
    """
    if length < LEAST_ROWS or not makes_values(predicates):
        return _passing(predicates, columns, length)
    pieces = in_chunks(
        length,
        lambda start, stop: _passing(predicates, _sliced(columns, start, stop), stop - start),
        lambda rows: _passing(predicates, _taken(columns, rows), len(rows)),
    )
    if len(pieces) == 1:
        return pieces[0]
    return (
        np.concatenate([keep for keep, _ in pieces]),
        concat_errors([(len(keep), errors) for keep, errors in pieces]),
    )


def _passing(
    predicates: Sequence[Scalar], columns: tuple[pa.Array, ...], length: int
) -> tuple[Mask, RowErrors | None]:
    if not predicates:
        return np.ones(length, np.bool_), None
    if len(predicates) == 1:
        datum, errors = _evaluate(predicates[0], columns, length)
    else:
        datum, errors = _connective(tuple(predicates), columns, length, absorbing=False)
    if isinstance(datum, pa.Scalar):
        return np.full(length, datum.as_py() is True), errors
    return truth(datum), errors


def _evaluate(scalar: Scalar, columns: tuple[pa.Array, ...], length: int) -> Partial:
    check_interrupt()
    match scalar:
        case ColumnRef(index=index):
            return columns[index], None
        case Literal(value=value, type=type_):
            return pa.scalar(value, type_.arrow), None
        case Call():
            return _call(scalar, columns, length)
        case ExternalCall():
            return _external(scalar, columns, length)
        case Cast():
            return _cast(scalar, columns, length)
        case Case():
            return _case(scalar, columns, length)
        case Coalesce():
            return _coalesce(scalar, columns, length)
        case And(args=args):
            return _connective(args, columns, length, absorbing=False)
        case Or(args=args):
            return _connective(args, columns, length, absorbing=True)
        case MzNow() | NowCompare():
            # A read at a time has put it here before; what has no time (a DEFAULT, RETURNING) may not ask.
            errors = same_error(np.arange(length), "0A000", "mz_now() is not supported here")
            return pa.scalar(None, scalar.type.arrow), errors
        case Parameter(number=number):
            raise AssertionError(f"${number} has no value yet")
        case PerExecution(function=function):
            raise AssertionError(f"{function} has no value yet")
        case _:
            assert_never(scalar)


def _constant(result: Evaluated, length: int) -> Partial:
    """A result over one row, standing for `length` equal rows."""
    if result.errors is None:
        return result.values[0], None
    errors = same_error(
        np.arange(length), result.errors.sqlstates[0].as_py(), result.errors.messages[0].as_py()
    )
    return pa.scalar(None, result.values.type), errors


def _call(call: Call, columns: tuple[pa.Array, ...], length: int) -> Partial:
    data: list[Datum] = []
    arg_errors: list[RowErrors | None] = []
    for arg in call.args:
        datum, errors = _evaluate(arg, columns, length)
        data.append(datum)
        arg_errors.append(errors)
    types = tuple(arg.type for arg in call.args)
    overload = overload_of(call.function, types)
    constant = all(isinstance(datum, pa.Scalar) for datum in data)
    if overload.strict and any(isinstance(d, pa.Scalar) and not d.is_valid for d in data):
        return pa.scalar(None, call.type.arrow), merge_errors(arg_errors)
    if constant:
        data = [as_array(datum, 1) for datum in data]
    result = guarded(
        lambda rows, count: overload.kernel(rows, CallInfo(types, call.type, count)),
        data,
        1 if constant else length,
        call.type,
    )
    if constant:
        check_value(result.values.nbytes)
        datum, errors = _constant(result, length)
        merged = merge_errors([*arg_errors, errors])
        return (pa.scalar(None, call.type.arrow) if merged is not None else datum), merged
    merged = merge_errors([*arg_errors, result.errors])
    values = result.values
    count_made(values)
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if merged is not None and not overload.strict:
        values = with_nulls(values, merged.indices)
    return values, merged


def _external(called: ExternalCall, columns: tuple[pa.Array, ...], length: int) -> Partial:
    """Called where the arguments have no error and, if it is strict, none is NULL; once where all of them are constants."""
    function = called.function
    data: list[Datum] = []
    arg_errors: list[RowErrors | None] = []
    for arg in called.args:
        datum, errors = _evaluate(arg, columns, length)
        data.append(datum)
        arg_errors.append(errors)
    merged = merge_errors(arg_errors)
    constant = (
        merged is None and not function.volatile and all(isinstance(datum, pa.Scalar) for datum in data)
    )
    count = 1 if constant and length else length
    given = [as_array(datum, count) for datum in data]
    wanted = ~error_mask(merged, count)
    if function.strict:
        for column in given:
            if (valid := validity(column)) is not None:
                wanted &= valid
    result = call_rows(function, given, wanted)
    if constant and length:
        return _constant(result, length)
    return result.values, merge_errors([merged, result.errors])


def _evaluate_where(scalar: Scalar, columns: tuple[pa.Array, ...], length: int, wanted: Mask) -> Partial:
    """As `_evaluate`, where the other rows do not matter: code of users does not run for them."""
    if not calls_external(scalar) or wanted.all():
        return _evaluate(scalar, columns, length)
    rows = np.flatnonzero(wanted)
    chosen = pa.array(rows)
    used = sorted(columns_of(scalar))
    narrow = remap(scalar, {index: place for place, index in enumerate(used)}.__getitem__)
    datum, errors = _evaluate(narrow, tuple(columns[index].take(chosen) for index in used), len(rows))
    if errors is not None:
        errors = RowErrors(rows[errors.indices], errors.sqlstates, errors.messages)
    if isinstance(datum, pa.Scalar):
        return datum, errors
    return put(pa.nulls(length, datum.type), rows, datum), errors


def _cast(cast: Cast, columns: tuple[pa.Array, ...], length: int) -> Partial:
    match cast:
        case Cast(arg=Cast(arg=Literal(type=inner) as written, type=outer)) if (
            cast.type.is_float and inner == TEXT and outer == NUMERIC
        ):
            cast = Cast(written, cast.type)  # a float of a constant that no numeric holds
        case _:
            pass
    datum, errors = _evaluate(cast.arg, columns, length)
    if isinstance(datum, pa.Scalar):
        if not datum.is_valid:
            return pa.scalar(None, cast.type.arrow), errors
        return _constant(_cast_rows(cast, as_array(datum, 1)), length)
    result = _cast_rows(cast, datum)
    count_made(result.values)
    return result.values, merge_errors([errors, result.errors])


def _cast_rows(cast: Cast, rows: pa.Array) -> Evaluated:
    def kernel(data: Sequence[Datum], count: int) -> Evaluated:
        return cast_array(as_array(data[0], count), cast.arg.type, cast.type, cast.explicit)

    return guarded(kernel, [rows], len(rows), cast.type)


def _truth(datum: Datum, length: int) -> Mask:
    """Rows on which a boolean is TRUE."""
    if isinstance(datum, pa.Scalar):
        return np.full(length, datum.as_py() is True)
    return truth(datum)


def _case(case: Case, columns: tuple[pa.Array, ...], length: int) -> Partial:
    open_rows = np.ones(length, np.bool_)
    taken: list[tuple[Mask, Datum]] = []
    errors: list[RowErrors | None] = []
    for condition, result in case.branches:
        datum, failed = _evaluate_where(condition, columns, length, open_rows)
        failed = select_errors(failed, open_rows)
        hit = _truth(datum, length) & open_rows
        if failed is not None:
            errors.append(failed)
            open_rows = open_rows & ~error_mask(failed, length)
        if not hit.any():
            continue
        open_rows = open_rows & ~hit
        value, failed = _evaluate_where(result, columns, length, hit)
        errors.append(select_errors(failed, hit))
        taken.append((hit, value))
        if not open_rows.any():
            break
    otherwise: Datum = pa.scalar(None, case.type.arrow)
    if open_rows.any():
        otherwise, failed = _evaluate_where(case.otherwise, columns, length, open_rows)
        errors.append(select_errors(failed, open_rows))
    merged = merge_errors(errors)
    chosen: Datum = otherwise
    for hit, value in reversed(taken):
        chosen = pc.if_else(pa.array(hit), value, chosen)
    if merged is not None:
        chosen = with_nulls(as_array(chosen, length), merged.indices)
    return chosen, merged


def _coalesce(coalesce: Coalesce, columns: tuple[pa.Array, ...], length: int) -> Partial:
    datum, errors = _evaluate(coalesce.args[0], columns, length)
    for arg in coalesce.args[1:]:
        if isinstance(datum, pa.Scalar):
            if datum.is_valid:
                break
            failed_rows = error_mask(errors, length)
            open_rows = ~failed_rows
        else:
            if datum.null_count == 0:
                break
            open_rows = ~present(datum)
            if errors is not None:
                open_rows = open_rows & ~error_mask(errors, length)
        if not open_rows.any():
            break
        value, failed = _evaluate_where(arg, columns, length, open_rows)
        failed = select_errors(failed, open_rows)
        if errors is None:
            datum = value if isinstance(datum, pa.Scalar) else pc.coalesce(datum, value)
        else:
            datum = pc.if_else(pa.array(open_rows), value, as_array(datum, length))
        errors = merge_errors([errors, failed])
    return datum, errors


def _connective(
    args: tuple[Scalar, ...], columns: tuple[pa.Array, ...], length: int, *, absorbing: bool
) -> Partial:
    """AND (`absorbing` False) or OR (True): the absorbing value wins over an error, an error over the rest."""
    combine = pc.or_kleene if absorbing else pc.and_kleene
    datum, errors = _evaluate(args[0], columns, length)
    parts = [errors]
    for arg in args[1:]:
        if isinstance(datum, pa.Scalar) and datum.as_py() is absorbing:
            return datum, None
        if calls_external(arg) and not isinstance(datum, pa.Scalar):
            decided = truth(pc.equal(datum, pa.scalar(absorbing)))
            value, failed = _evaluate_where(arg, columns, length, ~decided)
        else:
            value, failed = _evaluate(arg, columns, length)
        parts.append(failed)
        if isinstance(datum, pa.Scalar) and isinstance(value, pa.Scalar):
            datum = combine(datum, value)
        else:
            datum = combine(as_array(datum, length), as_array(value, length))
    merged = merge_errors(parts)
    if merged is None:
        return datum, None
    # A failed argument is NULL: the three-valued result is absorbing exactly where it wins over the errors.
    values = as_array(datum, length)
    won = truth(pc.equal(values, pa.scalar(absorbing)))
    kept = select_errors(merged, ~won)
    return (values if kept is None else with_nulls(values, kept.indices)), kept


# --- what is known without data --------------------------------------------------------------------------------------


def can_fail(scalar: Scalar) -> bool:
    """Whether the expression might have an error on some row (False is certain, True is not)."""
    match scalar:
        case Call(function=function, args=args):
            if overload_of(function, tuple(arg.type for arg in args)).may_fail(args):
                return True
        case ExternalCall():
            return True
        case Cast(arg=arg, type=type_):
            if cast_can_fail(arg.type, type_):
                return True
        case _:
            pass
    return any(can_fail(child) for child in children(scalar))


def fold(scalar: Scalar) -> Scalar:
    """The same expression with constant parts computed, and NULL tests where the values come from (`null_tests`).  What would
    fail, has no Python value, or is not cheap, stays."""
    return transform(scalar, _fold_node)


def _fold_node(node: Scalar) -> Scalar:
    match node:
        case And(args=args):
            return _fold_connective(node, args, absorbing=False)
        case Or(args=args):
            return _fold_connective(node, args, absorbing=True)
        case ColumnRef() | Literal() | Parameter() | PerExecution() | MzNow() | NowCompare() | ExternalCall():
            return node  # planning runs no code of users
        case Case(branches=branches, otherwise=otherwise):
            return _fold_case(node, branches, otherwise)
        case Call(function=function) if function in NULL_TESTS and (test := null_test(node)) is not node:
            return fold(test)
        case Cast(arg=Literal(value=list() as values, type=source), type=target) if _widens(source, target):
            return Literal(values, target)
        case _:
            return _fold_constant(node)


def _widens(source: ScalarType, target: ScalarType) -> bool:
    """Whether both are arrays of integers, and the one has all values of the other as they are: drivers send keys by the thousand."""
    return source in _SIGNED and target in _SIGNED and _SIGNED.index(source) <= _SIGNED.index(target)


_SIGNED = tuple(map(array_of, (INT2, INT4, INT8)))
"""Each has all values of those before it."""


def _fold_constant(node: Scalar) -> Scalar:
    if not all(isinstance(child, Literal) for child in children(node)) or not is_cheap(node):
        return node
    try:
        result = evaluate(node, (), 1)
        if result.errors is not None:
            return node
        return Literal(python_value(result.values[0]), node.type)
    except (ValueError, PtvcError):
        return node


def _fold_connective(node: Scalar, args: tuple[Scalar, ...], *, absorbing: bool) -> Scalar:
    if any(isinstance(arg, Literal) and arg.value is absorbing for arg in args):
        return Literal(absorbing, BOOL)
    rest = tuple(arg for arg in args if not (isinstance(arg, Literal) and arg.value is (not absorbing)))
    if not rest:
        return Literal(not absorbing, BOOL)
    if len(rest) == 1:
        return rest[0]
    return Or(rest) if isinstance(node, Or) else And(rest)


def _fold_case(node: Case, branches: tuple[tuple[Scalar, Scalar], ...], otherwise: Scalar) -> Scalar:
    """Branches that are never taken vanish; a branch that always is ends the list."""
    kept: list[tuple[Scalar, Scalar]] = []
    for condition, result in branches:
        if isinstance(condition, Literal):
            if condition.value is True:
                otherwise = result
                break
            continue
        kept.append((condition, result))
    if not kept:
        return otherwise
    return Case(tuple(kept), otherwise, node.type, node.nullable)
