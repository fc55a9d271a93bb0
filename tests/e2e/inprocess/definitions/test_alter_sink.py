"""ALTER SINK and SET SCHEMA: a sink goes on with something else to read, in another cluster, under another schema's name."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, hydrated, rows, running
from ptvc.coord.catalog.items import Sink
from ways import STILL

Contents = Counter[str]


def history(path: Path) -> dict[int, Contents]:
    """What the target holds at each time at which it changes, as a reader sees it that goes by the manifest.  No row is less
    than not there, and no time is in two files."""
    if not (path / "manifest.json").exists():
        return {}
    upper = json.loads((path / "manifest.json").read_text())["upper"]
    contents: Contents = Counter()
    found: dict[int, Contents] = {}
    lowest: dict[int, int] = {}
    ended = 0
    for file in sorted(path.glob("*.jsonl")):
        lower, until = map(int, file.stem.split("-"))
        if until > upper:
            continue
        assert lower >= ended
        ended = until
        for line in file.read_text().splitlines():
            record = json.loads(line)
            time, diff = record.pop("mz_timestamp"), record.pop("mz_diff")
            assert lower <= time < until
            contents[json.dumps(record)] += diff
            found[time] = +contents
            lowest[time] = min(contents.values())
    assert all(least >= 0 for least in lowest.values())
    return found


def last(path: Path) -> Contents:
    found = history(path)
    return found[max(found)] if found else Counter()


def wanted(db: psycopg.Connection[Any], relation: str) -> Contents:
    found = rows(db, f"SELECT k, v FROM {relation}")
    return Counter(json.dumps({"k": k, "v": v}) for k, v in found)


def shows(db: psycopg.Connection[Any], target: Path, relation: str) -> None:
    """Waits until the target does; says what it shows instead, and how its sink is."""
    try:
        eventually(lambda: last(target) == wanted(db, relation))
    except AssertionError:
        status = rows(db, "SELECT status, error FROM mz_internal.mz_sink_statuses WHERE name = 'feed'")
        raise AssertionError(f"{relation}: {wanted(db, relation)} != {last(target)}, {status}") from None


def settled(db: psycopg.Connection[Any]) -> bool:
    return rows(db, "SELECT count(*) FROM mz_internal.mz_object_dependencies WHERE object_id = "
                "(SELECT id FROM mz_catalog.mz_sinks WHERE name = 'feed')") == [(1,)]  # fmt: skip


def make(db: psycopg.Connection[Any], target: Path) -> None:
    db.execute("CREATE TABLE t (k int, v int)")
    db.execute("INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)")
    db.execute("CREATE MATERIALIZED VIEW old AS SELECT k, v FROM t")
    db.execute("CREATE MATERIALIZED VIEW new AS SELECT k, v + k % 2 AS v FROM t")
    db.execute(f"CREATE SINK feed FROM old INTO FILE '{target}' FORMAT JSON ENVELOPE NONE")
    eventually(lambda: hydrated(db, "old", "new"))


def test_the_target_holds_the_one_and_then_the_other(fresh: InProcess, tmp_path: Path) -> None:
    target, seed = tmp_path / "out", random.Random(3)
    with fresh.connect() as db:
        make(db, target)
        names = ["old", "new"]
        for switch in range(6):
            for _ in range(3):
                db.execute(f"INSERT INTO t VALUES ({seed.randrange(6)}, {seed.randrange(100)})")
            eventually(
                lambda: (
                    rows(db, "SELECT count(*) FROM mz_internal.mz_sink_statuses WHERE status = 'running'")
                    == [(1,)]
                )
            )
            if switch == 3:
                fresh.kill_replica()
            db.execute(f"ALTER SINK feed SET FROM {names[1]}")
            if switch == 4:
                fresh.kill_replica()
            db.execute(f"DELETE FROM t WHERE k = {seed.randrange(6)}")
            shows(db, target, names[1])
            eventually(lambda: settled(db))
            names.reverse()
        assert rows(db, "SELECT name FROM mz_catalog.mz_sinks") == [("feed",)]
        [(_, text)] = rows(db, "SHOW CREATE SINK feed")
        assert f"FROM {'public.' + names[0]} INTO" in text
        db.execute(f"DROP MATERIALIZED VIEW {names[1]}")
        with pytest.raises(psycopg.Error) as error:
            db.execute(f"DROP MATERIALIZED VIEW {names[0]}")
        assert error.value.sqlstate == "2BP01"
    fresh.abandon()
    fresh.start()
    with fresh.connect() as db:
        db.execute("INSERT INTO t VALUES (7, 70)")
        shows(db, target, names[0])


def test_the_switch_is_one_change(fresh: InProcess, tmp_path: Path) -> None:
    """All rows move at one time, rows that both have are not written, and a crash right after it changes nothing."""
    target = tmp_path / "out"
    with fresh.connect() as db:
        make(db, target)
        shows(db, target, "old")
        before = history(target)
        db.execute("ALTER SINK feed SET FROM new")
        fresh.abandon()
    fresh.start()
    with fresh.connect() as db:
        shows(db, target, "new")
        after = history(target)
        assert len(after) == len(before) + 1
        lines = [
            json.loads(line) for file in target.glob("*.jsonl") for line in file.read_text().splitlines()
        ]
        assert [line["v"] for line in lines if line["k"] == 2] == [20]
        assert len([line for line in lines if line["k"] != 2]) == 6
        eventually(lambda: settled(db))
        db.execute("DROP MATERIALIZED VIEW old")


def test_of_two_equal_relations_nothing_is_written(fresh: InProcess, tmp_path: Path) -> None:
    target = tmp_path / "out"
    with fresh.connect() as db:
        make(db, target)
        shows(db, target, "old")
        written = sorted(target.glob("*.jsonl"))
        db.execute("ALTER SINK feed SET FROM t")
        eventually(lambda: settled(db))
        assert sorted(target.glob("*.jsonl")) == written
        db.execute("DROP MATERIALIZED VIEW old")
        db.execute("INSERT INTO t VALUES (4, 40)")
        shows(db, target, "t")


def test_an_upsert_sink_says_what_has_gone(fresh: InProcess, tmp_path: Path) -> None:
    target = tmp_path / "out"
    with fresh.connect() as db:
        db.execute("CREATE TABLE a (k int, v text)")
        db.execute("CREATE TABLE b (k int, v text)")
        db.execute("INSERT INTO a VALUES (1, 'one'), (2, 'two')")
        db.execute("INSERT INTO b VALUES (2, 'zwei'), (3, 'drei')")
        db.execute(f"CREATE SINK feed FROM a INTO FILE '{target}' FORMAT JSON KEY (k) ENVELOPE UPSERT")

        def state() -> dict[int, str]:
            found: dict[int, str] = {}
            for file in sorted(target.glob("*.jsonl")):
                for line in file.read_text().splitlines():
                    record = json.loads(line)
                    if record["after"] is None:
                        del found[record["k"]]
                    else:
                        found[record["k"]] = record["after"]["v"]
            return found

        eventually(lambda: state() == {1: "one", 2: "two"})
        db.execute("ALTER SINK feed SET FROM b")
        eventually(lambda: state() == {2: "zwei", 3: "drei"})


def test_a_sink_that_was_in_error_goes_on_with_another_relation(fresh: InProcess, tmp_path: Path) -> None:
    target = tmp_path / "out"
    with fresh.connect() as db:
        db.execute("CREATE TABLE t (k int, v int)")
        db.execute("INSERT INTO t VALUES (1, 10)")
        db.execute("CREATE MATERIALIZED VIEW bad AS SELECT k, v / k AS v FROM t")
        db.execute(f"CREATE SINK feed FROM bad INTO FILE '{target}' FORMAT JSON ENVELOPE NONE")
        shows(db, target, "t")
        db.execute("INSERT INTO t VALUES (0, 5), (2, 20)")
        status = "SELECT status FROM mz_internal.mz_sink_statuses WHERE name = 'feed'"
        eventually(lambda: rows(db, status) == [("stalled",)])
        db.execute("CREATE MATERIALIZED VIEW good AS SELECT k, v FROM t")
        db.execute("ALTER SINK feed SET FROM good")
        shows(db, target, "good")
        eventually(lambda: rows(db, status) == [("running",)])


def in_error(db: psycopg.Connection[Any]) -> bool:
    return rows(db, "SELECT status FROM mz_internal.mz_sink_statuses WHERE name = 'feed'") == [("stalled",)]


def test_a_sink_that_waits_to_go_from_an_error_to_an_error_is_given_what_is_in_none(
    fresh: InProcess, tmp_path: Path
) -> None:
    """What was to come, and has not, is left out; a restart in between changes nothing."""
    target = tmp_path / "out"
    with fresh.connect() as db:
        make(db, target)
        for view in ("bad", "worse"):
            db.execute(f"CREATE MATERIALIZED VIEW {view} AS SELECT k, v / k AS v FROM t")
        db.execute("ALTER SINK feed SET FROM bad")
        shows(db, target, "bad")
        eventually(lambda: settled(db))
        before = last(target)
        db.execute("INSERT INTO t VALUES (0, 5), (6, 60)")
        eventually(lambda: in_error(db))
        db.execute("ALTER SINK feed SET FROM worse")
        eventually(lambda: in_error(db))
        assert last(target) == before
        with pytest.raises(psycopg.errors.DependentObjectsStillExist):
            db.execute("DROP MATERIALIZED VIEW bad")
        db.execute("ALTER SINK feed SET FROM bad")
        db.execute("ALTER SINK feed SET FROM worse")
        fresh.abandon()
    fresh.start()
    with fresh.connect() as db:
        eventually(lambda: in_error(db))
        db.execute("ALTER SINK feed SET FROM new")
        shows(db, target, "new")
        eventually(lambda: settled(db))
        db.execute("DROP MATERIALIZED VIEW bad")
        db.execute("DROP MATERIALIZED VIEW worse")
        db.execute("INSERT INTO t VALUES (7, 70)")
        shows(db, target, "new")


@pytest.mark.parametrize("number", range(3))
def test_exchanges_that_do_not_wait_for_each_other(fresh: InProcess, tmp_path: Path, number: int) -> None:
    """`history` sees that no row is taken back that is not there: so each was one change of what the target had."""
    target, seed = tmp_path / "out", random.Random(number)
    with fresh.connect() as db:
        make(db, target)
        db.execute("CREATE MATERIALIZED VIEW third AS SELECT k, max(v) AS v FROM t GROUP BY k")
        eventually(lambda: hydrated(db, "third"))
    on = "old"
    for _ in range(12):
        with fresh.connect() as db:
            on = seed.choice(["old", "new", "third"])
            db.execute(f"ALTER SINK feed SET FROM {on}")
            db.execute(f"INSERT INTO t VALUES ({seed.randrange(6)}, {seed.randrange(100)})")
            match seed.randrange(6):
                case 0:
                    fresh.kill_replica()
                case 1:
                    shows(db, target, on)
                case 2:
                    db.execute(f"DELETE FROM t WHERE k = {seed.randrange(6)}")
        if seed.randrange(6) == 0:
            fresh.abandon()
            fresh.start()
    with fresh.connect() as db:
        shows(db, target, on)
        eventually(lambda: settled(db))
        for view in {"old", "new", "third"} - {on}:
            db.execute(f"DROP MATERIALIZED VIEW {view}")


def test_a_statement_finds_what_the_target_has_left(tmp_path: Path) -> None:
    """Upkeep does not come here: a statement, in a block or not, looks itself."""
    target = tmp_path / "out"
    with running(STILL) as runtime:

        def gone_over() -> bool:
            item = runtime.coordinator.catalog.find("public", "feed")
            assert isinstance(item, Sink)
            return runtime.coordinator.controller.sinks.left(item) is not None

        with runtime.connect() as db:
            make(db, target)
            shows(db, target, "old")
            db.execute("ALTER SINK feed SET FROM new")
            eventually(gone_over)
            db.execute("DROP MATERIALIZED VIEW old")
            db.execute("ALTER SINK feed SET FROM t")
            eventually(gone_over)
            db.execute("BEGIN")
            db.execute("COMMENT ON TABLE t IS 'of the block'")
            db.execute("DROP MATERIALIZED VIEW new")
            db.execute("COMMIT")
            [(told,)] = rows(db, "SELECT count(*) FROM mz_catalog.mz_audit_events WHERE object_type = 'sink'")
            assert told == 3, "what the runtime does for a statement is none of its author's"
        runtime.abandon()
        runtime.start()
        with runtime.connect() as db:
            db.execute("INSERT INTO t VALUES (8, 80)")
            shows(db, target, "t")


def test_a_block_that_gives_a_sink_something_else_more_than_once(fresh: InProcess, tmp_path: Path) -> None:
    target = tmp_path / "out"
    with fresh.connect() as db, fresh.connect() as other:
        make(db, target)
        db.execute("ALTER SINK feed SET FROM new")
        db.execute("BEGIN")
        db.execute("ALTER SINK feed SET FROM t")
        db.execute("ALTER SINK feed SET FROM old")
        eventually(lambda: settled(other))  # between the statements and the commit
        db.execute("COMMIT")
        shows(db, target, "old")
        eventually(lambda: settled(db))
        before = history(target)
        db.execute("BEGIN")
        db.execute("ALTER SINK feed SET FROM t")
        db.execute("ALTER SINK feed SET FROM old")
        db.execute("COMMIT")
        assert settled(db)
        db.execute("DROP MATERIALIZED VIEW new")
        assert history(target) == before


def test_in_a_block_with_swaps(fresh: InProcess, tmp_path: Path) -> None:
    """A sink keeps its name, its place and its target while all around it is swapped."""
    target = tmp_path / "out"
    with fresh.connect() as db:
        for place, value in (("blue", 1), ("green", 2)):
            db.execute(f"CREATE CLUSTER in_{place}")
            db.execute(f"CREATE SCHEMA {place}")
            db.execute(f"CREATE TABLE {place}.t (k int, v int)")
            db.execute(f"INSERT INTO {place}.t VALUES (1, {value})")
            db.execute(
                f"CREATE MATERIALIZED VIEW {place}.m IN CLUSTER in_{place} AS SELECT k, v FROM {place}.t"
            )
        db.execute(
            f"CREATE SINK blue.feed IN CLUSTER in_blue FROM blue.m INTO FILE '{target}' FORMAT JSON ENVELOPE NONE"
        )
        eventually(lambda: last(target) == Counter(['{"k": 1, "v": 1}']))
        for expected in (2, 1):
            db.execute("BEGIN")
            db.execute("ALTER SCHEMA blue SWAP WITH green")
            db.execute("ALTER CLUSTER in_blue SWAP WITH in_green")
            db.execute("ALTER SINK green.feed SET SCHEMA blue")
            db.execute("ALTER SINK blue.feed SET CLUSTER in_blue")
            db.execute("ALTER SINK blue.feed SET FROM blue.m")
            db.execute("COMMIT")
            rows_then = Counter([f'{{"k": 1, "v": {expected}}}'])
            eventually(lambda then=rows_then: last(target) == then)
            eventually(lambda: settled(db))
            [(_, text)] = rows(db, "SHOW CREATE SINK blue.feed")
            assert text.startswith("CREATE SINK blue.feed IN CLUSTER in_blue FROM blue.m INTO")
        db.execute("BEGIN")
        db.execute("ALTER SINK blue.feed SET FROM green.m")
        db.execute("ROLLBACK")
        db.execute("DROP SCHEMA green CASCADE")
        db.execute("DROP CLUSTER in_green")
        db.execute("INSERT INTO blue.t VALUES (2, 2)")
        shows(db, target, "blue.m")
        assert len(history(target)) == 4


@pytest.mark.parametrize(
    ("statement", "state", "message"),
    [
        ("ALTER SINK feed SET FROM v", "42809", 'cannot create a sink from view "v"'),
        ("ALTER SINK feed SET FROM w", "42P16", 'sink "feed" cannot read "w": column "v" is of type text instead of integer'),
        ("ALTER SINK feed SET FROM nothing", "42P01", 'relation "nothing" does not exist'),
        ("ALTER SINK nothing SET FROM t", "42704", 'sink "nothing" does not exist'),
        ("ALTER SINK t SET FROM old", "42809", '"t" is not a sink'),
        ("ALTER SINK feed SET CLUSTER nothing", "42704", 'cluster "nothing" does not exist'),
        ("ALTER SINK feed SET SCHEMA nothing", "3F000", 'schema "nothing" does not exist'),
        ("ALTER TABLE t SET SCHEMA s", "42P07", 'relation "t" already exists in schema "s"'),
        ("ALTER TABLE t SET SCHEMA pg_catalog", "42501", 'permission denied: "pg_catalog" is a system schema'),
    ],
)  # fmt: skip
def test_refusals(db_with_sink: psycopg.Connection[Any], statement: str, state: str, message: str) -> None:
    with pytest.raises(psycopg.Error) as error:
        db_with_sink.execute(statement)  # type: ignore[call-overload]
    assert (error.value.sqlstate, error.value.diag.message_primary) == (state, message)


@pytest.fixture(scope="module")
def db_with_sink(runtime: InProcess, tmp_path_factory: pytest.TempPathFactory) -> Any:
    with runtime.connect() as db:
        db.execute("CREATE SCHEMA alter_sink")
        db.execute("SET search_path = alter_sink")
        make(db, tmp_path_factory.mktemp("sink") / "out")
        db.execute("CREATE VIEW v AS SELECT k, v FROM t")
        db.execute("CREATE TABLE w (k int, v text)")
        db.execute("CREATE SCHEMA s")
        db.execute("CREATE TABLE s.t (a int)")
        yield db
        db.execute("DROP SCHEMA alter_sink CASCADE")
        db.execute("DROP SCHEMA s CASCADE")


def test_indexes_move_with_their_relation(db_with_sink: psycopg.Connection[Any]) -> None:
    db = db_with_sink
    db.execute("CREATE TABLE moves (a int)")
    db.execute("CREATE INDEX moves_i ON moves (a)")
    db.execute("ALTER TABLE moves SET SCHEMA s")
    db.execute("ALTER TABLE s.moves SET SCHEMA s")
    found = "SELECT s.name || '.' || o.name FROM mz_catalog.mz_objects o JOIN mz_catalog.mz_schemas s ON s.id = o.schema_id"
    assert rows(db, found + " WHERE o.name LIKE 'moves%%' ORDER BY 1") == [("s.moves",), ("s.moves_i",)]
    assert db.execute("ALTER TABLE IF EXISTS nothing SET SCHEMA s").statusmessage == "ALTER TABLE"
