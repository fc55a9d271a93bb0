"""Arrays in the records of a source: what the hint advises instead of an array column works, and is maintained."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import psycopg
import pytest
from inprocess import eventually, rows
from psycopg import errors

Db = psycopg.Connection[tuple[Any, ...]]


@pytest.mark.parametrize(
    ("type_", "records", "arrays"),
    [
        ("text[]", ['["b,c", "a"]', "[]", "null", '[null, "x"]'], [["b,c", "a"], [], None, [None, "x"]]),
        ("int[]", ["[2, 1]", "[]", "null", "[null, 3]"], [[2, 1], [], None, [None, 3]]),
        ("text list", ['["a"]', "[]", "null", '["y", "x"]'], ["{a}", "{}", None, "{y,x}"]),
    ],
)
def test_the_advice_for_json(
    db: Db, tmp_path: Path, type_: str, records: list[str], arrays: list[Any]
) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text("".join(f'{{"id": {id_}, "a": {record}}}\n' for id_, record in enumerate(records)))
    with pytest.raises(errors.FeatureNotSupported) as raised:
        db.execute(f"CREATE SOURCE s (id int, a {type_}) FROM FILE '{file}' FORMAT JSON ENVELOPE NONE")  # type: ignore[arg-type]
    hint = raised.value.diag.message_hint or ""
    advised = re.fullmatch("Declare the column as jsonb, and write (CASE .* END) in a view.", hint)
    assert advised is not None
    db.execute(f"CREATE SOURCE s (id int, a jsonb) FROM FILE '{file}' FORMAT JSON ENVELOPE NONE")  # type: ignore[arg-type]
    db.execute(f"CREATE MATERIALIZED VIEW v AS SELECT id, {advised[1]} AS a FROM s")  # type: ignore[arg-type]
    expected = list(enumerate(arrays))
    eventually(lambda: rows(db, "SELECT id, a FROM v ORDER BY id") == expected, 20)
    with file.open("a") as more:
        more.write(f'{{"id": 9, "a": {records[0]}}}\n')
    eventually(lambda: rows(db, "SELECT id, a FROM v ORDER BY id") == [*expected, (9, arrays[0])], 20)


def test_the_advice_for_csv(db: Db, tmp_path: Path) -> None:
    file = tmp_path / "in.csv"
    file.write_text('id,a\n1,"{a,b}"\n2,\n')
    with pytest.raises(errors.FeatureNotSupported) as raised:
        db.execute(f"CREATE SOURCE s (id int, a text[]) FROM FILE '{file}' FORMAT CSV ENVELOPE NONE")  # type: ignore[arg-type]
    assert raised.value.diag.message_hint == "Declare the column as text and cast it in a view."
    db.execute(f"CREATE SOURCE s (id int, a text) FROM FILE '{file}' FORMAT CSV ENVELOPE NONE")  # type: ignore[arg-type]
    db.execute("CREATE MATERIALIZED VIEW v AS SELECT id, a::text[] AS a FROM s")
    eventually(lambda: rows(db, "SELECT id, a FROM v ORDER BY id") == [(1, ["a", "b"]), (2, None)])
