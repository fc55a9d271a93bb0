"""Runs end once for the adapter, whoever else wraps what dbt calls at their end."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from dbt.task.run import RunTask

from dbt.adapters.ptvc.staging.run_end import call_when_runs_end


class Adapter:
    def __init__(self) -> None:
        self.ended: list[dict[str, Sequence[str]]] = []

    @contextmanager
    def connection_named(self, name: str) -> Iterator[None]:
        yield

    def run_ended(self, results: Sequence[Any], parents: Mapping[str, Sequence[str]]) -> None:
        self.ended.append(dict(parents))


def wrapped_by_another(calls: list[str]) -> None:
    original = RunTask.after_run

    @functools.wraps(original)
    def after_run(*args: Any) -> None:
        calls.append("another")
        original(*args)

    RunTask.after_run = after_run  # type: ignore[method-assign]


@pytest.mark.parametrize("order", ["another, ours", "ours, another, ours", "ours, ours"])
def test_the_end_is_told_once(monkeypatch: pytest.MonkeyPatch, order: str) -> None:
    calls: list[str] = []
    monkeypatch.setattr(RunTask, "after_run", lambda task, adapter, results: calls.append("dbt"))
    for step in order.split(", "):
        if step == "ours":
            call_when_runs_end(Adapter)
        else:
            wrapped_by_another(calls)
    node = SimpleNamespace(unique_id="model.a.b", depends_on_nodes=["model.a.c"])
    manifest = SimpleNamespace(nodes={node.unique_id: node}, functions={})
    adapter = Adapter()
    RunTask.after_run(SimpleNamespace(manifest=manifest), adapter, [])  # type: ignore[arg-type]
    assert adapter.ended == [{"model.a.b": ["model.a.c"]}]
    assert calls == (["another", "dbt"] if "another" in order else ["dbt"])
