"""Where formats have their schemas from."""

from __future__ import annotations

from dataclasses import dataclass

from .ast import Name


@dataclass(frozen=True, slots=True)
class SchemaStrategy:
    """Of a registry the schema of the id `id`, or that of `text`; without either the latest of the topic's subject."""

    id: int | None = None
    text: str | None = None


LATEST = SchemaStrategy()


@dataclass(frozen=True, slots=True)
class RegistryClause:
    """`USING CONFLUENT SCHEMA REGISTRY CONNECTION c [KEY STRATEGY s] [VALUE STRATEGY s]`"""

    connection: Name
    key: SchemaStrategy = LATEST
    value: SchemaStrategy = LATEST


@dataclass(frozen=True, slots=True)
class MessageClause:
    """`MESSAGE 'package.Message' USING SCHEMA '...'`"""

    message: str
    schema: str
