"""The type check: what every relation must be, between any two rules.

Columns that are read exist and have the type that the reader says; predicates are boolean; both keys of a pair have
one type; functions take the types of their arguments; names and positions are as many as there are columns.  A
violation is a programmer's error, so it is an AssertionError that shows the node.

It costs about what a rule costs.  The tests run it after every rule; a runtime does with `PTVC_CHECK_PLANS=1` in its
environment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..errors import PtvcError
from ..expr.registry import overload_of
from ..expr.tree.relation import (
    AssertSingle,
    Constant,
    Filter,
    FlatMap,
    Join,
    LetRec,
    LocalGet,
    Map,
    Project,
    Reduce,
    Relation,
    TopK,
    Union,
    Window,
)
from ..expr.tree.relation_tree import inputs
from ..expr.tree.scalar import And, Call, Case, Coalesce, ColumnRef, ExternalCall, Or, Scalar, children
from ..repr.schema import Schema
from ..repr.types import BOOL, Kind


def check_types(relation: Relation) -> None:
    """Raises AssertionError unless the whole tree is well-typed."""
    for child in inputs(relation):
        check_types(child)
    try:
        _check_node(relation)
    except (AssertionError, PtvcError) as error:
        raise AssertionError(f"ill-typed {type(relation).__name__}: {error}") from error


def _check_node(relation: Relation) -> None:
    match relation:
        case Constant(rows=rows, schema=schema):
            assert all(len(row) == len(schema) for row in rows), "a row of another width"
        case Map(input=child, scalars=scalars, names=names):
            assert len(scalars) == len(names), "as many names as expressions"
            _check_scalars(scalars, child.schema)
        case Filter(input=child, predicates=predicates):
            _check_predicates(predicates, child.schema)
        case Project(input=child, indices=indices, names=names):
            _check_positions(indices, child.schema)
            assert names is None or len(names) == len(indices), "as many names as columns"
        case Join():
            _check_join(relation)
        case Reduce():
            _check_reduce(relation)
        case TopK(input=child, group=group, order=order):
            _check_positions([*group, *(key.index for key in order)], child.schema)
        case Window(input=child, partition=partition, order=order, calls=calls):
            _check_positions([*partition, *(key.index for key in order)], child.schema)
            for call in calls:
                _check_scalars(call.scalars, child.schema)
                _check_predicates([p for p in (call.filter,) if p is not None], child.schema)
        case AssertSingle(input=child, group=group):
            _check_positions(group, child.schema)
        case FlatMap(input=child, calls=calls, kept=kept):
            _check_positions(kept, child.schema)
            _check_scalars([arg for call in calls for arg in call.args], child.schema)
        case Union(inputs=arms, schema=schema):
            for arm in arms:
                assert arm.schema.types == schema.types, f"an arm of {arm.schema.types}, not {schema.types}"
        case LetRec(bindings=bindings):
            types = {binding.id: binding.value.schema.types for binding in bindings}
            for local in (local for child in inputs(relation) for local in _free(child)):
                known = types.get(local.id, local.schema.types)
                assert local.schema.types == known, f"{local.id} read as {local.schema.types}, it is {known}"
        case _:
            pass


def _free(relation: Relation) -> Iterator[LocalGet]:
    """The places where bindings are read that are not defined inside."""
    if isinstance(relation, LocalGet):
        yield relation
    own = {binding.id for binding in relation.bindings} if isinstance(relation, LetRec) else set[str]()
    yield from (local for child in inputs(relation) for local in _free(child) if local.id not in own)


def _check_join(join: Join) -> None:
    left, right = join.left.schema, join.right.schema
    assert len(join.left_keys) == len(join.right_keys), "keys come in pairs"
    _check_scalars(join.left_keys, left)
    _check_scalars(join.right_keys, right)
    for a, b in zip(join.left_keys, join.right_keys, strict=True):
        assert a.type == b.type, f"a pair of keys of {a.type} and {b.type}"
    _check_predicates(join.residual, Schema(left.columns + right.columns))


def _check_reduce(reduce: Reduce) -> None:
    schema = reduce.input.schema
    assert len(reduce.keys) == len(reduce.key_names), "as many names as keys"
    assert not (reduce.scalar and reduce.keys), "a group by keys has no row of its own"
    _check_scalars(reduce.keys, schema)
    for aggregate in reduce.aggregates:
        _check_scalars(aggregate.scalars, schema)
        if aggregate.filter is not None:
            _check_predicates((aggregate.filter,), schema)


def _check_positions(positions: Sequence[int], schema: Schema) -> None:
    assert all(0 <= position < len(schema) for position in positions), f"{positions} of {len(schema)} columns"


def _check_predicates(predicates: Sequence[Scalar], schema: Schema) -> None:
    for predicate in predicates:
        assert predicate.type.kind is Kind.BOOL, f"a predicate of type {predicate.type}"
    _check_scalars(predicates, schema)


def _check_scalars(scalars: Sequence[Scalar], schema: Schema) -> None:
    for scalar in scalars:
        _check_scalars(children(scalar), schema)
        match scalar:
            case ColumnRef(index=index, type=type_):
                assert 0 <= index < len(schema), f"#{index} of {len(schema)} columns"
                assert type_ == schema[index].type, f"#{index} is {schema[index].type}, not {type_}"
            case Call(function=function, args=args):
                overload_of(function, tuple(arg.type for arg in args))
            case ExternalCall(function=called, args=args):
                types = tuple(arg.type for arg in args)
                assert types == called.arguments, f"{called.name} of {types}, not of {called.arguments}"
            case And(args=args) | Or(args=args):
                assert all(arg.type == BOOL for arg in args), "a connective of something else than booleans"
            case Coalesce(args=args, type=type_):
                assert all(arg.type == type_ for arg in args), f"coalesce to {type_} of another type"
            case Case(branches=branches, otherwise=otherwise, type=type_):
                assert all(condition.type == BOOL for condition, _ in branches), "a condition is no boolean"
                results = [*(result for _, result in branches), otherwise]
                assert all(result.type == type_ for result in results), f"CASE to {type_} of another type"
            case _:
                pass
