"""Small constructors of relations and scalars that planning needs everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...expr.evaluate import fold
from ...expr.registry import FUNCTIONS, resolve_call
from ...expr.tree.relation import (
    Constant,
    Distinct,
    Filter,
    FlatMap,
    Join,
    JoinKind,
    Map,
    Project,
    Reduce,
    Relation,
)
from ...expr.tree.scalar import And, Case, ColumnRef, Literal, Or, Scalar
from ...repr.schema import Column, Schema
from ...repr.types import BOOL, INT4, INT8, TEXT, ScalarType
from .equal_keys import keyed

UNIT = Constant(((),), Schema(()))
"""One row without columns: what a SELECT without FROM reads."""

TRUE = Literal(True, BOOL)
FALSE = Literal(False, BOOL)

_BINARY = {
    "=": "eq", "<>": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge",
    "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "modulo", "^": "power",
    "~~": "like", "!~~": "not_like", "~~*": "ilike", "!~~*": "not_ilike",
    "~": "regex_match", "~*": "regex_imatch", "!~": "regex_not_match", "!~*": "regex_not_imatch",
    "&": "bits_and", "|": "bits_or", "#": "bits_xor", "<<": "shift_left", ">>": "shift_right",
    "^@": "starts_with",
    "||": "concat_op", "@>": "either contains", "<@": "either contained", "&&": "either overlaps",
}  # fmt: skip
_UNARY = {"-": "negate", "+": "plus", "~": "bits_not", "@": "abs", "|/": "square_root", "||/": "cbrt"}


def operator_name(sign: str, arity: int) -> str | None:
    """The registry's name of an operator, or None when there is none of that sign."""
    name = (_BINARY if arity == 2 else _UNARY).get(sign)
    if name in FUNCTIONS or arity == 1:
        return name
    for function in FUNCTIONS.values():
        if function.operator == sign and any(
            overload.params is None or len(overload.params) == arity for overload in function.overloads
        ):
            return function.name
    return None


def call(name: str, *args: Scalar) -> Scalar:
    return resolve_call(name, args)


def equal(left: Scalar, right: Scalar) -> Scalar:
    return resolve_call("eq", (left, right))


def is_null(arg: Scalar) -> Scalar:
    return resolve_call("is_null", (arg,))


def is_not_null(arg: Scalar) -> Scalar:
    return resolve_call("is_not_null", (arg,))


def negate(arg: Scalar) -> Scalar:
    return resolve_call("not", (arg,))


def conjunction(args: Sequence[Scalar]) -> Scalar:
    if not args:
        return TRUE
    return args[0] if len(args) == 1 else And(tuple(args))


def disjunction(args: Sequence[Scalar]) -> Scalar:
    if not args:
        return FALSE
    return args[0] if len(args) == 1 else Or(tuple(args))


def conjuncts(scalar: Scalar) -> list[Scalar]:
    """The predicates whose AND `scalar` is."""
    if isinstance(scalar, And):
        return [part for arg in scalar.args for part in conjuncts(arg)]
    return [scalar]


def when(branches: Sequence[tuple[Scalar, Scalar]], otherwise: Scalar, type_: ScalarType) -> Scalar:
    nullable = otherwise.nullable or any(result.nullable for _, result in branches)
    return Case(tuple(branches), otherwise, type_, nullable)


def int4(value: int) -> Literal:
    return Literal(value, INT4)


def int8(value: int) -> Literal:
    return Literal(value, INT8)


def text(value: str | None) -> Literal:
    return Literal(value, TEXT)


def ref(relation: Relation, index: int) -> ColumnRef:
    column = relation.schema[index]
    return ColumnRef(index, column.type, column.nullable)


def refs(relation: Relation, indices: Sequence[int]) -> tuple[ColumnRef, ...]:
    schema = relation.schema
    return tuple(ColumnRef(i, schema[i].type, schema[i].nullable) for i in indices)


def project(relation: Relation, indices: Sequence[int], names: Sequence[str] | None = None) -> Relation:
    schema = relation.schema
    if tuple(indices) == tuple(range(len(schema))) and (names is None or tuple(names) == schema.names):
        return relation
    return Project(relation, tuple(indices), None if names is None else tuple(names))


def append(relation: Relation, scalars: Sequence[Scalar], names: Sequence[str]) -> tuple[Relation, list[int]]:
    """`relation` with one column per scalar, and where each is: columns that exist already are not copied."""
    positions: list[int] = []
    added: list[Scalar] = []
    added_names: list[str] = []
    width = len(relation.schema)
    for scalar, name in zip(scalars, names, strict=True):
        if isinstance(scalar, ColumnRef):
            positions.append(scalar.index)
        else:
            positions.append(width + len(added))
            added.append(scalar)
            added_names.append(name)
    if not added:
        return relation, positions
    return Map(relation, tuple(added), tuple(added_names)), positions


def where(relation: Relation, predicates: Sequence[Scalar]) -> Relation:
    kept = [p for predicate in predicates for p in conjuncts(predicate) if p != TRUE]
    return Filter(relation, tuple(kept)) if kept else relation


def cross(left: Relation, right: Relation) -> Relation:
    if left is UNIT:
        return right
    if right is UNIT:
        return left
    return Join(left, right, JoinKind.INNER, (), ())


def distinct(relation: Relation) -> Relation:
    """Each row once; of equal rows that print differently what is least in each column."""
    schema = relation.schema
    keys, least = keyed(refs(relation, range(len(schema))), schema.names)
    if not least:
        return Distinct(relation)
    reduced = Reduce(relation, keys, schema.names, tuple(least.values()))
    printed = {place: len(schema) + number for number, place in enumerate(least)}
    return Project(reduced, tuple(printed.get(i, i) for i in range(len(schema))), schema.names)


def constant(rows: Sequence[tuple[Any, ...]], columns: Sequence[tuple[str, ScalarType]]) -> Constant:
    schema = tuple(
        Column(name, type_, any(row[i] is None for row in rows)) for i, (name, type_) in enumerate(columns)
    )
    return Constant(tuple(rows), Schema(schema))


def never_has_rows(relation: Relation) -> bool:
    """Whether the relation is empty by construction (over a system relation that is always empty)."""
    match relation:
        case Constant(rows=rows):
            return not rows
        case Join(left=left, right=right, kind=kind):
            empty_left, empty_right = never_has_rows(left), never_has_rows(right)
            if kind is JoinKind.INNER or kind is JoinKind.SEMI:
                return empty_left or empty_right
            if kind in (JoinKind.LEFT, JoinKind.ANTI):
                return empty_left
            return empty_right if kind is JoinKind.RIGHT else empty_left and empty_right
        case Filter(input=child, predicates=predicates):
            return never_has_rows(child) or any(
                isinstance(value := fold(predicate), Literal) and not value.value for predicate in predicates
            )
        case Map(input=child) | Project(input=child) | Distinct(input=child) | FlatMap(input=child):
            return never_has_rows(child)
        case _:
            return False
