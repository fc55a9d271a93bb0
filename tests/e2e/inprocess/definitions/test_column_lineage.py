"""mz_column_lineage: of which columns of what it names a view's columns and rows are made, whatever happens to those afterwards."""

from __future__ import annotations

from typing import Any

import psycopg
from inprocess import InProcess, rows

DB = psycopg.Connection[tuple[Any, ...]]

LINEAGE = """
    SELECT o.name, l.column_name, r.name || '.' || l.referenced_column_name, l.kind
    FROM mz_internal.mz_column_lineage AS l
    JOIN mz_catalog.mz_objects AS o ON o.id = l.object_id
    JOIN mz_catalog.mz_objects AS r ON r.id = l.referenced_object_id
    WHERE o.name = %s
"""


def lineage(db: DB, view: str) -> set[str]:
    """As `column <- relation.column kind`; without a column it is of the rows."""
    return {
        f"{column or ''} <- {read} {kind}".strip() for _, column, read, kind in rows(db, LINEAGE, (view,))
    }


def fill(db: DB) -> None:
    db.execute("CREATE TABLE t (gone int, k int NOT NULL, a int, w text)")
    db.execute("CREATE TABLE names (k int, name text)")
    db.execute("CREATE VIEW v AS SELECT k, a * 2 AS twice, w FROM t WHERE w <> ''")
    db.execute(
        "CREATE MATERIALIZED VIEW m AS SELECT names.name, sum(v.twice) AS s, max(v.k) OVER () AS top FROM v"
        " JOIN names USING (k) GROUP BY names.name, v.k"
    )


OF_V = {"k <- t.k copy", "twice <- t.a transform", "w <- t.w copy", "<- t.w filter"}
OF_M = {
    "name <- names.name copy",
    "s <- v.twice transform",
    "top <- v.k transform",
    "<- v.k join",
    "<- names.k join",
    "<- names.name group",
    "<- v.k group",
}


def test_each_view_says_what_it_was_written_over(db: DB, schema: str) -> None:
    """A view is inlined into what reads it, and its filter is moved: its reader still reads the view."""
    fill(db)
    assert lineage(db, "v") == OF_V
    assert lineage(db, "m") == OF_M
    db.execute("CREATE INDEX ON v (k)")
    assert lineage(db, "m") == OF_M
    db.execute("CREATE VIEW ordered AS SELECT name FROM m ORDER BY s, top LIMIT 2")
    assert lineage(db, "ordered") == {"name <- m.name copy", "<- m.s order", "<- m.top order"}


def test_names_are_those_that_columns_have_now(db: DB, schema: str) -> None:
    fill(db)
    db.execute("DROP MATERIALIZED VIEW m")
    db.execute("ALTER TABLE t DROP COLUMN gone")
    db.execute("ALTER TABLE t RENAME COLUMN a TO amount")
    db.execute("ALTER TABLE t ADD COLUMN later int")
    assert lineage(db, "v") == OF_V - {"twice <- t.a transform"} | {"twice <- t.amount transform"}
    db.execute("CREATE VIEW late AS SELECT later + amount AS x FROM t NATURAL JOIN v")
    assert lineage(db, "late") == {
        "x <- t.later transform",
        "x <- t.amount transform",
        *(f"<- {read}.{column} join" for read in ("t", "v") for column in ("k", "w")),
    }
    db.execute("ALTER VIEW v RENAME TO z")
    assert "<- z.k join" in lineage(db, "late")


def test_a_replacement_brings_its_own(db: DB, schema: str) -> None:
    fill(db)
    db.execute("CREATE MATERIALIZED VIEW first AS SELECT k, a FROM t")
    db.execute("CREATE VIEW over AS SELECT a + 1 AS b FROM first")
    db.execute("CREATE REPLACEMENT MATERIALIZED VIEW r FOR first AS SELECT k, k + a AS a FROM t WHERE k > 0")
    assert lineage(db, "first") == {"k <- t.k copy", "a <- t.a copy"}
    db.execute("ALTER MATERIALIZED VIEW first APPLY REPLACEMENT r")
    replaced = {"k <- t.k copy", "a <- t.k transform", "a <- t.a transform", "<- t.k filter"}
    assert lineage(db, "first") == replaced
    assert lineage(db, "over") == {"b <- first.a transform"}
    db.execute("CREATE OR REPLACE VIEW over AS SELECT k AS b FROM first")
    assert lineage(db, "over") == {"b <- first.k copy"}


def test_it_outlives_a_restart(fresh: InProcess) -> None:
    with fresh.connect() as db:
        fill(db)
    fresh.stop()
    fresh.start()
    with fresh.connect() as db:
        assert lineage(db, "v") == OF_V
        assert lineage(db, "m") == OF_M
