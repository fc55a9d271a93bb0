"""Correlated queries side by side: plans, and the time for them, grow with their number."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from ptvc.expr.tree.relation import Relation
from ptvc.expr.tree.relation_tree import walk
from ptvc.transform.pipeline import RULES
from transform.queries import raw


def columns(form: str) -> Callable[[int], str]:
    return lambda count: f"select t.a, {', '.join(form.format(i) for i in range(count))} from t"


def conditions(form: str) -> Callable[[int], str]:
    return lambda count: f"select t.a from t where {' and '.join(form.format(i) for i in range(count))}"


def items(form: str) -> Callable[[int], str]:
    return lambda count: f"select t.a from t {' '.join(form.format(i) for i in range(count))}"


LATERAL = "lateral (select u.d from u where u.a < t.a + {0} order by u.d desc limit 1) as l{0}"
SHAPES = {
    "values": columns("(select max(e) from u where u.a = t.a) as c{0}"),
    "values by an expression": columns("(select max(e) from u where u.a = t.a + {0}) as c{0}"),
    "values over ranges": columns("(select count(*) from u where u.a < t.a + {0}) as c{0}"),
    "values that can fail": columns("(select max({0} / d) from u where u.a = t.a) as c{0}"),
    "values of single rows": columns("(select d + {0} from u where u.a = t.a) as c{0}"),
    "arrays": columns("array(select d + {0} from u where u.a = t.a) as c{0}"),
    "memberships": columns("t.b in (select d + {0} from u where u.a = t.a) as c{0}"),
    "comparisons": conditions("t.b > all (select d + {0} from u where u.e <> t.c)"),
    "compared values": conditions("(select count(*) from u where u.e < t.c) > {0}"),
    "exists": conditions("exists (select 1 from u where u.d < t.a + {0})"),
    "not exists": conditions("not exists (select 1 from u where u.e = t.c and u.d > t.b + {0})"),
    "not in": conditions("t.b not in (select d + {0} from u where u.a <> t.a)"),
    "left join lateral": items(f"left join {LATERAL} on true"),
    "cross join lateral": items(f"cross join {LATERAL}"),
    "exists in conditions of joins": items(
        "join u as j{0} on j{0}.a = t.a and exists (select 1 from v where v.b < j{0}.d)"
    ),
}


def optimized(sql: str) -> Relation:
    relation = raw(sql)
    for rule in RULES:
        relation = rule(relation)
    return relation


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_plans_grow_with_the_number_of_queries(shape: Callable[[int], str]) -> None:
    """Each doubled what stood before it: ten took 8 to 20 s."""
    began = time.process_time()
    sizes = [sum(1 for _ in walk(optimized(shape(count)))) for count in (3, 6, 12)]
    assert time.process_time() - began < 10.0
    assert sizes[2] < 3 * sizes[1] + 1_000


def test_a_domain_is_of_what_has_its_columns() -> None:
    """The second query does not depend on what the first one adds; on what drops rows it does, while the plan is small."""
    relation = raw(SHAPES["values over ranges"](2))
    assert sum(1 for _ in walk(relation)) < 2 * sum(1 for _ in walk(raw(SHAPES["values over ranges"](1))))
    kept = raw("select t.a from t where t.b > 1 and exists (select 1 from u where u.d < t.a)")
    assert str(kept).count("'gt'") == 2
