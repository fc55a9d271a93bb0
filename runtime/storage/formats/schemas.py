"""Schemas of payloads, as texts, and who knows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

AVRO = "AVRO"


@dataclass(frozen=True, slots=True)
class SchemaText:
    """A schema, and the texts of those whose names it uses, each behind those that it uses itself.  `kind` is its language."""

    text: str
    references: tuple[str, ...] = ()
    kind: str = AVRO


class Schemas(Protocol):
    def schema(self, id_: int) -> SchemaText | None:
        """None: there is no schema of this id.  Raises PtvcError when nobody can tell."""


class _NoSchemas:
    """Of a format that decodes nothing."""

    def schema(self, id_: int) -> SchemaText | None:
        raise AssertionError("a format that decodes nothing asks for no schema")


NO_SCHEMAS: Schemas = _NoSchemas()
