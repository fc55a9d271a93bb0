"""POSTGRES sources and their tables: what is asked of upstream, and what is planned of what that says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ptvc.errors import PtvcError, UndefinedColumn, Unsupported
from ptvc.repr.schema import Schema
from ptvc.repr.types import (
    BOOL,
    BPCHAR,
    CHAR,
    INT4,
    INT8,
    INTERVAL,
    JSONB,
    NUMERIC,
    TEXT,
    TIMESTAMPTZ,
    UUID,
    Kind,
    ScalarType,
    array_of,
)
from ptvc.sql.catalog.catalog_view import CatalogItem, ItemKind, QualifiedName
from ptvc.sql.parser.parse import parse
from ptvc.sql.plan import plan
from ptvc.sql.plans.definition_plans import CreateSource, CreateSourceTable, WantedTables
from ptvc.sql.statement.connector.upstream_source import with_published
from ptvc.sql.syntax.definition_statements import CreateSourceStatement, CreateSourceTableStatement
from ptvc.storage.connections.options import ConnectionKind
from ptvc.storage.connectors import offered
from ptvc.storage.source.postgres.options import PostgresOptions
from ptvc.storage.source.postgres.tables import Published, UpstreamColumn, UpstreamTable

from .fake_catalog import FakeCatalog, context_of, fake_catalog

CONNECTION, OTHER = "u900", "u901"
OPTIONS = PostgresOptions(CONNECTION, "p", "slot")
HEAD = "CREATE SOURCE s FROM POSTGRES CONNECTION pg (PUBLICATION 'p'"


def column(name: str, type_name: str = "integer", *, oid: int = 23, nullable: bool = True) -> UpstreamColumn:
    return UpstreamColumn(name, 1, oid, -1, type_name, nullable)


def table(schema: str, name: str, *columns: UpstreamColumn, identity: str = "f") -> UpstreamTable:
    return UpstreamTable(schema, name, columns or (column("a"),), len(name), "table 1", identity)


ORDERS = table(
    "sales",
    "orders",
    column("id", "bigint", nullable=False),
    column("total", "numeric(10,2)"),
    column("state", "public.mood", oid=20_000),
    column("at", "timestamp(3) with time zone"),
)
PUBLISHED = Published(
    CONNECTION,
    "p",
    "shop",
    (
        ORDERS,
        table("sales", "x"),
        table("web", "visits"),
        table("web", "x"),
        table("web", "keyed", identity="d"),
    ),
    7,
)


def catalog() -> FakeCatalog:
    found = fake_catalog()
    for id_, name, kind in ((CONNECTION, "pg", ConnectionKind.POSTGRES), (OTHER, "k", ConnectionKind.KAFKA)):
        full = QualifiedName("ptvc", "public", name)
        found.objects[id_] = CatalogItem(id_, full, ItemKind.CONNECTION, Schema(()), connects=kind)
        source = QualifiedName("ptvc", "public", f"source_{name}")
        postgres = OPTIONS if name == "pg" else None
        offers = offered("postgres" if name == "pg" else "tpch")
        found.objects[f"u8{name}"] = CatalogItem(
            f"u8{name}", source, ItemKind.SOURCE, Schema(()), offers=offers, upstream=postgres
        )
    return found


CONTEXT = context_of(catalog())


def planned(sql: str, published: Published | None = PUBLISHED) -> CreateSource | CreateSourceTable:
    (statement,) = parse(sql)
    node = statement.node
    assert isinstance(node, CreateSourceStatement | CreateSourceTableStatement)
    if published is not None:
        statement = replace(statement, node=with_published(node, published))
    found = plan(statement, CONTEXT)
    assert isinstance(found, CreateSource | CreateSourceTable)
    return found


def source(sql: str, published: Published | None = PUBLISHED) -> CreateSource:
    found = planned(sql, published)
    assert isinstance(found, CreateSource)
    return found


def source_table(with_: str = "", reference: str = "sales.orders") -> CreateSourceTable:
    found = planned(f"CREATE TABLE t FROM SOURCE source_pg (REFERENCE {reference}){with_}")
    assert isinstance(found, CreateSourceTable)
    return found


def test_upstream_is_asked_first() -> None:
    first = source(f"{HEAD})", None)
    assert first.wanted == WantedTables(CONNECTION, "p")
    assert (first.connector, first.schema, first.tables) == (PostgresOptions(CONNECTION, "p"), None, ())
    then = source(f"{HEAD})")
    assert (then.wanted, then.tables) == ((), ())
    assert then.connector == PostgresOptions(CONNECTION, "p", timeline_id=7)
    of_another = source(f"{HEAD})", replace(PUBLISHED, connection="u7"))
    assert of_another.wanted == first.wanted, "the name stands for another connection by now"
    made = planned("CREATE TABLE t FROM SOURCE source_pg (REFERENCE sales.orders)", None)
    assert isinstance(made, CreateSourceTable)
    assert made.wanted == first.wanted


def test_its_tables() -> None:
    def names(behind: str, options: str = "") -> list[tuple[str, str]]:
        return [(str(t.name), t.reference) for t in source(f"{HEAD}{options}) {behind}").tables]

    assert names("FOR TABLES (sales.orders AS other.o, visits)", ", TEXT COLUMNS (sales.orders.state)") == [
        ("other.o", "sales.orders"),
        ("public.visits", "web.visits"),
    ]
    assert names("FOR SCHEMAS (sales)", ", EXCLUDE COLUMNS (shop.sales.orders.state)") == [
        ("public.orders", "sales.orders"),
        ("public.x", "sales.x"),
    ]
    assert names("EXPOSE PROGRESS AS progress") == [("public.progress", "mz_progress")]
    whole = replace(PUBLISHED, tables=PUBLISHED.tables[1:3])
    assert [t.reference for t in source(f"{HEAD}) FOR ALL TABLES", whole).tables] == ["sales.x", "web.visits"]


def test_what_is_made_with_a_source_is_in_its_schema() -> None:
    made = source(
        "CREATE SOURCE other.s FROM POSTGRES CONNECTION pg (PUBLICATION 'p') FOR TABLES (visits AS v, sales.x, web.x AS public.y) EXPOSE PROGRESS AS p"
    )
    assert [str(one.name) for one in made.tables] == ["other.v", "other.x", "public.y", "other.p"]


def test_all_columns_that_are_refused_are_told_of_at_once() -> None:
    one = table("s", "My t", column("c", "money"), column("order", "xml"), column("d", "integer"))
    published = replace(PUBLISHED, tables=(one, table("s", "u", column("e", "point"))))
    with pytest.raises(Unsupported) as refused:
        source(f"{HEAD}) FOR ALL TABLES", published)
    assert refused.value.message == (
        'columns are of types that are not supported: "c" of "s.My t" (money), "order" of "s.My t" (xml), "e" of "s.u" (point)'
    )
    listed = 's."My t".c, s."My t"."order", s.u.e'
    assert (
        refused.value.hint
        == f"TEXT COLUMNS ({listed}) read them as text, EXCLUDE COLUMNS ({listed}) leave them out. That stands in parentheses behind the connection."
    )
    made = source(f"{HEAD}, TEXT COLUMNS ({listed})) FOR ALL TABLES", published)
    assert [one.schema.types for one in made.tables] == [(TEXT, TEXT, INT4), (TEXT,)]


def test_where_by_a_column_that_is_left_out() -> None:
    excluded = " WITH (EXCLUDE COLUMNS (state, total))"
    for condition in ("total > 5", "t.total > 5"):
        with pytest.raises(UndefinedColumn) as refused:
            source_table(f" WHERE ({condition}){excluded}")
        assert "EXCLUDE COLUMNS names it" in (refused.value.hint or "")
    with pytest.raises(UndefinedColumn) as unknown:
        source_table(f" WHERE (totals > 5){excluded}")
    assert "EXCLUDE COLUMNS" not in (unknown.value.hint or "")


def test_names_in_hints_are_quoted() -> None:
    published = replace(PUBLISHED, tables=(table("s", "My t", identity="d"),))
    with pytest.raises(PtvcError) as refused:
        source(f"{HEAD}) FOR ALL TABLES", published)
    assert 'ALTER TABLE s."My t" REPLICA IDENTITY FULL' in (refused.value.hint or "")
    with pytest.raises(PtvcError) as missing:
        source(f"{HEAD}) FOR TABLES (nothing)", published)
    assert (missing.value.hint or "").startswith('It has s."My t"; ')


def test_how_many_connections_copy() -> None:
    asked = source(f"{HEAD}, SNAPSHOT CONNECTIONS 3)")
    assert asked.connector == PostgresOptions(CONNECTION, "p", timeline_id=7, snapshot_connections=3)


def test_columns() -> None:
    made = source_table(" WITH (TEXT COLUMNS (state, total), EXCLUDE COLUMNS (at), RETAIN HISTORY FOR '1s')")
    assert [(c.name, c.type, c.nullable) for c in made.schema] == [
        ("id", INT8, False),
        ("total", TEXT, True),
        ("state", TEXT, True),
    ]
    assert (made.source, made.reference, made.retain_history_ms) == ("u8pg", "sales.orders", 1000)
    assert made.create_sql is not None
    assert made.create_sql.startswith("CREATE TABLE t FROM SOURCE")
    assert made.upstream is not None
    upstream = UpstreamTable.from_json(made.upstream)
    assert upstream == ORDERS.without(frozenset({"at"}))
    assert [column.name for column in upstream.columns] == list(made.schema.names)


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("orders", "sales.orders"),
        ("shop.web.visits", "web.visits"),
        ("web.x", "web.x"),
        ("mz_progress", "mz_progress"),
    ],
)
def test_references(reference: str, found: str) -> None:
    with_ = " WITH (EXCLUDE COLUMNS (state))" if reference == "orders" else ""
    assert source_table(with_, reference).reference == found


TYPES: dict[str, ScalarType | None] = {
    "numeric(10,2)": ScalarType(Kind.NUMERIC, 10, 2),
    "numeric": NUMERIC,
    "character varying(20)[]": array_of(ScalarType(Kind.VARCHAR, length=20)),
    "character varying": ScalarType(Kind.VARCHAR),
    "character(3)": ScalarType(Kind.BPCHAR, length=3),
    "bpchar": BPCHAR,
    '"char"': CHAR,
    "timestamp(3) with time zone": ScalarType(Kind.TIMESTAMPTZ, precision=3),
    "timestamp with time zone[]": array_of(TIMESTAMPTZ),
    "time without time zone": ScalarType(Kind.TIME),
    "interval": INTERVAL,
    "jsonb": JSONB,
    "uuid": UUID,
    "boolean": BOOL,
    "integer": INT4,
    **dict.fromkeys(
        (
            "numeric(100,2)", "numeric(5,-2)", "bit(3)", "bit varying(3)", "money", "xml", "inet", "point", "int4multirange",
            "time with time zone", "regclass", "regclass[]", "int2vector", "pg_lsn", "tsvector", "box[]", "pg_catalog.pg_node_tree",
        )
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TYPES)
def test_types(name: str) -> None:
    published = replace(PUBLISHED, tables=(table("s", "t", column("c", name)),))
    sql = f"{HEAD}) FOR ALL TABLES"
    if (type_ := TYPES[name]) is not None:
        assert source(sql, published).tables[0].schema.types == (type_,)
        return
    with pytest.raises(Unsupported) as refused:
        source(sql, published)
    assert refused.value.message == f'column "c" of table "s.t" is of type {name}, which is not supported'
    assert (
        refused.value.hint
        == "TEXT COLUMNS (s.t.c) reads it as text, EXCLUDE COLUMNS (s.t.c) leaves it out. That stands in parentheses behind the connection."
    )
    as_text = source(f"{HEAD}, TEXT COLUMNS (s.t.c)) FOR ALL TABLES", published)
    assert as_text.tables[0].schema.types == (TEXT,)


def test_types_of_users_are_not_ours_whatever_they_are_called() -> None:
    published = replace(PUBLISHED, tables=(table("s", "t", column("c", "text", oid=16_384)),))
    with pytest.raises(Unsupported, match="is of type text"):
        source(f"{HEAD}) FOR ALL TABLES", published)
    with pytest.raises(Unsupported) as refused:
        source_table()
    assert (
        refused.value.hint == "TEXT COLUMNS (state) reads it as text, EXCLUDE COLUMNS (state) leaves it out."
    )


@pytest.mark.parametrize(
    ("sql", "state", "words"),
    [
        (f"{HEAD}) FOR TABLES (visits, keyed)", "55000", 'table "web.keyed" has not REPLICA IDENTITY FULL'),
        (f"{HEAD}, EXCLUDE COLUMNS (sales.orders.state)) FOR SCHEMAS (sales, web)", "42P07", "would be both the table of"),
        (f"{HEAD}) FOR TABLES (sales.x, web.x)", "42P07", '"public.x" would be both the table of "sales.x" and the table of "web.x"'),
        (f"{HEAD}) FOR TABLES (sales.x AS s)", "42P07", '"public.s" would be both the source itself and the table of "sales.x"'),
        (f"{HEAD}) FOR TABLES (sales.x) EXPOSE PROGRESS AS x", "42P07", 'both the table of "sales.x" and its progress relation'),
        (f"{HEAD}) FOR TABLES (x)", "42702", '"x" is ambiguous: publication "p" has sales.x, web.x'),
        (f"{HEAD}) FOR TABLES (sales.visits)", "42P01", 'publication "p" has no table "sales.visits"'),
        (f"{HEAD}) FOR TABLES (other.sales.x)", "42P01", "has no table"),
        (f"{HEAD}) FOR SCHEMAS (web, nowhere)", "3F000", 'no tables in schema "nowhere"'),
        (f"{HEAD}) FOR SCHEMAS (web, web)", "42701", '"web" is given more than once'),
        (f"{HEAD}, TEXT COLUMNS (sales.x.b)) FOR TABLES (sales.x)", "42703", 'column "b" of table "sales.x"'),
        (f"{HEAD}, EXCLUDE COLUMNS (sales.x.b)) FOR TABLES (sales.x)", "42703", "does not exist"),
        (f"{HEAD}, EXCLUDE COLUMNS (sales.x.a)) FOR TABLES (sales.x)", "0A000", "no columns are left"),
        (f"{HEAD}, TEXT COLUMNS (web.x.a)) FOR TABLES (sales.x)", "42703", "not made with the source"),
        (f"{HEAD}, TEXT COLUMNS (web.y.a)) FOR TABLES (sales.x)", "42P01", 'no table "web.y"'),
        (f"{HEAD}, TEXT COLUMNS (x.a)) FOR TABLES (sales.x)", "42601", "does not say of which table"),
        (f"{HEAD}, TEXT COLUMNS (sales.x.a))", "42601", "for the tables that FOR"),
        (f"{HEAD}, TEXT COLUMNS (sales.x.a), EXCLUDE COLUMNS (sales.x.a)) FOR TABLES (sales.x)", "42701", "more than once"),
        (f"{HEAD}) WITH (RETAIN HISTORY FOR '1s')", "0A000", "RETAIN HISTORY"),
        (f"{HEAD}) WITH (ON ERROR = DEAD LETTER)", "0A000", "DEAD LETTER"),
        ("CREATE SOURCE s FROM POSTGRES CONNECTION k (PUBLICATION 'p')", "42809", "is to KAFKA"),
        ("CREATE SOURCE s FROM POSTGRES CONNECTION nothing (PUBLICATION 'p')", "42704", "does not exist"),
        ("CREATE SOURCE s IN CLUSTER nowhere FROM POSTGRES CONNECTION pg (PUBLICATION 'p')", "42704", "nowhere"),
        ("CREATE TABLE t FROM SOURCE source_pg (REFERENCE web.keyed)", "55000", "IDENTITY FULL"),
        ("CREATE TABLE t FROM SOURCE source_pg (REFERENCE sales.x) WITH (TEXT COLUMNS (b))", "42703", '"b"'),
        ("CREATE TABLE t FROM SOURCE source_pg (REFERENCE sales.x) WITH (TEXT COLUMNS (x.a))", "42601", "without its name"),
        ("CREATE TABLE t FROM SOURCE source_pg (REFERENCE sales.x) WITH (TEXT COLUMNS (a, a))", "42701", "more than once"),
        ("CREATE TABLE t FROM SOURCE source_pg (REFERENCE nothing)", "42P01", "has no table"),
        ("CREATE TABLE t FROM SOURCE source_pg (REFERENCE mz_progress) WITH (TEXT COLUMNS (a))", "0A000", "TEXT COLUMNS"),
        ("CREATE TABLE t FROM SOURCE source_k (REFERENCE orders) WITH (TEXT COLUMNS (a))", "0A000", "for tables of POSTGRES"),
    ],
)  # fmt: skip
def test_what_is_refused(sql: str, state: str, words: str) -> None:
    with pytest.raises(PtvcError) as refused:
        planned(sql)
    assert refused.value.sqlstate == state, refused.value
    assert words in refused.value.message, refused.value


def test_what_cannot_be_read_whole_is_refused() -> None:
    hidden = replace(table("s", "t"), obstacle='role "ann" has no SELECT on it')
    published = replace(PUBLISHED, tables=(hidden,))
    with pytest.raises(PtvcError, match=r'"s[.]t" cannot be read whole: role "ann" has no SELECT on it'):
        source(f"{HEAD}) FOR ALL TABLES", published)
    assert source(f"{HEAD})", published).tables == ()


def test_a_publication_without_tables() -> None:
    nothing = replace(PUBLISHED, tables=())
    assert source(f"{HEAD})", nothing).tables == ()
    with pytest.raises(PtvcError, match='publication "p" has no tables'):
        source(f"{HEAD}) FOR ALL TABLES", nothing)


def test_a_column_that_is_not_there_is_an_undefined_column() -> None:
    with pytest.raises(UndefinedColumn):
        source_table(" WITH (TEXT COLUMNS (nothing))")
