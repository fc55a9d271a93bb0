"""A request whose key came before is not written again, also when the runtime began anew in between."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, rows
from ptvc.persist import inspect

from .posting import Poster, bodies

Db = psycopg.Connection[tuple[Any, ...]]
SOURCE = "CREATE SOURCE s FROM WEBHOOK BODY FORMAT TEXT WITH (IDEMPOTENCY KEY HEADER 'X-Key')"


def test_a_key_is_written_once(db: Db, poster: Poster) -> None:
    db.execute(SOURCE)
    for _ in range(3):
        assert poster.post("s", "a", X_Key="1").status == 200
    assert poster.post("s", "a", X_Key="2").status == 200
    for _ in range(2):
        assert poster.post("s", "no key").status == 200
    answer = poster.post("s", "b", X_Key="1")
    assert (answer.status, answer.error["code"]) == (422, "22023")
    assert sorted(rows(db, "SELECT body FROM s")) == [("a",), ("a",), ("no key",), ("no key",)]


def test_only_the_last_keys_are_known(db: Db, poster: Poster) -> None:
    """Five of them."""
    db.execute(SOURCE)
    for key in range(7):
        assert poster.post("s", str(key), X_Key=str(key)).status == 200
    for key in (2, 3, 4, 5, 6, 0):  # 0 comes anew
        assert poster.post("s", str(key), X_Key=str(key)).status == 200
    assert sorted(rows(db, "SELECT body FROM s")) == [(str(key),) for key in (0, 0, 1, 2, 3, 4, 5, 6)]


@pytest.mark.parametrize("value", [b"x" * 256, b"\xff"])
def test_what_is_no_key(db: Db, poster: Poster, value: bytes) -> None:
    db.execute(SOURCE)
    assert poster.post_with("s", b"a", [("x-key", value)]).status == 400
    assert poster.post_with("s", b"a", [("x-key", b"1"), ("x-key", b"1")]).status == 400
    assert rows(db, "SELECT * FROM s") == []


def test_what_is_refused_leaves_no_key(db: Db, poster: Poster) -> None:
    db.execute(
        "CREATE SOURCE s FROM WEBHOOK BODY FORMAT JSON CHECK (WITH (HEADERS) headers ? 'x-known')"
        " WITH (IDEMPOTENCY KEY HEADER 'x-key')"
    )
    assert poster.post("s", "1", X_Key="1").status == 401
    assert poster.post("s", "{", X_Key="1", X_Known="").status == 400
    assert poster.post("s", "1", X_Key="1", X_Known="").status == 200
    assert poster.post("s", "2", X_Key="1").status == 401  # it does not say that the key was there
    assert rows(db, "SELECT body FROM s") == [(1,)]


def test_keys_outlast_crashes(fresh: InProcess) -> None:
    fresh.query(SOURCE)
    for generation in range(3):
        with Poster(fresh.http_port, "public") as poster:
            for key in range(generation + 2):
                assert poster.post("s", str(key), X_Key=str(key)).status == 200
            assert poster.post("s", "other", X_Key="0").status == 422
        if generation == 1:
            fresh.stop()
        else:
            fresh.abandon()
        fresh.start()
    assert sorted(bodies(fresh, "s")) == ["0", "1", "2", "3"]


def test_the_shard_of_keys_is_kept_small(runtime: InProcess, db: Db, poster: Poster) -> None:
    """What has gone from the window goes from the store."""
    db.execute(SOURCE)
    for key in range(200):
        assert poster.post("s", str(key), X_Key=str(key)).status == 200
    [(id_,)] = rows(db, "SELECT id FROM mz_sources WHERE name = 's'")

    def is_small() -> bool:
        found = inspect.overview(runtime.stores.consensus, runtime.stores.blob)
        return (
            next(shard.rows for shard in found.shards if shard.shard == f"{id_}-keys") <= 60
        )  # of 395 that were written

    eventually(is_small)
