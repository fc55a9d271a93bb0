"""Where dbt says which nodes a run has, that all of them have ended, and how, or that it was stopped.

dbt-core tells an adapter nothing of that: a hook of the adapter's package would, but counts as one more result of every run.  So the
adapter is called from the place where every command of dbt that runs nodes (`build`, `run`, `clone`, ...) has done so, before the hooks of the
end; what it changes in the results is what dbt reports, writes to run_results.json, and what `dbt retry` goes by.

`dbt retry` chooses the nodes of its run in a way of its own, which leaves `selected_resources` empty, or what it was for the run before in
the same process.  So they are said here, for every run: by them the macros know what is made anew in the run.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from dbt.adapters.factory import get_adapter
from dbt.task.run import RunTask
from dbt.task.runnable import GraphRunnableTask, mark_node_as_skipped

from dbt import selected_resources
from dbt.adapters.ptvc.staging.results import not_done

_MARK = "_ends_staging"
_STOPPED = "the run was stopped before this was done"


class HearsOfRuns(Protocol):
    def run_begins(self, nodes: Sequence[Any]) -> None:
        """`nodes` are those of the manifest that a command which makes models has chosen, in no order."""

    def run_ended(self, results: Sequence[Any], parents: Mapping[str, Sequence[str]]) -> None:
        """`results` are dbt's RunResults, `parents` the nodes that each node is made from."""

    def run_stopped(self, results: Sequence[Any], parents: Mapping[str, Sequence[str]]) -> bool:
        """By Ctrl-C, before its end or in it.  Whether something was staged."""


def tell_of_runs(adapter_type: type[HearsOfRuns]) -> None:
    """All runs of this process, of adapters of that type."""

    def adapter_of(task: GraphRunnableTask) -> Any:
        adapter = get_adapter(task.config) if task.manifest is not None else None
        return adapter if isinstance(adapter, adapter_type) else None

    def choose_nodes(original: Callable[..., Any], task: GraphRunnableTask) -> None:
        original(task)
        adapter = adapter_of(task)
        if adapter is None or task.job_queue is None:
            return
        chosen = task.job_queue.get_selected_nodes()
        selected_resources.set_selected_resources(chosen)
        if isinstance(task, RunTask):
            assert task.manifest is not None
            nodes = task.manifest.nodes
            adapter.run_begins([nodes[id_] for id_ in chosen if id_ in nodes])

    def execute_nodes(original: Callable[..., Any], task: GraphRunnableTask) -> Any:
        results = original(task)
        if (adapter := adapter_of(task)) is not None:
            try:
                with adapter.connection_named("master"):
                    adapter.run_ended(results, _parents(task))
            except (KeyboardInterrupt, SystemExit):
                if adapter.run_stopped(task.node_results, _parents(task)):
                    _write(task)
                raise
        return results

    def run_queue(original: Callable[..., Any], task: GraphRunnableTask, pool: Any) -> Any:
        """dbt writes the results of an interrupted run as soon as this is left."""
        try:
            return original(task, pool)
        except (KeyboardInterrupt, SystemExit):
            adapter = adapter_of(task)
            if adapter is not None and adapter.run_stopped(task.node_results, _parents(task)):
                _add_what_was_not_done(task)
            raise

    _wrap("_runtime_initialize", choose_nodes)
    _wrap("execute_nodes", execute_nodes)
    _wrap("run_queue", run_queue)


def _parents(task: GraphRunnableTask) -> dict[str, Sequence[str]]:
    assert task.manifest is not None
    nodes = (*task.manifest.nodes.values(), *task.manifest.functions.values())
    return {node.unique_id: node.depends_on_nodes for node in nodes}


def _wrap(name: str, around: Callable[..., Any]) -> None:
    original = getattr(GraphRunnableTask, name)
    if hasattr(original, _MARK):  # also where something else has wrapped it since: attributes are taken over
        return

    @functools.wraps(original)
    def wrapper(*arguments: Any) -> Any:
        return around(original, *arguments)

    setattr(wrapper, _MARK, True)
    setattr(GraphRunnableTask, name, wrapper)


def _add_what_was_not_done(task: GraphRunnableTask) -> None:
    """What is staged takes its place together with it, so `dbt retry` is to do it, too."""
    done = {result.node.unique_id for result in task.node_results}  # type: ignore[attr-defined]
    for node in task._flattened_nodes or ():
        result = None if node.is_ephemeral_model else mark_node_as_skipped(node, done, None)
        if result is not None:
            not_done(result, "skipped", _STOPPED)
            task.node_results.append(result)


def _write(task: GraphRunnableTask) -> None:
    """As dbt does when the nodes are interrupted; after them it writes nothing."""
    if task.args.write_json:
        now = datetime.now(UTC)
        elapsed = now.timestamp() - task.started_at
        result: Any = task.get_result(  # type: ignore[no-untyped-call]
            task.node_results, elapsed, now.replace(tzinfo=None)
        )
        result.write(task.result_path())
