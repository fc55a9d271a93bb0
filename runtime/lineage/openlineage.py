"""Lineage as facets of OpenLineage: a dataset for each relation, with its `schema` and its `columnLineage`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .columns import Kind
from .graph import Edge, RelationLineage

PRODUCER = "https://pypi.org/project/dbt-ptvc"
COLUMN_LINEAGE = (
    "https://openlineage.io/spec/facets/1-2-0/ColumnLineageDatasetFacet.json#/$defs/ColumnLineageDatasetFacet"
)
SCHEMA = "https://openlineage.io/spec/facets/1-1-1/SchemaDatasetFacet.json#/$defs/SchemaDatasetFacet"

_TYPES = {
    Kind.COPY.value: ("DIRECT", "IDENTITY"),
    Kind.TRANSFORM.value: ("DIRECT", "TRANSFORMATION"),
    Kind.WINDOW.value: ("INDIRECT", "WINDOW"),
    Kind.FILTER.value: ("INDIRECT", "FILTER"),
    Kind.JOIN.value: ("INDIRECT", "JOIN"),
    Kind.GROUP.value: ("INDIRECT", "GROUP_BY"),
    Kind.ORDER.value: ("INDIRECT", "SORT"),
}


def dataset(
    namespace: str,
    name: str,
    columns: Sequence[tuple[str, str]],
    lineage: RelationLineage | None,
    names: Mapping[str, str],
) -> dict[str, Any]:
    """`columns` are names and types; `names` are those of datasets, by relation."""
    facets: dict[str, Any] = {
        "schema": {
            "_producer": PRODUCER,
            "_schemaURL": SCHEMA,
            "fields": [{"name": column, "type": type_} for column, type_ in columns],
        }
    }
    if lineage is not None:
        facets["columnLineage"] = {
            "_producer": PRODUCER,
            "_schemaURL": COLUMN_LINEAGE,
            "fields": {
                column: {"inputFields": _inputs(namespace, edges, names)}
                for column, edges in lineage.columns.items()
            },
            "dataset": _inputs(namespace, lineage.rows, names),
        }
    return {"namespace": namespace, "name": name, "facets": facets}


def _inputs(namespace: str, edges: Iterable[Edge], names: Mapping[str, str]) -> list[dict[str, Any]]:
    return [
        {
            "namespace": namespace,
            "name": names.get(edge.name.relation, edge.name.relation),
            "field": edge.name.column,
            "transformations": [
                {"type": _TYPES[kind][0], "subtype": _TYPES[kind][1], "description": "", "masking": False}
                for kind in edge.kinds
            ],
        }
        for edge in edges
    ]
