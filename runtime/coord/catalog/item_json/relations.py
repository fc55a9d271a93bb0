"""Tables, views, materialized views and indexes as JSON."""

from __future__ import annotations

from ....expr.tree.codec import relation_from_json, relation_to_json, scalar_from_json, scalar_to_json
from ....repr.schema import type_from_json, type_to_json
from ....sql.syntax.constraints import Constraint
from ..items import Index, MaterializedView, Table, View
from ..stored_layout import StoredLayout
from .fields import (
    Json,
    columns_fields,
    lineage_fields,
    only_set,
    query_fields,
    read_columns,
    read_identity,
    read_lineage,
    read_named,
    read_options,
    read_shares,
    shares_fields,
)


def table_fields(item: Table) -> Json:
    return columns_fields(item) | {
        "shard": item.shard,
        "defaults": [scalar_to_json(d) if d is not None else None for d in item.defaults],
        "constraints": [constraint.to_json() for constraint in item.constraints],
        "missing": list(item.layout.missing),
        "stored": [type_to_json(type_) for type_ in item.layout.types],
        "layout": list(item.layout.places),
        "options": only_set(
            retain_history_ms=item.retain_history_ms, drop_on_commit=item.dropped_on_commit or None
        ),
    }


def read_table(v: Json) -> Table:
    options = read_options(v)
    return Table(
        **read_columns(v),
        shard=v["shard"],
        defaults=tuple(scalar_from_json(d) if d is not None else None for d in v["defaults"]),
        constraints=tuple(Constraint.from_json(c) for c in v.get("constraints", ())),
        layout=StoredLayout(
            types=tuple(type_from_json(type_) for type_ in v.get("stored", ())),
            places=tuple(v.get("layout", ())),
            missing=tuple(v.get("missing", ())),
        ),
        retain_history_ms=options.get("retain_history_ms"),
        dropped_on_commit=options.get("drop_on_commit", False),
    )


def view_fields(item: View) -> Json:
    return (
        columns_fields(item)
        | query_fields(item)
        | {"options": only_set(named=item.named or None, lineage=lineage_fields(item))}
    )


def read_view(v: Json) -> View:
    options = read_options(v)
    return View(
        **read_columns(v),
        relation=relation_from_json(v["relation"]),
        definition_sql=v["definition_sql"],
        columns=read_named(v),
        named=options.get("named", False),
        lineage=read_lineage(options),
    )


def materialized_view_fields(item: MaterializedView) -> Json:
    return (
        columns_fields(item)
        | query_fields(item)
        | {
            "cluster": item.cluster,
            "shard": item.shard,
            "options": only_set(
                named=item.named or None,
                lineage=lineage_fields(item),
                shares=shares_fields(item.shares),
                retain_history_ms=item.retain_history_ms,
                assert_not_null=list(item.assert_not_null) or None,
                replaces=item.replaces,
                replaced=item.replaced or None,
                state=item.state,
            ),
        }
    )


def read_materialized_view(v: Json) -> MaterializedView:
    options = read_options(v)
    return MaterializedView(
        **read_columns(v),
        relation=relation_from_json(v["relation"]),
        definition_sql=v["definition_sql"],
        columns=read_named(v),
        named=options.get("named", False),
        lineage=read_lineage(options),
        cluster=v["cluster"],
        shard=v["shard"],
        shares=read_shares(options),
        retain_history_ms=options.get("retain_history_ms"),
        assert_not_null=tuple(options.get("assert_not_null", ())),
        replaces=options.get("replaces"),
        replaced=options.get("replaced", False),
        state=options.get("state"),
    )


def index_fields(item: Index) -> Json:
    return {
        "cluster": item.cluster,
        "relation": relation_to_json(item.relation),
        "keys": [scalar_to_json(key) for key in item.keys],
        "options": only_set(
            shares=shares_fields(item.shares),
            retain_history_ms=item.retain_history_ms,
            key_texts=list(item.key_texts) or None,
            key_columns=dict(item.key_columns) or None,
        ),
    }


def read_index(v: Json) -> Index:
    options = read_options(v)
    return Index(
        **read_identity(v),
        cluster=v["cluster"],
        relation=relation_from_json(v["relation"]),
        keys=tuple(scalar_from_json(key) for key in v["keys"]),
        shares=read_shares(options),
        retain_history_ms=options.get("retain_history_ms"),
        key_texts=tuple(options.get("key_texts", ())),
        key_columns=options.get("key_columns", {}),
    )
