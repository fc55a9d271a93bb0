"""The targets of sinks by the word that the catalog knows a connector by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import PtvcError
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
from .lake.exchange import check_exchange
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


def exchanged_key(
    connector: str,
    options: Mapping[str, Any],
    envelope: str,
    key: tuple[int, ...],
    former: Schema,
    new: Schema,
    kept: Schema,
) -> tuple[int, ...]:
    """Where the columns of the key are in what the sink is to read from now on.  Raises PtvcError 42P16 where the target, which has the columns
    of the former and those `kept`, does not take it."""
    if connector in ("iceberg", "delta"):
        widens = connector == "iceberg" or SinkEnvelope(envelope) is SinkEnvelope.UPSERT
        names = [former[index].name for index in key]
        by = [field["column"] for field in options["partition_by"]]
        check_exchange(former, new, kept, names, by, widens)
        return tuple(map(new.names.index, names))
    if (difference := _difference(former, new)) is not None:
        raise PtvcError(
            difference,
            sqlstate="42P16",
            hint="Its target has records of other columns: create another sink, with a target of its own.",
        )
    return key


def _difference(old: Schema, new: Schema) -> str | None:
    """The differences; whether a column may be null does not count."""
    for place, (before, after) in enumerate(zip(old, new, strict=False), 1):
        if before.name != after.name:
            return f'column {place} is called "{after.name}" instead of "{before.name}"'
        if before.type != after.type:
            return f'column "{before.name}" is of type {after.type} instead of {before.type}'
    return None if len(old) == len(new) else f"it has {len(new)} columns instead of {len(old)}"


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
    formers: Mapping[int, Schema],
) -> SinkTarget:
    """The target that a description asks for, not opened; `as_of` is the time of the contents that the sink begins with, `term` grows
    with each installation of the sink.  `formers` are, by generation, what the sink has read before and its target may show."""
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
            lake,
            schema,
            SinkEnvelope(envelope),
            key,
            generation,
            as_of,
            catalog,
            files,
            term=term,
            formers=formers,
        )
    if connector == "delta":
        needed("deltalake")
        from .delta.sink import DeltaSink

        table = DeltaSinkOptions.from_json(options)
        aws = connections[table.connection] if table.connection is not None else None
        return DeltaSink(
            table, schema, SinkEnvelope(envelope), key, generation, as_of, aws, term=term, formers=formers
        )
    return FileSink(id, options["path"], options["format"], schema, SinkEnvelope(envelope), key, generation)
