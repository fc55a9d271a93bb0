"""mz_internal: what is going on: frontiers, hydration, statuses, lag."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, assert_never

from ...expr.functions.system.system import quote_ident
from ...sql.calls.catalog_functions import CONSTRAINT_POSITION, PRETTY_CONSTRAINT_POSITION
from ...sql.catalog.catalog_view import ItemKind
from ...storage.ingestion import PROGRESS
from ..catalog.connectors import connector_word
from ..catalog.items import (
    AnySource,
    AnyView,
    Index,
    Maintained,
    MaterializedView,
    Readable,
    SharedSource,
    Sink,
    Source,
    SourceTable,
    Table,
    View,
    WebhookSource,
)
from ..controller.statuses import ObjectStatus
from .constraints import constraint_sql, key_index_sql, of_tables
from .definitions import cluster_sql, create_sql, index_sql, key_columns
from .pg_proc import texts
from .state import State, timestamp
from .upstream_sql import upstream_of
from .webhooks import statistics as webhook_statistics
from .webhooks import status as webhook_status

Rows = Iterator[dict[str, Any]]


def mz_frontiers(state: State) -> Rows:
    for collection in state.collections.all():
        yield {
            "object_id": collection.id,
            "read_frontier": state.collections.frontiers(collection.shard).since,
            "write_frontier": state.collections.frontier(collection.id),
        }


def mz_last_changes(state: State) -> Rows:
    """When rows of tables and sources were last written or taken back, and of views, when something was that they are computed
    from.  Of what was never written there is no time."""
    written = {
        collection.id: collection.last_write
        for collection in state.collections.all()
        if collection.timestamped and collection.last_write > 0
    }
    for item in state.catalog.user_items():
        if isinstance(item, Readable):
            times = [written[used.id] for used in state.catalog.below([item.id]) if used.id in written]
            yield {"object_id": item.id, "last_change": timestamp(max(times)) if times else None}


def mz_hydration_statuses(state: State) -> Rows:
    for item in state.catalog.user_items():
        if isinstance(item, Maintained):
            running = state.controller.jobs.of(item.id)
            for replica in state.controller.clusters.of(item.cluster):
                hydrated = replica.hydrated.get(item.id)
                yield {
                    "object_id": item.id,
                    "replica_id": replica.id,
                    "hydrated": hydrated is not None,
                    "hydration_seconds": hydrated.seconds if hydrated is not None else None,
                    "rows": hydrated.rows if hydrated is not None else None,
                    "spark_job_id": state.controller.jobs.hydrations.get(item.id),
                    "percent": 100.0
                    if hydrated is not None
                    else running.percent
                    if running is not None
                    else None,
                }


def mz_spark_jobs(state: State) -> Rows:
    """What runs on Spark besides the replicas, and what has ended lately."""
    for job in state.controller.jobs.entries():
        progress = job.progress
        yield {
            "id": job.id,
            "kind": job.kind,
            "cluster": job.cluster,
            "object_id": job.object_id,
            "status": job.status,
            "started_at": timestamp(job.started_ms),
            "seconds": job.seconds,
            "rows_total": job.rows,
            "rows_read": progress.rows_read if progress is not None else 0,
            "levels": progress.levels if progress is not None else None,
            "levels_done": progress.levels_done if progress is not None else 0,
            "tasks": progress.tasks if progress is not None else None,
            "tasks_done": progress.tasks_done if progress is not None else 0,
            "percent": job.percent,
            "error": job.error,
        }


def mz_column_lineage(state: State) -> Rows:
    """Of which columns each column of a view is made; without a column's name, of which its rows."""
    for item in state.catalog.user_items():
        if not isinstance(item, AnyView) or item.lineage is None:
            continue
        names: tuple[str | None, ...] = (*item.schema.names, None)
        for name, inputs in zip(names, (*item.lineage.columns, item.lineage.rows), strict=True):
            for place, kinds in inputs.items():
                read = state.catalog.item_by_id(place.relation)
                for kind in sorted(kind.value for kind in kinds):
                    yield {
                        "object_id": item.id,
                        "column_name": name,
                        "referenced_object_id": place.relation,
                        "referenced_column_name": read.schema[read.shown_position(place.column)].name,
                        "kind": kind,
                    }


def mz_definitions(state: State) -> Rows:
    """What was written, comments included: dbt keeps the hash of a model there.  (Of indexes what SHOW CREATE says.)"""
    for item in state.catalog.user_items():
        match item:
            case Index():
                definition = index_sql(state, item)
                for position, key in enumerate(key_columns(state, item), 1):
                    yield {"oid": item.oid, "position": position, "definition": key}
            case View() | MaterializedView():
                definition = f"{item.definition_sql};"
            case Source() | SharedSource() | WebhookSource() | Sink():
                definition = item.create_sql
            case SourceTable(create_sql=str() as written):
                definition = written
            case Table() | SourceTable():
                definition = create_sql(state, item)
            case _:
                assert_never(item)
        yield {"oid": item.oid, "position": 0, "definition": definition}
    for function in state.catalog.user_functions():
        for position, text in texts(function):
            yield {"oid": function.oid, "position": position, "definition": text}
    for table, constraint in of_tables(state):
        for position, pretty in ((CONSTRAINT_POSITION, False), (PRETTY_CONSTRAINT_POSITION, True)):
            definition = constraint_sql(table.schema, constraint, pretty=pretty)
            yield {"oid": constraint.oid, "position": position, "definition": definition}
        if constraint.is_key:
            yield {"oid": constraint.oid, "position": 0, "definition": key_index_sql(table, constraint)}
            for position, index in enumerate(constraint.columns, 1):
                yield {
                    "oid": constraint.oid,
                    "position": position,
                    "definition": quote_ident(table.schema[index].name),
                }


def mz_cluster_definitions(state: State) -> Rows:
    for entry in state.catalog.cluster_entries():
        yield {"id": entry.id, "name": entry.name, "create_sql": cluster_sql(entry)}


def mz_source_statuses(state: State) -> Rows:
    yield from _statuses(state, [item for item in state.catalog.user_items() if isinstance(item, AnySource)])
    for item in state.catalog.user_items():
        if isinstance(item, WebhookSource):
            yield webhook_status(state, item)


def mz_sink_statuses(state: State) -> Rows:
    yield from _statuses(state, [item for item in state.catalog.user_items() if isinstance(item, Sink)])


def mz_source_statistics(state: State) -> Rows:
    for id_, statistics in state.controller.ingested.items():
        yield {"id": id_, **statistics}
    for item in state.catalog.user_items():
        if isinstance(item, WebhookSource):
            yield webhook_statistics(state, item)


def mz_sink_statistics(state: State) -> Rows:
    for id_, statistics in state.controller.sinks.statistics():
        counts = {name: count for name, count in statistics.items() if name != "files"}
        yield {"id": id_, **counts}


def mz_source_reductions(state: State) -> Rows:
    """What ALTER has added to the definitions of sources, and of tables of them, in order."""
    for item in state.catalog.user_items():
        if isinstance(item, Source | SourceTable):
            for number, definition in enumerate(item.applied, 1):
                yield {"id": item.id, "number": number, "definition": definition}


def mz_source_references(state: State) -> Rows:
    """The tables that each source offers, but for that of its position; of one that asks upstream what it has, those of which tables were
    made."""
    for source in state.catalog.user_items():
        if isinstance(source, SharedSource):
            yield from _made(state, source)
            for reference, schema in (state.catalog.item_by_id(source.id).offers or {}).items():
                namespace, _, name = reference.rpartition(".")
                if reference == PROGRESS:
                    continue
                yield {
                    "source_id": source.id,
                    "namespace": namespace or None,
                    "name": name,
                    "columns": list(schema.names),
                    "updated_at": timestamp(source.created_at),
                }


def _made(state: State, source: SharedSource) -> Rows:
    """Each table upstream once, as the first one that was made of it has it."""
    seen: set[tuple[str, str]] = set()
    for table in state.catalog.dependents(source.id):
        upstream = upstream_of(table) if isinstance(table, SourceTable) else None
        if upstream is not None and (upstream.schema, upstream.name) not in seen:
            seen.add((upstream.schema, upstream.name))
            yield {
                "source_id": source.id,
                "namespace": upstream.schema,
                "name": upstream.name,
                "columns": [column.name for column in upstream.columns],
                "updated_at": timestamp(table.created_at),
            }


def mz_source_own_tables(state: State) -> Rows:
    """The tables that CREATE SOURCE made, by FOR ... and EXPOSE PROGRESS; dead letters have a relation of their own."""
    for item in state.catalog.user_items():
        if isinstance(item, SourceTable) and item.create_sql is None and not item.is_dead_letters:
            yield {"id": item.id, "source_id": item.source}


def mz_dead_letters(state: State) -> Rows:
    """Which tables have the dead letters of which sources."""
    for item in state.catalog.user_items():
        if isinstance(item, SourceTable) and item.is_dead_letters:
            yield {"id": item.id, "source_id": item.source}


def _statuses(state: State, items: Sequence[AnySource] | Sequence[Sink]) -> Rows:
    for item in items:
        yield _status(item, state.controller.statuses.get(item.id))


def _status(item: AnySource | Sink, status: ObjectStatus | None) -> dict[str, Any]:
    return {
        "id": item.id,
        "name": item.name,
        "type": connector_word(item.connector),
        "last_status_change_at": timestamp(status.since_ms) if status is not None else None,
        "status": status.state if status is not None else "starting",
        "error": status.reason if status is not None else None,
    }


def mz_source_status_history(state: State) -> Rows:
    yield from _history(state, AnySource, "source_id")
    for item in state.catalog.user_items():
        if isinstance(item, WebhookSource):
            yield _event("source_id", webhook_status(state, item))


def mz_sink_status_history(state: State) -> Rows:
    yield from _history(state, Sink, "sink_id")


def _history(state: State, kind: Any, id_column: str) -> Rows:
    for item in state.catalog.user_items():
        if isinstance(item, kind):
            for status in state.controller.statuses.history(item.id):
                yield _event(id_column, _status(item, status))


def _event(id_column: str, status: dict[str, Any]) -> dict[str, Any]:
    return {
        "occurred_at": status["last_status_change_at"],
        id_column: status["id"],
        "status": status["status"],
        "error": status["error"],
    }


def mz_wallclock_global_lag(state: State) -> Rows:
    now = state.controller.now_ms()
    for collection in state.collections.all():
        lag = max(now - state.collections.frontier(collection.id), 0)
        yield {"object_id": collection.id, "lag_ms": lag}


def mz_materialization_lag(state: State) -> Rows:
    """Of materialized views and indexes."""
    closed = state.collections.closed
    views = [collection.id for collection in state.collections.all() if not collection.timestamped]
    for id_ in (*views, *(index.id for index in state.indexes())):
        lag = max(closed - state.collections.frontier(id_), 0)
        yield {"object_id": id_, "local_lag_ms": lag, "global_lag_ms": lag}


def mz_comments(state: State) -> Rows:
    for item in state.catalog.user_objects():
        if item.comment is not None:
            yield _comment(item.id, item.kind, None, item.comment)
        if isinstance(item, Readable):
            for position, text in item.column_comments.items():
                yield _comment(item.id, item.kind, position + 1, text)


def _comment(id: str, kind: ItemKind, column: int | None, text: str) -> dict[str, Any]:
    return {"id": id, "object_type": kind.value, "object_sub_id": column, "comment": text}
