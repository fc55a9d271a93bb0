"""A release that is refused: one error, and what was held back by it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from dbt.artifacts.schemas.results import RunStatus
from dbt.events.types import EndOfRunSummary
from dbt.task.printer import print_run_end_messages

from dbt.adapters.ptvc.relation import PtvcRelation
from dbt.adapters.ptvc.staging.results import data_tests_on, not_done, refusal

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
        ("create another sink, with a target of its own.", "a"),
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
            assert message.endswith(f"{reason.rstrip('.')}. Held back with it: {', '.join(others)}")
        else:
            assert (status, message) == (
                "skipped",
                f"the release of this run was refused; the error is that of {cause}",
            )


def test_of_one_model_nothing_else_is_held_back() -> None:
    found = refusal("no", {"model.p.a": "a"}, targets())
    assert found == {"model.p.a": ("error", "the release of this run was refused, as a whole: no")}
    assert refusal("no", {}, []) == {}


def test_dbt_counts_no_error_of_what_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[Any] = []
    monkeypatch.setattr("dbt.task.printer.fire_event", lambda event, **_: said.append(event))
    node = SimpleNamespace(unique_id="model.p.a", resource_type="model", node_info={})
    response = {"code": "CREATE VIEW"}
    result: Any = SimpleNamespace(
        status=RunStatus.Success, message="CREATE VIEW", adapter_response=response, node=node
    )
    not_done(result, "skipped", "a is as it was before")
    assert (result.status, result.message) == (RunStatus.Skipped, None)
    assert result.adapter_response == {"code": "CREATE VIEW", "reason": "a is as it was before"}
    print_run_end_messages([result])
    assert [event.num_errors for event in said if isinstance(event, EndOfRunSummary)] == [0]
    not_done(result, "error", "no")
    assert (result.status, result.message) == (RunStatus.Error, "no")


def test_what_was_tested_on_what_is_gone() -> None:
    """A unit test reads no object, and what has failed is to run again anyway."""

    def result(of: str, kind: str, status: str, reads: list[str], ephemeral: str | None = None) -> Any:
        ctes = [SimpleNamespace(id=ephemeral)] if ephemeral else []
        node = SimpleNamespace(unique_id=of, resource_type=kind, depends_on_nodes=reads, extra_ctes=ctes)
        return SimpleNamespace(status=status, node=node)

    results = [
        result("passed", "test", "pass", ["a", "b"]),
        result("warned", "test", "warn", ["a"]),
        result("by_way_of", "test", "pass", ["e"], "e"),
        result("failed", "test", "fail", ["a"]),
        result("unit", "unit_test", "pass", ["a"]),
        result("of_another", "test", "pass", ["b"]),
        result("model", "model", "success", ["a"]),
    ]
    found = data_tests_on({"a"}, {one.node.unique_id: one for one in results}, {"e": ["a"], "model": ["a"]})
    assert found == {"passed": "a", "warned": "a", "by_way_of": "a"}
