"""Lineage of a project: of each node that was checked, by the columns of the nodes that it reads."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import PtvcError
from ..expr.tree.relation import Get, GlobalId, Relation
from ..lineage.columns import Inputs, Kind, Lineage, lineage, of_query
from ..lineage.graph import Edge, Graph, Name, RelationLineage
from ..repr.schema import Schema
from ..sql.plans.definition_plans import (
    CreateIndex,
    CreateMaterializedView,
    CreateSink,
    CreateTable,
    CreateView,
)
from ..sql.plans.plans import PlannedStatement
from ..sql.plans.query_plans import Select
from .checker import Checked, Result
from .environment import Environment
from .nodes import Project

_ORDER = {kind: place for place, kind in enumerate(Kind)}


def graph(project: Project, result: Result, environment: Environment) -> Graph:
    """Of models and snapshots, whose relations are called by their node's id; what is no node's is called by its own name."""
    nodes = {(checked.node.schema, checked.node.alias): id_ for id_, checked in result.checked.items()}
    names = _Names(environment, nodes)
    found = {}
    for id_, checked in result.checked.items():
        if checked.node.type in ("model", "snapshot") and checked.sql:
            relation = _relation(checked, environment, names)
            if relation is not None:
                found[id_] = relation
    return Graph(found)


class _Names:
    """Relations of the catalog, as the graph calls them."""

    def __init__(self, environment: Environment, nodes: Mapping[tuple[str, str], str]) -> None:
        self._catalog = environment.catalog
        self._nodes = nodes

    def edges(self, inputs: Inputs) -> tuple[Edge, ...]:
        found = []
        for place, kinds in inputs.items():
            item = self._catalog.item_by_id(place.relation)
            relation = self._nodes.get((item.name.schema, item.name.name), str(item.name))
            name = Name(relation, item.schema[place.column].name)
            found.append(Edge(name, tuple(kind.value for kind in sorted(kinds, key=_ORDER.__getitem__))))
        return tuple(sorted(found))


def _relation(checked: Checked, environment: Environment, names: _Names) -> RelationLineage | None:
    try:
        made = rows_of(environment.resolved(checked.sql))
    except PtvcError:  # a table that was declared, and not computed
        return None
    if made is None:
        return None
    schema, found = made
    columns = {column.name: names.edges(inputs) for column, inputs in zip(schema, found.columns, strict=True)}
    return RelationLineage(columns, names.edges(found.rows))


def rows_of(planned: PlannedStatement) -> tuple[Schema, Lineage] | None:
    """The columns that a statement makes, and what they are made of; None of one that makes none."""
    match planned:
        case (
            CreateView(relation=relation, schema=schema)
            | CreateMaterializedView(relation=relation, schema=schema)
        ):
            return schema, lineage(relation)
        case CreateSink(relation=relation):
            return relation.schema, lineage(relation)
        case CreateIndex(on=on, relation=relation):
            return relation.schema, lineage(_read(on, relation))
        case CreateTable(query=Select() as query, schema=schema):
            return schema, of_query(query.relation, query.finishing)
        case Select(schema=schema):
            return schema, of_query(planned.relation, planned.finishing)
        case _:
            return None


def _read(on: GlobalId, relation: Relation) -> Relation:
    """An index is made of its relation's own columns."""
    return Get(on, relation.schema)
