"""Columns that are declared and not computed: those of seeds, of sources, and of models that no SQL makes."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import InvalidParameter
from .artifacts import read_artifact
from .nodes import Node
from .statements import quoted, relation_name

Columns = Mapping[str, str]
"""Types, and constraints where they are known, by the names as they stand in a definition."""


def table(node: Node, columns: Columns) -> str:
    """The statement that makes a table of such columns."""
    listed = ", ".join(f"{name} {type_}" for name, type_ in columns.items())
    return f"create table {relation_name(node)} ({listed})"


def of_yaml(node: Node) -> Columns | None:
    """Those that the project's YAML declares; None unless it says the type of each."""
    types = {
        quoted(column["name"]) if column.get("quote") else column["name"]: column.get("data_type")
        for column in node.columns.values()
    }
    if not types or not all(types.values()):
        return None
    return {name: str(type_) for name, type_ in types.items()}


def of_catalog(path: Path) -> Mapping[str, Columns]:
    """Those of sources, by id, in a catalog.json that `dbt docs generate` has written."""

    def of_json(catalog: Any) -> Mapping[str, Columns]:
        return {
            id_: {quoted(column["name"]): column["type"] for column in source["columns"].values()}
            for id_, source in catalog["sources"].items()
        }

    return read_artifact(path, "catalog", of_json, "`dbt docs generate`")


def of_seed(node: Node, root: Path) -> Columns:
    """As the adapter makes the seed's table: of `column_types`, else of the values."""
    path = _file(node, root)
    given: Mapping[str, str] = node.config.get("column_types") or {}
    delimiter = node.config.get("delimiter") or ","
    quotes = node.config.get("quote_columns")

    def shown(name: str) -> str:
        return name if quotes is False else quoted(name)

    with path.open(encoding="utf-8-sig", newline="") as file:
        names = next(csv.reader(file, delimiter=delimiter), [])
    if all(name in given for name in names):
        return {shown(name): given[name] for name in names}
    return _inferred(path, given, delimiter, shown)


def _inferred(path: Path, given: Mapping[str, str], delimiter: str, shown: object) -> Columns:
    """By the adapter's rules, which look at all values."""
    from dbt_common.clients import agate_helper

    from dbt.adapters.ptvc.impl import PtvcAdapter

    assert callable(shown)
    try:
        rows = agate_helper.from_csv(str(path), text_columns=given, delimiter=delimiter)
    except ValueError as error:
        raise InvalidParameter(f"the seed cannot be read: {error}") from error
    return {
        shown(name): given.get(name) or PtvcAdapter.convert_type(rows, index) or "text"
        for index, name in enumerate(rows.column_names)
    }


def _file(node: Node, root: Path) -> Path:
    places = (root, root / "dbt_packages" / node.package, Path(node.extra.get("root_path") or root))
    for place in places:
        if (place / node.file).is_file():
            return place / node.file
    raise InvalidParameter(f"the file of the seed is not there: {node.file}")
