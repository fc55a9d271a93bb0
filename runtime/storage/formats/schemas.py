"""Schemas of payloads, as texts, and who knows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

AVRO = "AVRO"


@dataclass(frozen=True, slots=True)
class SchemaText:
    """A schema, and the texts of those whose names it uses, each behind those that it uses itself.  `kind` is its language."""

    text: str
    references: tuple[str, ...] = ()
    kind: str = AVRO


class Schemas(Protocol):
    def schema(self, id_: int | UUID) -> SchemaText | None:
        """By its id in the registry, or its GUID.  None: there is no such schema.  Raises PtvcError when nobody can tell."""


class _NoSchemas:
    """Of a format that decodes nothing."""

    def schema(self, id_: int | UUID) -> SchemaText | None:
        raise AssertionError("a format that decodes nothing asks for no schema")


NO_SCHEMAS: Schemas = _NoSchemas()
