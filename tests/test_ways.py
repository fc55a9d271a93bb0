"""Each way is the one that queries take: else the suites that go through all of them would say nothing of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from inprocess import rows
from ptvc.persist.part import PartRef
from ptvc.replica.protocol import LookUp, LookUpStored, Peek, PeekIndex, RunJob
from ways import WAYS, Variant, running_in

SCRIPT = (
    "CREATE TABLE t (a int PRIMARY KEY, b text)",
    "INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'y'), (4, NULL)",
    "DELETE FROM t WHERE a = 3",
    "UPDATE t SET b = 'z' WHERE a = 2",
)
GROUPS = "SELECT b, count(*) FROM t GROUP BY b ORDER BY b"
GROUPED = [("x", 1), ("z", 1), (None, 1)]
ALL = "SELECT a, b FROM t"
ROWS = [(1, "x"), (2, "z"), (4, None)]
KEYED = "SELECT b FROM t WHERE a = 2"
BY_COLUMN = "SELECT a FROM t WHERE b = 'z'"


@pytest.fixture(scope="module", params=WAYS, ids=lambda way: way.name)
def variant(request: pytest.FixtureRequest) -> Iterator[Variant]:
    with running_in(request.param) as variant:
        yield variant


@pytest.fixture
def connection(variant: Variant) -> Iterator[psycopg.Connection[Any]]:
    with variant.runtime.connect() as connection:
        for sql in SCRIPT:
            run(variant, connection, sql)
        yield connection
        connection.execute("DROP TABLE t")


def run(variant: Variant, connection: psycopg.Connection[Any], sql: str) -> dict[str, list[Any]]:
    return {when: rows(connection, sql) for when in variant.asked(connection, sql)}


def ways_taken(
    variant: Variant, connection: psycopg.Connection[Any], sql: str, wanted: list[Any]
) -> Counter[str]:
    """By what is asked of the replica, or of Spark, when the query is asked in the variant's way."""
    received = variant.runtime.driver.received
    run(variant, connection, "SELECT 1")  # indexes are there
    before = Counter(received)
    found = run(variant, connection, sql)
    assert list(found) == list(variant.way.times)
    for when, answer in found.items():
        assert sorted(answer, key=repr) == sorted(wanted, key=repr), when
    kinds = (Peek, PeekIndex, LookUp, LookUpStored, RunJob)
    return Counter({kind.__name__: n for kind in kinds if (n := received[kind] - before[kind])})


def test_a_query_goes_to_its_engine(variant: Variant, connection: psycopg.Connection[Any]) -> None:
    taken = ways_taken(variant, connection, GROUPS, GROUPED)
    engine = "RunJob" if variant.way.engine == "job" else "Peek"
    assert taken == {engine: len(variant.way.times)}


def test_rows_of_a_table_come_from_its_index(variant: Variant, connection: psycopg.Connection[Any]) -> None:
    taken = ways_taken(variant, connection, ALL, ROWS)
    engine = "PeekIndex" if variant.way.indexed else "RunJob" if variant.way.engine == "job" else "Peek"
    assert taken == {engine: len(variant.way.times)}


def test_rows_by_a_column_are_looked_up_in_its_index(
    variant: Variant, connection: psycopg.Connection[Any]
) -> None:
    taken = ways_taken(variant, connection, BY_COLUMN, [(2,)])
    engine = "LookUp" if variant.way.indexed else "RunJob" if variant.way.engine == "job" else "Peek"
    assert taken == {engine: len(variant.way.times)}


def test_rows_by_the_key_are_looked_up_in_what_is_stored(
    variant: Variant, connection: psycopg.Connection[Any]
) -> None:
    taken = ways_taken(variant, connection, KEYED, [("z",)])
    if variant.way.indexed:
        assert taken == {"LookUp": 1}
        return
    assert taken == {"LookUpStored": len(variant.way.times)}, "a replica decodes small blobs itself"


def test_what_is_decoded_is_kept_and_forgotten(variant: Variant, connection: psycopg.Connection[Any]) -> None:
    def decoded() -> int:
        return len(list((variant.runtime.directory / "columns").iterdir()))

    before = {}
    for when in variant.asked(connection, GROUPS):
        before[when] = decoded()
        rows(connection, GROUPS)
    if variant.way.times == ("cold", "warm"):
        assert before["cold"] == 0
        assert (before["warm"] > 0) == (variant.way.stored in ("blobs", "merged")), "Parquet"
    else:
        assert before == {"once": decoded()}, "neither jobs nor indexes have a part in it"


def test_a_table_is_stored_as_the_way_says(variant: Variant, connection: psycopg.Connection[Any]) -> None:
    run(variant, connection, ALL)
    coordinator = variant.runtime.coordinator
    (table,) = [item for item in coordinator.catalog.user_items() if item.name == "t"]

    def snapshot() -> tuple[PartRef, ...]:
        storage = coordinator.storage
        return storage.collections.import_of(table.id, storage.oracle.read_time).snapshot

    parts = variant.runtime.call(snapshot)
    assert {part.blob is None for part in parts} == {variant.way.stored == "inline"}
    assert {part.is_arrow for part in parts} == {variant.way.stored in ("inline", "arrow")}
    assert [part.rows for part in parts] == ([3] if variant.way.stored == "merged" else [4, 1, 2])
