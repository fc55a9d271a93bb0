"""What rules are written with: traversal, and moving scalars between relations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..expr.coercion.type_rules import common_type
from ..expr.tree.relation import Filter, Map, Project, Relation
from ..expr.tree.relation_tree import inputs, with_inputs
from ..expr.tree.scalar import Call, Cast, ColumnRef, Scalar, columns_of, remap, transform
from ..interrupt import check_interrupt
from ..repr.types import BPCHAR_KEY, Kind, ScalarType


def bottom_up(
    relation: Relation, change: Callable[[Relation], Relation], kept: Iterable[Relation] = ()
) -> Relation:
    """`change` applied to every node but those of `kept` (which are compared by identity), inputs first; untouched trees
    stay the same objects, and so do those that stand in several places."""
    done: dict[int, Relation] = {id(node): node for node in kept}

    def visit(node: Relation) -> Relation:
        found = done.get(id(node))
        if found is None:
            check_interrupt()
            children = inputs(node)
            new = tuple(map(visit, children))
            same = all(a is b for a, b in zip(children, new, strict=True))
            found = done[id(node)] = change(node if same else with_inputs(node, new))
        return found

    return visit(relation)


def substitute(scalar: Scalar, columns: Sequence[Scalar]) -> Scalar:
    """`scalar` with every column replaced by the expression at its position."""

    def exchange(node: Scalar) -> Scalar:
        return columns[node.index] if isinstance(node, ColumnRef) else node

    return transform(scalar, exchange)


def shifted(scalar: Scalar, by: int) -> Scalar:
    return remap(scalar, lambda index: index + by)


def unique(scalars: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """Each once, in order."""
    try:
        return tuple(dict.fromkeys(scalars))
    except TypeError:  # a literal array has no hash
        pass
    found: list[Scalar] = []
    for scalar in scalars:
        check_interrupt()
        if scalar not in found:
            found.append(scalar)
    return tuple(found)


def filtered(relation: Relation, predicates: Sequence[Scalar]) -> Relation:
    """The rows on which all of `predicates` hold; merged with a filter that is there already."""
    if not predicates:
        return relation
    if isinstance(relation, Filter):
        return Filter(relation.input, unique((*relation.predicates, *predicates)))
    return Filter(relation, unique(predicates))


def projected(relation: Relation, indices: Sequence[int], names: Sequence[str] | None = None) -> Relation:
    """A projection, fused with one below and left out when it changes nothing."""
    wanted = tuple(names) if names is not None else None
    if isinstance(relation, Project):
        if wanted is None:
            below = relation.schema.names
            wanted = tuple(below[index] for index in indices)
        return projected(relation.input, [relation.indices[index] for index in indices], wanted)
    if tuple(indices) == tuple(range(len(relation.schema))) and wanted in (None, relation.schema.names):
        return relation
    return Project(relation, tuple(indices), wanted)


def reference(relation: Relation, index: int) -> ColumnRef:
    column = relation.schema[index]
    return ColumnRef(index, column.type, column.nullable)


def references(relation: Relation, indices: Iterable[int]) -> tuple[ColumnRef, ...]:
    """The columns of `relation` at `indices`, as expressions."""
    schema = relation.schema
    return tuple(ColumnRef(i, schema[i].type, schema[i].nullable) for i in indices)


def appended(relation: Relation, scalars: Sequence[Scalar]) -> tuple[Relation, list[int]]:
    """`relation` with the values of `scalars` among its columns, and where each is."""
    width = len(relation.schema)
    added: list[Scalar] = []
    places: list[int] = []
    for scalar in scalars:
        if isinstance(scalar, ColumnRef):
            places.append(scalar.index)
        else:
            places.append(width + len(added))
            added.append(scalar)
    if not added:
        return relation, places
    return Map(relation, tuple(added), tuple("?computed?" for _ in added)), places


def key_pair(predicate: Scalar, width: int) -> tuple[Scalar, Scalar] | None:
    """(left, right) of an equality between the first `width` columns and the others, each over its own side."""
    if not isinstance(predicate, Call) or predicate.function != "eq":
        return None
    first, second = predicate.args
    sides = [{index < width for index in columns_of(arg)} for arg in (first, second)]
    if sides == [{False}, {True}]:
        first, second = second, first
    elif sides != [{True}, {False}]:
        return None
    if first.type != second.type:
        type_ = common_type([first.type, second.type], "JOIN")
        if type_.kind is Kind.BPCHAR:  # of two lengths, which equality does not look at
            type_ = BPCHAR_KEY
        first, second = as_type(first, type_), as_type(second, type_)
    return first, shifted(second, -width)


def as_type(scalar: Scalar, type_: ScalarType) -> Scalar:
    return scalar if scalar.type == type_ else Cast(scalar, type_)


def side_of(predicate: Scalar, width: int) -> str:
    """left, right, both, or none: which columns the predicate reads."""
    columns = columns_of(predicate)
    if not columns:
        return "none"
    if all(index < width for index in columns):
        return "left"
    return "right" if all(index >= width for index in columns) else "both"
