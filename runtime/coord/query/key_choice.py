"""Which rows of tables a one-off query asks for by a unique key: their parts are searched, not read, and what is written from
them conflicts with writes of these rows only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from ...expr.tree.relation import Filter, Get, GlobalId, Relation
from ...expr.tree.scalar import ColumnRef, Scalar
from ...repr.buffers import Words
from ...transform.rewrite import bottom_up
from ..catalog.catalog import Catalog
from ..catalog.items import Table
from ..storage.expectation import MOST_KEYS, KeyId
from ..storage.part_choice import FilteredRead, Search, filtered_reads, search
from .fixed_values import MOST_KEYS as MOST_VALUES
from .fixed_values import Fixed, combinations, conjuncts, fixed_values, is_told_by_key


@dataclass(frozen=True, slots=True)
class TableKey:
    """A unique constraint, with this `oid`, of the table: the positions of its `columns` in stored rows."""

    table: GlobalId
    oid: KeyId
    columns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class KeyRead:
    """The rows that have one of some keys: a column of `values` for each of the key's, in its order, none of them NULL.

    `told` are predicates that are true of all of these."""

    key: TableKey
    values: tuple[pa.Array, ...]
    told: tuple[Scalar, ...] = ()

    @property
    def search(self) -> Search:
        return search(self.key.columns, self.values)


def key_reads(
    reads: Sequence[FilteredRead], catalog: Catalog, most: int = MOST_VALUES
) -> Mapping[GlobalId, KeyRead]:
    """For tables that stand in one place, with a filter that fixes all columns of a unique constraint to some literals, the
    look-up of these; if they are, for each column, at most `most`."""
    filters: dict[GlobalId, tuple[Scalar, ...]] = {}
    for id_, predicates in reads:
        filters[id_] = () if id_ in filters else predicates
    found = {}
    for id_, predicates in filters.items():
        item = catalog.find_by_id(id_) if predicates else None
        if isinstance(item, Table) and (asked := _asked_for(item, predicates, most)) is not None:
            found[id_] = asked
    return found


def read_keys(relation: Relation, catalog: Catalog) -> Mapping[GlobalId, Mapping[KeyId, Words]]:
    """The tables of which the optimized relation reads nothing but rows of some keys, up to MOST_KEYS: their hashes."""
    reads = key_reads(filtered_reads(relation), catalog, MOST_KEYS)
    return {
        id_: {read.key.oid: read.search.hashes}
        for id_, read in reads.items()
        if len(read.values[0]) <= MOST_KEYS
    }


def without_told(relation: Relation, reads: Mapping[GlobalId, KeyRead]) -> Relation:
    """`relation` over just the rows of `reads`, without the predicates that are true of these anyway."""

    def change(node: Relation) -> Relation:
        below = node
        while isinstance(below, Filter):
            below = below.input
        if not isinstance(node, Filter) or not isinstance(below, Get) or below.id not in reads:
            return node
        told = reads[below.id].told
        left = tuple(part for part in node.predicates if not any(part is predicate for predicate in told))
        if len(left) == len(node.predicates):
            return node
        return Filter(node.input, left) if left else node.input

    return bottom_up(relation, change)


def table_keys(item: Table) -> list[TableKey]:
    """Its unique constraints."""
    places = item.layout.all_places(item.schema) if item.constraints else ()
    return [
        TableKey(item.id, constraint.oid, tuple(places[column] for column in constraint.columns))
        for constraint in item.constraints
        if constraint.is_key
    ]


def _asked_for(item: Table, predicates: tuple[Scalar, ...], most: int) -> KeyRead | None:
    keys = table_keys(item)
    if not keys:
        return None
    fixed: dict[int, Fixed] = {
        expression.index: values
        for expression, values in fixed_values(conjuncts(predicates), most).items()
        if isinstance(expression, ColumnRef)
    }
    for key in keys:
        if not all(column in fixed for column in key.columns):
            continue
        refs = tuple(ColumnRef(place, item.physical[place].type) for place in key.columns)
        values = combinations(refs, [fixed[column].values for column in key.columns])
        if values is not None:
            by = (fixed[ref.index] for ref in refs if is_told_by_key(ref.type))
            return KeyRead(key, values, tuple(f.predicate for f in by if f.alone))
    return None
