"""Conditions become keys, where two columns are to be equal, or equal or both NULL; what is left is tried on pairs."""

from __future__ import annotations

import pytest
from ptvc.expr.tree.relation import Join
from ptvc.expr.tree.relation_tree import walk
from transform.queries import raw


@pytest.mark.parametrize(
    ("condition", "null_safe", "keys", "residual"),
    [
        ("t.a = u.a", False, 1, 0),
        ("t.a = u.a or t.a is null and u.a is null", True, 1, 0),
        ("(u.a is null and t.a is null) or u.a = t.a", True, 1, 0),
        ("t.a is not distinct from u.a", True, 1, 0),
        ("t.a is not distinct from u.a and t.c is not distinct from u.e", True, 2, 0),
        ("t.a is not distinct from u.a and t.b < u.d", True, 1, 1),
        # Keys of which both may be NULL are tried once more beside null-safe ones: they stay the only ones.
        ("t.b = u.d and t.c is not distinct from u.e", False, 1, 1),
        ("t.a = u.a or t.a is null and u.e is null", False, 0, 1),
        ("t.a = u.a or t.a is null", False, 0, 1),
        ("t.a <> u.a or t.a is null and u.a is null", False, 0, 1),
        ("t.a = t.b or t.a is null and t.b is null", False, 0, 1),
    ],
)
def test_keys(condition: str, null_safe: bool, keys: int, residual: int) -> None:
    relation = raw(f"select t.b, u.d from t left join u on {condition}")
    (join,) = [node for node in walk(relation) if isinstance(node, Join)]
    assert (join.null_safe, len(join.left_keys), len(join.residual)) == (null_safe, keys, residual)
