"""Formats as statements, the catalog and replicas have them: a word, the columns, and what else a format is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...repr.schema import Schema


@dataclass(frozen=True, slots=True)
class FormatOptions:
    """`schema` are the columns that the format makes, as they were when the source was created.  `settings` are the format's own,
    plain values, and `declared`, true where the statement has listed the columns; `connection` is the id of the one that it reads through, such as a registry's."""

    kind: str
    schema: Schema
    settings: Mapping[str, Any] = field(default_factory=dict)
    connection: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "schema": self.schema.to_json(),
            "settings": dict(self.settings),
            "connection": self.connection,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> FormatOptions:
        return cls(value["kind"], Schema.from_json(value["schema"]), value["settings"], value["connection"])
