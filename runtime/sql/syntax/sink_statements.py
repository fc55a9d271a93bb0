"""What stands behind CREATE SINK ... INTO KAFKA."""

from __future__ import annotations

from dataclasses import dataclass

from .ast import Expression, Name

KafkaSinkValue = str | int | Expression


@dataclass(frozen=True, slots=True)
class KafkaSinkOption:
    """`text` is that of the value, as it is written."""

    name: str
    value: KafkaSinkValue
    text: str
    position: int


@dataclass(frozen=True, slots=True)
class KafkaSinkClause:
    """`key_format` is None where one FORMAT is of both."""

    connection: Name
    options: tuple[KafkaSinkOption, ...]
    key: tuple[Name, ...]
    headers: Name | None
    key_format: str | None
    format: str
    envelope: str
    snapshot: bool
    position: int
