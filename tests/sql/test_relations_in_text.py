"""Relations that are called otherwise in the text of a query, which means the same then."""

from __future__ import annotations

import pytest
from ptvc.sql.statement.relations_in_text import moved_in_text

MOVED = {("s", "a"): ("t", "a"), ("s", "b"): ("s", "c"), ("s", "My View"): ("New", "v")}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # to another schema
        ("select x from s.a", "select x from t.a"),
        ('select "s"."a".x, s.a.* from "s" . "a"', 'select "t"."a".x, t.a.* from "t" . "a"'),
        ("select a.x from db.s.a where db.s.a.x > 1", "select a.x from db.t.a where db.t.a.x > 1"),
        (
            "select * from ONLY s.a * as q join S.A using (x)",
            "select * from ONLY t.a * as q join t.A using (x)",
        ),
        ("TABLE s.a", "TABLE t.a"),
        ("select count(*) from changes(s.a)", "select count(*) from changes(t.a)"),
        (
            "with w as (select x from s.a) select (select max(x) from s.a), x from w where exists (select from s.a)",
            "with w as (select x from t.a) select (select max(x) from t.a), x from w where exists (select from t.a)",
        ),
        ("select x /* s.a */ from s.a -- s.a", "select x /* s.a */ from t.a -- s.a"),
        # another name
        ("select b.x, s.b.y from s.b", "select b.x, b.y from s.c AS b"),
        ("select s.b.* from s.b * where true", "select b.* from s.c * AS b where true"),
        ("select q.x from s.b q, s.b as r", "select q.x from s.c q, s.c as r"),
        ("table s.b", "table s.c"),
        ('select "My View".x from s."My View"', 'select "My View".x from "New"."v" AS "My View"'),
        # all at once
        ("select * from s.b, s.a", "select * from s.c AS b, t.a"),
        # what is something else stays
        ("select s.a, s.a + 1 from r as s", "select s.a, s.a + 1 from r as s"),
        ("select a.x, b from a, b where 's.a' <> 's.b'", "select a.x, b from a, b where 's.a' <> 's.b'"),
        ("select s.a(1), (s).a.x from u.s as s", "select s.a(1), (s).a.x from u.s as s"),
        ("select this is no query of s.a", "select this is no query of s.a"),
        ("select 1 from s.a; select 2 from s.a", "select 1 from s.a; select 2 from s.a"),
    ],
)
def test_relations_are_called_otherwise(before: str, after: str) -> None:
    assert moved_in_text(before, MOVED) == after


def test_two_exchange_their_names() -> None:
    swapped = {("s", "a"): ("s", "b"), ("s", "b"): ("s", "a")}
    text = "select a.x, b.y from s.a, s.b"
    assert moved_in_text(text, swapped) == "select a.x, b.y from s.b AS a, s.a AS b"
    assert moved_in_text(moved_in_text(text, swapped), swapped) == "select a.x, b.y from s.a AS a, s.b AS b"
