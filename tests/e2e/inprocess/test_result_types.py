"""Every type that a column of a result can have: plain, and in arrays, lists, maps and rows, to any two of these deep."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import psycopg
import pytest
from ptvc.repr.types import SIMPLE, Kind, ScalarType

Db = psycopg.Connection[tuple[Any, ...]]

SHAPES = ("{}", "{}[]", "{} list", "map[text => {}]")
MADE = (
    "{}",
    "ARRAY[{}]",
    "ARRAY(SELECT {})",
    "LIST[{}]",
    "LIST(SELECT {})",
    "MAP['k' => {}]",
    "ROW({})",
    "array_agg({})",
    "list_agg({})",
    "map_agg('k', {})",
    "array_fill({}, ARRAY[2])",
    "array_append(NULL, {})",
    "coalesce({}, NULL)",
    "max({})",
    "mode() WITHIN GROUP (ORDER BY {})",
    "percentile_disc(ARRAY[0.5]) WITHIN GROUP (ORDER BY {})",
)
REFUSED = {"0A000", "42883", "42704", "42P13", "42804", "42601", "42846", "42P18", "42725", "2202H"}
"""What is not supported, and what there is no function or type for."""


def _answers(db: Db, query: str) -> set[str | None]:
    """SQLSTATEs of errors; None for rows, in text or binary, with a type that clients can look up."""
    found: set[str | None] = set()
    for binary in (True, False):
        try:
            cursor = db.execute(query, (), binary=binary)  # type: ignore[arg-type]
        except psycopg.Error as error:
            return {*found, error.sqlstate}
        assert cursor.pgresult is not None
        found.add(None if cursor.pgresult.ftype(0) in _known(db) else f"no type {cursor.pgresult.ftype(0)}")
    return found


@cache
def _known(db: Db) -> frozenset[int]:
    return frozenset(oid for (oid,) in db.execute("SELECT oid FROM pg_type").fetchall())


@pytest.mark.parametrize("kind", SIMPLE, ids=lambda kind: kind.value)
def test_every_shape_of_a_type_is_shown_or_refused(db: Db, kind: Kind) -> None:
    """One kind in all ways there are to make a container, the others in the plain ones."""
    wrong = []
    for shape, made in product(SHAPES, MADE if kind is Kind.NUMERIC else MADE[:7]):
        query = f"SELECT {made.format(f'CAST(NULL AS {shape.format(ScalarType(kind))})')}"
        found = _answers(db, query)
        if len(found) > 1 or not found <= {None, *REFUSED}:
            wrong.append((query, found))
    assert wrong == []


@pytest.mark.parametrize("element", ["int list", "map[text => int]", "int list list"])
def test_arrays_of_lists_and_maps_are_refused_wherever_they_are_made(db: Db, element: str) -> None:
    db.execute(f"CREATE TABLE t (a {element})")  # type: ignore[arg-type]
    for query in (
        "SELECT ARRAY[a] FROM t",
        "SELECT ARRAY(SELECT a FROM t)",
        "SELECT array_agg(a) FROM t",
        "SELECT array_agg(a) OVER () FROM t",
        "SELECT array_fill(a, ARRAY[2]) FROM t",
        "CREATE VIEW v AS SELECT array_agg(a) AS x FROM t",
        "SELECT percentile_disc(ARRAY[0.5]) WITHIN GROUP (ORDER BY a) FROM t",
        "SELECT array_append(NULL, a) FROM t",
    ):
        with pytest.raises(psycopg.errors.FeatureNotSupported):
            db.execute(query)  # type: ignore[arg-type]
    assert db.execute("SELECT LIST[a], MAP['k' => a], ROW(a) FROM t").fetchall() == []
