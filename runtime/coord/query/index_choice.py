"""Choosing an index for a one-off query.

The query must be a chain of Map, Filter and Project over one object that has an index in the session's cluster.  If
its predicates fix every key column to a literal, or to some of them, the index is looked up; otherwise its rows are read from memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pyarrow as pa

from ...expr.tree.relation import Filter, Get, Map, Project, Relation
from ...expr.tree.relation_tree import inputs, with_inputs
from ...expr.tree.scalar import Scalar
from ...repr.schema import Column, Schema
from ..catalog.catalog import Catalog
from ..catalog.items import Index
from ..catalog.system_items import is_system
from .fixed_values import combinations, conjuncts, fixed_values, is_told_by_key


@dataclass(frozen=True, slots=True)
class IndexRead:
    """What `chain`, the outermost first, makes of the index instead of `object`.

    `keys` has one array per key column, a row for every key that is looked up; None reads everything.
    """

    index: Index
    object: Get
    chain: list[Relation]
    keys: tuple[pa.Array, ...] | None

    @property
    def columns(self) -> tuple[int, ...] | None:
        """The columns of the index that it is, if nothing is computed from them."""
        columns = tuple(range(len(self.object.schema)))
        for node in reversed(self.chain):
            if not isinstance(node, Project):
                return None
            columns = tuple(columns[i] for i in node.indices)
        return columns

    @property
    def relation(self) -> Relation:
        """It reads the index as `Get(index.id)`: the object's columns, then the key's."""
        schema = self.object.schema
        keys = tuple(Column(f"key{i}", key.type) for i, key in enumerate(self.index.keys))
        relation: Relation = Project(
            Get(self.index.id, Schema(schema.columns + keys)), tuple(range(len(schema)))
        )
        for node in reversed(self.chain):
            relation = with_inputs(node, (relation,))
        return relation


def choose_index(
    relation: Relation, catalog: Catalog, cluster: str, usable: Callable[[Index], bool]
) -> IndexRead | None:
    """The index read that answers `relation`; None when there is none."""
    chain, node = chain_over(relation)
    if not isinstance(node, Get) or is_system(node.id):
        return None
    indexes = [index for index in catalog.indexes_on(node.id) if index.cluster == cluster and usable(index)]
    if not indexes:
        return None
    fixed = fixed_values(conjuncts(chain[-1].predicates)) if chain and isinstance(chain[-1], Filter) else {}
    scan: Index | None = None
    for index in indexes:
        if isinstance(index.relation, Get) and len(index.relation.schema) != len(node.schema):
            continue  # the table has gained a column since
        by = [fixed[key] for key in index.keys if key in fixed]
        if (
            len(by) == len(index.keys)
            and (keys := combinations(index.keys, [f.values for f in by])) is not None
        ):
            satisfied = [
                f.predicate
                for f, key in zip(by, index.keys, strict=True)
                if f.alone and is_told_by_key(key.type)
            ]
            return IndexRead(index, node, _without(chain, satisfied), keys)
        scan = scan or index
    return IndexRead(scan, node, chain, None) if scan is not None else None


def chain_over(relation: Relation) -> tuple[list[Relation], Relation]:
    """The Maps, Filters and Projects that come first, the outermost first, and what they are over."""
    chain: list[Relation] = []
    node = relation
    while isinstance(node, Map | Filter | Project):
        chain.append(node)
        node = inputs(node)[0]
    return chain, node


def _without(chain: list[Relation], satisfied: list[Scalar]) -> list[Relation]:
    """The chain without predicates of its innermost filter, which look-ups have taken care of."""
    *outer, filter_ = chain
    assert isinstance(filter_, Filter)
    left = tuple(
        part
        for part in conjuncts(filter_.predicates)
        if not any(part is predicate for predicate in satisfied)
    )
    return [*outer, replace(filter_, predicates=left)] if left else outer
