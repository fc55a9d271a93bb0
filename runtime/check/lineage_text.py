"""Lineage for people: a table of a relation's columns, or a tree above or below one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.text import Text
from rich.tree import Tree

from ..errors import UndefinedColumn, UndefinedTable
from ..lineage.graph import Edge, Graph, Name
from .checker import Result
from .nodes import Node, Project


class Shown:
    """The lineage of a project, by the names that people know."""

    def __init__(self, graph: Graph, project: Project, result: Result) -> None:
        self._graph = graph
        self._project = project
        self._result = result

    def name(self, relation: str) -> str:
        node = self._project.nodes.get(relation)
        if node is None:
            return relation
        return f"{node.extra['source']}.{node.name}" if node.type == "source" else node.name

    def column(self, name: Name) -> str:
        return f"{self.name(name.relation)}.{name.column}"

    def find(self, text: str) -> tuple[Node, str | None]:
        """`model`, `model.column`, `source.table` or `source.table.column`."""
        node, column = self._project.named(text), None
        if node is None and "." in text:
            before, _, column = text.rpartition(".")
            node = self._project.named(before)
        if node is None:
            raise UndefinedTable(f'there is no model "{text}" in the project')
        checked = self._result.checked.get(node.id)
        if checked is None:
            raise UndefinedTable(f'the columns of "{node.name}" are not known', hint="`ptvc check` says why.")
        if column is not None and column not in checked.schema.names:
            raise UndefinedColumn(
                f'{node.shown} has no column "{column}"', hint=f"It has {', '.join(checked.schema.names)}."
            )
        return node, column

    def relation(self, node: Node) -> Iterator[Text]:
        """Each column, and what it is made of; last what decides which rows there are."""
        found = self._graph.relations.get(node.id)
        names = self._result.checked[node.id].schema.names
        width = max(map(len, names), default=0)
        yield Text(node.shown, "bold")
        for name in names:
            edges = found.columns.get(name, ()) if found is not None else ()
            yield Text(
                f"  {name:<{width}}  <- {self._edges(edges) or ('declared' if found is None else 'no column')}"
            )
        if found is not None and found.rows:
            for kind in ("filter", "join", "group", "order"):
                listed = [self.column(edge.name) for edge in found.rows if kind in edge.kinds]
                if listed:
                    yield Text(f"  rows: {kind} by {', '.join(listed)}", "dim")

    def _edges(self, edges: tuple[Edge, ...]) -> str:
        return ", ".join(f"{self.column(edge.name)} ({', '.join(edge.kinds)})" for edge in edges)

    def tree(self, name: Name, *, down: bool) -> Tree:
        """What is above a column, or below it; what was shown before is not shown again."""
        root = Tree(Text(self.column(name), "bold"))
        self._grow(root, name, down, {name})
        return root

    def _grow(self, tree: Tree, name: Name, down: bool, seen: set[Name]) -> None:
        near = (
            self._graph.downstream(name)
            if down
            else [(edge.name, edge) for edge in self._graph.upstream(name)]
        )
        for other, edge in near:
            again = other in seen
            branch = tree.add(
                Text(f"{self.column(other)} ({', '.join(edge.kinds)}){' ...' if again else ''}")
            )
            if not again:
                seen.add(other)
                self._grow(branch, other, down, seen)
        if down:
            for relation, edge in self._graph.rows_downstream(name):
                tree.add(Text(f"rows of {self.name(relation)} ({', '.join(edge.kinds)})", "dim"))

    # --- JSON ---

    def to_json(self, node: Node, column: str | None) -> dict[str, Any]:
        found = self._graph.relations.get(node.id)
        schema = self._result.checked[node.id].schema
        return {
            "node": node.id,
            "relation": f"{node.schema}.{node.alias}",
            "columns": [
                {
                    "name": known.name,
                    "type": str(known.type),
                    "inputs": self._json(found.columns.get(known.name, ()) if found is not None else ()),
                }
                for known in schema
                if column in (None, known.name)
            ],
            "rows": self._json(found.rows if found is not None else ()),
        }

    def _json(self, edges: tuple[Edge, ...]) -> list[dict[str, Any]]:
        return [
            {"node": edge.name.relation, "column": edge.name.column, "kinds": list(edge.kinds)}
            for edge in edges
        ]

    def walk_json(self, name: Name, *, down: bool) -> list[dict[str, Any]]:
        """Every edge above or below the column."""
        walked = self._graph.all_downstream(name) if down else self._graph.all_upstream(name)
        return [
            {
                "node": of.relation,
                "column": of.column,
                "input": {"node": edge.name.relation, "column": edge.name.column},
                "kinds": list(edge.kinds),
            }
            for of, edge in walked
        ]
