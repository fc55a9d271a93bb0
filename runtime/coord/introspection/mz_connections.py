"""Secrets and connections, under Materialize's names.  Of a secret nothing is shown but its name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...storage.connections.options import (
    MYSQL_PORT,
    POSTGRES_PORT,
    ConnectionKind,
    SecretRef,
    Value,
    security_protocol,
)
from ...storage.sink.kafka.options import KafkaSinkOptions
from ...storage.source.kafka.options import KafkaOptions
from ...storage.source.mysql.tables import MysqlTable
from ...storage.source.postgres.options import PostgresOptions
from ...storage.source.postgres.tables import UpstreamTable
from ..catalog.items import Connection, Secret, SharedSource, Sink, Source, SourceTable
from .definitions import create_sql
from .state import State
from .upstream_sql import upstream_of

Rows = Iterator[dict[str, Any]]


def mz_secrets(state: State) -> Rows:
    for secret in state.catalog.user_secrets():
        yield _object(state, secret)


def mz_connections(state: State) -> Rows:
    for connection in state.catalog.user_connections():
        yield _object(state, connection) | {
            "type": connection.options.kind.value,
            "create_sql": create_sql(state, connection),
        }


def mz_kafka_connections(state: State) -> Rows:
    for id_, values in _of(state, ConnectionKind.KAFKA):
        brokers = values["BROKERS"]
        assert isinstance(brokers, tuple)
        yield {
            "id": id_,
            "brokers": list(brokers),
            "sink_progress_topic": values.get("PROGRESS TOPIC"),
            "security_protocol": security_protocol(values),
            "sasl_mechanisms": values.get("SASL MECHANISMS"),
            "sasl_username": _text(values.get("SASL USERNAME")),
        }


def mz_kafka_sinks(state: State) -> Rows:
    for sink in state.catalog.user_items():
        if isinstance(sink, Sink) and isinstance(sink.connector, KafkaSinkOptions):
            yield {"id": sink.id, "topic": sink.connector.topic}


def mz_kafka_sources(state: State) -> Rows:
    for source in state.catalog.user_items():
        if isinstance(source, Source) and isinstance(options := source.connector, KafkaOptions):
            yield {
                "id": source.id,
                "connection_id": options.connection,
                "topic": options.topic,
                "group_id_prefix": options.group_id_prefix,
                "key_format": None if options.key is None else options.key.kind,
                "value_format": options.value.kind,
            }


def mz_postgres_sources(state: State) -> Rows:
    for source in state.catalog.user_items():
        if isinstance(source, SharedSource) and isinstance(options := source.connector, PostgresOptions):
            yield {
                "id": source.id,
                "replication_slot": options.slot,
                "timeline_id": options.timeline_id,
            }


def mz_postgres_source_tables(state: State) -> Rows:
    return _tables_of(state, UpstreamTable)


def mz_mysql_source_tables(state: State) -> Rows:
    return _tables_of(state, MysqlTable)


def _tables_of(state: State, kind: type[UpstreamTable | MysqlTable]) -> Rows:
    for table in state.catalog.user_items():
        upstream = upstream_of(table) if isinstance(table, SourceTable) else None
        if upstream is not None and isinstance(upstream, kind):
            yield {"id": table.id, "schema_name": upstream.schema, "table_name": upstream.name}


def mz_postgres_connections(state: State) -> Rows:
    for id_, values in _of(state, ConnectionKind.POSTGRES):
        yield {
            "id": id_,
            "host": values["HOST"],
            "port": int(str(values.get("PORT", POSTGRES_PORT))),
            "database": values["DATABASE"],
            "user": _text(values["USER"]),
            "ssl_mode": values.get("SSL MODE", "prefer"),
        }


def mz_mysql_connections(state: State) -> Rows:
    for id_, values in _of(state, ConnectionKind.MYSQL):
        yield {
            "id": id_,
            "host": values["HOST"],
            "port": int(str(values.get("PORT", MYSQL_PORT))),
            "user": _text(values["USER"]),
            "ssl_mode": values.get("SSL MODE", "preferred"),
        }


def mz_schema_registry_connections(state: State) -> Rows:
    for id_, values in _of(state, ConnectionKind.CONFLUENT_SCHEMA_REGISTRY):
        yield {"id": id_, "url": values["URL"], "username": _text(values.get("USERNAME"))}


def mz_aws_connections(state: State) -> Rows:
    for id_, values in _of(state, ConnectionKind.AWS):
        key = values["ACCESS KEY ID"]
        yield {
            "id": id_,
            "endpoint": values.get("ENDPOINT"),
            "region": values.get("REGION"),
            "access_key_id": _text(key),
            "access_key_id_secret_id": _secret(key),
            "secret_access_key_secret_id": _secret(values["SECRET ACCESS KEY"]),
            "session_token_secret_id": _secret(values.get("SESSION TOKEN")),
        }


def mz_connection_secrets(state: State) -> Rows:
    """Which option of which connection refers to which secret."""
    for connection in state.catalog.user_connections():
        for name, value in connection.options.values.items():
            if isinstance(value, SecretRef):
                yield {"connection_id": connection.id, "option": name, "secret_id": value.id}


def _of(state: State, kind: ConnectionKind) -> Iterator[tuple[str, dict[str, Value]]]:
    for connection in state.catalog.user_connections():
        if connection.options.kind is kind:
            yield connection.id, dict(connection.options.values)


def _text(value: Value | None) -> Value | None:
    return None if isinstance(value, SecretRef) else value


def _secret(value: Value | None) -> str | None:
    return value.id if isinstance(value, SecretRef) else None


def _object(state: State, item: Secret | Connection) -> dict[str, Any]:
    return {
        "id": item.id,
        "oid": item.oid,
        "schema_id": str(state.schema_oid(item.schema_name)),
        "name": item.name,
        "owner_id": item.owner,
        "privileges": state.acl(item),
    }
