"""mz_internal.mz_last_changes: when contents changed, of tables, and of views by what they are computed from."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import psycopg
from inprocess import running

Db = psycopg.Connection[tuple[Any, ...]]


def last_changes(db: Db) -> dict[str, datetime | None]:
    return dict(
        db.execute(
            "SELECT o.name, c.last_change FROM mz_internal.mz_last_changes c"
            " JOIN mz_catalog.mz_objects o ON o.id = c.object_id WHERE o.schema_name = 'public'"
        ).fetchall()
    )


def now(db: Db) -> datetime:
    row = db.execute("SELECT clock_timestamp()").fetchone()
    assert row is not None
    return row[0]


def test_what_changes_is_newer_and_so_is_what_rests_on_it() -> None:
    with running() as runtime:
        with runtime.connect() as db:
            db.execute("CREATE TABLE orders (id int, amount int)")
            db.execute("CREATE TABLE rates (rate int)")
            db.execute("CREATE VIEW doubled AS SELECT id, amount * 2 AS amount FROM orders")
            db.execute("CREATE MATERIALIZED VIEW totals AS SELECT sum(amount * rate) FROM doubled, rates")
            db.execute("CREATE MATERIALIZED VIEW constant AS SELECT 1 AS one")
            assert set(last_changes(db).items()) == {
                (name, None) for name in ("orders", "rates", "doubled", "totals", "constant")
            }
            before = now(db)
            db.execute("INSERT INTO orders VALUES (1, 10)")
            first = last_changes(db)
            assert first["orders"] is not None
            assert before.replace(microsecond=0) <= first["orders"] <= now(db)
            assert first == {
                **dict.fromkeys(("orders", "doubled", "totals"), first["orders"]),
                "rates": None,
                "constant": None,
            }
            db.execute("INSERT INTO rates VALUES (3)")
            second = last_changes(db)
            assert second["orders"] == first["orders"] == second["doubled"]
            assert second["rates"] == second["totals"]
            assert second["rates"] is not None
            assert second["rates"] > first["orders"]
            db.execute("DELETE FROM orders")
            db.execute("UPDATE rates SET rate = 4 WHERE rate = 5")  # changes nothing
            third = last_changes(db)
            assert third["orders"] is not None
            assert third["orders"] > second["rates"] == third["rates"]
        runtime.stop()
        runtime.start()
        with runtime.connect() as db:
            assert last_changes(db) == third
