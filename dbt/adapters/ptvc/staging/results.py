"""What the end of a run makes of the results of its nodes: dbt's RunResults, which are changed as they are reported."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ptvc.relation import PtvcRelation
from dbt.adapters.ptvc.staging.staged import descendants

FAILED = ("error", "fail", "runtime error")
NOT_DONE = (*FAILED, "skipped", "partial success")
"""What `dbt retry` does again."""


def refusal(
    reason: str,
    nodes: Mapping[str, str],
    targets: Iterable[tuple[str, PtvcRelation]],
    happened: str = "was refused",
) -> dict[str, tuple[str, str]]:
    """The status of each node of a release that was refused, or to which something else has `happened`, and its message: one of them has the
    error, that which it names if it names one, and the others are held back by it.  `nodes` are their names, `targets` the places of what
    they have staged."""
    named = (node for node, target in targets if node in nodes and _names(reason, target))
    cause = next(named, next(iter(nodes), None))
    others = ", ".join(name for node, name in nodes.items() if node != cause)
    found = {}
    for node in nodes:
        if node == cause:
            held_back = f". Held back with it: {others}" if others else ""
            refused = f"the release of this run {happened}, as a whole: {reason}"
            found[node] = "error", refused.removesuffix(".") + held_back if others else refused
        else:
            said = f"the release of this run {happened}; the error is that of {nodes[cause or '']}"
            found[node] = "skipped", said
    return found


def _names(text: str, relation: PtvcRelation) -> bool:
    """Whether an error names the relation, in quotes or not."""
    return re.search(rf"(?<![\w$]){re.escape(relation.identifier or '')}(?![\w$])", text) is not None


def not_done(result: Any, status: str, reason: str) -> None:
    """It has failed, or was skipped.  dbt counts what is skipped with a message among the errors, so that the reason is in what the adapter
    says of it: in run_results.json, beside the log."""
    result.status = type(result.status)(status)
    if status == "skipped":
        result.message = None
        result.adapter_response = {**(result.adapter_response or {}), "reason": reason}
    else:
        result.message = reason


def failed_tests_above(by_node: Mapping[str, Any], children: Mapping[str, Collection[str]]) -> dict[str, str]:
    """The test, by its name, for which dbt has skipped a node."""
    found: dict[str, str] = {}
    for result in by_node.values():
        node = result.node
        if node.resource_type in ("test", "unit_test") and result.status in FAILED:
            for below in descendants(node.depends_on_nodes, children):
                if below in by_node and by_node[below].status == "skipped":
                    found.setdefault(below, node.name)
    return found


def data_tests_on(
    gone: Collection[str], by_node: Mapping[str, Any], parents: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """The data tests that have passed, or warned, on objects of the nodes that are `gone`, each with one of these nodes.  A test reads what
    its ephemeral models read."""
    found = {}
    for id_, result in by_node.items():
        node = result.node
        if node.resource_type != "test" or result.status in NOT_DONE:
            continue
        read = {
            *node.depends_on_nodes,
            *(above for cte in node.extra_ctes for above in parents.get(cte.id, ())),
        }
        if read & set(gone):
            found[id_] = min(read & set(gone))
    return found


@contextmanager
def reported(result: Any) -> Iterator[Callable[[str], None]]:
    """What is done for a model when the others have ended is its result."""
    said: list[str] = []
    try:
        yield said.append
    except DbtRuntimeError as error:
        if result is None:
            raise
        result.status = type(result.status)("error")
        result.message = str(error)
    else:
        if result is not None and result.status not in NOT_DONE and said:
            result.message = said[-1]
