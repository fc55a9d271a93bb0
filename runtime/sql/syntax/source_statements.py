"""Clauses of CREATE SOURCE that are one connector's."""

from __future__ import annotations

from dataclasses import dataclass

from ...storage.connections.options import ConnectionKind
from ...storage.source.upstream_tables import UpstreamTables
from .ast import Name
from .schema_clauses import MessageClause, RegistryClause

KafkaOptionValue = str | int | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class KafkaSourceOption:
    name: str
    value: KafkaOptionValue
    position: int


@dataclass(frozen=True, slots=True)
class MessageFormat:
    """`columns` and `delimiter` are of CSV, `schema` of AVRO and PROTOBUF."""

    kind: str
    position: int
    columns: int | None = None
    delimiter: str = ","
    schema: RegistryClause | MessageClause | None = None


@dataclass(frozen=True, slots=True)
class Included:
    """`INCLUDE part [AS alias]`; of a HEADER, `header` is which, and `raw` that its bytes are to be shown."""

    part: str
    alias: str | None
    position: int
    header: str = ""
    raw: bool = False


@dataclass(frozen=True, slots=True)
class KafkaSourceClause:
    """What stands behind FROM KAFKA.  `inline_errors` is the name of the column that says what is wrong with a value, if errors
    of values are rows."""

    connection: Name
    options: tuple[KafkaSourceOption, ...]
    key: MessageFormat | None
    value: MessageFormat
    included: tuple[Included, ...]
    envelope: str
    inline_errors: str | None
    position: int


@dataclass(frozen=True, slots=True)
class UpstreamSourceClause:
    """What stands behind FROM POSTGRES and FROM MYSQL, which has no publication.  `text` and `excluded` are columns of TEXT COLUMNS and EXCLUDE COLUMNS, `schemas` those of
    FOR SCHEMAS.  `published` is what upstream has, once it was asked.  `snapshot_connections` copy contents, where that is said."""

    kind: ConnectionKind
    connection: Name
    publication: str | None
    text: tuple[Name, ...]
    excluded: tuple[Name, ...]
    schemas: tuple[Name, ...] | None
    position: int
    published: UpstreamTables | None = None
    snapshot_connections: int | None = None
