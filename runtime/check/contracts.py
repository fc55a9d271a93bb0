"""A model's columns against what its contract, or its documentation, says of them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import PtvcError
from ..expr.coercion.type_rules import base_name
from ..repr.schema import Schema
from . import yaml_places
from .environment import Environment
from .findings import ERROR, WARNING, Finding
from .nodes import Node
from .statements import quoted


def findings(node: Node, schema: Schema, environment: Environment, root: Path) -> Iterator[Finding]:
    if node.contract:
        yield from _contract(node, schema, environment, root)
    elif node.type in ("model", "seed", "snapshot"):
        yield from _documentation(node, schema, root)


def _contract(node: Node, schema: Schema, environment: Environment, root: Path) -> Iterator[Finding]:
    """As dbt compares them: by names, and by types without lengths and precisions."""
    found = {column.name: column.type for column in schema}
    declared: dict[str, str] = {}
    for name, column in node.columns.items():
        folded = folded_name(column)
        declared[folded] = name
        type_ = column.get("data_type")
        if not type_:
            yield _finding(
                node,
                root,
                name,
                "contract",
                f'the contract of "{node.name}" names no data_type for column "{name}"',
            )
            continue
        try:
            wanted = environment.plan(f"select cast(null as {type_}) as c").schema[0].type
        except PtvcError as error:
            yield _finding(node, root, name, error.sqlstate, error.message, error.hint)
            continue
        if folded not in found:
            yield _finding(
                node,
                root,
                name,
                "contract",
                f'the contract of "{node.name}" promises column "{name}" ({base_name(wanted)}), which the query does not have',
                _near(folded, found),
            )
        elif base_name(found[folded]) != base_name(wanted):
            yield _finding(
                node,
                root,
                name,
                "contract",
                f'column "{name}" of "{node.name}" is of type {found[folded]}, its contract says {wanted}',
                f"Cast it in the model: cast({name} as {type_}).",
            )
    for column_name in found:
        if column_name not in declared:
            yield Finding(
                ERROR,
                "contract",
                f'column "{column_name}" ({found[column_name]}) of "{node.name}" is not in its contract',
                node.id,
                yaml_places.of_node(root, node),
                hint="Declare it under `columns`, or do not select it.",
            )


def _documentation(node: Node, schema: Schema, root: Path) -> Iterator[Finding]:
    for name, column in node.columns.items():
        if folded_name(column) in schema.names or name in schema.names:
            continue
        place = yaml_places.of_column(root, node, name)
        if place is not None:
            yield Finding(
                WARNING,
                "documentation",
                f'{node.type} "{node.name}" has no column "{name}", which is documented',
                node.id,
                place,
                hint=_near(name, schema.names),
            )


def expectations(test: Node, model: Node, schema: Schema, root: Path) -> Iterator[Finding]:
    """The columns that a unit test's expected rows name are the model's."""
    rows = (test.extra.get("expect") or {}).get("rows")
    if not isinstance(rows, list):
        return
    known = {name.lower() for name in schema.names}
    for name in dict.fromkeys(str(name) for row in rows if isinstance(row, dict) for name in row):
        if name.lower() not in known:
            yield Finding(
                ERROR,
                "unit_test",
                f'{test.shown} expects column "{name}", which "{model.name}" does not have',
                test.id,
                yaml_places.of_node(root, test),
                hint=_near(name, schema.names),
            )


def folded_name(column: Mapping[str, Any]) -> str:
    """A declared column's name as PostgreSQL folds it."""
    return str(column["name"]) if column.get("quote") else str(column["name"]).lower()


def _near(name: str, names: Iterable[str]) -> str | None:
    near = difflib.get_close_matches(name, list(names), 1)
    return f"Perhaps {quoted(near[0])} is meant." if near else None


def _finding(
    node: Node, root: Path, column: str, code: str, message: str, hint: str | None = None
) -> Finding:
    place = yaml_places.of_column(root, node, column) or yaml_places.of_node(root, node)
    return Finding(ERROR, code, message, node.id, place, hint=hint)
