"""CREATE SOURCE and CREATE SINK."""

from __future__ import annotations

import secrets
from dataclasses import replace
from pathlib import Path

from ...directory import check_outside
from ...errors import InvalidParameter, Unsupported
from ...expr.tree.relation import GlobalId
from ...replica.protocol import SourceDescription
from ...replica.sources.opening import open_source
from ...sql.plans.definition_plans import (
    CreateSink,
    CreateSource,
    CreateSourceTable,
    FileConnector,
    FileSinkConnector,
    SinkConnector,
    WantedTables,
)
from ...sql.plans.query_plans import Envelope
from ...sql.syntax.role_statements import Securable
from ...storage.connectors import only_appends
from ...storage.envelope import EnvelopeKind
from ...storage.sink.delta.options import DeltaSinkOptions
from ...storage.sink.iceberg.options import IcebergSinkOptions
from ...storage.sink.kafka.options import KafkaSinkOptions
from ...storage.sink.postgres.options import PostgresSinkOptions
from ...storage.sink.targets import check_sink
from ...storage.source.delta.options import DeltaSourceOptions
from ...storage.source.mysql.options import MysqlOptions
from ...storage.source.postgres.options import PostgresOptions
from ..catalog.catalog import Catalog
from ..catalog.connectors import (
    SharedConnector,
    SourceConnector,
    connections_of,
    connector_options,
    connector_word,
)
from ..catalog.entries import Change
from ..catalog.items import AnySource, Connection, SharedSource, Sink, Source, SourceTable, Stored
from ..catalog.source_outputs import source_output
from ..results.results import Command
from ..storage.storage import Storage
from .catalog_changes import CatalogChanges
from .definitions import Definitions


class NotAsked(Unsupported):
    """What a statement makes is known upstream, which was not asked."""


class ConnectorDefinitions:
    """Options that do not go together are refused before anything is made."""

    def __init__(
        self,
        storage: Storage,
        changes: CatalogChanges,
        own: tuple[Path, ...],
    ) -> None:
        """`own` are the directories of the runtime, which neither sources nor sinks touch."""
        self._oracle = storage.oracle
        self._changes = changes
        self._own = own

    async def create_source(self, plan: CreateSource, definitions: Definitions) -> Command:
        if definitions.exists(plan.name, plan.if_not_exists):
            return Command("CREATE SOURCE")
        if isinstance(plan.connector, FileConnector):
            check_outside(plan.connector.path, self._own, "the source would read")
        if isinstance(plan.connector, DeltaSourceOptions) and (path := plan.connector.local_path) is not None:
            check_outside(path, self._own, "the source would read")
        await self._changes.apply(source_changes(plan, definitions))
        return Command("CREATE SOURCE")

    async def create_source_table(self, plan: CreateSourceTable, definitions: Definitions) -> Command:
        if not definitions.exists(plan.name, plan.if_not_exists):
            assert plan.source is not None
            await self._changes.apply([Change(None, new_source_table(plan, plan.source, definitions))])
        return Command("CREATE TABLE")

    async def create_sink(self, plan: CreateSink, definitions: Definitions) -> Command:
        if definitions.exists(plan.name, plan.if_not_exists):
            return Command("CREATE SINK")
        if isinstance(plan.connector, FileSinkConnector):
            check_outside(plan.connector.path, self._own, "the sink would write to")
        if isinstance(plan.connector, DeltaSinkOptions) and (path := plan.connector.local_path) is not None:
            check_outside(path, self._own, "the sink would write to")
        sink = new_sink(plan, definitions, self._oracle.read_time)
        await self._changes.apply([Change(None, sink)])
        return Command("CREATE SINK")


def source_changes(plan: CreateSource, definitions: Definitions) -> list[Change]:
    """The source, and the tables that are made from it with it."""
    source = new_source(plan, definitions)
    for table in plan.tables:
        definitions.exists(table.name, if_not_exists=False)
    tables = [new_source_table(table, source.id, definitions) for table in plan.tables]
    return [Change(None, item) for item in (source, *tables)]


def new_source_table(plan: CreateSourceTable, source: GlobalId, definitions: Definitions) -> SourceTable:
    if plan.wanted is not None:
        raise _not_asked(f'the columns of table "{plan.name.name}" are those upstream')
    if plan.retention is not None:
        maker = definitions.catalog.get(source)
        assert isinstance(maker, AnySource)
        _check_retained(plan.name.name, maker.connector, Envelope.NONE, plan.reference)
    identity = definitions.identity(plan.name, Securable.TABLE)
    return SourceTable(
        **identity,
        schema=plan.schema,
        uses=(source,),
        shard=identity["id"],
        reference=plan.reference,
        retain_history_ms=plan.retain_history_ms,
        create_sql=plan.create_sql,
        upstream=plan.upstream,
        where=plan.where,
        projection=plan.projection,
        retention=plan.retention,
    )


def new_source(plan: CreateSource, definitions: Definitions) -> AnySource:
    """Options and columns that do not go together are refused; files are not touched yet."""
    if isinstance(plan.wanted, WantedTables):
        raise _not_asked(f'what source "{plan.name.name}" can read is known upstream')
    if plan.wanted:
        raise Unsupported(
            f'the columns of source "{plan.name.name}" come of a registry, which is not asked here',
            hint="KEY STRATEGY INLINE '...' and VALUE STRATEGY INLINE '...' give the schemas.",
        )
    word, options = connector_word(plan.connector), connector_options(plan.connector)
    if plan.retention is not None:
        _check_retained(plan.name.name, plan.connector, plan.envelope)
    identity = definitions.identity(plan.name, Securable.TABLE)
    if plan.schema is None:
        assert isinstance(plan.connector, SharedConnector)
        return SharedSource(
            **identity,
            cluster=plan.cluster,
            remap=f"{identity['id']}-remap",
            create_sql=plan.create_sql,
            uses=connections_of(plan.connector),
            label=plan.name.name,
            connector=_with_own_name(plan.connector, identity["id"]),
        )
    assert not isinstance(plan.connector, PostgresOptions | MysqlOptions)
    description = SourceDescription(plan.name.name, word, options, plan.key, plan.envelope.value)
    source = Source(
        **identity,
        schema=plan.schema,
        cluster=plan.cluster,
        shard=identity["id"],
        remap=f"{identity['id']}-remap",
        create_sql=plan.create_sql,
        uses=connections_of(plan.connector),
        label=plan.name.name,
        connector=plan.connector,
        key=plan.key,
        envelope=plan.envelope,
        retain_history_ms=plan.retain_history_ms,
        where=plan.where,
        projection=plan.projection,
        retention=plan.retention,
    )
    open_source(description, {source.id: source_output(source)})
    return source


def _check_retained(
    name: str, connector: SourceConnector | SharedConnector, envelope: Envelope, reference: str = ""
) -> None:
    """Who else takes rows back could take one back that is gone already."""
    word, options = connector_word(connector), connector_options(connector)
    if not only_appends(word, options, EnvelopeKind(envelope.value), reference):
        raise Unsupported(
            f'RETAIN ROWS of "{name}" is not supported: its rows are changed and taken back upstream',
            hint="It is for rows that only come. A view may have WHERE mz_now() <= column + INTERVAL '...'.",
        )


_LEAST_SERVER_ID = 1 << 31
"""Servers have lower ones, unless somebody likes it otherwise."""


def _not_asked(what: str) -> NotAsked:
    return NotAsked(
        f"{what}, which is not asked here",
        hint="Run the statement in a runtime, which asks; a project names such tables as sources of dbt.",
    )


def _with_own_name(connector: SharedConnector, id: GlobalId) -> SharedConnector:
    """What the source is known by upstream.  Slots have letters, digits and underscores, in a name space of the whole server: sources of other runtimes have the same ids."""
    if isinstance(connector, PostgresOptions):
        return replace(connector, slot=f"ptvc_{id}_{secrets.token_hex(8)}")
    if isinstance(connector, MysqlOptions):
        return replace(connector, server_id=_LEAST_SERVER_ID + secrets.randbelow(_LEAST_SERVER_ID))
    return connector


def new_sink(plan: CreateSink, definitions: Definitions, as_of: int) -> Sink:
    """A sink that begins at `as_of`; refused as a source is, and where another one writes to its place."""
    catalog = definitions.catalog
    if not isinstance(catalog.find_by_id(plan.from_id), Stored):
        raise Unsupported(
            "a sink reads a table, a source or a materialized view",
            hint="Make the view a materialized one.",
        )
    _check_own(plan.connector, catalog)
    options = connector_options(plan.connector)
    check_sink(connector_word(plan.connector), options, plan.relation.schema, plan.envelope.value, plan.key)
    identity = definitions.identity(plan.name)
    connector = plan.connector
    if isinstance(connector, KafkaSinkOptions):
        connector = _with_identity(connector, identity["id"], catalog)
    elif isinstance(connector, PostgresSinkOptions | IcebergSinkOptions | DeltaSinkOptions):
        connector = replace(connector, identity=_identity(identity["id"]))
    return Sink(
        **identity,
        schema=plan.relation.schema,
        cluster=plan.cluster,
        remap=f"{identity['id']}-progress",
        create_sql=plan.create_sql,
        uses=(plan.from_id, *connections_of(plan.connector)),
        connector=connector,
        key=plan.key,
        envelope=plan.envelope,
        as_of=as_of,
    )


def _check_own(connector: SinkConnector, catalog: Catalog) -> None:
    """Each sink has a directory, a topic or a table of its own."""
    for other in catalog.user_items():
        if not isinstance(other, Sink):
            continue
        match other.connector, connector:
            case FileSinkConnector(path=path), FileSinkConnector(path=wanted) if path == wanted:
                raise InvalidParameter(
                    f'sink "{other.name}" writes to "{path}" already',
                    hint="Give every sink a directory of its own.",
                )
            case KafkaSinkOptions() as known, KafkaSinkOptions() as new if (
                known.connection,
                known.topic,
            ) == (new.connection, new.topic):
                raise InvalidParameter(
                    f'sink "{other.name}" writes to topic "{known.topic}" already',
                    hint="Give every sink a topic of its own.",
                )
            case PostgresSinkOptions() as known, PostgresSinkOptions() as new if (
                known.connection,
                known.schema,
                known.table,
            ) == (new.connection, new.schema, new.table):
                raise InvalidParameter(
                    f'sink "{other.name}" writes to table "{known.schema}.{known.table}" already',
                    hint="Give every sink a table of its own.",
                )
            case IcebergSinkOptions() as known, IcebergSinkOptions() as new if (
                known.connection,
                known.identifier,
            ) == (new.connection, new.identifier):
                raise InvalidParameter(
                    f'sink "{other.name}" writes to table "{".".join(known.identifier)}" already',
                    hint="Give every sink a table of its own.",
                )
            case DeltaSinkOptions() as known, DeltaSinkOptions() as new if known.uri == new.uri:
                raise InvalidParameter(
                    f'sink "{other.name}" writes to table "{known.uri}" already',
                    hint="Give every sink a table of its own.",
                )
            case _:
                pass


def _with_identity(connector: KafkaSinkOptions, id: GlobalId, catalog: Catalog) -> KafkaSinkOptions:
    """What the sink is known by in Kafka, where sinks of other runtimes have the same ids, and where its progress is kept."""
    connection = catalog.get_as(connector.connection, Connection).options.values
    topic = connection.get("PROGRESS TOPIC", f"_ptvc-progress-{connector.connection}")
    return replace(connector, progress_topic=str(topic), identity=_identity(id))


def _identity(id: GlobalId) -> str:
    return f"{id}-{secrets.token_hex(8)}"
