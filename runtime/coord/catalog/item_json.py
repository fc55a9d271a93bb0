"""Items as JSON: the fields that the item's kind has, and which kind that is.

Options that are not set are left out.  Catalogs of older versions have fields of all kinds in every item, and may lack those
that came later: the former are not looked at, the latter have defaults.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, assert_never

from ...compute.lower.shared_arrangements import IndexKey
from ...errors import UndefinedObject
from ...expr.tree.codec import relation_from_json, relation_to_json, scalar_from_json, scalar_to_json
from ...expr.tree.relation import GlobalId
from ...lineage.columns import Lineage
from ...repr.schema import Column, Schema, type_from_json, type_to_json
from ...sql.plans.query_plans import Envelope
from ...sql.syntax.constraints import Constraint
from ...sql.syntax.function_definition import FunctionDefinition
from ...storage.connections.options import ConnectionOptions
from ...storage.projection import projection_from_json
from ...storage.row_filter import where_from_json
from ...storage.row_retention import retention_from_json
from ...storage.source.webhook import WebhookOptions
from .acl import acl_from_json
from .connectors import (
    Connector,
    connector_options,
    connector_word,
    shared_connector,
    sink_connector,
    source_connector,
)
from .items import (
    AnyView,
    Connection,
    Former,
    Function,
    Identity,
    Index,
    Item,
    MaterializedView,
    NamedType,
    Readable,
    Secret,
    SharedSource,
    Sink,
    Source,
    SourceTable,
    Table,
    View,
    WebhookSource,
)
from .role import OWNER_ID
from .stored_layout import StoredLayout

CATALOG_VERSION = 2
"""Of the fields that are written: 1 had those of all kinds in every item.  Older versions are read, newer ones refused."""

Json = dict[str, Any]

_STORED_KINDS: dict[type, str] = {
    SharedSource: "shared-source",
    SourceTable: "source-table",
    WebhookSource: "webhook-source",
}
"""Kinds as they are written, where two classes are of one kind."""


def item_to_json(item: Item) -> str:
    value = {
        "version": CATALOG_VERSION,
        "id": item.id,
        "oid": item.oid,
        "kind": _STORED_KINDS.get(type(item), item.kind.value),
        "schema_name": item.schema_name,
        "name": item.name,
        "created_at": item.created_at,
        "owner": item.owner,
        "acl": None if item.acl is None else [asdict(granted) for granted in item.acl],
        "comment": item.comment,
        "uses": list(item.uses),
    }
    return json.dumps(value | _fields(item), separators=(",", ":"))


def _fields(item: Item) -> Json:
    """Those of the item's kind."""
    match item:
        case Table():
            return _columns(item) | {
                "shard": item.shard,
                "defaults": [scalar_to_json(d) if d is not None else None for d in item.defaults],
                "constraints": [constraint.to_json() for constraint in item.constraints],
                "missing": list(item.layout.missing),
                "stored": [type_to_json(type_) for type_ in item.layout.types],
                "layout": list(item.layout.places),
                "options": _options(
                    retain_history_ms=item.retain_history_ms, drop_on_commit=item.dropped_on_commit or None
                ),
            }
        case Source():
            return _columns(item) | {
                "cluster": item.cluster,
                "shard": item.shard,
                "remap": item.remap,
                "create_sql": item.create_sql,
                "options": _options(
                    label=item.label,
                    **_connection(item.connector, item.key, item.envelope),
                    retain_history_ms=item.retain_history_ms,
                    where=None if item.where is None else item.where.to_json(),
                    projection=None if item.projection is None else item.projection.to_json(),
                    retain_rows=None if item.retention is None else item.retention.to_json(),
                    applied=list(item.applied) or None,
                ),
            }
        case SharedSource():
            return {
                "cluster": item.cluster,
                "remap": item.remap,
                "create_sql": item.create_sql,
                "options": _options(
                    label=item.label,
                    connector=connector_word(item.connector),
                    connector_options=connector_options(item.connector),
                ),
            }
        case SourceTable():
            return _columns(item) | {
                "shard": item.shard,
                "options": _options(
                    reference=item.reference,
                    retain_history_ms=item.retain_history_ms,
                    create_sql=item.create_sql,
                    upstream=item.upstream,
                    where=None if item.where is None else item.where.to_json(),
                    projection=None if item.projection is None else item.projection.to_json(),
                    retain_rows=None if item.retention is None else item.retention.to_json(),
                    applied=list(item.applied) or None,
                ),
            }
        case WebhookSource():
            return _columns(item) | {
                "shard": item.shard,
                "create_sql": item.create_sql,
                "options": _options(
                    webhook=item.webhook.to_json(),
                    keys=item.keys,
                    retain_history_ms=item.retain_history_ms,
                ),
            }
        case View():
            return (
                _columns(item)
                | _query(item)
                | {"options": _options(named=item.named or None, lineage=_lineage(item))}
            )
        case MaterializedView():
            return (
                _columns(item)
                | _query(item)
                | {
                    "cluster": item.cluster,
                    "shard": item.shard,
                    "options": _options(
                        named=item.named or None,
                        lineage=_lineage(item),
                        shares=_shares(item.shares),
                        retain_history_ms=item.retain_history_ms,
                        assert_not_null=list(item.assert_not_null) or None,
                        replaces=item.replaces,
                        replaced=item.replaced or None,
                        state=item.state,
                    ),
                }
            )
        case Index():
            return {
                "cluster": item.cluster,
                "relation": relation_to_json(item.relation),
                "keys": [scalar_to_json(key) for key in item.keys],
                "options": _options(
                    shares=_shares(item.shares),
                    retain_history_ms=item.retain_history_ms,
                    key_texts=list(item.key_texts) or None,
                    key_columns=dict(item.key_columns) or None,
                ),
            }
        case Sink():
            return {
                "schema": item.schema.to_json(),
                "cluster": item.cluster,
                "remap": item.remap,
                "create_sql": item.create_sql,
                "options": _options(
                    **_connection(item.connector, item.key, item.envelope),
                    as_of=item.as_of,
                    generation=item.generation or None,
                    **_formers(item),
                    kept=item.kept.to_json() or None,
                ),
            }
        case Function():
            return {"function": item.definition.to_json()}
        case Secret():
            return {"sealed": item.sealed}
        case Connection():
            return {"connection": item.options.to_json()}
        case NamedType():
            return {"schema": Schema((Column("", item.type),)).to_json()}
        case _:
            assert_never(item)


def _columns(item: Readable) -> Json:
    comments = {str(position): text for position, text in item.column_comments.items()}
    return {"schema": item.schema.to_json(), "column_comments": comments}


def _query(item: AnyView) -> Json:
    return {
        "relation": relation_to_json(item.relation),
        "definition_sql": item.definition_sql,
        "columns": None if item.columns is None else [list(column) for column in item.columns],
    }


def _lineage(item: AnyView) -> list[Any] | None:
    return None if item.lineage is None else item.lineage.to_json()


def _connection(connector: Connector, key: tuple[int, ...], envelope: Envelope) -> Json:
    return {
        "connector": connector_word(connector),
        "connector_options": connector_options(connector),
        "key": list(key),
        "envelope": envelope.value,
    }


def _formers(item: Sink) -> Json:
    """The last one by the time up to which it is shown, and those before it."""
    if not item.formers:
        return {}
    *older, last = item.formers
    return {
        "formers": [[former.id, former.generation, former.last] for former in older] or None,
        "switched_at": last.last,
    }


def _shares(shares: tuple[IndexKey, ...]) -> list[list[Any]] | None:
    return [[shared.index, shared.on, list(shared.key)] for shared in shares] or None


def _options(**options: Any) -> Json:
    return {name: value for name, value in options.items() if value is not None}


class _Identity(Identity):
    comment: str | None
    uses: tuple[GlobalId, ...]


class _Columns(_Identity):
    schema: Schema
    column_comments: Mapping[int, str]


def item_from_json(text: str) -> Item:
    """UndefinedObject for what this version does not know."""
    v: Json = json.loads(text)
    if v["version"] > CATALOG_VERSION:
        raise UndefinedObject(
            f'the catalog holds "{v["name"]}" in the version {v["version"]} of its format',
            hint="It was written by a newer version: use that one.",
        )
    options: Json = v.get("options", {})
    retained = options.get("retain_history_ms")
    match v["kind"]:
        case Table.kind.value:
            return Table(
                **_read_columns(v),
                shard=v["shard"],
                defaults=tuple(scalar_from_json(d) if d is not None else None for d in v["defaults"]),
                constraints=tuple(Constraint.from_json(c) for c in v.get("constraints", ())),
                layout=StoredLayout(
                    types=tuple(type_from_json(type_) for type_ in v.get("stored", ())),
                    places=tuple(v.get("layout", ())),
                    missing=tuple(v.get("missing", ())),
                ),
                retain_history_ms=retained,
                dropped_on_commit=options.get("drop_on_commit", False),
            )
        case Source.kind.value:
            return Source(
                **_read_columns(v),
                cluster=v["cluster"],
                shard=v["shard"],
                remap=v["remap"],
                create_sql=v["create_sql"],
                label=options["label"],
                connector=source_connector(options["connector"], options["connector_options"]),
                key=tuple(options["key"]),
                envelope=Envelope(options["envelope"]),
                retain_history_ms=retained,
                where=where_from_json(options.get("where")),
                projection=projection_from_json(options.get("projection")),
                retention=retention_from_json(options.get("retain_rows")),
                applied=tuple(options.get("applied", ())),
            )
        case "shared-source":
            return SharedSource(
                **_read_identity(v),
                cluster=v["cluster"],
                remap=v["remap"],
                create_sql=v["create_sql"],
                label=options["label"],
                connector=shared_connector(options["connector"], options["connector_options"]),
            )
        case "source-table":
            return SourceTable(
                **_read_columns(v),
                shard=v["shard"],
                reference=options["reference"],
                retain_history_ms=retained,
                create_sql=options.get("create_sql"),
                upstream=options.get("upstream"),
                where=where_from_json(options.get("where")),
                projection=projection_from_json(options.get("projection")),
                retention=retention_from_json(options.get("retain_rows")),
                applied=tuple(options.get("applied", ())),
            )
        case "webhook-source":
            return WebhookSource(
                **_read_columns(v),
                shard=v["shard"],
                keys=options.get("keys"),
                create_sql=v["create_sql"],
                webhook=WebhookOptions.from_json(options["webhook"]),
                retain_history_ms=retained,
            )
        case View.kind.value:
            return View(
                **_read_columns(v),
                relation=relation_from_json(v["relation"]),
                definition_sql=v["definition_sql"],
                columns=_read_named(v),
                named=options.get("named", False),
                lineage=_read_lineage(options),
            )
        case MaterializedView.kind.value:
            return MaterializedView(
                **_read_columns(v),
                relation=relation_from_json(v["relation"]),
                definition_sql=v["definition_sql"],
                columns=_read_named(v),
                named=options.get("named", False),
                lineage=_read_lineage(options),
                cluster=v["cluster"],
                shard=v["shard"],
                shares=_read_shares(options),
                retain_history_ms=retained,
                assert_not_null=tuple(options.get("assert_not_null", ())),
                replaces=options.get("replaces"),
                replaced=options.get("replaced", False),
                state=options.get("state"),
            )
        case Index.kind.value:
            return Index(
                **_read_identity(v),
                cluster=v["cluster"],
                relation=relation_from_json(v["relation"]),
                keys=tuple(scalar_from_json(key) for key in v["keys"]),
                shares=_read_shares(options),
                retain_history_ms=retained,
                key_texts=tuple(options.get("key_texts", ())),
                key_columns=options.get("key_columns", {}),
            )
        case Sink.kind.value:
            return Sink(
                **_read_identity(v),
                schema=Schema.from_json(v["schema"]),
                cluster=v["cluster"],
                remap=v["remap"],
                create_sql=v["create_sql"],
                connector=sink_connector(options["connector"], options["connector_options"]),
                key=tuple(options["key"]),
                envelope=Envelope(options["envelope"]),
                as_of=options["as_of"],
                generation=options.get("generation", 0),
                formers=_read_formers(v["uses"], options),
                kept=Schema.from_json(options.get("kept", [])),
            )
        case Function.kind.value:
            return Function(**_read_identity(v), definition=FunctionDefinition.from_json(v["function"]))
        case Secret.kind.value:
            return Secret(**_read_identity(v), sealed=v["sealed"])
        case Connection.kind.value:
            return Connection(**_read_identity(v), options=ConnectionOptions.from_json(v["connection"]))
        case NamedType.kind.value:
            return NamedType(**_read_identity(v), type=Schema.from_json(v["schema"])[0].type)
        case kind:
            raise UndefinedObject(
                f'the catalog holds an object of unknown kind "{kind}"',
                hint="It was written by a newer version: use that one.",
            )


def _read_identity(v: Json) -> _Identity:
    return {
        "id": v["id"],
        "oid": v["oid"],
        "schema_name": v["schema_name"],
        "name": v["name"],
        "created_at": v["created_at"],
        "owner": v.get("owner", OWNER_ID),
        "acl": acl_from_json(v.get("acl")),
        "comment": v["comment"],
        "uses": tuple(v["uses"]),
    }


def _read_columns(v: Json) -> _Columns:
    return {
        **_read_identity(v),
        "schema": Schema.from_json(v["schema"]),
        "column_comments": {int(position): text for position, text in v["column_comments"].items()},
    }


def _read_named(v: Json) -> tuple[tuple[GlobalId, int], ...] | None:
    """The columns that a view names."""
    columns = v.get("columns")
    return None if columns is None else tuple((id_, place) for id_, place in columns)


def _read_formers(uses: Sequence[GlobalId], options: Json) -> tuple[Former, ...]:
    if (switched_at := options.get("switched_at")) is None:
        return ()
    older = (Former(id_, generation, last) for id_, generation, last in options.get("formers", ()))
    return (*older, Former(uses[1], options["generation"] - 1, switched_at))


def _read_lineage(options: Json) -> Lineage | None:
    """None of a view that an older version has created."""
    lineage = options.get("lineage")
    return None if lineage is None else Lineage.from_json(lineage)


def _read_shares(options: Json) -> tuple[IndexKey, ...]:
    return tuple(IndexKey(index, on, tuple(key)) for index, on, key in options.get("shares", ()))
