"""Items and their JSON, and the JSON of catalogs that were written when one class had the fields of all kinds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ptvc.compute.lower.shared_arrangements import IndexKey
from ptvc.coord.catalog.acl import AclItem
from ptvc.coord.catalog.item_json import CATALOG_VERSION, item_from_json, item_to_json
from ptvc.coord.catalog.items import (
    Connection,
    Former,
    Function,
    Index,
    Item,
    MaterializedView,
    NamedType,
    Secret,
    SharedSource,
    Sink,
    Source,
    SourceTable,
    Table,
    View,
    WebhookSource,
    shards_of,
)
from ptvc.coord.catalog.stored_layout import AS_CREATED, StoredLayout
from ptvc.errors import UndefinedObject
from ptvc.expr.tree.codec import relation_from_json
from ptvc.expr.tree.relation import Relation
from ptvc.expr.tree.scalar import Call, ColumnRef, Literal
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import BOOL, BYTEA, INT4, INT8, TEXT, TIMESTAMPTZ, Kind, ScalarType
from ptvc.sql.plans.definition_plans import CounterConnector, FileConnector, FileSinkConnector
from ptvc.sql.plans.query_plans import Envelope
from ptvc.sql.syntax.constraints import Constraint, ConstraintKind
from ptvc.sql.syntax.function_definition import FunctionArgument, FunctionDefinition, Volatility
from ptvc.storage.connections.options import ConnectionKind, ConnectionOptions, SecretRef
from ptvc.storage.source.generator.options import GeneratorOptions
from ptvc.storage.source.mysql.options import MysqlOptions
from ptvc.storage.source.mysql.tables import MysqlColumn, MysqlTable
from ptvc.storage.source.postgres.options import PostgresOptions
from ptvc.storage.source.postgres.tables import UpstreamColumn, UpstreamTable
from ptvc.storage.source.s3.options import S3Options
from ptvc.storage.source.upstream_tables import parsed_table
from ptvc.storage.source.webhook import (
    BodyFormat,
    Check,
    CheckInput,
    HeaderColumn,
    HeaderFilter,
    InputKind,
    WebhookOptions,
)

ROWS = dict(
    line.split("\t")
    for line in (Path(__file__).parent / "testdata" / "items_version_1.tsv").read_text().splitlines()
)
"""Rows of a durable catalog of version 1, word for word: what a runtime wrote before kinds had classes of their own."""

NUMERIC_8_2 = ScalarType(Kind.NUMERIC, precision=8, scale=2)
AB = Schema((Column("a", INT4), Column("b", TEXT)))
TOTALS = Schema((Column("b", TEXT), Column("total", INT8, False)))
X = ColumnRef(0, INT4, False)
PLAIN_WEBHOOK = WebhookOptions(BodyFormat.TEXT)
WEBHOOK = WebhookOptions(
    BodyFormat.JSON,
    array=True,
    headers=HeaderFilter(("a",), ("b",)),
    columns=(HeaderColumn("x", "X"), HeaderColumn("y", "y", binary=True)),
    check=Check(
        (
            CheckInput(InputKind.HEADERS, "h"),
            CheckInput(InputKind.BODY, "body", binary=True),
            CheckInput(InputKind.SECRET, "s", binary=True, secret="u25"),
        ),
        Call("eq", (ColumnRef(1, BYTEA, True), ColumnRef(2, BYTEA, True)), BOOL, True),
        "body = s",
    ),
    key_header="x-key",
)


def relation(what: str) -> Relation:
    return relation_from_json(json.loads(ROWS[what])["relation"])


def identity(number: int, oid: int, name: str, created_at: int) -> dict[str, Any]:
    return {
        "id": f"u{number}",
        "oid": oid,
        "schema_name": "public",
        "name": name,
        "created_at": 1795391140000 + created_at,
    }


EXPECTED: dict[str, Item] = {
    "table": Table(
        **identity(1, 16386, "t", 1127),
        acl=(AclItem("u1", "u1", "arwdDxtm", ""), AclItem("u16400", "u1", "r", "")),
        comment="the é table",
        schema=Schema((Column("id", INT4, False), Column("name", TEXT, False), Column("extra", INT4))),
        column_comments={1: "a name"},
        shard="u1",
        defaults=(None, Literal("n", TEXT), Literal(7, INT4)),
        constraints=(Constraint("t_pkey", ConstraintKind.PRIMARY_KEY, (0,), oid=16384),),
        layout=StoredLayout((INT4, TEXT, NUMERIC_8_2, INT4), (0, 1, 3), ("7",)),
        retain_history_ms=3_600_000,
    ),
    "plain table": Table(
        **identity(2, 16387, "plain", 1215), schema=AB, shard="u2", defaults=(None, None), layout=AS_CREATED
    ),
    "view": View(
        **identity(3, 16388, "v", 1266),
        uses=("u1",),
        schema=Schema((Column("x", INT4, False),)),
        relation=relation("view"),
        definition_sql="SELECT id FROM t",
        columns=(("u1", 0),),
        named=True,
    ),
    "materialized view": MaterializedView(
        **identity(5, 16390, "m", 1318),
        uses=("u2",),
        schema=TOTALS,
        relation=relation("materialized view"),
        definition_sql="SELECT b, sum(a) AS total FROM plain GROUP BY b",
        columns=(("u2", 0), ("u2", 1)),
        cluster="quickstart",
        shard="u5",
        retain_history_ms=10_800_000,
        assert_not_null=(1,),
    ),
    "materialized view that shares": MaterializedView(
        **identity(8, 16393, "sharing", 1407),
        uses=("u2",),
        schema=AB,
        relation=relation("materialized view that shares"),
        definition_sql="SELECT l.a, r.b FROM plain l JOIN plain r USING (a)",
        columns=(("u2", 0), ("u2", 1)),
        cluster="quickstart",
        shard="u8",
        shares=(IndexKey("u7", "u2", (0,)),),
    ),
    "replacement": MaterializedView(
        **identity(9, 16394, "m2", 1438),
        uses=("u2",),
        schema=TOTALS,
        relation=relation("replacement"),
        definition_sql="SELECT b, count(*) AS total FROM plain GROUP BY b",
        columns=(("u2", 1),),
        cluster="quickstart",
        shard="u9",
        shares=(IndexKey("u7", "u2", (0,)),),
        replaces="u5",
    ),
    "replaced materialized view": MaterializedView(
        **identity(5, 16390, "m", 1318),
        uses=("u2",),
        schema=TOTALS,
        relation=relation("replacement"),
        definition_sql="SELECT b, count(*) AS total FROM plain GROUP BY b",
        columns=(("u2", 1),),
        cluster="quickstart",
        shard="u5",
        shares=(IndexKey("u7", "u2", (0,)),),
        retain_history_ms=10_800_000,
        replaced=True,
        state="u9",
    ),
    "index": Index(
        **identity(4, 16389, "v_x", 1296),
        uses=("u3",),
        cluster="quickstart",
        relation=relation("index"),
        keys=(X, Call("add", (X, Literal(1, INT4)), INT4, False)),
        retain_history_ms=7_200_000,
        key_texts=("x", "x + 1"),
        key_columns={"x": 0},
    ),
    "file source": Source(
        **identity(10, 16395, "files", 1469),
        schema=Schema((Column("k", INT4), Column("v", TEXT))),
        cluster="quickstart",
        shard="u10",
        remap="u10-remap",
        create_sql="CREATE SOURCE files (k int, v text) FROM FILE '/data/in' FORMAT CSV WITH (HEADER true) KEY (k) ENVELOPE UPSERT",
        label="files",
        connector=FileConnector("/data/in", "csv", ",", True, None),
        key=(0,),
        envelope=Envelope.UPSERT,
    ),
    "counter source": Source(
        **identity(11, 16396, "counter", 1505),
        schema=Schema((Column("counter", INT8, False),)),
        cluster="quickstart",
        shard="u11",
        remap="u11-remap",
        create_sql="CREATE SOURCE counter FROM LOAD GENERATOR COUNTER (TICK INTERVAL '1s')",
        label="counter",
        connector=CounterConnector(1000, None),
        key=(),
        envelope=Envelope.NONE,
    ),
    "clock source": Source(
        **identity(21, 16421, "now", 1505),
        schema=Schema((Column("time", TIMESTAMPTZ, False),)),
        cluster="quickstart",
        shard="u21",
        remap="u21-remap",
        create_sql="CREATE SOURCE now FROM LOAD GENERATOR CLOCK",
        label="now",
        connector=GeneratorOptions("clock", tick_ms=1000),
        key=(),
        envelope=Envelope.NONE,
    ),
    "shared source": SharedSource(
        **identity(22, 16422, "h", 1505),
        cluster="quickstart",
        remap="u22-remap",
        create_sql="CREATE SOURCE h FROM LOAD GENERATOR TPCH (SCALE FACTOR 0.1)",
        label="h",
        connector=GeneratorOptions("tpch", scale_factor=0.1, seed=3, up_to=9),
    ),
    "source table": SourceTable(
        **identity(23, 16423, "orders", 1505),
        schema=AB,
        uses=("u22",),
        shard="u23",
        reference="tpch.orders",
        retain_history_ms=5000,
    ),
    "webhook": WebhookSource(
        **identity(24, 16424, "posted", 1506),
        schema=WEBHOOK.schema,
        uses=("u25",),
        shard="u24",
        keys="u24-keys",
        create_sql="CREATE SOURCE posted FROM WEBHOOK ...",
        webhook=WEBHOOK,
        retain_history_ms=5000,
    ),
    "plain webhook": WebhookSource(
        **identity(25, 16425, "plain", 1507),
        schema=PLAIN_WEBHOOK.schema,
        shard="u25",
        keys=None,
        create_sql="CREATE SOURCE plain FROM WEBHOOK BODY FORMAT TEXT",
        webhook=PLAIN_WEBHOOK,
    ),
    "sink": Sink(
        **identity(12, 16397, "s", 1548),
        uses=("u2",),
        schema=AB,
        cluster="quickstart",
        remap="u12-progress",
        create_sql="CREATE SINK s FROM plain INTO FILE '/data/out' FORMAT JSON KEY (a) ENVELOPE UPSERT",
        connector=FileSinkConnector("/data/out", "json"),
        key=(0,),
        envelope=Envelope.UPSERT,
        as_of=1795391141548,
    ),
    "switched sink": Sink(
        **identity(12, 16397, "s", 1548),
        uses=("u15", "u2"),
        schema=AB,
        cluster="quickstart",
        remap="u12-progress",
        create_sql="CREATE SINK s FROM plain INTO FILE '/data/out' FORMAT JSON KEY (a) ENVELOPE UPSERT",
        connector=FileSinkConnector("/data/out", "json"),
        key=(0,),
        envelope=Envelope.UPSERT,
        as_of=1795391141548,
        generation=1,
        formers=(Former("u2", 0, 1795391141700),),
    ),
    "type": NamedType(**identity(13, 16398, "ints", 1566), type=ScalarType(Kind.LIST, element=INT4)),
    "function": Function(
        **identity(14, 16399, "twice", 1601),
        definition=FunctionDefinition(
            (FunctionArgument("x", INT4),), INT4, "SELECT x * 2", volatility=Volatility.IMMUTABLE
        ),
    ),
}


@pytest.mark.parametrize("what", ROWS)
def test_rows_of_version_1_are_the_same_items(what: str) -> None:
    item = item_from_json(ROWS[what])
    assert item == EXPECTED[what]
    assert item_from_json(item_to_json(item)) == item


@pytest.mark.parametrize("what", ROWS)
def test_what_is_written_is_a_part_of_those_rows_and_the_rest_was_empty(what: str) -> None:
    before, now = json.loads(ROWS[what]), json.loads(item_to_json(EXPECTED[what]))
    assert (before.pop("version"), now.pop("version")) == (1, CATALOG_VERSION)
    assert now == {name: before[name] for name in now if name in before}
    assert all(before[name] in (None, "", [], {}) for name in before.keys() - now.keys())


def test_there_is_a_row_of_every_kind() -> None:
    kinds = {json.loads(row)["kind"] for row in ROWS.values()}
    assert kinds == {kind.kind.value for kind in Item.__args__} - {"secret", "connection"}  # came later


def test_secrets_and_connections_are_read_as_they_were_written() -> None:
    options = ConnectionOptions(
        ConnectionKind.KAFKA,
        {"BROKERS": ("a:1", "b:2"), "SASL USERNAME": "ann", "SASL PASSWORD": SecretRef("u15")},
    )
    secret = Secret(
        **identity(15, 16400, "s", 1700), sealed="1.key.text", acl=(AclItem("u1", "u1", "U", ""),)
    )
    connection = Connection(**identity(16, 16401, "c", 1701), options=options, uses=("u15",))
    for item in (secret, connection):
        assert item_from_json(item_to_json(item)) == item


def test_a_sink_keeps_all_that_its_target_may_show() -> None:
    switched = EXPECTED["switched sink"]
    assert isinstance(switched, Sink)
    formers = (
        Former("u2", 0, 1795391141700),
        Former("u15", 1, 1795391141800),
        Former("u2", 2, 1795391141900),
    )
    sink = replace(switched.reading("u15", formers), generation=3)
    assert sink.uses == ("u15", "u2")
    assert item_from_json(item_to_json(sink)) == sink
    assert list(sink.begins(1795391141750)) == [
        ("u2", 1795391141750),
        ("u15", 1795391141750),
        ("u2", 1795391141800),
        ("u15", 1795391141900),
    ]


def test_postgres_sources_are_read_as_they_were_written() -> None:
    source = SharedSource(
        **identity(17, 16402, "shop", 1702),
        cluster="quickstart",
        remap="u17-remap",
        create_sql="CREATE SOURCE shop FROM POSTGRES CONNECTION pg (PUBLICATION 'p')",
        label="shop",
        connector=PostgresOptions("u16", "p", "ptvc_u17_0011223344556677", 3),
        uses=("u16",),
    )
    columns = (UpstreamColumn("a", 1, 23, -1, "integer", False), UpstreamColumn("b", 2, 25, -1, "text", True))
    upstream = UpstreamTable("public", "t", columns, 16_500, "table 16501", "f", key=("a",), excluded=("c",))
    table = SourceTable(
        **identity(18, 16403, "t", 1703),
        schema=AB,
        uses=("u17",),
        shard="u18",
        reference="public.t",
        upstream=upstream.to_json(),
    )
    for item in (source, table):
        assert item_from_json(item_to_json(item)) == item
    assert table.upstream is not None
    assert UpstreamTable.from_json(table.upstream) == upstream


def test_mysql_sources_are_read_as_they_were_written() -> None:
    source = SharedSource(
        **identity(17, 16402, "shop", 1702),
        cluster="quickstart",
        remap="u17-remap",
        create_sql="CREATE SOURCE shop FROM MYSQL CONNECTION my",
        label="shop",
        connector=MysqlOptions("u16", 3_000_000_000),
        uses=("u16",),
    )
    assert item_from_json(item_to_json(source)) == source
    columns = (MysqlColumn("a", "int(11)", False), MysqlColumn("b", "varchar(5)", True, "latin1"))
    upstream = MysqlTable("d", "t", columns, key=("a",), excluded=("c",))
    assert parsed_table(upstream.to_json()) == upstream
    assert not parsed_table(upstream.to_json()).names_rows
    assert parsed_table(replace(upstream, names_rows=True).to_json()).names_rows


def test_s3_sources_are_read_as_they_were_written() -> None:
    source = Source(
        **identity(19, 16404, "o", 1704),
        schema=AB,
        cluster="quickstart",
        shard="u19",
        remap="u19-remap",
        create_sql="CREATE SOURCE o ...",
        label="o",
        connector=S3Options("u16", "lake", "orders", "csv", ";", False, "*.csv", 1000, keep_deleted=True),
        key=(0,),
        envelope=Envelope.UPSERT,
        uses=("u16",),
    )
    assert item_from_json(item_to_json(source)) == source


@pytest.mark.parametrize("what", ROWS)
def test_fields_that_came_later_have_defaults(what: str) -> None:
    row = json.loads(ROWS[what])
    for name in ("constraints", "missing", "stored", "layout", "columns", "owner", "acl"):
        del row[name]
    item = item_from_json(json.dumps(row))
    assert item.owner == "u1"
    assert item.acl is None
    match item:
        case Table():
            assert (item.constraints, item.layout) == ((), AS_CREATED)
        case View() | MaterializedView():
            assert item.columns is None


def test_what_a_newer_version_wrote_is_refused() -> None:
    row = json.loads(ROWS["file source"])
    with pytest.raises(UndefinedObject, match='object of unknown kind "policy"'):
        item_from_json(json.dumps(row | {"kind": "policy"}))
    with pytest.raises(UndefinedObject, match='unknown connector "telex"'):
        item_from_json(json.dumps(row | {"options": row["options"] | {"connector": "telex"}}))
    with pytest.raises(UndefinedObject, match=f"the version {CATALOG_VERSION + 1} of its format"):
        item_from_json(json.dumps(row | {"version": CATALOG_VERSION + 1}))


def test_where_items_are_stored() -> None:
    shards = {what: shards_of(item) for what, item in EXPECTED.items()}
    assert {what: found for what, found in shards.items() if found} == {
        "table": ["u1"],
        "plain table": ["u2"],
        "materialized view": ["u5"],
        "materialized view that shares": ["u8"],
        "replacement": ["u9"],
        "replaced materialized view": ["u5"],
        "file source": ["u10", "u10-remap"],
        "counter source": ["u11", "u11-remap"],
        "clock source": ["u21", "u21-remap"],
        "shared source": ["u22-remap"],
        "source table": ["u23"],
        "webhook": ["u24", "u24-keys"],
        "plain webhook": ["u25"],
        "sink": ["u12-progress"],
        "switched sink": ["u12-progress"],
    }
