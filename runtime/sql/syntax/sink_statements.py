"""What stands behind CREATE SINK ... INTO KAFKA, INTO POSTGRES, INTO ICEBERG CATALOG, and INTO DELTA."""

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


@dataclass(frozen=True, slots=True)
class PartitionClause:
    """`column`, or `transform([argument,] column)`."""

    column: Name
    transform: str | None
    argument: int | None
    position: int


@dataclass(frozen=True, slots=True)
class LakeSinkOption:
    """`value` is a text or the fields of PARTITION BY."""

    name: str
    value: str | tuple[PartitionClause, ...]
    position: int


@dataclass(frozen=True, slots=True)
class IcebergSinkClause:
    """`files` is the connection to AWS; `commit_interval_ms` None: as it usually is."""

    connection: Name
    options: tuple[LakeSinkOption, ...]
    files: Name | None
    key: tuple[Name, ...]
    envelope: str
    commit_interval_ms: int | None
    position: int


@dataclass(frozen=True, slots=True)
class DeltaSinkClause:
    """`files` is the connection to AWS; `commit_interval_ms` None: as it usually is."""

    options: tuple[LakeSinkOption, ...]
    files: Name | None
    key: tuple[Name, ...]
    envelope: str
    commit_interval_ms: int | None
    position: int


OutsideClause = KafkaSinkClause | PostgresSinkClause | IcebergSinkClause | DeltaSinkClause
