"""Views share the arrangements of indexes: whatever was created first, is dropped, dies or is restarted, the view is
what its query says."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator

import pytest
from inprocess import InProcess, eventually, rows, running
from ptvc.compute.plan import SharedNode
from ptvc.coord.controller.commit_feed import PATIENCE_MS
from ptvc.coord.controller.replicas import Installing
from ptvc.replica.index import Index
from ptvc.replica.sharing import Reader, Sharing

JOIN = "SELECT t.b, u.c FROM t JOIN u ON t.a = u.a"
THREE = "SELECT t.b, u.c, w.b AS d FROM t JOIN u ON t.a = u.a JOIN t AS w ON w.a = u.c WHERE w.b < 50"


@pytest.fixture
def runtime() -> Iterator[InProcess]:
    with running() as r:
        for statement in ("CREATE TABLE t (a int, b int)", "CREATE TABLE u (a int, c int)"):
            r.query(statement)
        yield r


@pytest.fixture
def attached(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """(dataflow, whether it could share) as replicas try it."""
    found: list[tuple[str, bool]] = []
    attach = Sharing.attach

    def spy(self: Sharing, reader: Reader, node: SharedNode, index: Index) -> bool:
        shared = attach(self, reader, node, index)
        found.append((reader.id, shared))
        return shared

    monkeypatch.setattr(Sharing, "attach", spy)
    return found


def write(r: InProcess, seed: int, count: int = 12) -> None:
    draw = random.Random(seed)
    with r.connect() as connection:
        for i in range(count):
            a, b = draw.randrange(5), draw.randrange(100)
            statement = draw.choice(
                (
                    f"INSERT INTO t VALUES ({a}, {b}), ({a}, {i})",
                    f"INSERT INTO u VALUES ({a}, {b % 5})",
                    f"DELETE FROM t WHERE b % 7 = {b % 7}",
                    f"UPDATE u SET a = {a} WHERE c = {b % 5}",
                    "INSERT INTO t VALUES (NULL, 1)",
                )
            )
            connection.execute(statement)  # type: ignore[arg-type]


def check(r: InProcess, *views: str) -> None:
    for view in views:
        query = JOIN if view.startswith("m") else THREE
        with r.connect() as connection, connection.transaction():
            columns = "b, c" if view.startswith("m") else "b, c, d"
            found = rows(connection, f"SELECT {columns} FROM {view}")
            expected = rows(connection, query)
        assert sorted(found, key=repr) == sorted(expected, key=repr), view


def test_a_view_over_an_index_shares_it(runtime: InProcess, attached: list[tuple[str, bool]]) -> None:
    write(runtime, 1)
    runtime.query("CREATE INDEX t_a ON t (a)")
    runtime.query(f"CREATE MATERIALIZED VIEW m AS {JOIN}")
    runtime.query(f"CREATE MATERIALIZED VIEW n AS {THREE}")
    for seed in range(2, 5):
        write(runtime, seed)
        check(runtime, "m", "n")
    assert attached
    assert all(shared for _, shared in attached)
    plan = "\n".join(row[0] for row in runtime.query(f"EXPLAIN PHYSICAL PLAN FOR {JOIN}"))
    assert "by index public.t_a" in plan


def test_a_view_that_is_older_than_the_index_goes_on(
    runtime: InProcess, attached: list[tuple[str, bool]]
) -> None:
    runtime.query(f"CREATE MATERIALIZED VIEW m AS {JOIN}")
    write(runtime, 1)
    runtime.query("CREATE INDEX t_a ON t (a)")
    write(runtime, 2)
    check(runtime, "m")
    runtime.kill_replica()
    write(runtime, 3)
    check(runtime, "m")
    assert not attached  # its plan is that of its creation


@pytest.mark.parametrize("seed", range(4))
def test_restarts_go_on_with_the_index(
    runtime: InProcess, attached: list[tuple[str, bool]], seed: int
) -> None:
    runtime.query("CREATE INDEX t_a ON t (a)")
    runtime.query("CREATE INDEX u_a ON u (a)")
    runtime.query(f"CREATE MATERIALIZED VIEW m AS {JOIN}")
    runtime.query(f"CREATE MATERIALIZED VIEW n AS {THREE}")
    for round_ in range(3):
        write(runtime, 10 * seed + round_)
        check(runtime, "m", "n")
        if (seed + round_) % 2:
            runtime.kill_replica()
        else:
            runtime.stop()
            runtime.start()
        check(runtime, "m", "n")
    write(runtime, 10 * seed + 5)
    check(runtime, "m", "n")
    assert all(shared for _, shared in attached), attached


def test_dropping_the_index_hands_its_rows_over(runtime: InProcess) -> None:
    runtime.query("CREATE INDEX t_a ON t (a)")
    runtime.query(f"CREATE MATERIALIZED VIEW m AS {JOIN}")
    runtime.query(f"CREATE MATERIALIZED VIEW n AS {THREE}")
    write(runtime, 1)
    check(runtime, "m", "n")
    runtime.query("DROP INDEX t_a")
    write(runtime, 2)
    check(runtime, "m", "n")
    runtime.kill_replica()
    write(runtime, 3)
    check(runtime, "m", "n")
    runtime.query("CREATE INDEX t_a ON t (a)")
    write(runtime, 4)
    check(runtime, "m", "n")


def test_dropping_the_readers_lets_the_index_be_compacted(runtime: InProcess) -> None:
    runtime.query("CREATE INDEX t_a ON t (a)")
    runtime.query(f"CREATE MATERIALIZED VIEW m AS {JOIN}")
    write(runtime, 1)
    check(runtime, "m")
    runtime.query("DROP MATERIALIZED VIEW m")
    write(runtime, 2)
    assert runtime.query("SELECT count(*) FROM t WHERE a = 1") == runtime.query(
        "SELECT count(*) FROM t WHERE a + 0 = 1"
    )


def test_indexes_wait_for_what_is_being_installed_but_not_for_ever(runtime: InProcess) -> None:
    """As when a view that shares them waits for an input that is never complete."""
    runtime.query("CREATE INDEX t_a ON t (a)")
    runtime.query(f"CREATE MATERIALIZED VIEW m AS {JOIN}")
    check(runtime, "m")
    controller = runtime.coordinator.controller
    (replica,) = controller.clusters.of("quickstart")
    id_ = next(item.id for item in runtime.coordinator.catalog.user_items() if item.name == "m")

    def since(begun_ms: int) -> int:
        replica.installing[id_] = Installing(asyncio.get_running_loop().create_future(), begun_ms)
        try:
            return controller.feed.index_since(replica)
        finally:
            del replica.installing[id_]

    now = controller.now_ms()
    assert runtime.call(lambda: since(now)) == 0
    assert runtime.call(lambda: since(now - PATIENCE_MS - 1)) > 0


def test_an_index_on_a_view_shares_too(runtime: InProcess, attached: list[tuple[str, bool]]) -> None:
    runtime.query("CREATE INDEX t_a ON t (a)")
    runtime.query(f"CREATE VIEW m AS {JOIN}")
    runtime.query("CREATE INDEX m_b ON m (b)")
    write(runtime, 1)
    check(runtime, "m")
    runtime.kill_replica()
    write(runtime, 2)
    check(runtime, "m")
    assert attached
    assert all(shared for _, shared in attached)


def test_objects_made_before_the_replica_is_up_share(attached: list[tuple[str, bool]]) -> None:
    with running() as r:
        r.query("CREATE TABLE t (a int, b int)")
        r.query("CREATE TABLE u (a int, c int)")
        eventually(lambda: r.driver.connected)
        eventually(lambda: r.query("SELECT count(*) FROM t") == [(0,)])
        r.driver.pause("c1-r1")
        r.query("INSERT INTO t VALUES (1, 2), (2, 3)")
        r.query("CREATE INDEX t_a ON t (a)")
        r.query(f"CREATE MATERIALIZED VIEW m AS {JOIN}")
        r.query("INSERT INTO u VALUES (1, 2), (2, 3)")
        r.query("INSERT INTO t VALUES (1, 4), (2, 4)")
        r.driver.resume("c1-r1")
        check(r, "m")
        assert [shared for _, shared in attached] == [True]


def test_every_replica_shares_its_own_index(attached: list[tuple[str, bool]]) -> None:
    with running() as r:
        r.query("CREATE TABLE t (a int, b int)")
        r.query("CREATE TABLE u (a int, c int)")
        r.query("ALTER CLUSTER quickstart SET (REPLICATION FACTOR 2)")
        r.query("CREATE INDEX t_a ON t (a)")
        r.query(f"CREATE MATERIALIZED VIEW m AS {JOIN}")
        for seed, name in enumerate(("r1", "r2", "r1")):
            write(r, seed)
            check(r, "m")
            r.kill_replica(name=name)
            write(r, seed + 10, 4)
            check(r, "m")
        assert attached
        assert all(shared for _, shared in attached)


@pytest.mark.parametrize("seed", range(3))
def test_what_cannot_be_shared_is_held_by_the_view(
    runtime: InProcess, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """As when an index is not readable where its reader begins."""
    draw = random.Random(seed)
    attach = Sharing.attach

    def moody(self: Sharing, reader: Reader, node: SharedNode, index: Index) -> bool:
        return draw.random() < 0.5 and attach(self, reader, node, index)

    monkeypatch.setattr(Sharing, "attach", moody)
    runtime.query("CREATE INDEX t_a ON t (a)")
    runtime.query("CREATE INDEX u_a ON u (a)")
    runtime.query(f"CREATE MATERIALIZED VIEW m AS {JOIN}")
    runtime.query(f"CREATE MATERIALIZED VIEW n AS {THREE}")
    for round_ in range(4):
        write(runtime, 100 * seed + round_)
        check(runtime, "m", "n")
        runtime.kill_replica()
        write(runtime, 100 * seed + round_ + 50, 3)
        check(runtime, "m", "n")
