"""Where dbt says that all models of a run have ended, and how.

dbt-core tells an adapter nothing of that: a hook of the adapter's package would, but counts as one more result of every run.  So the
adapter is called from the place where dbt runs the hooks of the end, before these; what it changes in the results is what dbt
reports, writes to run_results.json, and what `dbt retry` goes by.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from dbt.task.run import RunTask

_MARK = "_ends_staging"


class EndingRun(Protocol):
    def run_ended(self, results: Sequence[Any], parents: Mapping[str, Sequence[str]]) -> None:
        """`results` are dbt's RunResults, `parents` the nodes that each node is made from."""


def call_when_runs_end(adapter_type: type[EndingRun]) -> None:
    """All runs of this process, of adapters of that type."""
    original: Callable[..., None] = RunTask.after_run
    if hasattr(
        original, _MARK
    ):  # also where something else has wrapped it since: wrappers take attributes over
        return

    @functools.wraps(original)
    def after_run(task: RunTask, adapter: Any, results: Any) -> None:
        if isinstance(adapter, adapter_type) and task.manifest is not None:
            nodes = (*task.manifest.nodes.values(), *task.manifest.functions.values())
            with adapter.connection_named("master"):  # type: ignore[attr-defined]
                adapter.run_ended(results, {node.unique_id: node.depends_on_nodes for node in nodes})
        original(task, adapter, results)

    setattr(after_run, _MARK, True)
    RunTask.after_run = after_run  # type: ignore[assignment, method-assign]
