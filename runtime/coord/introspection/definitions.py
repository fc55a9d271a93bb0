"""Definitions as SQL: what SHOW CREATE and pg_get_viewdef show.

The text of an object, run again where it is no longer, makes an object with the same text.  Names of the object and of
what it stands on are whole and as they are now; the query of a view is as it was written, but for what it reads and names with a
schema (`ddl/view_texts.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import assert_never

import pyarrow as pa

from ...expr.coercion.type_rules import base_name
from ...expr.evaluate import fold
from ...expr.functions.system.system import quote_ident, quote_literal
from ...expr.text.text_output import to_text
from ...expr.tree.relation import GlobalId
from ...expr.tree.scalar import Cast, ColumnRef, Literal, Scalar
from ...repr.schema import Column
from ...repr.types import Kind, ScalarType
from ...sql.catalog.catalog_view import CatalogItem
from ...sql.plans.definition_plans import CounterConnector, FileConnector
from ...sql.plans.explain_tree import show
from ...sql.statement.rename_in_text import all_renamed_in_text
from ...storage.connections.options import ConnectionOptions, SecretRef
from ...storage.row_filter import RowFilter
from ...storage.sink.delta.options import DeltaSinkOptions
from ...storage.sink.iceberg.options import IcebergSinkOptions
from ...storage.sink.kafka.options import KafkaSinkOptions
from ...storage.sink.postgres.options import PostgresSinkOptions
from ...storage.source.generator.kinds import KINDS
from ...storage.source.generator.options import GeneratorOptions
from ...storage.source.kafka.options import KafkaOptions
from ...storage.source.s3.options import S3Options
from ...storage.source.upstream_tables import UpstreamOptions
from ...storage.source.webhook import Check, InputKind
from ..catalog.connectors import LakeSourceOptions
from ..catalog.dead_letters import dead_letters_of
from ..catalog.entries import ClusterEntry
from ..catalog.items import (
    AnyView,
    Connection,
    Index,
    MaterializedView,
    NamedType,
    Relational,
    Retaining,
    Running,
    SharedSource,
    Sink,
    Source,
    SourceTable,
    Table,
    View,
    WebhookSource,
)
from .constraints import constraint_sql
from .kafka_sql import kafka_source_sql
from .lake_sql import delta_sink_sql, iceberg_sink_sql, lake_source_sql
from .s3_sql import s3_sql
from .sink_sql import kafka_sink_sql
from .state import State
from .upstream_sql import excluded_upstream, reference_sql, text_columns, upstream_source_sql

_PLAIN = re.compile(r"\d+(\.\d+)?")


def create_sql(state: State, item: Relational | NamedType | Connection) -> str:
    """A statement that makes the object, under its present name."""
    name = quote_ident(item.name)
    if not item.temporary:
        name = f"{quote_ident(item.schema_name)}.{name}"
    temporary = "TEMPORARY " if item.temporary else ""
    cluster = f" IN CLUSTER {quote_ident(item.cluster)}" if isinstance(item, Running) else ""
    match item:
        case Table():
            return f"CREATE {temporary}TABLE {name} ({_columns(item)}){_with(_retained(item))}"
        case View():
            return f"CREATE {temporary}VIEW {name}{_names(item)} AS {item.definition_sql}"
        case MaterializedView():
            what, beside = "MATERIALIZED VIEW", ""
            if item.replaces is not None:
                view = state.catalog.get(item.replaces)
                what = "REPLACEMENT MATERIALIZED VIEW"
                beside = f" FOR {quote_ident(view.schema_name)}.{quote_ident(view.name)}"
            head = f"CREATE {what} {name}{_names(item)}{beside}{cluster}{_promises(item)}"
            return f"{head} AS {item.definition_sql}"
        case Index():
            on = state.on_name(item)
            head = f"CREATE INDEX {quote_ident(item.name)}{cluster} ON {on} ({keys(state, item)})"
            return head + _with(_retained(item))
        case Source():
            beside, options = _dead_letters(state, item)
            return f"CREATE SOURCE {name}{_source(state, item, cluster)}{beside}{_where(item.where)}{_with(options + _kept(item) + _retained(item))}"
        case SharedSource():
            connector = item.connector
            if isinstance(connector, UpstreamOptions):
                return f"CREATE SOURCE {name}{cluster}{upstream_source_sql(connector, partial(_full_name, state))}"
            return f"CREATE SOURCE {name}{cluster} FROM {_generator(connector)}"
        case SourceTable(is_dead_letters=True):
            return create_sql(state, state.catalog.get_as(item.source, Source))
        case SourceTable():
            source = f"{_full_name(state, item.source)} (REFERENCE {reference_sql(item)})"
            return f"CREATE TABLE {name} FROM SOURCE {source}{_where(item.where)}{_with(text_columns(item) + _kept(item) + _retained(item))}"
        case WebhookSource():
            return f"CREATE SOURCE {name} FROM WEBHOOK{_webhook(state, item)}"
        case Sink():
            return f"CREATE SINK {name}{cluster} FROM {state.on_name(item)}{_sink(state, item)}"
        case Connection(options=options):
            return f"CREATE CONNECTION {name} TO {options.kind.words} ({_connection(state, options)}) WITH (VALIDATE = false)"
        case NamedType(type=type_):
            if type_.kind is Kind.LIST:
                return f"CREATE TYPE {name} AS LIST (ELEMENT TYPE = {type_.element})"
            return f"CREATE TYPE {name} AS MAP (KEY TYPE = text, VALUE TYPE = {type_.element})"
        case _:
            assert_never(item)


def cluster_sql(entry: ClusterEntry) -> str:
    """A statement that makes the cluster; options that it leaves to the environment are left out."""
    options = []
    for name, value in sorted(entry.options.items()):
        shown = f"'{value}B'" if name == "memory_limit" and value else str(value)
        options.append(f"{name.replace('_', ' ').upper()} {shown}")
    return f"CREATE CLUSTER {quote_ident(entry.name)} ({', '.join(options)})"


def _columns(item: Table) -> str:
    parts = [
        _column(column, item.defaults[i] if item.defaults else None) for i, column in enumerate(item.schema)
    ]
    parts += [
        f"CONSTRAINT {quote_ident(c.name)} {constraint_sql(item.schema, c, pretty=True)}"
        for c in item.constraints
    ]
    return ", ".join(parts)


def _column(column: Column, default: Scalar | None) -> str:
    text = f"{quote_ident(column.name)} {column.type}{'' if column.nullable else ' NOT NULL'}"
    return text if default is None else f"{text} DEFAULT {default_sql(default)}"


def _names(item: AnyView) -> str:
    """The columns of a view, where they are not called as its query calls them."""
    if not item.named:
        return ""
    return f" ({', '.join(map(quote_ident, item.schema.names))})"


def _promises(item: MaterializedView) -> str:
    options = [f"ASSERT NOT NULL {quote_ident(item.schema[index].name)}" for index in item.assert_not_null]
    return _with(options + _retained(item))


def _retained(item: Retaining) -> list[str]:
    retained = item.retain_history_ms
    return [] if retained is None else [f"RETAIN HISTORY FOR '{retained}ms'"]


def _where(where: RowFilter | None) -> str:
    return "" if where is None else f" WHERE ({where.text})"


def _kept(item: Source | SourceTable) -> list[str]:
    """Which columns, and for how long rows."""
    shown = []
    excluded = excluded_upstream(item) if isinstance(item, SourceTable) else ()
    if item.projection is not None:
        excluded += tuple(name for name in item.projection.excluded if name not in excluded)
    if excluded:
        shown.append(f"EXCLUDE COLUMNS ({', '.join(map(quote_ident, excluded))})")
    if (rows := item.retention) is not None:
        by = quote_ident(item.physical[rows.column].name)
        shown.append(f"RETAIN ROWS FOR '{rows.duration_ms}ms' BY {by}")
    return shown


def _with(options: Sequence[str]) -> str:
    return f" WITH ({', '.join(options)})" if options else ""


def _full_name(state: State, id: GlobalId) -> str:
    item = state.catalog.get(id)
    return f"{quote_ident(item.schema_name)}.{quote_ident(item.name)}"


def _generator(options: GeneratorOptions) -> str:
    kind, plain = KINDS[options.kind], GeneratorOptions(options.kind)
    shown = []
    for name in kind.options:
        words = name.upper().replace("_", " ")
        if name == "tick_interval":
            if options.tick_ms is not None:
                shown.append(f"{words} '{options.tick_ms}ms'")
        elif (value := getattr(options, name)) != getattr(plain, name):
            shown.append(f"{words} {str(value).lower()}")
    listed = f" ({', '.join(shown)})" if shown else ""
    return f"LOAD GENERATOR {options.kind.upper().replace('_', ' ')}{listed}"


def _source(state: State, item: Source, cluster: str) -> str:
    connector = item.connector
    if isinstance(connector, KafkaOptions):
        return kafka_source_sql(item, connector, partial(_full_name, state), cluster)
    if isinstance(connector, GeneratorOptions):
        return f"{cluster} FROM {_generator(connector)}"
    if isinstance(connector, CounterConnector):
        shown = [f"TICK INTERVAL '{connector.tick_ms}ms'"]
        if connector.max_cardinality is not None:
            shown.append(f"MAX CARDINALITY {connector.max_cardinality}")
        return f"{cluster} FROM LOAD GENERATOR COUNTER ({', '.join(shown)})"
    columns = ", ".join(_column(column, None) for column in item.read)
    if isinstance(connector, LakeSourceOptions):
        return f" ({columns}){cluster} FROM {lake_source_sql(connector, partial(_full_name, state))}"
    if isinstance(connector, S3Options):
        place = s3_sql(connector, partial(_full_name, state))
    else:
        place = f"FILE {_string(connector.path)}"
    text = f" ({columns}){cluster} FROM {place} FORMAT {connector.format.upper()}"
    shown = []
    if connector.format == "csv":
        shown += [f"DELIMITER {_string(connector.delimiter)}", f"HEADER {str(connector.header).lower()}"]
    if isinstance(connector, FileConnector) and connector.pattern is not None:
        shown.append(f"PATTERN {_string(connector.pattern)}")
    if shown:
        text += f" WITH ({', '.join(shown)})"
    return text + _keyed(item, item.physical.names)


def _dead_letters(state: State, item: Source) -> tuple[str, list[str]]:
    """What names the table of dead letters, and the options that ask for it."""
    table = dead_letters_of(state.catalog, item.id)
    if table is None:
        return "", []
    return f" DEAD LETTERS AS {_full_name(state, table.id)}", ["ON ERROR = DEAD LETTER"]


def _webhook(state: State, item: WebhookSource) -> str:
    webhook = item.webhook
    text = f" BODY FORMAT {webhook.format.value.upper()}{' ARRAY' if webhook.array else ''}"
    if webhook.headers is not None:
        named = [*map(_string, webhook.headers.only), *(f"NOT {_string(n)}" for n in webhook.headers.but)]
        text += " INCLUDE HEADERS" + (f" ({', '.join(named)})" if named else "")
    for column in webhook.columns:
        text += (
            f" INCLUDE HEADER {_string(column.header)} AS {quote_ident(column.column)}{_bytes(column.binary)}"
        )
    if webhook.check is not None:
        text += f" CHECK ({_check_inputs(state, webhook.check)}{webhook.check.text})"
    text += _where(webhook.where)
    options = [] if webhook.key_header is None else [f"IDEMPOTENCY KEY HEADER {_string(webhook.key_header)}"]
    return text + _with(options + _retained(item))


def _check_inputs(state: State, check: Check) -> str:
    """What the expression knows; secrets by their present names, under those that it has for them."""
    shown = []
    for given in check.inputs:
        if given.secret is not None:
            text = f"SECRET {_full_name(state, given.secret)} AS {quote_ident(given.name)}"
        else:
            plain = given.kind in (InputKind.HEADERS, InputKind.BODY) and given.name == given.kind.value
            text = given.kind.value.upper() + ("" if plain else f" AS {quote_ident(given.name)}")
        shown.append(text + _bytes(given.binary))
    return f"WITH ({', '.join(shown)}) " if shown else ""


def _bytes(binary: bool) -> str:
    return " BYTES" if binary else ""


def _sink(state: State, item: Sink) -> str:
    connector = item.connector
    names = state.catalog.item_by_id(item.on).schema.names
    if isinstance(connector, KafkaSinkOptions):
        return kafka_sink_sql(connector, partial(_full_name, state), item, names)
    if isinstance(connector, PostgresSinkOptions):
        table = f"{quote_ident(connector.schema)}.{quote_ident(connector.table)}"
        into = f" INTO POSTGRES CONNECTION {_full_name(state, connector.connection)} (TABLE {table})"
        return into + _keyed(item, names) + ("" if connector.snapshot else " WITH (SNAPSHOT = false)")
    if isinstance(connector, IcebergSinkOptions):
        return iceberg_sink_sql(connector, partial(_full_name, state), item, names)
    if isinstance(connector, DeltaSinkOptions):
        return delta_sink_sql(connector, partial(_full_name, state), item, names)
    return f" INTO FILE {_string(connector.path)} FORMAT {connector.format.upper()}{_keyed(item, names)}"


def _keyed(item: Source | Sink, names: Sequence[str]) -> str:
    text = f" KEY ({', '.join(quote_ident(names[index]) for index in item.key)})" if item.key else ""
    return f"{text} ENVELOPE {item.envelope.value.upper()}"


def _connection(state: State, options: ConnectionOptions) -> str:
    """Secrets by their names."""
    shown = []
    for name, value in options.values.items():
        match value:
            case SecretRef(id=id_):
                secret = state.catalog.get(id_)
                text = f"SECRET {quote_ident(secret.schema_name)}.{quote_ident(secret.name)}"
            case tuple():
                text = f"({', '.join(map(_string, value))})"
            case _:
                text = _string(value)
        shown.append(f"{name} = {text}")
    return ", ".join(shown)


def _string(text: str) -> str:
    return quote_literal(text).strip()


def index_sql(state: State, index: Index) -> str:
    """The definition as PostgreSQL's clients read it: psql shows what follows USING."""
    on = state.on_name(index)
    return f"CREATE INDEX {quote_ident(index.name)} ON {on} USING arrangement ({keys(state, index)})"


def keys(state: State, index: Index) -> str:
    """The key of an index."""
    return ", ".join(key_columns(state, index))


def key_columns(state: State, index: Index) -> list[str]:
    """Each column of the key: a name, or an expression in parentheses."""
    item = state.catalog.item_by_id(index.on)
    names = [""] * (max(item.layout) + 1) if item.layout else [""] * len(item.schema)
    for position, column in enumerate(item.schema):
        names[item.stored_position(position)] = quote_ident(column.name)
    written = _written_keys(index, item)
    return [
        names[key.index] if isinstance(key, ColumnRef) else f"({written[i] or expression_sql(key, names)})"
        for i, key in enumerate(index.keys)
    ]


def _written_keys(index: Index, on: CatalogItem) -> Sequence[str | None]:
    """The key's expressions as they were written, under the present names of the columns; None where that is not known."""
    if not index.key_texts:
        return [None] * len(index.keys)
    now = {on.stored_position(position): column.name for position, column in enumerate(on.schema)}
    renamed = {name: now[place] for name, place in index.key_columns.items() if now[place] != name}
    return [all_renamed_in_text(text, renamed) for text in index.key_texts]


def expression_sql(scalar: Scalar, names: Sequence[str] = ()) -> str:
    """An expression over columns of those names."""
    return default_sql(scalar) if isinstance(scalar, Literal) else show(scalar, names)


def default_sql(scalar: Scalar) -> str:
    """A DEFAULT as PostgreSQL prints it: numbers that have no sign and truth values as they are, other values as
    typed strings."""
    value = fold(scalar)
    if isinstance(value, Cast) and not value.explicit:
        return default_sql(value.arg)  # the column casts it anew, and may fail: a text that is too long
    if not isinstance(value, Literal):
        return show(scalar, ())
    type_ = value.type
    if value.value is None:
        return f"NULL::{_open_name(type_)}"
    text: str = to_text(pa.array([value.value], type_.arrow), type_)[0].as_py()
    if type_.kind is Kind.BOOL:
        return "true" if value.value else "false"
    if type_.is_numeric_category and _PLAIN.fullmatch(text):
        return text.rstrip("0").rstrip(".") if type_.kind is Kind.NUMERIC and "." in text else text
    if type_.kind is Kind.BPCHAR:
        text = value.value  # without the blanks that the column's length gives it
    return f"{_string(text)}::{_open_name(type_)}"


def _open_name(type_: ScalarType) -> str:
    """The type without length or precision: `character` would be one of a single character."""
    name = base_name(type_)
    return name.replace("character", "bpchar") if type_.leaf.kind is Kind.BPCHAR else name
