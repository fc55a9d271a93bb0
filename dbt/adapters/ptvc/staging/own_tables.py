"""A source's own tables: those that its statement makes itself, by FOR TABLES and the like.

They are no models, so the run takes them where their source goes.  What reads them says so by `ref('source').own_table('table')`; by a plain
name dbt knows of no order, and a source that is made anew would leave that reader on a table which goes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dbt.adapters.ptvc.relation import PtvcRelation
from dbt.adapters.ptvc.staging.names import Name
from dbt.adapters.ptvc.staging.staged import Staged, children_of, descendants, name_of


def with_own_tables(source: Staged, made: Sequence[PtvcRelation]) -> Iterator[Staged]:
    """The source, and each of the tables that were `made` with it, with the former one of the same name."""
    yield source
    former = {table.identifier: table for table in source.own_tables}
    for table in made:
        yield replace(
            source,
            target=table.in_schema(source.target.schema),
            relation=table,
            existing=former.get(table.identifier),
            own_tables=(),
        )


def obstacle(source: Staged, made: Sequence[PtvcRelation], there: Collection[Name]) -> str | None:
    """What keeps the tables from taking their places, and the way out; `there` are the relations of the schema."""
    elsewhere = [table for table in made if table.schema != source.relation.schema]
    if elsewhere:
        return (
            f"source {source.target.render()} makes {_listed(elsewhere)} in another schema, where dbt cannot make them beside those that are "
            "there: name them without a schema in FOR TABLES, or make each a model of its own (`materialized='source_table'`)."
        )
    former = {name_of(table) for table in source.own_tables}
    places = [table.in_schema(source.target.schema) for table in made]
    taken = [place for place in places if name_of(place) in there and name_of(place) not in former]
    if taken:
        names = _listed(taken)
        return (
            f"source {source.target.render()} makes {names}, where something of that name is, which is not the source's own: drop that, "
            "or give the table another name (FOR TABLES (table AS name))."
        )
    return None


def reads_by_plain_name(node: str, source: str, nodes: Mapping[str, Any]) -> bool:
    """Whether dbt does not know that `node` is made from `source`; `nodes` are those of its graph."""
    children = children_of({id_: one.get("depends_on", {}).get("nodes", ()) for id_, one in nodes.items()})
    return node not in descendants([source], children)


def _listed(tables: Sequence[PtvcRelation]) -> str:
    return ", ".join(table.render() for table in tables)
