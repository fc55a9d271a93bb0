"""Recursive views over random graphs equal PostgreSQL's answer after every batch of inserted and deleted edges."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import psycopg
import pytest
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.repr.batch import NO_ERRORS, Delta, batch_from_rows, concat_batches
from ptvc.sql.plans.query_plans import Select
from ptvc.transform.pipeline import optimize

from .fake_catalog import CATALOG, planned

QUERIES = [
    "with recursive r(n) as (select 1 union select b from t join r on a = n) select n from r",
    "with recursive r(x, y) as (select a, b from t union select x, b from r join t on a = y) select x, y from r",
    "with recursive r(x, y) as (select a, b from t union select t.a, y from t join r on t.b = x) select x, count(*)"
    " from r group by x",
    "with recursive r(n, d) as (select 1, 0 union select b, d + 1 from t join r on a = n where d < 6)"
    " select n, min(d) from r group by n",
    "with recursive r(n, d) as (select 1, 0 union all select b, d + 1 from t join r on a = n where d < 4)"
    " select n, d from r",
    "with recursive r(n) as (select 1 union select b from t, r where a = n and c <> 'x') select count(*), max(n) from r",
    "with recursive r(n) as (select a from t where c = 'x' union select b from t join r on a = n)"
    " select t.a, t.b from t where t.a not in (select n from r where n is not null) and t.a is not null",
    "with recursive up(n) as (select 1 union select b from t join up on a = n),"
    " down(n) as (select 1 union select a from t join down on b = n)"
    " select n from up intersect select n from down",
    "with recursive r(n) as (select 1 union (select b from t join r on a = n except select a from t where c = 'y'))"
    " select n from r",
    "with recursive r(n, found) as (select 1, true union select b, exists (select 1 from t s where s.a = t.b)"
    " from t join r on t.a = n) select n, found from r",
    "select a, (with recursive r(n) as (select o.a union select b from t join r on a = n) select count(*) from r) from t o",
    "select o.a, n from t o, lateral (with recursive r(n, d) as (select b, 0 from t where t.a = o.a"
    " union all select b, d + 1 from t, r where a = n and d < 2 and b <> o.b) select n from r) x",
]


class _World:
    """The table t, here and in PostgreSQL, and views over it."""

    def __init__(self, connection: psycopg.Connection, seed: int) -> None:
        self.random = random.Random(seed)
        self.connection = connection
        connection.execute("delete from t")
        item = CATALOG.item("public", "t")
        assert item is not None
        self.item = item
        self.live: list[tuple[Any, ...]] = []
        self.views = []
        for query in QUERIES:
            select = planned(query)
            assert isinstance(select, Select)
            self.views.append(
                (Dataflow(lower(optimize(select.relation)), 0), Counter[tuple[Any, ...]](), query)
            )

    def change(self) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
        nodes = self.random.choice((4, 8))
        draw = self.random.randrange
        gone = [self.live.pop(draw(len(self.live))) for _ in range(draw(4)) if self.live]
        new = [
            (draw(nodes), self.random.choice((draw(nodes), draw(nodes), None)), self.random.choice("xyz"))
            for _ in range(draw(5) if len(self.live) < 14 else draw(2))
        ]
        self.live += new
        with self.connection.cursor() as cursor:
            for row in gone:
                cursor.execute(
                    "delete from t where ctid = (select ctid from t where a = %s and b is not distinct from %s"
                    " and c = %s limit 1)",
                    row,
                )
            for row in new:
                cursor.execute("insert into t values (%s, %s, %s)", row)
        return gone, new

    def check(self, changes: list[tuple[list[Any], list[Any]]], time: int) -> None:
        """One step over several changes, each at its own time, from `time` on."""
        batches = []
        for at, (gone, new) in enumerate(changes, time):
            batches += [
                batch_from_rows(self.item.schema, gone, at, -1),
                batch_from_rows(self.item.schema, new, at),
            ]
        delta = Delta(concat_batches(self.item.schema, batches), NO_ERRORS)
        for dataflow, contents, query in self.views:
            output = dataflow.step({self.item.id: delta}, dataflow.upper, time + len(changes))
            assert not len(output.errs)
            columns = [column.to_pylist() for column in output.oks.columns]
            for row, diff in zip(zip(*columns, strict=True), output.oks.diffs.tolist(), strict=True):
                contents[row] += diff
            wanted = Counter(self.connection.execute(query).fetchall())  # type: ignore[call-overload]
            assert {row: n for row, n in contents.items() if n} == wanted, query


@pytest.fixture(scope="module")
def connection(oracle_uri: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(oracle_uri, autocommit=True) as connection:
        connection.execute("create schema recursion_world")
        connection.execute("set search_path = recursion_world")
        connection.execute("create table t (a int, b int, c text)")
        yield connection
        connection.execute("drop schema recursion_world cascade")


SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 40))]


@pytest.mark.parametrize("seed", SEEDS)
def test_views_equal_postgres_after_every_batch(seed: int, connection: psycopg.Connection) -> None:
    world = _World(connection, seed)
    cuts = [0, *sorted(world.random.sample(range(1, 24), 12)), 24]
    for start, stop in pairwise(cuts):
        world.check([world.change() for _ in range(start, stop)], start)
