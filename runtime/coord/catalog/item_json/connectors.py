"""Sources, their tables, and sinks as JSON."""

from __future__ import annotations

from ....repr.schema import Schema
from ....sql.plans.query_plans import Envelope
from ....storage.projection import projection_from_json
from ....storage.row_filter import where_from_json
from ....storage.row_retention import retention_from_json
from ....storage.source.webhook import WebhookOptions
from ..connectors import connector_options, connector_word, shared_connector, sink_connector, source_connector
from ..items import Former, SharedSource, Sink, Source, SourceTable, WebhookSource
from .fields import (
    Json,
    columns_fields,
    connector_fields,
    only_set,
    read_columns,
    read_identity,
    read_options,
)


def computation_fields(item: Source | SourceTable) -> Json:
    """What of it is kept: its own computation."""
    return {
        "where": None if item.where is None else item.where.to_json(),
        "projection": None if item.projection is None else item.projection.to_json(),
        "retain_rows": None if item.retention is None else item.retention.to_json(),
        "applied": list(item.applied) or None,
    }


def source_fields(item: Source) -> Json:
    return columns_fields(item) | {
        "cluster": item.cluster,
        "shard": item.shard,
        "remap": item.remap,
        "create_sql": item.create_sql,
        "options": only_set(
            label=item.label,
            **connector_fields(item.connector, item.key, item.envelope),
            retain_history_ms=item.retain_history_ms,
            **computation_fields(item),
        ),
    }


def read_source(v: Json) -> Source:
    options = read_options(v)
    return Source(
        **read_columns(v),
        cluster=v["cluster"],
        shard=v["shard"],
        remap=v["remap"],
        create_sql=v["create_sql"],
        label=options["label"],
        connector=source_connector(options["connector"], options["connector_options"]),
        key=tuple(options["key"]),
        envelope=Envelope(options["envelope"]),
        retain_history_ms=options.get("retain_history_ms"),
        where=where_from_json(options.get("where")),
        projection=projection_from_json(options.get("projection")),
        retention=retention_from_json(options.get("retain_rows")),
        applied=tuple(options.get("applied", ())),
    )


def shared_source_fields(item: SharedSource) -> Json:
    return {
        "cluster": item.cluster,
        "remap": item.remap,
        "create_sql": item.create_sql,
        "options": only_set(
            label=item.label,
            connector=connector_word(item.connector),
            connector_options=connector_options(item.connector),
        ),
    }


def read_shared_source(v: Json) -> SharedSource:
    options = read_options(v)
    return SharedSource(
        **read_identity(v),
        cluster=v["cluster"],
        remap=v["remap"],
        create_sql=v["create_sql"],
        label=options["label"],
        connector=shared_connector(options["connector"], options["connector_options"]),
    )


def source_table_fields(item: SourceTable) -> Json:
    return columns_fields(item) | {
        "shard": item.shard,
        "options": only_set(
            reference=item.reference,
            retain_history_ms=item.retain_history_ms,
            create_sql=item.create_sql,
            upstream=item.upstream,
            **computation_fields(item),
        ),
    }


def read_source_table(v: Json) -> SourceTable:
    options = read_options(v)
    return SourceTable(
        **read_columns(v),
        shard=v["shard"],
        reference=options["reference"],
        retain_history_ms=options.get("retain_history_ms"),
        create_sql=options.get("create_sql"),
        upstream=options.get("upstream"),
        where=where_from_json(options.get("where")),
        projection=projection_from_json(options.get("projection")),
        retention=retention_from_json(options.get("retain_rows")),
        applied=tuple(options.get("applied", ())),
    )


def webhook_source_fields(item: WebhookSource) -> Json:
    return columns_fields(item) | {
        "shard": item.shard,
        "create_sql": item.create_sql,
        "options": only_set(
            webhook=item.webhook.to_json(),
            keys=item.keys,
            retain_history_ms=item.retain_history_ms,
        ),
    }


def read_webhook_source(v: Json) -> WebhookSource:
    options = read_options(v)
    return WebhookSource(
        **read_columns(v),
        shard=v["shard"],
        keys=options.get("keys"),
        create_sql=v["create_sql"],
        webhook=WebhookOptions.from_json(options["webhook"]),
        retain_history_ms=options.get("retain_history_ms"),
    )


def sink_fields(item: Sink) -> Json:
    return {
        "schema": item.schema.to_json(),
        "cluster": item.cluster,
        "remap": item.remap,
        "create_sql": item.create_sql,
        "options": only_set(
            **connector_fields(item.connector, item.key, item.envelope),
            as_of=item.as_of,
            generation=item.generation or None,
            **_former_fields(item),
            kept=item.kept.to_json() or None,
        ),
    }


def read_sink(v: Json) -> Sink:
    options = read_options(v)
    return Sink(
        **read_identity(v),
        schema=Schema.from_json(v["schema"]),
        cluster=v["cluster"],
        remap=v["remap"],
        create_sql=v["create_sql"],
        connector=sink_connector(options["connector"], options["connector_options"]),
        key=tuple(options["key"]),
        envelope=Envelope(options["envelope"]),
        as_of=options["as_of"],
        generation=options.get("generation", 0),
        formers=_read_formers(v, options),
        kept=Schema.from_json(options.get("kept", [])),
    )


def _former_fields(item: Sink) -> Json:
    """The last one by the time up to which it is shown, and those before it."""
    if not item.formers:
        return {}
    *older, last = item.formers
    return {
        "formers": [[former.id, former.generation, former.last] for former in older] or None,
        "switched_at": last.last,
    }


def _read_formers(v: Json, options: Json) -> tuple[Former, ...]:
    if (switched_at := options.get("switched_at")) is None:
        return ()
    older = (Former(id_, generation, last) for id_, generation, last in options.get("formers", ()))
    return (*older, Former(v["uses"][1], options["generation"] - 1, switched_at))
