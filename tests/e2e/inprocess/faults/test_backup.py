"""`ptvc backup` while a runtime serves the environment, and what a runtime makes of what is restored."""

from __future__ import annotations

import json
import random
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from inprocess import FAST, InProcess, eventually, rows
from ptvc.backup.marks import KILLED_MS
from ptvc.cli import app
from ptvc.clock import SystemClock
from servers.s3_server import S3Server
from typer.testing import CliRunner

TOTAL = 1_000


def ptvc(*arguments: object) -> str:
    """What a command that succeeds prints."""
    result = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def restored(place: Path, directory: Path, backup: str | None = None) -> InProcess:
    """A runtime of a backup, started."""
    ptvc("restore", place, "--path", directory, *(["--backup", backup] if backup else []))
    runtime = InProcess(directory, FAST)
    runtime.start()
    return runtime


def transfer(db: psycopg.Connection[Any], chance: random.Random) -> None:
    amount = chance.randrange(1, 50)
    with db.transaction():
        db.execute("INSERT INTO a VALUES (%s)", (-amount,))
        db.execute("INSERT INTO b VALUES (%s)", (amount,))
        if chance.random() < 0.3:
            deleted = db.execute("DELETE FROM a WHERE v = %s", (-amount,)).rowcount
            db.execute("INSERT INTO a SELECT %s FROM generate_series(1, %s)", (-amount, deleted))


def define(db: psycopg.Connection[Any]) -> None:
    for statement in (
        "CREATE TABLE a (v bigint)",
        "CREATE TABLE b (v bigint)",
        f"INSERT INTO a VALUES ({TOTAL})",
        "CREATE MATERIALIZED VIEW total AS"
        " SELECT sum(v) AS s, count(*) AS n FROM (SELECT v FROM a UNION ALL SELECT v FROM b) AS t",
    ):
        db.execute(statement.encode())


def test_each_backup_is_between_two_transactions(fresh: InProcess, tmp_path: Path) -> None:
    place = tmp_path / "backups"
    ended = threading.Event()
    failures: list[BaseException] = []
    with fresh.connect() as db:
        define(db)
        rows(db, "SELECT * FROM total")

    def work(seed: int) -> None:
        chance = random.Random(seed)
        try:
            with fresh.connect() as db:
                while not ended.is_set():
                    try:
                        transfer(db, chance)
                    except psycopg.errors.SerializationFailure:
                        continue
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(2)]
    counts = []
    for thread in threads:
        thread.start()
    try:
        for _ in range(3):
            [(count,)] = fresh.query("SELECT n FROM total")
            counts.append(count)
            ptvc("backup", place, "--path", fresh.directory)
            fresh.merge()
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert failures == []
    [(last,)] = fresh.query("SELECT n FROM total")
    names = sorted(path.parent.name for path in (place / "backups").rglob("manifest.json"))
    assert len(names) == len(counts) == 3
    assert all(name in ptvc("backups", place) for name in names)
    found = []
    for name, least in zip(names, counts, strict=True):
        runtime = restored(place, tmp_path / name, name)
        try:
            [(total, count)] = runtime.query("SELECT s, n FROM total")
            recomputed = runtime.query(
                "SELECT sum(v), count(*) FROM (SELECT v FROM a UNION ALL SELECT v FROM b) AS t"
            )
            assert (total, count) == recomputed[0]
            assert total == TOTAL
            assert least <= count <= last, "what was acknowledged before is there"
            found.append(count)
            runtime.query("INSERT INTO a VALUES (5)")
            assert runtime.query("SELECT s FROM total") == [(TOTAL + 5,)]
        finally:
            runtime.stop()
    assert found == sorted(found)


def test_sinks_go_on_unless_their_target_is_ahead(fresh: InProcess, tmp_path: Path) -> None:
    """One that is has what the backup has not, and what it would write next is not what follows."""
    place, target = tmp_path / "backups", tmp_path / "feed"

    def written() -> list[int]:
        lines = [line for file in sorted(target.glob("*.jsonl")) for line in file.read_text().splitlines()]
        return sorted(json.loads(line)["v"] for line in lines)

    with fresh.connect() as db:
        define(db)
        db.execute(f"CREATE SINK feed FROM b INTO FILE '{target}' FORMAT JSON ENVELOPE NONE".encode())
        db.execute("INSERT INTO b VALUES (1)")
    eventually(lambda: written() == [1])
    fresh.stop()
    ptvc("backup", place, "--path", fresh.directory)
    runtime = restored(place, tmp_path / "first")
    try:
        runtime.query("INSERT INTO b VALUES (2)")
        eventually(lambda: written() == [1, 2])
    finally:
        runtime.stop()
    runtime = restored(place, tmp_path / "second")
    try:
        runtime.query("INSERT INTO b VALUES (3)")

        def status() -> list[tuple[Any, ...]]:
            return runtime.query("SELECT status, error FROM mz_internal.mz_sink_statuses WHERE name = 'feed'")

        eventually(lambda: status()[0][0] == "failed")
        assert "the backup that was restored ends at" in status()[0][1]
        assert written() == [1, 2]
    finally:
        runtime.stop()
    fresh.start()


def test_keys_are_in_it_if_that_is_asked_for(fresh: InProcess, tmp_path: Path) -> None:
    fresh.query("CREATE SECRET s AS 'word'")
    fresh.stop()
    ptvc("backup", tmp_path / "without", "--path", fresh.directory)
    said = ptvc("restore", tmp_path / "without", "--path", tmp_path / "a")
    assert "put the key file at" in said
    ptvc("backup", tmp_path / "with", "--path", fresh.directory, "--with-keys")
    ptvc("restore", tmp_path / "with", "--path", tmp_path / "b")
    key = (fresh.directory / "secrets.key").read_bytes()
    assert (tmp_path / "b" / "secrets.key").read_bytes() == key
    kept = [path.read_bytes() for path in (tmp_path / "without").rglob("*") if path.is_file()]
    assert not any(key.strip() in data for data in kept)
    fresh.start()


def test_refused_places(fresh: InProcess, tmp_path: Path) -> None:
    def refused(*arguments: object) -> str:
        result = CliRunner().invoke(app, list(map(str, arguments)))
        assert result.exit_code != 0
        return str(result.exception)

    inside = fresh.directory / "backups"
    assert "in the runtime's own directory" in refused("backup", inside, "--path", fresh.directory)
    assert not inside.exists()
    assert "there are no backups in" in refused("restore", tmp_path / "none", "--path", tmp_path / "new")
    assert "there are no backups in" in refused("backups", tmp_path / "none")
    assert "holds no environment" in refused("backup", tmp_path / "x", "--path", tmp_path / "none")
    ptvc("backup", tmp_path / "backups", "--path", fresh.directory)
    assert "is not empty" in refused("restore", tmp_path / "backups", "--path", fresh.directory)


def test_so_many_are_kept(fresh: InProcess, tmp_path: Path) -> None:
    for _ in range(4):
        said = ptvc("backup", tmp_path / "backups", "--path", fresh.directory, "--keep", "2")
    assert "removed 1 older backups" in said
    assert len([line for line in ptvc("backups", tmp_path / "backups").splitlines() if "UTC" in line]) == 2
    everything = [tmp_path / "backups", *(tmp_path / "backups").rglob("*")]
    assert not any(path.stat().st_mode & 0o077 for path in everything), "it holds rows: its owner's alone"


def utc(at_ms: int) -> str:
    return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"


def test_so_many_are_kept_in_s3(fresh: InProcess, s3: S3Server, tmp_path: Path) -> None:
    """While another one is under way, as it seems, all of them."""
    place = s3.url(bucket := s3.bucket(), "backups")
    for _ in range(3):
        said = ptvc("backup", place, "--path", fresh.directory, "--keep", "2")
    assert "removed 1 older backups" in said
    (environment,) = {name.split("/")[2] for name in s3.names(bucket) if "manifest" in name}
    mark = f"backups/backups/{environment}/another/begun-000000.json"
    at_ms = SystemClock().now_ms()
    s3.write(bucket, mark, b'{"at": %d}' % at_ms)
    said = ptvc("backup", place, "--path", fresh.directory, "--keep", "1")
    assert "removed 0 older backups" in said
    assert f"Backup another has not ended, and said so last at {utc(at_ms)}" in said
    assert f"not removed before {utc(at_ms + KILLED_MS)}" in said
    assert said.endswith(f"this is deleted: s3://{bucket}/{mark}\n")
    assert len([line for line in ptvc("backups", place).splitlines() if "UTC" in line]) == 3
    s3.delete(bucket, mark)
    said = ptvc("backup", place, "--path", fresh.directory, "--keep", "2")
    assert "removed 2 older backups" in said
    assert "another" not in said
    ptvc("restore", place, "--path", tmp_path / "restored")


@pytest.mark.parametrize("text", ["", "file:", "s3://UPPER/x", "s3://bucket/x?key=y", "ftp://host/x"])
def test_places_that_are_none(text: str, fresh: InProcess) -> None:
    result = CliRunner().invoke(app, ["backup", text, "--path", str(fresh.directory)])
    assert result.exit_code != 0
    assert result.exception is not None
