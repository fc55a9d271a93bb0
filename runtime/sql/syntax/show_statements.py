"""The syntax tree of statements that show what the runtime knows or does: EXPLAIN, SHOW."""

from __future__ import annotations

from dataclasses import dataclass

from .ast import (
    AsOf,
    Expression,
    Name,
    Query,
)
from .query_statements import ObjectName
from .session_statements import ExecuteStatement
from .vocabulary import ExplainFormat, ExplainStage, ObjectKind


@dataclass(frozen=True, slots=True)
class ExplainStatement:
    """`what` is plan, timestamp, pushdown, analyze or source; of a query, of one that was prepared, or of the object of that kind and
    name."""

    what: str
    stage: ExplainStage
    format: ExplainFormat
    query: Query | None
    kind: ObjectKind | None = None
    name: ObjectName | None = None
    measures: tuple[str, ...] = ()
    execute: ExecuteStatement | None = None
    as_of: AsOf | None = None


@dataclass(frozen=True, slots=True)
class ShowVariableStatement:
    name: str | None


@dataclass(frozen=True, slots=True)
class ShowObjectsStatement:
    """`kind` is tables, views, ..., or columns and create (of `name`, an object of kind `create_kind`).  Shown are the
    objects of `schema`, on `on` (indexes), in `cluster`, with names `like` a pattern, or for which `where` holds, a
    condition on what is shown.  Of privileges, those on objects of `object_type`, as they are shown; and those that `role` has,
    through memberships too."""

    kind: str
    name: ObjectName | None = None
    schema: str | None = None
    like: str | None = None
    create_kind: str | None = None
    where: Expression | None = None
    on: ObjectName | None = None
    cluster: Name | None = None
    object_type: str | None = None
    role: str | None = None


ShowStatement = ExplainStatement | ShowVariableStatement | ShowObjectsStatement
