"""MYSQL sources and their tables: text to tree, what is asked of the server, and what is planned of what that says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ptvc.errors import PtvcError, Unsupported
from ptvc.repr.schema import Schema
from ptvc.repr.types import BYTEA, FLOAT4, INT2, INT4, TEXT, TIME, TIMESTAMPTZ, UINT4, UINT8, Kind, ScalarType
from ptvc.sql.catalog.catalog_view import CatalogItem, ItemKind, QualifiedName
from ptvc.sql.parser.parse import parse
from ptvc.sql.plan import plan
from ptvc.sql.plans.definition_plans import CreateSource, WantedTables
from ptvc.sql.statement.connector.mysql_types import can_be_text, mysql_type
from ptvc.sql.statement.connector.upstream_source import with_published
from ptvc.storage.connections.options import ConnectionKind
from ptvc.storage.source.mysql.options import MysqlOptions
from ptvc.storage.source.mysql.tables import MysqlColumn, MysqlTable, MysqlTables

from .fake_catalog import context_of, fake_catalog

CONNECTION = "u900"
HEAD = "CREATE SOURCE s FROM MYSQL CONNECTION my"
ORDERS = MysqlTable(
    "shop",
    "orders",
    (
        MysqlColumn("id", "bigint(20) unsigned", False),
        MysqlColumn("mood", "enum('a','b''c')", True, "utf8mb4"),
        MysqlColumn("f", "float", True),
        MysqlColumn("g", "varchar(3)", True, "gbk"),
    ),
)
HAS = MysqlTables(
    CONNECTION,
    (ORDERS, MysqlTable("shop", "x", (MysqlColumn("a", "int", True),)), MysqlTable("web", "x", ())),
)


def planned(sql: str, tables: MysqlTables | None = HAS) -> CreateSource:
    catalog = fake_catalog()
    full = QualifiedName("ptvc", "public", "my")
    catalog.objects[CONNECTION] = CatalogItem(
        CONNECTION, full, ItemKind.CONNECTION, Schema(()), connects=ConnectionKind.MYSQL
    )
    (statement,) = parse(sql)
    if tables is not None:
        node: Any = statement.node
        statement = replace(statement, node=with_published(node, tables))
    found = plan(statement, context_of(catalog))
    assert isinstance(found, CreateSource)
    return found


def test_the_server_is_asked_first() -> None:
    first = planned(HEAD, None)
    assert (first.wanted, first.connector) == (WantedTables(CONNECTION, None), MysqlOptions(CONNECTION))
    assert planned(HEAD).wanted == ()


def test_its_tables() -> None:
    found = planned(
        f"{HEAD} (TEXT COLUMNS (shop.orders.mood), EXCLUDE COLUMNS (shop.orders.g)) FOR TABLES (orders, shop.x AS mine) EXPOSE PROGRESS AS p"
    )
    assert [(str(t.name), t.reference) for t in found.tables] == [
        ("public.orders", "shop.orders"), ("public.mine", "shop.x"), ("public.p", "mz_progress")
    ]  # fmt: skip
    orders = found.tables[0]
    assert [(c.name, c.type, c.nullable) for c in orders.schema] == [
        ("id", UINT8, False),
        ("mood", TEXT, True),
        ("f", FLOAT4, True),
    ]
    assert MysqlTable.from_json(orders.upstream or "") == ORDERS.without(frozenset("g"))


@pytest.mark.parametrize(
    ("sql", "state", "words"),
    [
        (f"{HEAD} FOR TABLES (orders)", "0A000", '"mood" of "shop.orders" (enum('),
        (
            f"{HEAD} (TEXT COLUMNS (shop.orders.mood)) FOR TABLES (orders)",
            "0A000",
            "varchar(3) (gbk), which is not supported",
        ),
        (
            f"{HEAD} (TEXT COLUMNS (shop.orders.mood, shop.orders.f)) FOR TABLES (orders)",
            "0A000",
            '"f" of "shop.orders" (float, as text)',
        ),
        (f"{HEAD} FOR TABLES (x)", "42702", "the server has shop.x, web.x"),
        (f"{HEAD} FOR SCHEMAS (y)", "3F000", 'the server has no tables in schema "y"'),
        (f"{HEAD} (PUBLICATION 'p')", "42601", "MYSQL sources have no option PUBLICATION"),
        (f"{HEAD} ()", "42601", ""),
        ("CREATE SOURCE s (a int) FROM MYSQL CONNECTION my", "42601", "a MYSQL source has no columns"),
        ("CREATE SOURCE s FROM MYSQL CONNECTION my ENVELOPE NONE", "42601", ""),
    ],
)
def test_what_is_refused(sql: str, state: str, words: str) -> None:
    with pytest.raises(PtvcError) as refused:
        planned(sql)
    assert (refused.value.sqlstate, words in refused.value.message) == (state, True), refused.value


@pytest.mark.parametrize(
    ("name", "charset", "type_", "as_text"),
    [
        ("tinyint(1)", None, INT2, True),
        ("mediumint(9)", None, INT4, True),
        ("int(10) unsigned zerofill", None, UINT4, False),
        ("decimal(10,2)", None, ScalarType(Kind.NUMERIC, 10, 2), True),
        ("decimal(65,2)", None, None, True),
        ("bit(8)", None, UINT8, True),
        ("varchar(10)", "latin1", TEXT, True),
        ("varchar(10)", "utf16", None, False),
        ("mediumblob", None, BYTEA, False),
        ("timestamp(6)", None, TIMESTAMPTZ, True),
        ("time", None, TIME, True),
        ("datetime /* mariadb-5.3 */", None, None, False),
        ("text /*M!100301 COMPRESSED*/", "utf8mb4", None, False),
        ("set('a','b')", "utf8mb4", None, True),
        ("uuid", None, None, False),
        ("point", None, None, False),
    ],
)
def test_types(name: str, charset: str | None, type_: ScalarType | None, as_text: bool) -> None:
    column = MysqlColumn("c", name, True, charset)
    assert (mysql_type(column), can_be_text(column)) == (type_, as_text)


def test_labels() -> None:
    assert MysqlColumn("c", "enum('a','b''c','d,e','f\\\\g')", True).labels == ("a", "b'c", "d,e", "f\\g")


def test_a_wrong_kind_of_connection() -> None:
    with pytest.raises((PtvcError, Unsupported)):
        planned("CREATE SOURCE s FROM POSTGRES CONNECTION my (PUBLICATION 'p')", None)
