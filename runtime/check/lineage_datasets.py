"""A project's relations as datasets of OpenLineage."""

from __future__ import annotations

from typing import Any

from ..config import DATABASE
from ..lineage import openlineage
from ..lineage.graph import Graph
from .checker import Result
from .nodes import Node, Project


def datasets(project: Project, result: Result, graph: Graph, only: Node | None) -> list[dict[str, Any]]:
    """All that have columns, or one; called `database.schema.name`, in a namespace of the project's name."""
    names = {name: f"{DATABASE}.{name}" for found in graph.relations.values() for name in found.inputs}
    names |= {id_: _name(checked.node) for id_, checked in result.checked.items()}
    namespace = f"ptvc://{project.name}"
    return [
        openlineage.dataset(
            namespace,
            names[id_],
            [(column.name, str(column.type)) for column in checked.schema],
            graph.relations.get(id_),
            names,
        )
        for id_, checked in result.checked.items()
        if checked.node.type in ("model", "snapshot", "seed", "source") and only in (None, checked.node)
    ]


def _name(node: Node) -> str:
    return f"{DATABASE}.{node.schema}.{node.alias}"
