"""Releases in which views come to rest on others than before: each has an order in which its views change, or is refused."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import psycopg
import pytest
from inprocess import InProcess, rows

from .released_views import DB

SIZE = 6


def test_a_view_that_rests_on_another_so_far_changes_no_later(db: DB) -> None:
    """The old `y` is computed from `x`, which changes before `w`; the new one from neither."""
    db.execute("CREATE TABLE t (a int NOT NULL)")
    db.execute("INSERT INTO t VALUES (1), (2)")
    db.execute("CREATE MATERIALIZED VIEW w AS SELECT a, 0 AS v FROM t")
    db.execute("CREATE MATERIALIZED VIEW x AS SELECT a, 0 AS v FROM t")
    db.execute("CREATE MATERIALIZED VIEW y AS SELECT a, v FROM x")
    db.execute("CREATE REPLACEMENT MATERIALIZED VIEW w_next FOR w AS SELECT a, 1 AS v FROM t")
    db.execute("CREATE REPLACEMENT MATERIALIZED VIEW x_next FOR x AS SELECT a, v FROM w")
    db.execute("CREATE REPLACEMENT MATERIALIZED VIEW y_next FOR y AS SELECT a, 1 AS v FROM t")
    db.execute("; ".join(f"ALTER MATERIALIZED VIEW {n} APPLY REPLACEMENT {n}_next" for n in "wxy"))
    db.execute("INSERT INTO t VALUES (3)")
    for name in "wxy":
        assert rows(db, f"SELECT a, v FROM {name} ORDER BY a") == [(1, 1), (2, 1), (3, 1)]


def test_views_that_are_computed_from_each_other_crosswise_are_refused(db: DB) -> None:
    """`x` so far from `y`, the new `y` from `z`, and the new `z` from `x`."""
    db.execute("CREATE TABLE t (a int NOT NULL)")
    db.execute("INSERT INTO t VALUES (1), (2)")
    db.execute("CREATE MATERIALIZED VIEW y AS SELECT a FROM t")
    db.execute("CREATE MATERIALIZED VIEW z AS SELECT a FROM t")
    db.execute("CREATE MATERIALIZED VIEW x AS SELECT a FROM y")
    db.execute("CREATE REPLACEMENT MATERIALIZED VIEW x_next FOR x AS SELECT a + 1 AS a FROM t")
    db.execute("CREATE REPLACEMENT MATERIALIZED VIEW y_next FOR y AS SELECT a + 1 AS a FROM z")
    db.execute("CREATE REPLACEMENT MATERIALIZED VIEW z_next FOR z AS SELECT a + 1 AS a FROM x")
    release = [f"ALTER MATERIALIZED VIEW {n} APPLY REPLACEMENT {n}_next" for n in "xyz"]
    with pytest.raises(psycopg.errors.FeatureNotSupported, match='"x", "y", "z" cannot be replaced in one'):
        db.execute("; ".join(release))
    assert rows(db, "SELECT a FROM x ORDER BY a") == [(1,), (2,)]
    for statement in release:
        db.execute(statement)
    for name, least in (("x", 2), ("z", 3), ("y", 4)):
        assert rows(db, f"SELECT a FROM {name} ORDER BY a") == [(least,), (least + 1,)]


@dataclass
class Chain:
    """Views over `t`, each `a * factor`, plus what it reads of others."""

    reads: dict[int, tuple[int, ...]] = field(default_factory=dict)
    factors: dict[int, int] = field(default_factory=dict)

    def sql(self, view: int, names: Mapping[int, str]) -> str:
        read = [names.get(other, f"m{other}") for other in self.reads[view]]
        total = " + ".join([f"{self.factors[view]} * t.a", *(f"{name}.v" for name in read)])
        joins = "".join(f" JOIN {name} ON {name}.a = t.a" for name in read)
        return f"SELECT t.a, {total} AS v FROM t{joins}"

    def factor(self, view: int) -> int:
        return self.factors[view] + sum(map(self.factor, self.reads[view]))

    def check(self, db: DB) -> None:
        for view in range(SIZE):
            wanted = f"SELECT a, {self.factor(view)} * a FROM t ORDER BY a"
            assert rows(db, f"SELECT a, v FROM m{view} ORDER BY a") == rows(db, wanted)

    def edited(self, rng: random.Random, order: Sequence[int], changed: set[int]) -> Chain:
        """Each of the changed views reads some of those before it."""
        after = Chain(dict(self.reads), dict(self.factors))
        for place, view in enumerate(order):
            if view in changed:
                after.reads[view] = tuple(sorted(rng.sample(order[:place], min(place, rng.randrange(3)))))
                after.factors[view] = rng.randrange(1, 50)
        return after


def in_order(chain: Chain) -> list[int]:
    found: list[int] = []
    while len(found) < SIZE:
        found += [v for v in range(SIZE) if v not in found and set(chain.reads[v]) <= set(found)]
    return found


@pytest.mark.parametrize("seed", [pytest.param(s, marks=pytest.mark.slow) if s > 1 else s for s in range(8)])
def test_random_chains(fresh: InProcess, seed: int) -> None:
    """What a replacement reads is the view or its replacement, as chance has it; releases that have no order say so."""
    rng = random.Random(seed)
    chain = Chain(dict.fromkeys(range(SIZE), ()), {view: view + 1 for view in range(SIZE)})
    released = 0
    with fresh.connect() as db:
        db.execute("CREATE TABLE t (a int NOT NULL)")
        db.execute("INSERT INTO t SELECT i FROM generate_series(1, 20) AS g(i)")
        for view in range(SIZE):
            db.execute(f"CREATE MATERIALIZED VIEW m{view} AS {chain.sql(view, {})}")  # type: ignore[arg-type]
        for version in range(12):
            changed = set(rng.sample(range(SIZE), rng.randrange(1, SIZE + 1)))
            after = chain.edited(rng, in_order(chain), changed)
            staged: dict[int, str] = {}
            try:
                for view in in_order(after):
                    if view in changed:
                        names = {v: name for v, name in staged.items() if rng.random() < 0.7}
                        db.execute(
                            f"CREATE REPLACEMENT MATERIALIZED VIEW m{view}_next FOR m{view} AS {after.sql(view, names)}"  # type: ignore[arg-type]
                        )
                        staged[view] = f"m{view}_next"
                release = [
                    f"ALTER MATERIALIZED VIEW m{v} APPLY REPLACEMENT {name}" for v, name in staged.items()
                ]
                rng.shuffle(release)
                db.execute("; ".join(release))
                chain, released = after, released + 1
            except (psycopg.errors.FeatureNotSupported, psycopg.errors.InvalidObjectDefinition):
                for name in reversed(staged.values()):
                    db.execute(f"DROP MATERIALIZED VIEW IF EXISTS {name} CASCADE")
            chain.check(db)
            db.execute("INSERT INTO t VALUES (%s)", (100 + version,))
            db.execute("DELETE FROM t WHERE a = %s", (version,))
            chain.check(db)
    assert released >= 6
