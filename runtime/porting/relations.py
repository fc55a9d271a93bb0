"""Columns of what models read: as they are declared, as a catalog of the other warehouse has them, and as the planner finds them when
a model is ported."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..check import declared
from ..check.artifacts import read_artifact
from ..check.environment import Environment
from ..check.nodes import Node
from ..check.statements import quoted
from ..clock import SystemClock
from ..dialects.translate import type_of
from ..errors import PtvcError
from .project import Column, File, Project

Columns = Mapping[str, str]
"""PostgreSQL's types by name; empty where one is not known."""


class Relations:
    """`columns` by key: None of a relation of which nothing is known.  `fallback`: those of models that are not translated."""

    def __init__(self) -> None:
        self.columns: dict[str, Columns | None] = {}
        self.fallback: Mapping[str, Columns] = {}
        self._environment = Environment(SystemClock().now_ms() * 1000)
        self._defined: set[str] = set()

    def declare(self, key: str, name: str, columns: Columns | None) -> None:
        """As a table."""
        self.columns[key] = columns
        if not columns or not all(columns.values()):
            return
        listed = ", ".join(f"{quoted(one)} {type_}" for one, type_ in columns.items())
        try:
            self._define(key, f"create table {self.path(key, name)} ({listed})")
        except PtvcError:
            self.columns[key] = None

    def plan(self, key: str, name: str, query: str) -> None:
        """As a view; PtvcError, with its position in the query, if the planner refuses it."""
        begin = f"create view {self.path(key, name)} as\n"
        try:
            self._define(key, begin + query)
        except PtvcError as error:
            if error.position is not None:
                error.position = max(error.position - len(begin), 1)
            raise
        self.columns[key] = self._environment.types_of(self.schema(key), name)

    def _define(self, key: str, sql: str) -> None:
        self._environment.add_schema(self.schema(key))
        self._environment.define(sql)
        self._defined.add(key)

    def defined(self, key: str) -> bool:
        """Whether the planner knows it."""
        return key in self._defined

    @staticmethod
    def schema(key: str) -> str:
        return re.sub(r"\W", "_", f"of_{key}")

    def path(self, key: str, name: str) -> str:
        return f"{quoted(self.schema(key))}.{quoted(name)}"


def translated(columns: list[Column], dialect: str | None) -> Columns | None:
    """Of columns with types of the dialect, or with PostgreSQL's; None unless all have one."""
    types = {one.name: _type(str(one.type), dialect) for one in columns if one.type}
    if not columns or len(types) != len(columns):
        return None
    folded = (one.name if one.quoted else one.name.lower() for one in columns)
    return dict(zip(folded, (types[one.name] or "" for one in columns), strict=True))


def _type(type_: str, dialect: str | None) -> str | None:
    return type_ if dialect is None else type_of(type_, dialect)


def of_seed(project: Project, file: File, dialect: str | None) -> Columns | None:
    """As the adapter makes the seed's table."""
    given = project.declared_config(file, "column_types") or {}
    header = project.text(file.path).split("\n", 1)[0]
    types = {
        name: _type(str(type_), dialect) or "text"
        for name, type_ in given.items()
        if re.search(rf"\b{re.escape(name)}\b", header)
    }
    config = {
        "column_types": types,
        "delimiter": project.declared_config(file, "delimiter"),
        "quote_columns": project.declared_config(file, "quote_columns"),
    }
    node = Node(
        id=file.path,
        type="seed",
        name=file.name,
        package=project.name,
        schema="",
        alias=file.name,
        file=file.path,
        raw="",
        compiled=None,
        language="sql",
        config=config,
        columns={},
        depends_on=(),
    )
    try:
        found = declared.of_seed(node, project.root)
    except PtvcError:
        return None
    return {name.strip('"') if name.startswith('"') else name.lower(): type_ for name, type_ in found.items()}


def of_catalog(path: Path, dialect: str) -> dict[str, Columns]:
    """By key, those of sources, seeds and models in a catalog.json that dbt has written for the other warehouse."""

    def of_json(document: Any) -> dict[str, Columns]:
        found: dict[str, Columns] = {}
        for section in ("nodes", "sources"):
            for id_, entry in document[section].items():
                parts = id_.split(".")
                key = f"source:{parts[2]}.{parts[3]}" if section == "sources" else f"ref:{parts[-1]}"
                found[key] = _of_entry(entry, dialect)
        return found

    return read_artifact(path, "catalog", of_json, "`dbt docs generate`")


_OF_ANY_SCALE = re.compile(r"(number|decimal|numeric)", re.IGNORECASE)


def _of_entry(entry: Any, dialect: str) -> Columns:
    """Snowflake's catalog says NUMBER of any scale."""
    found = {}
    for column in entry["columns"].values():
        written = str(column["type"])
        any_scale = dialect == "snowflake" and _OF_ANY_SCALE.fullmatch(written)
        name = str(column["name"])
        folds = dialect == "snowflake" and name == name.upper()
        found[name.lower() if folds else name] = "numeric" if any_scale else type_of(written, dialect) or ""
    return found
