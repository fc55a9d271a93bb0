"""Each rule on queries where it bites: the plan before and after it, as files that are read.

`fixtures/<rule>.sql` has queries, each with the plan as the rules before leave it and as the rule does (where it is
applied more than once: the first time that it changes anything).  `fixtures/append_only.sql` has the plan after all
rules, a `+` before what is append-only if `t` and `v` are, and what is lowered.  `python
tests/transform/test_fixtures.py` writes the plans anew; read the difference.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from ptvc.compute.lower import lower
from ptvc.compute.plan_text import plan_text
from ptvc.expr.tree.relation import Relation
from ptvc.expr.tree.relation_tree import inputs
from ptvc.sql.plans.explain_tree import explain
from ptvc.transform.append_only import AppendOnly
from ptvc.transform.pipeline import RULES, optimize

from transform.queries import raw

FIXTURES = Path(__file__).parent / "fixtures"
APPEND_ONLY = "append_only"
COLLECTIONS = frozenset({"u1", "u3"})
NAMES = (*dict.fromkeys(rule.__name__ for rule in RULES), APPEND_ONLY)
_CASE = re.compile(r"(?P<comment>(?:--.*\n)*)(?P<sql>[^;]+);\n(?:/\*\n[\s\S]*?\*/\n)?\n*")


def applied(name: str, sql: str) -> str:
    """The plan before the rule, and after."""
    relation = raw(sql)
    for rule in RULES:
        changed = rule(relation)
        if rule.__name__ == name and changed != relation:
            return f"{explain(relation)}\n==>\n{explain(changed)}"
        relation = changed
    return "unchanged"


def derived(sql: str) -> str:
    """The plan with what is append-only, and how it is lowered."""
    relation = optimize(raw(sql))
    analysis = AppendOnly(COLLECTIONS)

    def lines(node: Relation, depth: int) -> list[str]:
        mark = "+" if analysis.holds(node) else " "
        own = f"{mark} {'  ' * depth}{explain(node).splitlines()[0]}"
        return [own, *(line for child in inputs(node) for line in lines(child, depth + 1))]

    return "\n".join([*lines(relation, 0), "==>", plan_text(lower(relation, append_only=COLLECTIONS))])


def written(name: str) -> str:
    """The fixture file of a rule as it should be."""
    text = (FIXTURES / f"{name}.sql").read_text()
    cases = []
    for case in _CASE.finditer(text):
        sql = case["sql"].strip()
        plans = derived(sql) if name == APPEND_ONLY else applied(name, sql)
        cases.append(f"{case['comment']}{sql};\n/*\n{plans}\n*/\n")
    return "\n".join(cases)


@pytest.mark.parametrize("name", NAMES)
def test_fixture(name: str) -> None:
    assert (FIXTURES / f"{name}.sql").read_text() == written(name)


def test_every_fixture_has_its_rule() -> None:
    assert {path.stem for path in FIXTURES.iterdir()} == set(NAMES)


if __name__ == "__main__":
    for rule_name in NAMES:
        (FIXTURES / f"{rule_name}.sql").write_text(written(rule_name))
