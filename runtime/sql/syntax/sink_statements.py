"""What stands behind CREATE SINK ... INTO KAFKA, and INTO POSTGRES."""

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
class RegistryOption:
    """`NAME [=] value`; without a value it is true."""

    name: str
    value: str | bool
    position: int


@dataclass(frozen=True, slots=True)
class SinkFormat:
    """`registry` is the connection that AVRO has the ids of its schemas from."""

    kind: str
    position: int
    registry: Name | None = None
    options: tuple[RegistryOption, ...] = ()


@dataclass(frozen=True, slots=True)
class KafkaSinkClause:
    """`key_format` is None where one FORMAT is of both."""

    connection: Name
    options: tuple[KafkaSinkOption, ...]
    key: tuple[Name, ...]
    headers: Name | None
    key_format: SinkFormat | None
    format: SinkFormat
    envelope: str
    snapshot: bool
    position: int


@dataclass(frozen=True, slots=True)
class PostgresSinkClause:
    connection: Name
    table: Name
    key: tuple[Name, ...]
    envelope: str
    snapshot: bool
    position: int
