"""What tests of KAFKA sources say to a runtime."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

import psycopg
from inprocess import eventually, rows
from servers.kafka.broker import KafkaBroker, Record

Db = psycopg.Connection[tuple[Any, ...]]


def connect(db: Db, kafka: KafkaBroker, name: str = "k") -> None:
    options = f"BROKER '{kafka.bootstrap}', SECURITY PROTOCOL PLAINTEXT"
    db.execute(f"CREATE CONNECTION {name} TO KAFKA ({options})".encode())


def objects(values: Iterable[dict[str, Any]], key: str | None = None) -> list[Record]:
    """Messages of JSON objects; `key` is the field that is the key, as a text."""
    return [(None if key is None else str(v[key]).encode(), json.dumps(v).encode()) for v in values]


def shows(db: Db, query: str, wanted: list[tuple[Any, ...]], timeout_s: float = 30.0) -> None:
    """Waits until the query's rows, in any order, are those."""
    wanted = sorted(wanted, key=repr)
    found: list[tuple[Any, ...]] = []

    def same() -> bool:
        try:
            found[:] = sorted(rows(db, query), key=repr)
        except psycopg.Error as error:  # a record is in error, and may not stay so
            found[:] = [(error.diag.message_primary,)]
        return found == wanted

    try:
        eventually(same, timeout_s)
    except AssertionError:
        statuses = rows(db, "SELECT name, status, error FROM mz_internal.mz_source_statuses")
        there = Counter(map(repr, found)), Counter(map(repr, wanted))
        missing, more = there[1] - there[0], there[0] - there[1]
        raise AssertionError(
            f"missing: {list(missing)[:10]}, too many: {list(more)[:10]}; {statuses}"
        ) from None


def status(db: Db, name: str = "s") -> tuple[str, str | None]:
    (found,) = rows(db, "SELECT status, error FROM mz_internal.mz_source_statuses WHERE name = %s", (name,))
    return found[0], found[1]


def stalled(db: Db, name: str = "s") -> str:
    """Waits until the source is stalled, and says why."""
    eventually(lambda: status(db, name)[0] == "stalled", 60)
    return status(db, name)[1] or ""


def statistics(db: Db, columns: str, name: str = "s") -> tuple[Any, ...]:
    (found,) = rows(
        db,
        f"SELECT {columns} FROM mz_internal.mz_source_statistics x JOIN mz_objects o ON o.id = x.id WHERE o.name = %s",
        (name,),
    )
    return found
