"""Which rows of tables a one-off query asks for by a unique key: their parts are searched, not read, and what is written from
them conflicts with writes of these rows only.  And which of views by the values of any of their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from ...expr.tree.relation import Filter, Get, GlobalId, Relation
from ...expr.tree.scalar import ColumnRef, Scalar
from ...repr.buffers import Words
from ...transform.rewrite import bottom_up
from ..catalog.catalog import Catalog
from ..catalog.items import MaterializedView, Table
from ..storage.expectation import MOST_KEYS, KeyId
from ..storage.part_choice import FilteredRead, Search, filtered_reads, search
from .fixed_values import MOST_KEYS as MOST_VALUES
from .fixed_values import Fixed, combinations, conjuncts, fixed_values, is_told_by_key

MOST_TOGETHER = 1_000
"""So many keys of all clients go with one message.  More, which are of a table and of one client, go alone."""


@dataclass(frozen=True, slots=True)
class TableKey:
    """A unique constraint, with this `oid`, of the table: the positions of its `columns` in stored rows."""

    table: GlobalId
    oid: KeyId
    columns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ViewColumns:
    """The columns at these positions, by which rows of a view are looked up."""

    view: GlobalId
    columns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class KeyRead:
    """The rows that have one of some keys: a column of `values` for each of the key's, in its order, none of them NULL.

    `told` are predicates that are true of all of these."""

    key: TableKey | ViewColumns
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
    found = {}
    for id_, predicates in _filters(reads).items():
        item = catalog.find_by_id(id_) if predicates else None
        if isinstance(item, Table) and (asked := _asked_for(item, predicates, most)) is not None:
            found[id_] = asked
    return found


def view_reads(reads: Sequence[FilteredRead], catalog: Catalog) -> Mapping[GlobalId, KeyRead]:
    """For materialized views that stand in one place, with a filter that fixes some of their columns to a few literals, the look-up of these."""
    found = {}
    for id_, predicates in _filters(reads).items():
        item = catalog.find_by_id(id_) if predicates else None
        if isinstance(item, MaterializedView) and (asked := _columns_asked_for(item, predicates)) is not None:
            found[id_] = asked
    return found


def _filters(reads: Sequence[FilteredRead]) -> dict[GlobalId, tuple[Scalar, ...]]:
    """The predicates of each input; none of one that stands in several places."""
    filters: dict[GlobalId, tuple[Scalar, ...]] = {}
    for id_, predicates in reads:
        filters[id_] = () if id_ in filters else predicates
    return filters


def read_keys(relation: Relation, catalog: Catalog) -> Mapping[GlobalId, Mapping[KeyId, Words]]:
    """The tables of which the optimized relation reads nothing but rows of some keys, up to MOST_KEYS: their hashes."""
    reads = key_reads(filtered_reads(relation), catalog, MOST_KEYS)
    return {
        id_: {read.key.oid: read.search.hashes}
        for id_, read in reads.items()
        if len(read.values[0]) <= MOST_KEYS and isinstance(read.key, TableKey)
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
    fixed = _fixed_columns(predicates, most)
    for key in keys:
        if not all(column in fixed for column in key.columns):
            continue
        refs = tuple(ColumnRef(place, item.physical[place].type) for place in key.columns)
        values = combinations(refs, [fixed[column].values for column in key.columns])
        if values is not None:
            by = (fixed[ref.index] for ref in refs if is_told_by_key(ref.type))
            return KeyRead(key, values, tuple(f.predicate for f in by if f.alone))
    return None


def _columns_asked_for(item: MaterializedView, predicates: tuple[Scalar, ...]) -> KeyRead | None:
    """Of the columns that are fixed, those of the fewest values, as far as these make few keys together."""
    fixed = _fixed_columns(predicates, MOST_TOGETHER)
    places, count = [], 1
    for place in sorted(fixed, key=lambda place: len(fixed[place].values)):
        more = count * len(fixed[place].values)
        if place < len(item.schema) and is_told_by_key(item.schema[place].type) and 0 < more <= MOST_TOGETHER:
            places.append(place)
            count = more
    if not places:
        return None
    refs = tuple(ColumnRef(place, item.schema[place].type) for place in places)
    values = combinations(refs, [fixed[place].values for place in places])
    told = tuple(fixed[place].predicate for place in places if fixed[place].alone)
    return None if values is None else KeyRead(ViewColumns(item.id, tuple(places)), values, told)


def _fixed_columns(predicates: tuple[Scalar, ...], most: int) -> dict[int, Fixed]:
    """The columns that they fix to some literals, at most `most`."""
    return {
        expression.index: values
        for expression, values in fixed_values(conjuncts(predicates), most).items()
        if isinstance(expression, ColumnRef)
    }
