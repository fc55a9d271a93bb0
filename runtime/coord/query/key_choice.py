"""Which rows of tables a one-off query asks for by a unique key: their parts are searched, not read, and what is written from
them conflicts with writes of these rows only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...expr.tree.relation import GlobalId, Relation
from ...expr.tree.scalar import ColumnRef, Scalar
from ...repr.buffers import Words
from ..catalog.catalog import Catalog
from ..catalog.items import Table
from ..storage.expectation import KeyId
from ..storage.part_choice import FilteredRead, Search, filtered_reads, search
from .fixed_values import Fixed, combinations, conjuncts, fixed_values


def key_searches(reads: Sequence[FilteredRead], catalog: Catalog) -> Mapping[GlobalId, Search]:
    """For tables that stand in one place, with a filter that fixes all columns of a unique constraint to
    some literals, the search for these."""
    return {id_: found for id_, (_, found) in _searched(reads, catalog).items()}


def read_keys(relation: Relation, catalog: Catalog) -> Mapping[GlobalId, Mapping[KeyId, Words]]:
    """The tables of which the optimized relation reads nothing but rows of some keys: their hashes."""
    searched = _searched(filtered_reads(relation), catalog)
    return {id_: {key: found.hashes} for id_, (key, found) in searched.items()}


def _searched(reads: Sequence[FilteredRead], catalog: Catalog) -> dict[GlobalId, tuple[KeyId, Search]]:
    filters: dict[GlobalId, tuple[Scalar, ...]] = {}
    for id_, predicates in reads:
        filters[id_] = () if id_ in filters else predicates
    found = {}
    for id_, predicates in filters.items():
        item = catalog.find_by_id(id_) if predicates else None
        if isinstance(item, Table) and (asked := _asked_for(item, predicates)) is not None:
            found[id_] = asked
    return found


def _asked_for(item: Table, predicates: tuple[Scalar, ...]) -> tuple[KeyId, Search] | None:
    keys = [constraint for constraint in item.constraints if constraint.is_key]
    if not keys:
        return None
    places = item.layout.all_places(item.schema)
    fixed: dict[int, Fixed] = {
        expression.index: values
        for expression, values in fixed_values(conjuncts(predicates)).items()
        if isinstance(expression, ColumnRef)
    }
    for key in keys:
        columns = tuple(places[column] for column in key.columns)
        if not all(column in fixed for column in columns):
            continue
        refs = tuple(ColumnRef(place, item.physical[place].type) for place in columns)
        values = combinations(refs, [fixed[column].values for column in columns])
        if values is not None:
            return key.oid, search(columns, values)
    return None
