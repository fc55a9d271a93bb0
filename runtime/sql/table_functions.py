"""Functions in FROM, of constant arguments: `unnest` of an array, `generate_series` of integers."""

from __future__ import annotations

from typing import Any

from ..errors import PtvcError, Unsupported
from ..expr.evaluate import fold
from ..expr.relation import Constant
from ..expr.scalar import Literal, Scalar
from ..repr.schema import Column, Schema
from ..repr.types import INT4, INT8, Kind, ScalarType
from . import ast
from .expressions import Expressions, Typed, at

MAX_ROWS = 100_000


def table_function(expressions: Expressions, node: ast.Function) -> Constant:
    """The rows of the function, in one column; 0A000 for other functions, and for arguments that are not constant."""
    name = node.name[-1]
    qualified = len(node.name) > 1 and node.name[-2] != "pg_catalog"
    if qualified or (name, len(node.args)) not in (
        ("unnest", 1),
        ("generate_series", 2),
        ("generate_series", 3),
    ):
        raise Unsupported(
            f"table function {'.'.join(node.name)} is not supported yet",
            hint="unnest(array) and generate_series(first, last [, step]) of constants are.",
            position=node.position,
        )
    args = [expressions.resolve(arg) for arg in node.args]
    with at(node.position):
        return _unnest(args[0]) if name == "unnest" else _series(expressions, args)


def _unnest(arg: Typed) -> Constant:
    array = arg.scalar
    if arg.unknown or array.type.kind is not Kind.ARRAY or array.type.element is None:
        raise PtvcError("function unnest takes an array", sqlstate="42883")
    values = _constant(array, "unnest") or []
    return _rows("unnest", values, array.type.element)


def _series(expressions: Expressions, args: list[Typed]) -> Constant:
    wide = any(not arg.unknown and arg.scalar.type != INT4 for arg in args)
    if any(not arg.unknown and not arg.scalar.type.is_integer for arg in args):
        raise Unsupported("generate_series of anything but integers is not supported yet")
    type_ = INT8 if wide else INT4
    bounds = [_constant(expressions.coerce(arg, type_, ""), "generate_series") for arg in args]
    if any(bound is None for bound in bounds):
        return _rows("generate_series", [], type_)
    first, last, step = (*bounds, 1)[:3]
    if step == 0:
        raise PtvcError("step size cannot equal zero", sqlstate="22023")
    numbers = range(first, last + (1 if step > 0 else -1), step)
    if len(numbers) > MAX_ROWS:
        raise Unsupported(f"generate_series of more than {MAX_ROWS} rows is not supported yet")
    return _rows("generate_series", list(numbers), type_)


def _constant(scalar: Scalar, name: str) -> Any:
    value = fold(scalar)
    if not isinstance(value, Literal):
        raise Unsupported(f"{name} of what is not constant is not supported yet")
    return value.value


def _rows(name: str, values: object, type_: ScalarType) -> Constant:
    assert isinstance(values, list)
    nullable = any(value is None for value in values)
    return Constant(tuple((value,) for value in values), Schema((Column(name, type_, nullable),)))
