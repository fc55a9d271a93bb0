"""The syntax tree of queries and subscriptions as statements."""

from __future__ import annotations

from dataclasses import dataclass

from .ast import (
    AsOf,
    Expression,
    Name,
    Query,
    SortKey,
)

ObjectName = Name


@dataclass(frozen=True, slots=True)
class QueryStatement:
    query: Query
    as_of: AsOf | None = None


@dataclass(frozen=True, slots=True)
class SubscribeStatement:
    """`envelope` is none, upsert or debezium; `key` are its columns, `order` is within a timestamp."""

    query: Query
    snapshot: bool
    progress: bool
    as_of: AsOf | None
    up_to: Expression | None
    order: tuple[SortKey, ...]
    envelope: str
    key: tuple[Name, ...]
    position: int
