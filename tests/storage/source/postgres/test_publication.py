"""What a publication of a real PostgreSQL offers, and what keeps a source from reading by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import psycopg
import pytest
from oracle import own_database, postgres_server
from ptvc.errors import PtvcError
from ptvc.storage.source.postgres.publication import Db, check_replicates, published_tables
from ptvc.storage.source.postgres.tables import UpstreamColumn, UpstreamTable
from servers.postgres_listening import Listening


@pytest.fixture
def db(upstream: Listening) -> Iterator[Db]:
    """A superuser in a database without anything."""
    with (
        own_database(upstream.uri, "upstream") as own,
        psycopg.connect(own, autocommit=True, options="-c search_path=pg_catalog") as connection,
    ):
        yield connection


Run = Callable[..., None]


@pytest.fixture
def run(db: Db) -> Run:
    def run(*statements: str) -> None:
        for statement in statements:
            db.execute(statement.encode())

    return run


def names(tables: tuple[UpstreamTable, ...]) -> dict[str, list[str]]:
    return {table.reference: [column.name for column in table.columns] for table in tables}


def only(db: Db) -> UpstreamTable:
    (table,) = published_tables(db, "p")
    return table


def test_the_columns_of_a_table(db: Db, run: Run) -> None:
    run(
        "CREATE TYPE public.mood AS ENUM ('a')",
        "CREATE TABLE public.t (id int8 PRIMARY KEY, gone int, n numeric(10, 2) NOT NULL, v varchar(20)[], m public.mood, at timestamptz(3))",
        "ALTER TABLE public.t DROP COLUMN gone",
        "CREATE PUBLICATION p FOR TABLE public.t",
    )
    check_replicates(db, "p")
    found = only(db)
    assert (found.schema, found.name, found.identity, found.key) == ("public", "t", "d", ("id",))
    assert [(c.name, c.type_name, c.nullable) for c in found.columns] == [
        ("id", "bigint", False),
        ("n", "numeric(10,2)", False),
        ("v", "character varying(20)[]", True),
        ("m", "public.mood", True),
        ("at", "timestamp(3) with time zone", True),
    ]
    assert found.columns[0] == UpstreamColumn("id", 1, 20, -1, "bigint", False)
    assert found.obstacle is None
    run("ALTER TABLE public.t REPLICA IDENTITY FULL")
    assert only(db).identity == "f"


def test_json_has_what_was_taken(db: Db, run: Run) -> None:
    run(
        'CREATE TABLE public."T é" ("A" int PRIMARY KEY, b text)',
        'CREATE PUBLICATION p FOR TABLE public."T é"',
    )
    found = only(db)
    part = found.without(frozenset({"b"}))
    assert UpstreamTable.from_json(found.to_json()) == found
    assert UpstreamTable.from_json(part.to_json()) == part
    assert (names((part,)), part.excluded, part.key) == ({"public.T é": ["A"]}, ("b",), ("A",))


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("FOR ALL TABLES", ["a.x", "a.y", "b.x"]),
        ("FOR TABLES IN SCHEMA a", ["a.x", "a.y"]),
        ("FOR TABLE b.x, TABLES IN SCHEMA a", ["a.x", "a.y", "b.x"]),
        ("FOR TABLE a.y", ["a.y"]),
        ("", []),
    ],
)
def test_the_tables_of_each_kind_of_publication(db: Db, run: Run, clause: str, expected: list[str]) -> None:
    run("CREATE SCHEMA a", "CREATE SCHEMA b")
    run(*(f"CREATE TABLE {name} (id int)" for name in ("a.x", "a.y", "b.x")))
    run(
        "CREATE UNLOGGED TABLE a.unlogged ()", "CREATE VIEW a.v AS SELECT 1", f"CREATE PUBLICATION p {clause}"
    )
    assert [table.reference for table in published_tables(db, "p")] == expected
    assert all(table.membership for table in published_tables(db, "p"))


def test_lists_of_columns_and_generated_ones(db: Db, run: Run) -> None:
    run(
        "CREATE TABLE public.t (a int PRIMARY KEY, b int, c int, g int GENERATED ALWAYS AS (b + 1) STORED)",
        "CREATE PUBLICATION p FOR TABLE public.t",
    )
    assert names((only(db),)) == {"public.t": ["a", "b", "c"]}
    run("ALTER PUBLICATION p SET TABLE public.t (c, a)")
    assert names((only(db),)) == {"public.t": ["a", "c"]}
    if db.info.server_version >= 180_000:
        run("ALTER PUBLICATION p SET TABLE public.t (a, g)")
        assert names((only(db),)) == {"public.t": ["a", "g"]}
        run(
            "ALTER PUBLICATION p SET TABLE public.t",
            "ALTER PUBLICATION p SET (publish_generated_columns = stored)",
        )
        assert names((only(db),)) == {"public.t": ["a", "b", "c", "g"]}


def test_columns_that_are_not_published_stop_updates_upstream(db: Db, run: Run) -> None:
    if db.info.server_version < 150_000:
        pytest.skip("column lists came with PostgreSQL 15")
    run("CREATE TABLE public.t (a int, b int)", "CREATE PUBLICATION p FOR TABLE public.t (a)")
    assert only(db).obstacle is not None
    run("ALTER TABLE public.t REPLICA IDENTITY FULL", "INSERT INTO public.t VALUES (1, 2)")
    with pytest.raises(psycopg.Error):
        run("UPDATE public.t SET a = 2")
    run("ALTER PUBLICATION p SET TABLE public.t")
    assert only(db).obstacle is None
    run("UPDATE public.t SET a = 2")


def test_partitioned_tables(db: Db, run: Run) -> None:
    run(
        "CREATE TABLE public.root (a int, b int) PARTITION BY RANGE (a)",
        "CREATE TABLE public.low PARTITION OF public.root FOR VALUES FROM (0) TO (10)",
        "CREATE TABLE public.high PARTITION OF public.root FOR VALUES FROM (10) TO (20)",
        "CREATE PUBLICATION p FOR TABLE public.root",
    )
    parts = published_tables(db, "p")
    assert [table.name for table in parts] == ["high", "low"]
    assert len({table.membership for table in parts}) == 1
    run("ALTER PUBLICATION p SET (publish_via_partition_root = true)")
    assert (only(db).name, only(db).membership) == ("root", parts[0].membership)
    assert only(db).obstacle is not None
    assert all(part.obstacle is None for part in parts)
    run("ALTER PUBLICATION p SET (publish_via_partition_root = false)")
    run("ALTER PUBLICATION p DROP TABLE public.root", "ALTER PUBLICATION p ADD TABLE public.root")
    again = published_tables(db, "p")
    assert {table.membership for table in again}.isdisjoint({table.membership for table in parts})


def test_partitions_of_a_schema(db: Db, run: Run) -> None:
    run(
        "CREATE SCHEMA a",
        "CREATE TABLE a.root (a int) PARTITION BY RANGE (a)",
        "CREATE TABLE public.low PARTITION OF a.root FOR VALUES FROM (0) TO (10)",
        "CREATE PUBLICATION p FOR TABLES IN SCHEMA a",
    )
    assert only(db).reference == "public.low"
    assert only(db).membership.startswith("schema ")


@pytest.mark.parametrize(
    ("publication", "again"),
    [
        (
            "FOR TABLE public.t",
            "ALTER PUBLICATION p DROP TABLE public.t; ALTER PUBLICATION p ADD TABLE public.t",
        ),
        (
            "FOR TABLE public.t",
            "ALTER PUBLICATION p SET TABLE public.u; ALTER PUBLICATION p SET TABLE public.t",
        ),
        (
            "FOR TABLES IN SCHEMA public",
            "ALTER PUBLICATION p DROP TABLES IN SCHEMA public; ALTER PUBLICATION p ADD TABLES IN SCHEMA public",
        ),
        ("FOR ALL TABLES", "DROP PUBLICATION p; CREATE PUBLICATION p FOR ALL TABLES"),
    ],
)
def test_a_table_that_was_taken_out_is_another_member(db: Db, run: Run, publication: str, again: str) -> None:
    run(
        "CREATE TABLE public.t (a int)",
        "CREATE TABLE public.u (a int)",
        f"CREATE PUBLICATION p {publication}",
    )

    def member() -> str:
        return next(table.membership for table in published_tables(db, "p") if table.name == "t")

    before = member()
    run("ALTER TABLE public.t ADD COLUMN b int", "ALTER TABLE public.t REPLICA IDENTITY FULL")
    assert member() == before
    run(*again.split("; "))
    assert member() != before


def test_what_cannot_be_read_whole(db: Db, run: Run) -> None:
    run(
        *(f"CREATE TABLE public.{name} (a int)" for name in ("filtered", "secured", "own")),
        "CREATE SCHEMA hidden",
        "CREATE TABLE hidden.t (a int)",
        "ALTER TABLE public.secured ENABLE ROW LEVEL SECURITY",
        "CREATE PUBLICATION p FOR TABLE public.filtered WHERE (a > 1), public.secured, public.own, hidden.t",
        "CREATE ROLE reader LOGIN REPLICATION",
        "GRANT SELECT ON public.filtered, public.secured, hidden.t TO reader",
    )
    try:
        run("SET ROLE reader")
        check_replicates(db, "p")
        assert {table.name: table.obstacle for table in published_tables(db, "p")} == {
            "filtered": None,
            "secured": 'row security hides rows of it from role "reader"',
            "own": 'role "reader" has no SELECT on it',
            "t": 'role "reader" has no USAGE on its schema',
        }
    finally:
        run("RESET ROLE", "DROP OWNED BY reader", "DROP ROLE reader")


@pytest.mark.parametrize(
    ("prepare", "state", "message"),
    [
        ((), "42704", 'publication "p" does not exist in database "upstream"'),
        (
            ("CREATE PUBLICATION p WITH (publish = 'insert, update')",),
            "55000",
            'publication "p" does not publish deletes, truncates: rows would not be those upstream',
        ),
    ],
)
def test_publications_that_do_not_do(
    db: Db, run: Run, prepare: tuple[str, ...], state: str, message: str
) -> None:
    run(*prepare)
    with pytest.raises(PtvcError) as refused:
        check_replicates(db, "p")
    assert (refused.value.sqlstate, refused.value.message) == (state, message)
    assert refused.value.hint is not None


def test_a_role_that_may_not_replicate(db: Db, run: Run) -> None:
    run("CREATE PUBLICATION p", "CREATE ROLE nobody", "CREATE ROLE rds_replication", "SET ROLE nobody")
    try:
        with pytest.raises(PtvcError) as refused:
            check_replicates(db, "p")
        assert refused.value.sqlstate == "42501"
        run("RESET ROLE", "GRANT rds_replication TO nobody", "SET ROLE nobody")
        check_replicates(db, "p")
    finally:
        run("RESET ROLE", "DROP ROLE nobody, rds_replication")


def test_a_server_that_does_not_write_what_it_takes() -> None:
    with (
        postgres_server() as server,
        psycopg.connect(server.get_uri(), autocommit=True) as db,
        pytest.raises(PtvcError, match="the server's wal_level is replica, and has to be logical") as refused,
    ):
        check_replicates(db, "p")
    assert refused.value.sqlstate == "55000"
