"""What rests on the objects of a project and is made by none of its nodes, such as what a deleted or renamed model has left.

dbt drops nothing that is gone, so an object on which such a thing rests cannot be made anew: the run refuses it
(`ptvc__assert_droppable`), and names what is in the way.  An index goes with its relation, and is in nobody's way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dbt.adapters.ptvc.dependencies import Edge, transitive_dependents
from dbt.adapters.ptvc.relation import PtvcRelation, parse_kind
from dbt.adapters.ptvc.single_relation import reads_one_ref
from dbt.adapters.ptvc.staging.retired import stands_for
from dbt.adapters.ptvc.staging.staged import staging_schema

from .nodes import Node, Project

_RESTING = ("view", "materialized_view", "index", "source_table", "sink", "ephemeral")
_STORED_TESTS = ("view", "materialized_view")

Foreign = Mapping[str, Sequence[PtvcRelation]]
"""By the nodes whose objects they rest on, however far up; nearest first."""


def rests(node: Node) -> bool:
    """Whether it becomes something over what it reads, or a part of that: a view, a sink, a stored test.  A table has its own rows."""
    if node.type == "test":
        return node.config.get("store_failures_as") in _STORED_TESTS
    return node.type == "model" and node.kind in _RESTING


@dataclass(frozen=True, slots=True)
class Catalog:
    """What a runtime has: which object rests on which, and the tables that sources have made themselves, by the sources' names."""

    edges: Sequence[Edge]
    own_tables: Mapping[tuple[str, str], Sequence[str]]

    def foreign(self, project: Project) -> Foreign:
        found = {}
        staging = {staging_schema(node.schema) for node in project.nodes.values()}
        makers: dict[str, list[Node]] = {}
        for node in project.nodes.values():
            if _makes(node):
                makers.setdefault(node.schema, []).append(node)
        for node in project.of_type("model", "snapshot", "seed"):
            mine = {(node.schema, name) for name in self.own_tables.get((node.schema, node.alias), ())}
            found[node.id] = [
                above
                for above in transitive_dependents(relation(node.schema, node.alias, node.kind), self.edges)
                if not above.is_index
                and (above.schema, above.identifier) not in mine
                and above.schema not in staging
                and not any(
                    stands_for(above.identifier, maker.alias) for maker in makers.get(above.schema or "", ())
                )
            ]
        return found


def of_former(old: Project, new: Project) -> Foreign:
    """What nodes of the former project have made that the new one has not: it is taken to be there still."""
    resting: dict[str, list[Node]] = {}
    for node in old.nodes.values():
        if rests(node):
            for below in node.depends_on:
                resting.setdefault(below, []).append(node)
    found = {}
    for id_, former in old.nodes.items():
        if _has_left(former, new.nodes.get(id_)):
            continue  # nothing takes the place of what it has made
        above: dict[str, Node] = {}
        pending = [id_]
        while pending:
            following = [node for below in pending for node in resting.get(below, ()) if node.id not in above]
            above.update((node.id, node) for node in following)
            pending = [node.id for node in following]
        found[id_] = [
            relation(node.schema, node.alias, _kind(node))
            for node in above.values()
            if _kind(node) not in ("index", "ephemeral") and _has_left(node, new.nodes.get(node.id))
        ]
    return found


def relation(schema: str, name: str, kind: str) -> PtvcRelation:
    quoted = {"schema": True, "identifier": True}
    return PtvcRelation.create(
        schema=schema,
        identifier=name,
        type=parse_kind(kind),  # type: ignore[arg-type]
        quote_policy=quoted,
    )


def why_refused(of: Node, foreign: Sequence[PtvcRelation]) -> str:
    """What the run says of an object that cannot be made anew, and how that is mended."""
    named = ", ".join(f"{above.sql_kind} {above.render()}" for above in foreign)
    drop = "; ".join(f"drop {above.sql_kind} {above.render()}" for above in reversed(foreign))
    return (
        f"{named} {'rests' if len(foreign) == 1 else 'rest'} on it, and nothing in this project makes that any more: "
        f"`{drop}`, or `dbt run --full-refresh --select {of.name}+`, which drops that too"
    )


def _has_left(old: Node, new: Node | None) -> bool:
    """Whether what the old node has made is nothing that the new one makes."""
    return new is None or not _makes(new) or has_moved(old, new)


def has_moved(old: Node, new: Node) -> bool:
    """Whether its object is made in another place, and what has the former one stays there.

    The former project may be that of another target, whose schemas are others: a node has moved to another schema only if its own
    `schema` is another, too.
    """
    if old.schema == new.schema or _kind(new) == "index":  # that is in the schema of its relation
        return old.alias != new.alias
    return old.config.get("schema") != new.config.get("schema")


def _makes(node: Node) -> bool:
    """Whether it makes the object that has its name."""
    if node.type == "test":
        return rests(node)
    return node.type in ("model", "snapshot", "seed") and node.kind != "ephemeral"


def _kind(node: Node) -> str:
    """Of the object that it makes."""
    if node.type == "test":
        return str(node.config["store_failures_as"])
    if node.kind == "index":
        return "index" if reads_one_ref(node.raw) else "view"
    return "table" if node.kind == "source_table" else node.kind
