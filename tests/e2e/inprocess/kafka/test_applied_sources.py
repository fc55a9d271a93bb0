"""ALTER SOURCE ... APPLY of KAFKA sources: messages that come later, and their keys, are kept as the source is defined then."""

from __future__ import annotations

import pytest
from inprocess import eventually, rows
from servers.kafka.broker import KafkaBroker

from .sources import Db, connect, objects, shows

VIEW = "SELECT id, n FROM s WHERE kind = 'a'"


def messages(*values: tuple[int, int, str]) -> list[tuple[bytes | None, bytes | None]]:
    made = [{"id": id_, "n": n, "kind": kind, "trace": f"trace {n}"} for id_, n, kind in values]
    return list(objects(made, key="id"))


@pytest.mark.parametrize("envelope", ["NONE", "UPSERT"])
def test_what_comes_later_is_kept_so(db: Db, kafka: KafkaBroker, envelope: str) -> None:
    connect(db, kafka)
    topic = kafka.topic(partitions=1)
    kafka.produce(topic, messages((1, 1, "a"), (2, 2, "b"), (3, 3, "a")))
    formats = "FORMAT JSON" if envelope == "NONE" else "KEY FORMAT TEXT VALUE FORMAT JSON INCLUDE KEY AS k"
    columns = "(id int, n int, kind text, trace text)"
    db.execute(
        f"CREATE SOURCE s {columns} FROM KAFKA CONNECTION k (TOPIC '{topic}') {formats} INCLUDE OFFSET AS place ENVELOPE {envelope}".replace(
            "INCLUDE KEY AS k INCLUDE OFFSET", "INCLUDE KEY AS k, OFFSET"
        ).encode()
    )
    db.execute(f"CREATE MATERIALIZED VIEW v AS {VIEW}".encode())
    shows(db, "SELECT * FROM v", [(1, 1), (3, 3)])
    eventually(lambda: rows(db, "SELECT count(*) FROM s") == [(3,)])
    db.execute(b"ALTER SOURCE s APPLY")
    (shown,) = rows(db, "SHOW CREATE SOURCE s")
    assert "WHERE ((kind = 'a')) WITH (EXCLUDE COLUMNS (trace, place))" in shown[1]
    # One goes out of the condition, one comes into it, and one stays.
    kafka.produce(topic, messages((1, 10, "b"), (2, 20, "a"), (3, 30, "a")))
    if envelope == "UPSERT":
        wanted = [(2, 20, "a"), (3, 30, "a")]
    else:
        wanted = [(1, 1, "a"), (3, 3, "a"), (2, 20, "a"), (3, 30, "a")]
    shows(db, "SELECT * FROM v", [(id_, n) for id_, n, _ in wanted])
    shows(db, "SELECT id, n, kind FROM s", wanted)
    names = [name for (name, *_) in rows(db, "SHOW COLUMNS FROM s")]
    assert names == [*(["k"] if envelope == "UPSERT" else []), "id", "n", "kind"]
