"""A source's options, and the connector and ingestion that they ask for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..clock import Clock
from ..errors import InvalidParameter, Unsupported
from ..expr.tree.scalar import columns_of
from ..repr.batch import Batch
from ..repr.schema import Schema
from .connections.values import Values
from .envelope import AppendEnvelope, Envelope, EnvelopeKind, UpsertEnvelope
from .formats.known import open_events, open_format
from .ingestion import (
    DEFAULT_CHUNK_BYTES,
    PROGRESS,
    Connector,
    Ingestion,
    Output,
    Outputs,
    Polled,
    former_keyed_errors,
    position_text,
)
from .projection import Projection
from .row_filter import RowFilter
from .row_retention import RowRetention
from .shares import WHOLE, Share
from .source.delta.connector import DeltaConnector
from .source.delta.options import DeltaSourceOptions
from .source.file_connectors import FILE_CONNECTORS, sole
from .source.file_options import FileOptions
from .source.file_shares import ALL
from .source.generator.kinds import KINDS
from .source.generator.options import GeneratorOptions
from .source.generator.ticking import PROGRESS_SCHEMA, Ticking, table_of
from .source.iceberg.connector import IcebergConnector
from .source.iceberg.options import IcebergSourceOptions
from .source.kafka.connector import KafkaConnector
from .source.kafka.options import KafkaOptions, Part
from .source.kafka.progress import PROGRESS_SCHEMA as OFFSETS_SCHEMA
from .source.kafka.records import Records
from .source.load_generator import COUNTER_SCHEMA, Counter
from .source.mysql.connector import MysqlConnector
from .source.mysql.options import MysqlOptions
from .source.mysql.progress import PROGRESS_SCHEMA as GTID_SCHEMA
from .source.postgres.connector import PostgresConnector
from .source.postgres.options import PostgresOptions
from .source.postgres.progress import PROGRESS_SCHEMA as LSN_SCHEMA
from .source.s3.connector import S3Connector
from .source.s3.options import S3Options
from .statistics import OutputId
from .upsert.scratch import Scratch

NO_CONNECTIONS: Mapping[str, Values] = {}


@dataclass(frozen=True, slots=True)
class CounterOptions:
    """LOAD GENERATOR COUNTER."""

    tick_ms: int = 1000
    max_cardinality: int | None = None


class _Counter:
    def __init__(self, counter: Counter) -> None:
        self._counter = counter

    def poll(self, position: Mapping[str, Any] | None, outputs: Outputs, max_bytes: int) -> Polled | None:
        chunk = self._counter.poll(position, max_bytes)
        if chunk is None:
            return None
        return Polled(
            sole(outputs, chunk.changes),
            chunk.next_position,
            chunk.at_end,
            chunk.lag_bytes,
            chunk.nbytes,
            offset_known=chunk.due,
            offset_committed=chunk.next_position["tick"],
        )


@dataclass(frozen=True, slots=True)
class Stored:
    """What ENVELOPE UPSERT goes on from: updates whose sum are the source's rows, as of the last commit, and updates whose
    sum is what was recorded beside its positions.  They are read once, a batch at a time."""

    rows: Iterable[Batch]
    recorded: Iterable[Batch] = ()


Options = (
    FileOptions
    | CounterOptions
    | GeneratorOptions
    | KafkaOptions
    | PostgresOptions
    | MysqlOptions
    | S3Options
    | DeltaSourceOptions
    | IcebergSourceOptions
)


@dataclass(frozen=True, slots=True)
class AskedOutput:
    """An output that a source is to have: see `Output`."""

    reference: str
    schema: Schema
    upstream: str = ""
    where: RowFilter | None = None
    projection: Projection | None = None
    retention: RowRetention | None = None

    @property
    def read(self) -> Schema:
        """The columns that are read."""
        return self.schema if self.projection is None else self.projection.read

    def place(self, column: int) -> int:
        """Where a column of the schema is among those that are read."""
        return column if self.projection is None else self.projection.kept[column]

    def narrowed(self) -> AskedOutput:
        """As it is asked for, of a source that has its columns by name: those that nobody needs are not read."""
        projection = self.projection
        if projection is None:
            return self
        named = set() if self.where is None else columns_of(self.where.predicate)
        places = sorted({*projection.kept, *named})
        where = None if self.where is None else self.where.over(places)
        kept = tuple(places.index(place) for place in projection.kept)
        narrow = replace(projection, read=projection.read.project(places), kept=kept)
        return replace(self, where=where, projection=narrow)


def parsed_options(connector: str, options: Mapping[str, Any]) -> Options:
    """Options as the catalog has them: `connector` is the word that it knows the connector by."""
    if connector == "counter":
        return CounterOptions(**options)
    if connector in KINDS:
        return GeneratorOptions(connector, **options)
    if connector == "kafka":
        return KafkaOptions.from_json(options)
    if connector == "postgres":
        return PostgresOptions.from_json(options)
    if connector == "mysql":
        return MysqlOptions.from_json(options)
    if connector == "s3":
        return S3Options.from_json(options)
    if connector == "delta":
        return DeltaSourceOptions.from_json(options)
    if connector == "iceberg":
        return IcebergSourceOptions.from_json(options)
    return FileOptions(**options)


def offered(connector: str) -> Mapping[str, Schema] | None:
    """What tables can be made from a source of that connector; None if none can.  What is upstream of POSTGRES and MYSQL is asked
    there."""
    if connector == "kafka":
        return {PROGRESS: OFFSETS_SCHEMA}
    if connector == "postgres":
        return {PROGRESS: LSN_SCHEMA}
    if connector == "mysql":
        return {PROGRESS: GTID_SCHEMA}
    kind = KINDS.get(connector)
    if kind is None:
        return None
    upstream = kind.offers(connector) if kind.shared else {}
    return {**upstream, PROGRESS: PROGRESS_SCHEMA}


def open_ingestion(
    options: Options,
    outputs: Mapping[OutputId, AskedOutput],
    key: tuple[int, ...],
    envelope: EnvelopeKind,
    clock: Clock,
    *,
    position: str | None = None,
    stored: Stored | None = None,
    scratch: Scratch | None = None,
    connections: Mapping[str, Values] = NO_CONNECTIONS,
    recorded: Iterable[Batch] = (),
    chunk_bytes: int = DEFAULT_CHUNK_BYTES,
    label: str = "",
) -> Ingestion:
    """The ingestion of a source, from its start or from where it stood.

    `position` is the last one that was committed (as `Ingest.position` gave it); `stored` and `scratch` are for the state
    of ENVELOPE UPSERT only: such a source has one output that is a relation.  `connections` are those that the options name,
    by id; `recorded` are updates of what stands beside the position, which some connectors go on from; `label` is what messages of errors begin with.  Raises Unsupported or InvalidParameter for options, columns or keys that do not go together, DiskFull and
    StorageError for the state; nothing outside is touched yet.
    """
    connector: Connector
    if isinstance(options, KafkaOptions | PostgresOptions | MysqlOptions):
        waiting: KafkaConnector | PostgresConnector | MysqlConnector
        if isinstance(options, KafkaOptions):
            waiting = _kafka(options, outputs, key, envelope, connections, clock)
        elif isinstance(options, PostgresOptions):
            waiting = PostgresConnector(options, connections, clock)
        else:
            waiting = MysqlConnector(options, connections)
        opened = asked_outputs(outputs, key, envelope, position, stored, scratch)
        return Ingestion(
            waiting,
            opened,
            position,
            clock,
            chunk_bytes=chunk_bytes,
            waits=True,
            close=waiting.close,
            label=label,
        )
    if _by_name(options) and envelope is EnvelopeKind.NONE:
        outputs = {id_: asked.narrowed() for id_, asked in outputs.items()}
    if isinstance(options, S3Options):
        own = _own(outputs)
        read_key = tuple(map(own.place, key)) if envelope is EnvelopeKind.UPSERT else ()
        s3 = S3Connector(options, own.read, read_key, connections, recorded)
        opened = asked_outputs(outputs, key, envelope, position, stored, scratch)
        return Ingestion(s3, opened, position, clock, chunk_bytes=chunk_bytes, close=s3.close, label=label)
    if isinstance(options, DeltaSourceOptions | IcebergSourceOptions):
        lake = _lake(options, _own(outputs).read, envelope, connections)
        opened = asked_outputs(outputs, key, envelope, position, stored, scratch)
        return Ingestion(
            lake, opened, position, clock, chunk_bytes=chunk_bytes, close=lake.close, label=label
        )
    if isinstance(options, GeneratorOptions):
        if envelope is not EnvelopeKind.NONE:
            raise InvalidParameter("a load generator hands out changes: it has ENVELOPE NONE")
        connector = Ticking(KINDS[options.kind].make(options), options, clock)
    else:
        own = _own(outputs)
        connector = _sole_connector(options, own.read, tuple(map(own.place, key)), envelope, clock)
    opened = asked_outputs(outputs, key, envelope, position, stored, scratch)
    return Ingestion(connector, opened, position, clock, chunk_bytes=chunk_bytes, label=label)


def open_share(
    options: Options,
    share: Share,
    outputs: Mapping[OutputId, AskedOutput],
    clock: Clock,
    *,
    connections: Mapping[str, Values],
    chunk_bytes: int,
    label: str,
) -> Ingestion:
    """The ingestion of one share of a source without an envelope, for whoever reads it: its records are as if the source had read them
    itself."""
    assert isinstance(options, FileOptions | S3Options | KafkaOptions), "others hand out no shares"
    if _by_name(options):
        outputs = {id_: asked.narrowed() for id_, asked in outputs.items()}
    schema, close = _own(outputs).read, _nothing_to_close
    connector: Connector
    if isinstance(options, S3Options):
        # Who judges records by WHERE names those that it fails of.
        judged = _own(outputs).where is not None
        connector = s3 = S3Connector(
            options, schema, (), connections, only=share.what, piece=share.piece, numbered=judged
        )
        close = s3.close
    elif isinstance(options, KafkaOptions):
        records = message_records(options, schema, connections)
        connector = kafka = KafkaConnector(options, records, connections, clock, only=share.what)
        close = kafka.close
    else:
        connector = FILE_CONNECTORS[options.format](options, schema, (), share.piece, share.what)
    position = None if share.position is None else position_text(share.position)
    opened = asked_outputs(outputs)
    return Ingestion(connector, opened, position, clock, chunk_bytes=chunk_bytes, close=close, label=label)


def _nothing_to_close() -> None:
    """Files are closed when they were read."""


def _by_name(options: Options) -> bool:
    """Whether columns are found by their names."""
    if isinstance(options, DeltaSourceOptions | IcebergSourceOptions):
        return True
    return isinstance(options, FileOptions | S3Options) and (options.format != "csv" or options.header)


def _lake(
    options: DeltaSourceOptions | IcebergSourceOptions,
    schema: Schema,
    envelope: EnvelopeKind,
    connections: Mapping[str, Values],
) -> DeltaConnector | IcebergConnector:
    if envelope is not EnvelopeKind.NONE:
        raise InvalidParameter("a table of a lake has rows that come and go: it has ENVELOPE NONE")
    if isinstance(options, DeltaSourceOptions):
        return DeltaConnector(options, schema, connections)
    return IcebergConnector(options, schema, connections)


def asked_outputs(
    outputs: Mapping[OutputId, AskedOutput],
    key: tuple[int, ...] = (),
    envelope: EnvelopeKind = EnvelopeKind.NONE,
    position: str | None = None,
    stored: Stored | None = None,
    scratch: Scratch | None = None,
) -> dict[OutputId, Output]:
    """The outputs with their envelopes, as an ingestion takes them."""
    return {
        id_: Output(
            asked.reference,
            asked.schema,
            AppendEnvelope(asked.schema)
            if asked.reference
            else _envelope(asked.schema, key, envelope, position, stored, scratch),
            asked.upstream,
            asked.where,
            asked.projection,
            asked.retention,
        )
        for id_, asked in outputs.items()
    }


def _kafka(
    options: KafkaOptions,
    outputs: Mapping[OutputId, AskedOutput],
    key: tuple[int, ...],
    envelope: EnvelopeKind,
    connections: Mapping[str, Values],
    clock: Clock,
) -> KafkaConnector:
    upsert = envelope is EnvelopeKind.UPSERT
    own = _own(outputs)
    keys = tuple(place for place, column in enumerate(options.columns) if column.part is Part.KEY)
    if upsert and tuple(map(own.place, key)) != keys:
        raise InvalidParameter("the key of ENVELOPE UPSERT is that of the messages")
    records = message_records(options, own.read, connections, upsert=upsert)
    return KafkaConnector(options, records, connections, clock)


def message_records(
    options: KafkaOptions, schema: Schema, connections: Mapping[str, Values], *, upsert: bool = False
) -> Records:
    """What makes records of messages; with `upsert` they are rows by key."""
    value = open_events(options.value, connections)
    key_format = None if options.key is None else open_format(options.key, connections)
    return Records(options, schema, value, key_format, upsert=upsert)


def _sole_connector(
    options: FileOptions | CounterOptions,
    schema: Schema,
    key: tuple[int, ...],
    envelope: EnvelopeKind,
    clock: Clock,
) -> Connector:
    if isinstance(options, CounterOptions):
        if envelope is not EnvelopeKind.NONE or schema.types != COUNTER_SCHEMA.types:
            raise InvalidParameter("LOAD GENERATOR COUNTER has one bigint column and ENVELOPE NONE")
        return _Counter(Counter(clock, options.tick_ms, options.max_cardinality))
    if options.format in FILE_CONNECTORS:
        return FILE_CONNECTORS[options.format](
            options, schema, key if envelope is EnvelopeKind.UPSERT else (), WHOLE, ALL
        )
    raise Unsupported(
        f'format "{options.format}" is not supported', hint="Formats are: csv, json, parquet, avro."
    )


def _own(outputs: Mapping[OutputId, AskedOutput]) -> AskedOutput:
    """The one output that is the source itself."""
    (own,) = (output for output in outputs.values() if not output.reference)
    return own


def only_appends(
    connector: str, options: Mapping[str, Any], envelope: EnvelopeKind, reference: str = ""
) -> bool:
    """Whether no row of such a source, or of its output, ever goes (its errors may); `options` are the fields of the
    connector's options.

    Files are read once: a source whose file was cut or replaced stalls, and takes nothing back.
    """
    if envelope is not EnvelopeKind.NONE:
        return False
    if connector in KINDS:
        return table_of(reference) in KINDS[connector].append_only
    if connector == "kafka":
        return not reference
    return (connector in ("file", "s3") and not reference) or (
        connector == "counter" and options.get("max_cardinality") is None
    )


def _envelope(
    schema: Schema,
    key: tuple[int, ...],
    kind: EnvelopeKind,
    position: str | None,
    stored: Stored | None,
    scratch: Scratch | None,
) -> Envelope:
    if kind is EnvelopeKind.NONE:
        return AppendEnvelope(schema)
    upsert = UpsertEnvelope(schema, key, scratch)
    if position is not None:
        assert stored is not None, "an upsert source goes on from its own output"
        upsert.restore(stored.rows, stored.recorded, former_keyed_errors(position))
    return upsert
