"""A model that is written for another warehouse: its query as PostgreSQL's, or the place in its file that is refused.

The config `dialect` says for which.  What is sent is written to `target/translated/`, beside dbt's `compiled` and `run`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ptvc.model_lines import line_of_file
from ptvc.errors import PtvcError

FOLDER = "translated"

_QUERIES = ("view", "materialized_view", "materializedview", "table", "incremental", "index", "test")

ColumnsOf = Callable[[str | None, str], Mapping[str, str] | None]


def dialect_of(config: Mapping[str, Any], *, generic: bool = False) -> str | None:
    """Of a node's config.  Generic tests are written by packages, for the adapter."""
    return None if generic or not config.get("dialect") else str(config["dialect"]).lower()


def why_not(kind: str, language: str, ctes: bool) -> str | None:
    """Why a node of that materialization cannot have a dialect; None if it can."""
    if language != "sql":
        return "a Python model has no dialect"
    if kind not in _QUERIES:
        return f"`dialect` is for queries, and a {kind} is none, or not one of its own"
    if ctes:
        return "a model with a `dialect` cannot read ephemeral models: make them views"
    return None


def translated(sql: str, dialect: str, columns_of: ColumnsOf) -> str:
    """PostgreSQL's text; PtvcError with the position in `sql` where it is refused."""
    try:
        from ptvc.dialects.translate import translate
    except ModuleNotFoundError as error:
        raise PtvcError(
            f"`dialect: {dialect}` needs {error.name}", hint="pip install 'dbt-ptvc[dialects]'"
        ) from error
    found: str = translate(sql, dialect, columns_of)
    return found


def translated_model(
    sql: str, model: Mapping[str, Any], columns_of: ColumnsOf, ephemeral_dialect: str | None, target: Path
) -> str:
    """The query of a model or of a singular test, as its materialization is to see it; what it becomes is left in `target`.

    `ephemeral_dialect`: that of an ephemeral model that it reads, if one has any.
    """
    config, name = model["config"], model["name"]
    if ephemeral_dialect is not None:
        raise DbtRuntimeError(
            f"{name} reads an ephemeral model with `dialect: {ephemeral_dialect}`: make that one a view"
        )
    dialect = dialect_of(config, generic=bool(model.get("test_metadata")))
    if dialect is None:
        return sql
    kind = str(config.get("materialized") or "view")
    reason = why_not(kind, model.get("language") or "sql", bool(model.get("extra_ctes")))
    if reason is not None:
        raise DbtRuntimeError(f"{name}: {reason}")
    try:
        found = translated(sql, dialect, columns_of)
    except PtvcError as error:
        raise DbtRuntimeError(_said(error, sql, model)) from error
    path = target / FOLDER / str(model["package_name"]) / str(model["original_file_path"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(found + "\n", encoding="utf-8")
    return found


def _said(error: PtvcError, sql: str, model: Mapping[str, Any]) -> str:
    """As a compiler says it: the file, the line, the column where the line is as it was written."""
    place = str(model["original_file_path"])
    if error.position is not None:
        before = sql[: error.position - 1]
        number, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raw = str(model.get("raw_code") or "")
        line = line_of_file(sql, number, raw)
        if line is not None:
            written, made = raw.splitlines()[line - 1], sql.splitlines()[number - 1]
            place += f":{line}:{column}" if written[:column] == made[:column] else f":{line}"
    hint = f"\nHINT:  {error.hint}" if error.hint else ""
    return f"{place}: {error.message} ({error.sqlstate}){hint}"
