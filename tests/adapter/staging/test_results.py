"""A release that is refused: one error, and what was held back by it."""

from __future__ import annotations

import pytest

from dbt.adapters.ptvc.relation import PtvcRelation
from dbt.adapters.ptvc.staging.results import refusal

NODES = {"model.p.a": "a", "model.p.b": "b", "model.p.out": "out"}


def targets() -> list[tuple[str, PtvcRelation]]:
    return [
        (node, PtvcRelation.create(database="ptvc", schema="s", identifier=name))
        for node, name in NODES.items()
        if name != "out"
    ]


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        ('relation "b" already exists in schema "s"', "b"),
        ("view s.b rests on it", "b"),
        ("clusters did not come to rest", "a"),  # none is named: the first one
        ('relation "bb" and "a_b" are gone', "a"),
    ],
)
def test_one_has_the_error(reason: str, cause: str) -> None:
    found = refusal(reason, NODES, targets())
    others = [name for name in NODES.values() if name != cause]
    for node, name in NODES.items():
        status, message = found[node]
        if name == cause:
            assert status == "error"
            assert message.endswith(f"{reason}. Held back with it: {', '.join(others)}")
        else:
            assert (status, message) == (
                "skipped",
                f"the release of this run was refused; the error is that of {cause}",
            )


def test_of_one_model_nothing_else_is_held_back() -> None:
    found = refusal("no", {"model.p.a": "a"}, targets())
    assert found == {"model.p.a": ("error", "the release of this run was refused, as a whole: no")}
    assert refusal("no", {}, []) == {}
