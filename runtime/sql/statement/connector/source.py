"""CREATE SOURCE, and CREATE TABLE ... FROM SOURCE."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ....errors import InvalidParameter, PtvcError, SqlSyntaxError, Unsupported, WrongObjectType
from ....expr.functions.system.system import quote_ident
from ....repr.schema import Column, Schema
from ....repr.types import INT8
from ....storage.ingestion import PROGRESS
from ....storage.source.delta.options import DeltaSourceOptions
from ....storage.source.generator.kinds import KINDS, GeneratorKind
from ....storage.source.generator.options import GeneratorOptions
from ....storage.source.generator.ticking import PROGRESS_SCHEMA
from ....storage.source.iceberg.options import IcebergSourceOptions
from ....storage.source.s3.options import S3Options
from ...catalog.catalog_view import CatalogItem, ItemKind, QualifiedName
from ...catalog.names import check_cluster, find, new_name, no_relation
from ...parser.columns import duration_ms
from ...plans import definition_plans, query_plans
from ...plans.session_plans import NoOp
from ...query.planner import Planner
from ...syntax import ast
from ...syntax.definition_statements import (
    AddWhereStatement,
    ApplyOffersStatement,
    CreateSourceStatement,
    CreateSourceTableStatement,
    Option,
)
from ...syntax.vocabulary import ObjectKind
from ..definitions import columns_schema, integer_option, refuse_repeated, unknown_option
from ..skipping import not_altered
from . import kafka_source, upstream_source
from .beside_source import is_progress, named, refuse_same_names, table_beside, table_name, tables_beside
from .excluded_columns import kept_key, kept_schema, projection
from .lake_source import lake_connector
from .row_filter import condition_binder, refuse_kept, refuse_where, row_filter
from .row_retention import row_retention
from .s3_source import s3_connector

_LEAST = {
    "as_of": 0, "up_to": 0, "seed": 0, "keys": 1, "partitions": 1, "batch_size": 1, "value_size": 0, "snapshot_rounds": 1
}  # fmt: skip
"""Options of load generators that are whole numbers, with the least value of each."""

MOST_SCALE = 100
"""Of TPCH."""


_Relation = (
    definition_plans.CounterConnector
    | definition_plans.FileConnector
    | S3Options
    | DeltaSourceOptions
    | IcebergSourceOptions
)
"""Of a source that is a relation itself."""


def create_source(planner: Planner, node: CreateSourceStatement, sql: str) -> definition_plans.CreateSource:
    if node.kafka is not None:
        return kafka_source.create_source(planner, node, node.kafka, sql)
    if node.upstream is not None:
        return upstream_source.create_source(planner, node, node.upstream, sql)
    if not node.lists_columns and node.generator_kind != "counter":
        return _generator(planner, node, sql)
    name = new_name(node.name, planner.context)
    cluster = check_cluster(node.cluster, planner.context)
    if not node.lists_columns:
        if node.columns:
            raise SqlSyntaxError("LOAD GENERATOR COUNTER has the column counter", position=node.position)
        if node.tables is not None or node.progress is not None:
            raise Unsupported(
                "LOAD GENERATOR COUNTER is a relation itself: it has no tables, and exposes no progress",
                hint="Read the source.",
                position=node.position,
            )
        schema = Schema((Column("counter", INT8, False),))
        connector: _Relation = _counter(node.generator)
    else:
        place = _place(node)
        if not node.columns:
            raise Unsupported(
                f"CREATE SOURCE ... FROM {place} needs a list of columns",
                hint=f"Write CREATE SOURCE name (column type, ...) FROM {place} ...",
                position=node.position,
            )
        refuse_repeated([column.name for column in node.columns], node.name)
        for column in node.columns:
            if column.default is not None:
                raise Unsupported("columns of sources have no DEFAULT", position=column.position)
        schema = columns_schema(planner, node.columns)
        connector = _files(planner, node) if node.lake is None else lake_connector(planner, node.lake)
    key = tuple(_position(schema, column) for column in node.key or node.primary_key)
    envelope = query_plans.Envelope(node.envelope)
    if envelope is query_plans.Envelope.DEBEZIUM:
        raise Unsupported("ENVELOPE DEBEZIUM of sources is not supported yet", position=node.position)
    if envelope is query_plans.Envelope.UPSERT and not key:
        raise SqlSyntaxError("ENVELOPE UPSERT requires KEY (...)", position=node.position)
    if envelope is query_plans.Envelope.NONE and key:
        raise Unsupported(
            "a key without ENVELOPE UPSERT is not supported: it would not be enforced",
            hint="Add ENVELOPE UPSERT or remove the key.",
            position=node.position,
        )
    kept = projection(node.excluded, name.name, schema, key)
    word = {"FILE": "file", "S3": "s3", "DELTA": "delta", "ICEBERG CATALOG": "iceberg"}.get(
        _place(node), "counter"
    )
    tables = tables_beside(planner, node, name, word, None, envelope)
    return definition_plans.CreateSource(
        name,
        connector,
        kept_schema(schema, kept),
        kept_key(key, kept),
        envelope,
        cluster,
        sql,
        node.if_not_exists,
        node.retain_history_ms,
        tables,
        where=row_filter(planner, node.where, name, schema),
        projection=kept,
        retention=row_retention(node.retain_rows, name.name, kept_schema(schema, kept)),
    )


def _place(node: CreateSourceStatement) -> str:
    """What stands behind FROM."""
    if node.path is not None:
        return "FILE"
    if node.s3 is not None:
        return "S3"
    if node.lake is not None:
        return "DELTA" if node.lake.connection is None else "ICEBERG CATALOG"
    return "LOAD GENERATOR"


def create_source_table(
    planner: Planner, node: CreateSourceTableStatement, sql: str
) -> definition_plans.CreateSourceTable:
    name = table_name(node.name, planner)
    source = _source(node.source, planner)
    assert source.offers is not None
    if source.upstream is not None and not is_progress(node.reference):
        return upstream_source.create_source_table(planner, node, name, source, source.upstream, sql)
    if node.text:
        raise Unsupported(
            "TEXT COLUMNS are for tables of POSTGRES and MYSQL sources",
            position=node.text[0].position,
        )
    reference = _reference(node.reference, source.offers, source.name.name)
    if reference == PROGRESS:
        refuse_where(node.where, "the position of a source", "Write it in a view.")
    offered = source.offers[reference]
    kept = projection(node.excluded, name.name, offered)
    return definition_plans.CreateSourceTable(
        name,
        source.id,
        reference,
        kept_schema(offered, kept),
        node.if_not_exists,
        node.retain_history_ms,
        sql,
        where=row_filter(planner, node.where, name, offered),
        projection=kept,
        retention=row_retention(node.retain_rows, name.name, kept_schema(offered, kept)),
    )


def add_where(planner: Planner, node: AddWhereStatement) -> definition_plans.AddWhere | NoOp:
    item = _with_rows(planner, node)
    if item is None:
        return not_altered(node.kind, node.name)
    where = row_filter(planner, node.where, item.name, item.schema)
    assert where is not None
    return definition_plans.AddWhere(node.kind, item.id, where)


def apply_offers(planner: Planner, node: ApplyOffersStatement) -> definition_plans.ApplyOffers | NoOp:
    item = _with_rows(planner, node)
    if item is None:
        return not_altered(node.kind, node.name)
    return definition_plans.ApplyOffers(node.kind, item.id, node.offers, condition_binder(planner, item))


def _with_rows(planner: Planner, node: AddWhereStatement | ApplyOffersStatement) -> CatalogItem | None:
    """The source, or the table of one, that the statement is about; None if there is none, and that is no error."""
    item = find(node.name, planner.context)
    if item is None:
        if node.if_exists:
            return None
        raise no_relation(node.name, planner.context)
    is_source = item.kind is ItemKind.SOURCE and item.is_relation
    if not (is_source or (item.source is not None and not item.dead_letters)) or (
        node.kind is ObjectKind.SOURCE and not is_source
    ):
        raise WrongObjectType(
            f'"{item.name.name}" is no {"source with rows" if node.kind is ObjectKind.SOURCE else "table of a source"}',
            hint=_other_statement(node, item),
            position=node.name.position,
        )
    return item


def _other_statement(node: AddWhereStatement | ApplyOffersStatement, item: CatalogItem) -> str | None:
    """What is to be altered instead of `item`, if there is something."""
    words = "APPLY" if isinstance(node, ApplyOffersStatement) else "ADD WHERE (condition)"
    name = ".".join(map(quote_ident, node.name.parts))
    if node.kind is ObjectKind.SOURCE and item.source is not None and not item.dead_letters:
        return f"It is a table of a source: ALTER TABLE {name} {words}."
    if node.kind is ObjectKind.SOURCE and item.kind is ItemKind.SOURCE:
        return f"Its tables have the rows: ALTER TABLE ... {words}."
    return None


def _source(name: ast.Name, planner: Planner) -> CatalogItem:
    """The source of that name, from which tables can be made."""
    item = find(name, planner.context)
    if item is None:
        raise no_relation(name, planner.context)
    if item.kind is not ItemKind.SOURCE:
        raise WrongObjectType(f'"{item.name.name}" is not a source', position=name.position)
    if item.offers is None:
        raise WrongObjectType(
            f'no tables can be made from source "{item.name.name}"',
            hint="Read the source.",
            position=name.position,
        )
    return item


def _reference(name: ast.Name, offers: Mapping[str, Schema], source: str) -> str:
    """What the source calls the table, which may be named without the schema that it is in."""
    shown = ".".join(name.parts)
    found = [offer for offer in offers if offer == shown or offer.endswith(f".{shown}")]
    if len(found) != 1:
        raise PtvcError(
            f'source "{source}" does not offer "{shown}"'
            if not found
            else f'"{shown}" is ambiguous: source "{source}" offers {", ".join(found)}',
            sqlstate="42P01" if not found else "42702",
            hint=f"It offers {', '.join(offers)}; see mz_internal.mz_source_references.",
            position=name.position,
        )
    return found[0]


def _generator(planner: Planner, node: CreateSourceStatement, sql: str) -> definition_plans.CreateSource:
    kind = KINDS.get(node.generator_kind)
    shown = node.generator_kind.upper().replace("_", " ")
    if kind is None:
        raise Unsupported(
            f"LOAD GENERATOR {shown} is not supported",
            hint=f"There are COUNTER, {', '.join(name.upper().replace('_', ' ') for name in KINDS)}.",
            position=node.position,
        )
    if node.columns:
        raise SqlSyntaxError(f"LOAD GENERATOR {shown} has columns of its own", position=node.position)
    if node.tables is not None and not kind.shared:
        raise Unsupported(
            f"LOAD GENERATOR {shown} is a relation itself: it has no tables",
            hint="Read the source.",
            position=node.position,
        )
    if kind.shared and node.retain_history_ms is not None:
        raise Unsupported(
            "RETAIN HISTORY of a source without rows is not supported",
            hint="CREATE TABLE ... FROM SOURCE ... WITH (RETAIN HISTORY FOR ...).",
            position=node.position,
        )
    name = new_name(node.name, planner.context)
    where, kept, schema = None, None, None
    if kind.shared:
        refuse_kept(node)
    else:
        kept = projection(node.excluded, name.name, kind.tables[""])
        where = row_filter(planner, node.where, name, kind.tables[""])
        schema = kept_schema(kind.tables[""], kept)
    tables = tuple(_tables(planner, node, kind, name))
    refuse_same_names(name, named(tables), node.name.position)
    return definition_plans.CreateSource(
        name,
        _generator_options(node.generator_kind, kind, node.generator),
        schema,
        (),
        query_plans.Envelope.NONE,
        check_cluster(node.cluster, planner.context),
        sql,
        node.if_not_exists,
        node.retain_history_ms,
        tables,
        where=where,
        projection=kept,
        retention=None if schema is None else row_retention(node.retain_rows, name.name, schema),
    )


def _tables(
    planner: Planner, node: CreateSourceStatement, kind: GeneratorKind, source: QualifiedName
) -> Iterator[definition_plans.CreateSourceTable]:
    """The tables that the statement makes with the source."""
    offers = kind.offers(node.generator_kind)
    chosen: list[tuple[ast.Name | None, str]] = []
    if node.tables is not None:
        chosen = [(None, reference) for reference in offers]
    if node.tables:
        chosen = [(asked.name, _reference(asked.reference, offers, source.name)) for asked in node.tables]
    for asked_name, reference in chosen:
        own = replace(source, name=reference.rpartition(".")[2])
        name = own if asked_name is None else table_beside(asked_name, source, planner)
        yield definition_plans.CreateSourceTable(name, None, reference, offers[reference])
    yield from tables_beside(planner, node, source, node.generator_kind, PROGRESS_SCHEMA)


def _generator_options(word: str, kind: GeneratorKind, options: Sequence[Option]) -> GeneratorOptions:
    found: dict[str, Any] = {"tick_ms": kind.tick_ms}
    for option in options:
        if option.name not in kind.options:
            raise unknown_option(option, kind.options)
        if option.name in _LEAST:
            found[option.name] = integer_option(option, _LEAST[option.name])
        elif option.name == "tick_interval":
            found["tick_ms"] = _tick_ms(option)
        elif option.name == "scale_factor":
            found[option.name] = _scale_factor(option)
        else:
            found[option.name] = _truth(option)
    read = GeneratorOptions(word, **found)
    position = options[0].position if options else 0
    if read.up_to is not None and read.up_to < read.as_of:
        raise InvalidParameter("UP TO must not be before AS OF", position=position)
    if read.keys % read.partitions:
        raise InvalidParameter("KEYS must be divisible by PARTITIONS", position=position)
    if read.batch_size * read.partitions > read.keys:
        raise InvalidParameter("BATCH SIZE must not exceed the keys of a partition", position=position)
    return read


def _tick_ms(option: Option) -> int:
    if not isinstance(option.value, str):
        raise InvalidParameter("TICK INTERVAL must be a duration, as in '1s'", position=option.position)
    tick = duration_ms(option.value, option.position)
    if tick < 1:
        raise InvalidParameter("TICK INTERVAL must be at least 1 ms", position=option.position)
    return tick


def _scale_factor(option: Option) -> float:
    value = option.value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= MOST_SCALE:
        raise InvalidParameter(
            f"SCALE FACTOR must be a number above 0, of at most {MOST_SCALE}", position=option.position
        )
    return float(value)


def _truth(option: Option) -> bool:
    if not isinstance(option.value, bool):
        raise InvalidParameter(
            f"{option.name.upper().replace('_', ' ')} must be true or false", position=option.position
        )
    return option.value


def _position(schema: Schema, column: ast.Name) -> int:
    if column.parts[-1] not in schema.names:
        raise PtvcError(
            f'column "{column.parts[-1]}" named in key does not exist',
            sqlstate="42703",
            position=column.position,
        )
    return schema.names.index(column.parts[-1])


def _counter(options: Sequence[Option]) -> definition_plans.CounterConnector:
    tick, cardinality = 1000, None
    for option in options:
        if option.name == "tick_interval" and isinstance(option.value, str):
            tick = _tick_ms(option)
        elif option.name == "max_cardinality":
            cardinality = integer_option(option, 1)
        else:
            raise unknown_option(option, ("tick_interval", "max_cardinality"))
    return definition_plans.CounterConnector(tick, cardinality)


def _files(planner: Planner, node: CreateSourceStatement) -> definition_plans.FileConnector | S3Options:
    header, delimiter, pattern = True, ",", None
    known = ("header", "delimiter", "pattern") if node.s3 is None else ("header", "delimiter")
    for option in node.options:
        if option.name == "header" and node.format == "csv":
            header = option.value is True
        elif option.name == "delimiter" and node.format == "csv":
            if not isinstance(option.value, str) or len(option.value) != 1:
                raise InvalidParameter("DELIMITER must be a single character", position=option.position)
            delimiter = option.value
        elif option.name == "pattern" and isinstance(option.value, str) and node.s3 is None:
            pattern = option.value
        else:
            raise unknown_option(option, known)
    if node.s3 is not None:
        return s3_connector(planner, node.s3, node.format, header=header, delimiter=delimiter)
    assert node.path is not None
    return definition_plans.FileConnector(node.path, node.format, delimiter, header, pattern)
