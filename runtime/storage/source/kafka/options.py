"""What CREATE SOURCE ... FROM KAFKA says."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...formats.options import FormatOptions

REFRESH_MS = 10_000
"""How often the topic is asked for new partitions, and for what it is."""


class Part(enum.Enum):
    """Of a message, what a column is."""

    KEY = "key"
    VALUE = "value"
    PARTITION = "partition"
    OFFSET = "offset"
    TIMESTAMP = "timestamp"
    HEADERS = "headers"
    HEADER = "header"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class MessageColumn:
    """A column of the source: of KEY and VALUE the column `index` of what the format makes of it; of HEADER the last header called
    `name`, as bytes if `raw`, else as text.  ERROR is what is wrong with the value, if errors are rows."""

    part: Part
    index: int = 0
    name: str = ""
    raw: bool = False


@dataclass(frozen=True, slots=True)
class KafkaOptions:
    """`connection` is the id of the cluster's.  `columns` are the source's, in order; `key` is what keys are decoded by, None where
    they are not looked at.

    It begins at `start_offsets` by partition (those that are not named at their beginnings; a negative one counts from the end), or
    at the first message of `start_timestamp` (a negative one counts from now), or at the beginning.
    """

    connection: str
    topic: str
    value: FormatOptions
    columns: tuple[MessageColumn, ...]
    key: FormatOptions | None = None
    start_offsets: tuple[int, ...] = ()
    start_timestamp: int | None = None
    group_id_prefix: str | None = None
    refresh_ms: int = REFRESH_MS

    @property
    def connections(self) -> tuple[str, ...]:
        """The ids of all that it reads through, each once."""
        formats = [self.value] if self.key is None else [self.key, self.value]
        used = [self.connection, *(f.connection for f in formats if f.connection is not None)]
        return tuple(dict.fromkeys(used))

    @property
    def may_name_schemas(self) -> bool:
        """Whether headers may name the schemas that keys or values were written with."""
        return any(of is not None and of.connection is not None for of in (self.key, self.value))

    @property
    def inline_errors(self) -> bool:
        """Whether a value that cannot be decoded is a row that says so."""
        return any(column.part is Part.ERROR for column in self.columns)

    def to_json(self) -> dict[str, Any]:
        return {
            "connection": self.connection,
            "topic": self.topic,
            "value": self.value.to_json(),
            "columns": [[c.part.value, c.index, c.name, c.raw] for c in self.columns],
            "key": None if self.key is None else self.key.to_json(),
            "start_offsets": list(self.start_offsets),
            "start_timestamp": self.start_timestamp,
            "group_id_prefix": self.group_id_prefix,
            "refresh_ms": self.refresh_ms,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> KafkaOptions:
        return cls(
            value["connection"],
            value["topic"],
            FormatOptions.from_json(value["value"]),
            tuple(MessageColumn(Part(part), *rest) for part, *rest in value["columns"]),
            None if value["key"] is None else FormatOptions.from_json(value["key"]),
            tuple(value["start_offsets"]),
            value["start_timestamp"],
            value["group_id_prefix"],
            value["refresh_ms"],
        )
