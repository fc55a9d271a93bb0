"""Choosing an index for a one-off query.

The query must be a chain of Map, Filter and Project over one object that has an index in the session's cluster.  If
its predicates fix every key column to a literal the index is looked up; otherwise its rows are read from memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from ..expr.relation import Filter, Get, Map, Project, Relation, inputs, with_inputs
from ..expr.scalar import And, Call, Cast, Literal, Scalar
from ..repr.schema import Column, Schema
from .catalog import Catalog, Item


@dataclass(frozen=True, slots=True)
class IndexRead:
    """`relation` reads the index as `Get(index.id)`: the object's columns, then the key's.

    `keys` has one array per key column, of one row; None reads everything.
    """

    index: Item
    relation: Relation
    keys: tuple[pa.Array, ...] | None


def choose_index(
    relation: Relation, catalog: Catalog, cluster: str, usable: Callable[[Item], bool]
) -> IndexRead | None:
    """The index read that answers `relation`; None when there is none."""
    chain: list[Relation] = []
    node = relation
    while isinstance(node, Map | Filter | Project):
        chain.append(node)
        node = inputs(node)[0]
    if not isinstance(node, Get) or node.id.startswith("s"):
        return None
    fixed = dict(_equalities(chain[-1])) if chain and isinstance(chain[-1], Filter) else {}
    scan: Item | None = None
    for index in catalog.indexes_on(node.id):
        if index.cluster != cluster or not usable(index):
            continue
        literals = [fixed.get(key) for key in index.keys]
        if all(literal is not None for literal in literals):
            keys = tuple(pa.array([li.value], li.type.arrow) for li in literals if li is not None)
            return IndexRead(index, _rebase(chain, node, index), keys)
        scan = scan or index
    return IndexRead(scan, _rebase(chain, node, scan), None) if scan is not None else None


def _equalities(filter_: Filter) -> Iterator[tuple[Scalar, Literal]]:
    """Expressions that a predicate fixes to a literal of their own type."""
    for predicate in filter_.predicates:
        for part in predicate.args if isinstance(predicate, And) else (predicate,):
            if not isinstance(part, Call) or part.function != "eq":
                continue
            left, right = part.args
            if isinstance(left, Literal):
                left, right = right, left
            if isinstance(right, Literal) and right.value is not None:
                yield from _fix(left, right)


def _fix(left: Scalar, literal: Literal) -> Iterator[tuple[Scalar, Literal]]:
    if left.type.arrow == literal.type.arrow:
        yield left, Literal(literal.value, left.type)
    if (
        isinstance(left, Cast)
        and left.arg.type.is_integer
        and left.type.is_integer
        and _fits(literal.value, left.arg.type.arrow.bit_width)
    ):
        # `int4_column::int8 = 7` says the same of the column itself.
        yield left.arg, Literal(literal.value, left.arg.type)


def _fits(value: int, bits: int) -> bool:
    return -(1 << (bits - 1)) <= value < 1 << (bits - 1)


def _rebase(chain: list[Relation], get: Get, index: Item) -> Relation:
    width = len(get.schema)
    keys = tuple(Column(f"key{i}", key.type) for i, key in enumerate(index.keys))
    relation: Relation = Project(Get(index.id, Schema(get.schema.columns + keys)), tuple(range(width)))
    for node in reversed(chain):
        relation = with_inputs(node, (relation,))
    return relation
