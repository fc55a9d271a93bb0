"""One-off queries: a plan over a snapshot, at one time, with no state to keep.

The stateless operators are those of a dataflow.  Of the others, a join needs no arrangement of either side here: both
sides are matched by sorted hashes and only the pairs that are found are copied.  The rest run on empty state that is
dropped afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..expr.tree.relation import GlobalId, Relation
from ..interrupt import check_interrupt
from ..repr.batch import NO_ERRORS, Batch, Delta, empty_delta
from ..repr.buffers import constant
from ..repr.consolidate import consolidate, consolidate_in_order
from ..repr.schema import ERROR_SCHEMA
from .lower import lower
from .operators.build import build
from .operators.counts import Counts, occurs
from .plan import DataflowPlan, Import, JoinOp
from .row_chain import evaluate_chain
from .snapshot_join import snapshot_join


def evaluate_once(
    query: Relation | DataflowPlan, inputs: Mapping[GlobalId, Batch | Delta], time: int
) -> Delta:
    """The rows of `query` over the collections `inputs` as they stand at `time` (all of their updates up to it).

    The result is consolidated, every update at `time`; errors are in `errs`, each once.  An input that is missing
    is empty.
    """
    found = _evaluated(query, inputs, time)
    return Delta(consolidate(found.oks), found.errs)


def evaluate_in_order(
    query: Relation | DataflowPlan, inputs: Mapping[GlobalId, Batch | Delta], time: int
) -> Delta:
    """As `evaluate_once`, with the rows in the order that literals, table functions and `inputs` have them in, where nothing
    that the query does needs another.  Equal ones may be there several times, and none less than once."""
    found = _evaluated(query, inputs, time)
    if len(found.oks) and int(found.oks.diffs.min()) <= 0:
        return Delta(consolidate_in_order(found.oks), found.errs)
    return found


def _evaluated(query: Relation | DataflowPlan, inputs: Mapping[GlobalId, Batch | Delta], time: int) -> Delta:
    if not isinstance(query, DataflowPlan) and (found := evaluate_chain(query, inputs)) is not None:
        return _result(_at(found, time))
    plan = query if isinstance(query, DataflowPlan) else lower(query, delta_joins=False)
    results: list[Delta] = []
    for node in plan.nodes:
        check_interrupt()
        given = tuple(results[i] for i in node.inputs)
        if isinstance(node.op, Import):
            source = inputs.get(node.op.id)
            results.append(empty_delta(node.schema) if source is None else _at(source, time))
        elif isinstance(node.op, JoinOp):
            results.append(snapshot_join(node.op, plan.input_schemas(node), node.schema, given))
        else:
            operator = build(node.op, plan.input_schemas(node), node.schema, time)
            results.append(operator.step(given, time, time + 1))
    return _result(results[plan.output])


def _result(output: Delta) -> Delta:
    errs = output.errs
    if len(errs):
        errs = Counts(ERROR_SCHEMA).update(errs, occurs)
    return Delta(output.oks, errs)


def _at(found: Batch | Delta, time: int) -> Delta:
    """All updates as of one time."""
    delta = found if isinstance(found, Delta) else Delta(found, NO_ERRORS)
    return Delta(_moved(delta.oks, time), _moved(delta.errs, time))


def _moved(batch: Batch, time: int) -> Batch:
    return Batch(batch.columns, constant(np.uint64(time), len(batch)), batch.diffs)
