"""The targets of sinks by the word that the catalog knows a connector by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...repr.schema import Schema
from ..connections.values import Values
from ..formats.registry import Registry
from ..lake.packages import needed
from .change_records import SinkEnvelope
from .contract import SinkTarget
from .delta import options as delta
from .delta.options import DeltaSinkOptions
from .file import FileSink
from .iceberg import options as iceberg
from .iceberg.options import IcebergSinkOptions
from .kafka.clients import KafkaClients
from .kafka.options import KafkaSinkOptions, check_options, check_required
from .kafka.sink import KafkaSink
from .postgres import options as postgres
from .postgres.options import PostgresSinkOptions
from .postgres.sink import PostgresSink


def check_sink(
    connector: str, options: Mapping[str, Any], schema: Schema, envelope: str, key: tuple[int, ...]
) -> None:
    """Raises InvalidParameter or Unsupported for options, columns and a key that do not go together; touches nothing outside."""
    if connector == "kafka":
        wanted = KafkaSinkOptions.from_json(options)
        check_options(wanted, schema, SinkEnvelope(envelope), key)
        check_required(wanted, schema)
    elif connector == "postgres":
        postgres.check_options(PostgresSinkOptions.from_json(options), schema, SinkEnvelope(envelope), key)
    elif connector == "iceberg":
        iceberg.check_options(IcebergSinkOptions.from_json(options), schema, SinkEnvelope(envelope), key)
    elif connector == "delta":
        delta.check_options(DeltaSinkOptions.from_json(options), schema, SinkEnvelope(envelope), key)
    else:
        FileSink("", options["path"], options["format"], schema, SinkEnvelope(envelope), key)


def open_target(
    id: str,
    connector: str,
    options: Mapping[str, Any],
    schema: Schema,
    envelope: str,
    key: tuple[int, ...],
    generation: int,
    as_of: int,
    connections: Mapping[str, Values],
    term: int,
) -> SinkTarget:
    """The target that a description asks for, not opened; `as_of` is the time of the contents that the sink begins with, `term` grows
    with each installation of the sink."""
    if connector == "kafka":
        wanted = KafkaSinkOptions.from_json(options)
        clients = KafkaClients.of(connections[wanted.connection])
        registries = {c: Registry(connections[c]) for c in wanted.connections if c != wanted.connection}
        return KafkaSink(
            id, wanted, schema, SinkEnvelope(envelope), key, generation, as_of, clients, registries, term=term
        )
    if connector == "postgres":
        into = PostgresSinkOptions.from_json(options)
        values = connections[into.connection]
        return PostgresSink(into, schema, SinkEnvelope(envelope), key, generation, as_of, values, term=term)
    if connector == "iceberg":
        needed("pyiceberg")
        needed("sqlalchemy")
        from .iceberg.sink import IcebergSink  # takes a second to load

        lake = IcebergSinkOptions.from_json(options)
        files = connections[lake.files] if lake.files is not None else None
        catalog = connections[lake.connection]
        return IcebergSink(
            lake, schema, SinkEnvelope(envelope), key, generation, as_of, catalog, files, term=term
        )
    if connector == "delta":
        needed("deltalake")
        from .delta.sink import DeltaSink

        table = DeltaSinkOptions.from_json(options)
        aws = connections[table.connection] if table.connection is not None else None
        return DeltaSink(table, schema, SinkEnvelope(envelope), key, generation, as_of, aws, term=term)
    return FileSink(id, options["path"], options["format"], schema, SinkEnvelope(envelope), key, generation)
