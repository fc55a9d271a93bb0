"""Who reads contents while a run goes on, and so has to find the new ones: data tests, and what is filled by the run.

What is maintained over a view that is replaced in place need not be staged for readers to see the difference when the run ends.  But it is
the old one until then, and so would be what a test says of it, or what a table is filled with.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

_MAINTAINED = ("view", "materialized_view", "materializedview", "index", "source", "sink", "ephemeral")


def above_readers(nodes: Mapping[str, Any], selected: Collection[str]) -> frozenset[str]:
    """The nodes that a selected reader reads, directly or by way of selected nodes; `nodes` are those of dbt's graph."""
    chosen = set(selected)
    found: set[str] = set()
    pending = [id_ for id_ in chosen if id_ in nodes and _reads_contents(nodes[id_])]
    while pending:
        for parent in _parents(nodes[pending.pop()]):
            if parent not in found and parent in nodes and (parent in chosen or _is_ephemeral(nodes[parent])):
                found.add(parent)
                pending.append(parent)
    return frozenset(found)


def _parents(node: Mapping[str, Any]) -> Iterator[str]:
    yield from node.get("depends_on", {}).get("nodes", ())


def _is_ephemeral(node: Mapping[str, Any]) -> bool:
    return bool(node["config"].get("materialized") == "ephemeral")


def _reads_contents(node: Mapping[str, Any]) -> bool:
    kind = node["resource_type"]
    if kind != "model":
        return kind in ("test", "snapshot")
    return node.get("language") == "python" or node["config"].get("materialized") not in _MAINTAINED
