"""Which nodes of a plan write consolidated rows by construction: one update per (row, time), none of zero.

An operator that writes, per group and time, what was and what is, writes nothing twice; and a map, filter or
projection that keeps every column of its input keeps different rows different.  What is consolidated already need not
be: for a step of one row that is a sixth of its time, for one of 100,000 rows a fifth.
"""

from __future__ import annotations

from .plan import DataflowPlan, DistinctOp, Import, Mfp, Node, ReduceOp, ThresholdOp, TopKOp


def consolidated_nodes(plan: DataflowPlan, *, imports: bool = False) -> tuple[bool, ...]:
    """One entry per node, in the plan's order; with `imports`, if what is imported is consolidated."""
    known: list[bool] = []
    for node in plan.nodes:
        known.append(_consolidated(node, plan, known, imports))
    return tuple(known)


def _consolidated(node: Node, plan: DataflowPlan, known: list[bool], imports: bool) -> bool:
    match node.op:
        case Import():
            return imports
        case ReduceOp(scalar=scalar):
            return not scalar  # the row over nothing and its retraction may meet at the first time
        case DistinctOp() | ThresholdOp():
            return True
        case TopKOp(limit=limit, offset=offset):
            return limit is not None or offset > 0  # else it hands its input on
        case Mfp(projection=projection):
            (source,) = node.inputs
            return known[source] and set(range(len(plan.nodes[source].schema))) <= set(projection)
        case _:
            return False
