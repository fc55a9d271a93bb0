"""Runs end once for the adapter, whichever command of dbt it is, and whoever else wraps what dbt calls then."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dbt.utils as dbt_args
import pytest
from dbt.artifacts.schemas.results import RunStatus
from dbt.task.build import BuildTask
from dbt.task.clone import CloneTask
from dbt.task.compile import CompileTask
from dbt.task.run import RunTask
from dbt.task.runnable import GraphRunnableTask

from dbt import selected_resources
from dbt.adapters.ptvc.staging import run_phases
from dbt.adapters.ptvc.staging.run_phases import tell_of_runs

NODE = SimpleNamespace(unique_id="model.a.b", depends_on_nodes=["model.a.c"], is_ephemeral_model=False)


class Adapter:
    def __init__(self) -> None:
        self.begun: list[Sequence[Any]] = []
        self.ended: list[dict[str, Sequence[str]]] = []
        self.stopped: list[Sequence[Any]] = []

    @contextmanager
    def connection_named(self, name: str) -> Iterator[None]:
        yield

    def run_begins(self, nodes: Sequence[Any]) -> None:
        self.begun.append(nodes)

    def run_ended(self, results: Sequence[Any], parents: Mapping[str, Sequence[str]]) -> None:
        self.ended.append(dict(parents))

    def run_stopped(self, results: Sequence[Any], parents: Mapping[str, Sequence[str]]) -> bool:
        self.stopped.append(list(results))
        return True


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> Adapter:
    made = Adapter()
    monkeypatch.setattr(run_phases, "get_adapter", lambda config: made)
    return made


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Of dbt's own methods, unwrapped."""
    found: list[str] = []
    monkeypatch.setattr(GraphRunnableTask, "execute_nodes", lambda task: found.append("dbt"))
    monkeypatch.setattr(GraphRunnableTask, "run_queue", lambda task, pool: pool())
    monkeypatch.setattr(GraphRunnableTask, "_runtime_initialize", choose_node)
    return found


def choose_node(task: Any) -> None:
    task.job_queue = SimpleNamespace(get_selected_nodes=lambda: {NODE.unique_id})


def task(of: type[GraphRunnableTask] = RunTask) -> Any:
    made = of.__new__(of)
    made.config = made.args = None  # type: ignore[assignment]
    made.manifest = SimpleNamespace(nodes={NODE.unique_id: NODE}, functions={})  # type: ignore[assignment]
    made.node_results, made._flattened_nodes = [], [NODE]  # type: ignore[list-item]
    return made


def wrapped_by_another(calls: list[str]) -> None:
    original: Callable[..., Any] = GraphRunnableTask.execute_nodes

    @functools.wraps(original)
    def execute_nodes(*args: Any) -> Any:
        calls.append("another")
        return original(*args)

    GraphRunnableTask.execute_nodes = execute_nodes  # type: ignore[method-assign]


@pytest.mark.parametrize("order", ["another, ours", "ours, another, ours", "ours, ours"])
def test_the_end_is_told_once(adapter: Adapter, calls: list[str], order: str) -> None:
    for step in order.split(", "):
        if step == "ours":
            tell_of_runs(Adapter)
        else:
            wrapped_by_another(calls)
    task().execute_nodes()
    assert adapter.ended == [{"model.a.b": ["model.a.c"]}]
    assert calls == (["another", "dbt"] if "another" in order else ["dbt"])


@pytest.mark.parametrize("command", [RunTask, BuildTask, CloneTask])
def test_of_every_command(adapter: Adapter, calls: list[str], command: type[GraphRunnableTask]) -> None:
    tell_of_runs(Adapter)
    task(command).execute_nodes()
    assert len(adapter.ended) == 1


def test_the_nodes_of_a_run_are_known_however_they_were_chosen(
    adapter: Adapter, calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`dbt retry` does not choose them by a selector, which would say them."""
    monkeypatch.setattr(selected_resources, "SELECTED_RESOURCES", ["model.a.of_the_run_before"])
    tell_of_runs(Adapter)
    task()._runtime_initialize()
    assert [NODE.unique_id] == selected_resources.SELECTED_RESOURCES


@pytest.mark.parametrize(
    ("command", "told"), [(BuildTask, 1), (RunTask, 1), (CompileTask, 0), (CloneTask, 0)]
)
def test_the_beginning_is_told_of_what_makes_models(
    adapter: Adapter, calls: list[str], command: type[GraphRunnableTask], told: int
) -> None:
    tell_of_runs(Adapter)
    task(command)._runtime_initialize()
    assert adapter.begun == [[NODE]] * told


def test_a_stopped_run_is_told_before_dbt_writes_its_results(adapter: Adapter, calls: list[str]) -> None:
    tell_of_runs(Adapter)
    stopped = task()

    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped.run_queue(interrupted)
    assert adapter.stopped == [[]]
    (result,) = stopped.node_results
    assert (result.node, result.status) == (NODE, RunStatus.Skipped)
    assert adapter.ended == []


def test_a_release_that_is_stopped_is_written(
    adapter: Adapter, calls: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """dbt itself writes nothing then."""

    def interrupted(results: Sequence[Any], parents: Mapping[str, Sequence[str]]) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(adapter, "run_ended", interrupted)
    tell_of_runs(Adapter)
    stopped = task()
    stopped.args, stopped.started_at = SimpleNamespace(write_json=True), 0.0
    monkeypatch.setattr(dbt_args, "args_to_dict", lambda args: {"vars": {}, "invocation_command": ""})
    monkeypatch.setattr(stopped, "result_path", lambda: str(tmp_path / "run_results.json"), raising=False)
    with pytest.raises(KeyboardInterrupt):
        stopped.execute_nodes()
    assert len(adapter.stopped) == 1
    assert json.loads((tmp_path / "run_results.json").read_text())["results"] == []
