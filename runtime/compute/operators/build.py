"""From a node of a plan to the operator that runs it: the one table."""

from __future__ import annotations

from typing import assert_never

from ...expr.tree.relation import JoinKind
from ...repr.schema import Schema
from ..plan import (
    ArrangeOp,
    AssertSingleOp,
    ConstantOp,
    DistinctOp,
    EnterOp,
    FeedbackOp,
    FlatMapOp,
    Import,
    IterateOp,
    JoinOp,
    LookupOp,
    Mfp,
    NegateOp,
    Op,
    ReduceOp,
    TemporalFilterOp,
    ThresholdOp,
    TopKOp,
    UnionOp,
    WindowOp,
)
from .assert_single import AssertSingle
from .base import Operator
from .constant import Constant
from .distinct import Distinct
from .flat_map import FlatMap
from .joins.arrange import Arrange
from .joins.join import Join
from .joins.lookup import Lookup
from .joins.outer_join import OuterJoin
from .joins.semijoin import SemiJoin
from .linear import MapFilterProject
from .reductions.reduce import Reduce
from .temporal_filter import TemporalFilter
from .threshold import Threshold
from .topk.appended_topk import AppendedTopK
from .topk.topk import TopK
from .union import Negate, Union
from .windows.window import Window

NEVER = -1
"""An as_of that no step holds."""


def build(op: Op, inputs: tuple[Schema, ...], schema: Schema, as_of: int) -> Operator:
    """The operator for `op` over inputs of these schemas, with empty state.

    `as_of` is the first time that the dataflow answers for: constants, and reductions that have a row even over
    nothing, start with it.  Where a dataflow runs in several partitions, all but one of them pass NEVER, so that
    these rows are there once.  An Import has no operator: its updates are given.
    """
    match op:
        case Import() | EnterOp() | FeedbackOp():
            raise AssertionError(f"{type(op).__name__} is not run: its updates are handed to it")
        case ConstantOp():
            return Constant(op, schema, as_of)
        case Mfp():
            return MapFilterProject(op, inputs[0], schema)
        case UnionOp():
            return Union(schema)
        case NegateOp():
            return Negate(schema)
        case JoinOp():
            return _join(op, *inputs)
        case ArrangeOp(key=key, index=index):
            return Arrange(schema, key, shareable=index is not None)
        case LookupOp():
            return Lookup(op, inputs[1], schema)
        case ReduceOp():
            return Reduce(op, inputs[0], schema, as_of)
        case DistinctOp(monotonic=monotonic):
            return Distinct(schema, monotonic)
        case TopKOp(monotonic=monotonic):
            return AppendedTopK(op, schema) if monotonic else TopK(op, schema)
        case WindowOp():
            return Window(op, inputs[0], schema)
        case ThresholdOp():
            return Threshold(schema)
        case AssertSingleOp():
            return AssertSingle(op, schema)
        case FlatMapOp():
            return FlatMap(op, schema)
        case TemporalFilterOp():
            return TemporalFilter(op, schema)
        case IterateOp():
            from .loops.iterate import Iterate  # a loop builds the operators inside it, by this table

            return Iterate(op, inputs, schema, as_of)
        case _:
            assert_never(op)


def _join(op: JoinOp, left: Schema, right: Schema) -> Operator:
    arguments = (left, right, op.left_key, op.right_key, op.residual, op.null_safe)
    match op.kind:
        case JoinKind.INNER:
            return Join(*arguments)
        case JoinKind.SEMI | JoinKind.ANTI:
            return SemiJoin(*arguments, anti=op.kind is JoinKind.ANTI)
        case JoinKind.LEFT | JoinKind.RIGHT | JoinKind.FULL:
            return OuterJoin(op.kind, *arguments)
        case _:
            assert_never(op.kind)
