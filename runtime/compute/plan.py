"""The physical plan: a view as a graph of operators, before any of them holds state.

A plan is a frozen, picklable value.  Its nodes stand in topological order and name their inputs by position, so a
subtree that occurs twice is one node with two readers.  For every input a node says by which columns its rows must
be brought together (`exchange`): that is all a Spark job needs to cut the graph into levels, and all a resident
task may ignore, since there every row is in one place.

```
Import u1 ─ Mfp ─┐ by #0                       level 0 | level 1 | level 2
                 Join ─ Mfp ─ Reduce ─ out     Imports,  Join,     Reduce
Import u2 ───────┘ by #1      by #0            Mfp       Mfp
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from ..expr.tree.relation import GlobalId, JoinKind, OrderBy, TableCall
from ..expr.tree.scalar import Literal, Scalar
from ..expr.tree.windows import Frame
from ..repr.schema import Schema
from ..repr.types import ScalarType


class Everywhere(Enum):
    """The exchange of rows that go to all places (`compute.spark.broadcast`); no plan has it as it is lowered."""

    EVERYWHERE = "everywhere"


EVERYWHERE = Everywhere.EVERYWHERE

Exchange = tuple[int, ...] | Everywhere | None
"""Columns whose hash places a row; `()` brings everything to one place, None leaves rows where they are."""


@dataclass(frozen=True, slots=True)
class Import:
    """The updates of a catalog object, as persist or another dataflow hands them over."""

    id: GlobalId


@dataclass(frozen=True, slots=True)
class ConstantOp:
    """Literal rows, there from the as_of on."""

    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class Mfp:
    """Map, filter, project in one pass.

    `maps[i]` becomes column `n + i` over an input of n columns and may use any column before it.  A row goes on
    when every predicate is TRUE; a predicate is tried as soon as its columns exist, so that an error in a later
    map does not exist for a row that is dropped.  `projection` picks the output from all of these columns.
    """

    maps: tuple[Scalar, ...]
    predicates: tuple[Scalar, ...]
    projection: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class UnionOp:
    """Multiplicities of all inputs add."""


@dataclass(frozen=True, slots=True)
class NegateOp:
    """Multiplicities change sign; those of errors do not."""


@dataclass(frozen=True, slots=True)
class JoinOp:
    """Left rows and right rows that agree on the key columns (and on `residual`, over left then right columns).

    The residual is tried on pairs as they are formed, some at a time, so that few are held that do not pass.
    """

    kind: JoinKind
    left_key: tuple[int, ...]
    right_key: tuple[int, ...]
    residual: tuple[Scalar, ...] = ()
    null_safe: bool = False


WHOLE_GROUP = frozenset(
    (
        "array_agg", "string_agg", "first", "mode", "percentile_cont", "percentile_disc",
        "rank", "dense_rank", "percent_rank", "cume_dist",
    )
)  # fmt: skip
"""Functions whose result needs all rows of a group; `first` is the first value in the given order."""


@dataclass(frozen=True, slots=True)
class ArrangeOp:
    """The input as it is; its rows are held by `key`, for the Lookups that read this node.

    With `index`, they are not state of the dataflow: the input is an Import, and that index has its rows by that key.
    """

    key: tuple[int, ...]
    index: GlobalId | None = None


@dataclass(frozen=True, slots=True)
class LookupOp:
    """Rows of a stream, the first input, each with the rows of an Arrange, the second, whose columns `arranged_key`
    equal its columns `key`, as of before or after the step.  `residual` is over the columns of both."""

    key: tuple[int, ...]
    arranged_key: tuple[int, ...]
    before: bool
    residual: tuple[Scalar, ...] = ()


@dataclass(frozen=True, slots=True)
class AggregateOp:
    """One aggregate over a column of the input (None for `count(*)`).  Filters are already in the column: it is
    NULL where the filter is not TRUE.

    `rest` are the columns of further arguments.  Those of two arguments (corr, regr_*) are NULL in both columns
    where a row does not count.  Aggregates of whole groups may count NULLs: for them `condition` is the column of
    the filter.  `order` is by columns of the input; `direct` are constants.
    """

    function: str
    argument: int | None
    type: ScalarType
    distinct: bool = False
    rest: tuple[int, ...] = ()
    order: tuple[OrderBy, ...] = ()
    direct: tuple[Literal, ...] = ()
    condition: int | None = None


@dataclass(frozen=True, slots=True)
class ReduceOp:
    """One row per group of the first `keys` columns; `scalar` has its one row even over an empty input.

    `monotonic`, here and in other operators: the append-only collections that the input comes from, where that makes
    it append-only and the operator holds less for it; none otherwise.
    """

    keys: int
    aggregates: tuple[AggregateOp, ...]
    scalar: bool = False
    monotonic: tuple[GlobalId, ...] = ()


@dataclass(frozen=True, slots=True)
class DistinctOp:
    """Every row that occurs, once."""

    monotonic: tuple[GlobalId, ...] = ()


@dataclass(frozen=True, slots=True)
class TopKOp:
    """Per group the places `[offset, offset + limit)`; ties fall to the total order of rows."""

    group: tuple[int, ...]
    order: tuple[OrderBy, ...]
    limit: int | None
    offset: int = 0
    monotonic: tuple[GlobalId, ...] = ()


@dataclass(frozen=True, slots=True)
class WindowCallOp:
    """One window function.  `args` are columns of the input, or constants.  An aggregate's filter is already in
    its argument, which is NULL where the filter is not TRUE; but for one of WHOLE_GROUP, which may count NULLs, it is
    the last argument if `filtered`."""

    function: str
    args: tuple[int | Literal, ...]
    type: ScalarType
    frame: Frame
    ignore_nulls: bool = False
    filtered: bool = False


@dataclass(frozen=True, slots=True)
class WindowOp:
    """The first `width` columns of every row, and one column per call.  Columns behind `width` are arguments."""

    partition: tuple[int, ...]
    order: tuple[OrderBy, ...]
    calls: tuple[WindowCallOp, ...]
    width: int


@dataclass(frozen=True, slots=True)
class ThresholdOp:
    """Rows with a negative multiplicity vanish."""


@dataclass(frozen=True, slots=True)
class AssertSingleOp:
    """The input, and error 21000 for every group of more than one row."""

    group: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FlatMapOp:
    """For every row as many as the longest of `calls` has values: the input's columns at `kept`, a value of each
    call (whose arguments are over the input's columns), and with `ordinality` the number of the row."""

    calls: tuple[TableCall, ...]
    kept: tuple[int, ...]
    ordinality: bool = False
    outer: bool = False


@dataclass(frozen=True, slots=True)
class TimeBound:
    """`mz_now() operator #column`; the operator is eq, lt, le, gt or ge."""

    operator: str
    column: int


@dataclass(frozen=True, slots=True)
class TemporalFilterOp:
    """Every row for as long as all of `bounds` hold; one of them that is NULL never does."""

    bounds: tuple[TimeBound, ...]


@dataclass(frozen=True, slots=True)
class EnterOp:
    """Inside a loop only: the loop's input `input`, the same in every iteration."""

    input: int


@dataclass(frozen=True, slots=True)
class FeedbackOp:
    """Inside a loop only: what binding `binding` was after the iteration before."""

    binding: int


@dataclass(frozen=True, slots=True)
class DividedFeedbackOp(FeedbackOp):
    """In a `DividedIterateOp`: rows that go round are brought together `by` these columns."""

    by: Exchange


@dataclass(frozen=True, slots=True)
class IterateOp:
    """A loop to fixpoint: `nodes` are a graph of their own, whose `EnterOp`s read this node's inputs.

    `results[b]` is the node of binding b.  `outputs` are the bindings that are read outside.  The rows are those of
    the one output, or, with several, `#0` is the position in `outputs`, followed by the columns of each, NULL in
    all but one.  `limit` and `return_at_limit` are those of `LetRec`.
    """

    nodes: tuple[Node, ...]
    results: tuple[int, ...]
    outputs: tuple[int, ...]
    limit: int | None
    return_at_limit: bool


@dataclass(frozen=True, slots=True)
class DividedIterateOp(IterateOp):
    """A loop that runs in several parts at once.  `moves` says by node, and by each of its inputs, whether rows move between parts: the
    nodes' own exchanges still say what belongs together.  An input, and a binding, may have several nodes, each by columns of its own."""

    moves: tuple[tuple[Exchange, ...], ...]


Op = (
    Import
    | ConstantOp
    | Mfp
    | UnionOp
    | NegateOp
    | JoinOp
    | ArrangeOp
    | LookupOp
    | ReduceOp
    | DistinctOp
    | TopKOp
    | WindowOp
    | ThresholdOp
    | AssertSingleOp
    | FlatMapOp
    | TemporalFilterOp
    | EnterOp
    | FeedbackOp
    | IterateOp
)


@dataclass(frozen=True, slots=True)
class Node:
    """One operator.  `id` is its position in the plan; `inputs` are ids of earlier nodes; `exchange` has one
    entry per input; `schema` is of the output."""

    id: int
    op: Op
    inputs: tuple[int, ...]
    schema: Schema
    exchange: tuple[Exchange, ...]


@dataclass(frozen=True, slots=True)
class DataflowPlan:
    """All operators of one view, in topological order.  `imports` are the catalog objects that it reads, each
    once; `output` is the id of the node whose rows are the view, `schema` their shape under the view's names."""

    nodes: tuple[Node, ...]
    imports: tuple[GlobalId, ...]
    output: int
    schema: Schema

    def input_schemas(self, node: Node) -> tuple[Schema, ...]:
        return tuple(self.nodes[i].schema for i in node.inputs)

    def import_schema(self, id: GlobalId) -> Schema:
        """The shape of an imported object; KeyError when the plan does not read it."""
        for node in self.nodes:
            if isinstance(node.op, Import) and node.op.id == id:
                return node.schema
        raise KeyError(id)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)


def reading(plan: DataflowPlan, others: Mapping[GlobalId, GlobalId]) -> DataflowPlan:
    """The plan over other objects with the same columns, by those that it reads."""
    nodes = tuple(
        replace(node, op=Import(others.get(node.op.id, node.op.id))) if isinstance(node.op, Import) else node
        for node in plan.nodes
    )
    return replace(plan, nodes=nodes, imports=tuple(others.get(id_, id_) for id_ in plan.imports))


def starts_alone(op: Op) -> bool:
    """Whether the operator has rows even if no input has any."""
    match op:
        case ConstantOp():
            return True
        case ReduceOp(scalar=scalar):
            return scalar
        case IterateOp(nodes=nodes):
            return any(starts_alone(node.op) for node in nodes)
        case _:
            return False


def recursive(plan: DataflowPlan) -> bool:
    """Whether there is a loop in the plan, which only one process at a time can run."""
    return any(isinstance(node.op, IterateOp) for node in plan.nodes)


def not_a_job(plan: DataflowPlan) -> str | None:
    """Why a later step of the plan cannot be a job, or None.

    A task has the rows of its partition, and of state what it looks up for them.  A loop runs in one place, and a
    temporal filter has rows that come due without any that arrive.
    """
    for node in plan.nodes:
        match node.op:
            case IterateOp():
                return "it is recursive, and a loop runs in one place"
            case TemporalFilterOp():
                return "it has a temporal filter, whose rows of the future wait in one place"
    return None


def levels(plan: DataflowPlan, silent: frozenset[int] = frozenset()) -> tuple[tuple[int, ...], ...]:
    """Node ids by superstep: a node stands one level after any input that must be exchanged first, and no
    earlier than any other input.  A row read without an exchange from an earlier level stays in its partition.
    The Lookups in `silent`, those of a first step, need not wait for what they look up; and an Arrange stands with the first of the
    others that reads it, so that its rows are arranged once.

    An import, and what maps and filters it, stands as late as its readers let it: rows that need not be exchanged need not be
    passed on, then.
    """
    level: list[int] = []
    for node in plan.nodes:
        level.append(
            max(
                (
                    level[i] + (by is not None)
                    for place, (i, by) in enumerate(zip(node.inputs, node.exchange, strict=True))
                    if place == 0 or node.id not in silent
                ),
                default=0,
            )
        )
    count = max(level, default=0) + 1
    for node in plan.nodes if silent else ():
        if isinstance(node.op, ArrangeOp) and node.id != plan.output:
            readers = [reader for reader in plan.nodes if node.id in reader.inputs]
            looks = [level[reader.id] for reader in readers if reader.id not in silent]
            if looks and all(reader.inputs[1:] == (node.id,) for reader in readers):
                level[node.id] = min(looks)
    chain = {
        node.id: node.inputs[0]
        for node in plan.nodes
        if isinstance(node.op, Mfp) and isinstance(plan.nodes[node.inputs[0]].op, Import)
    }
    latest = {chain.get(plan.output, plan.output): level[plan.output]}
    for node in plan.nodes:
        for i, by in zip(node.inputs, node.exchange, strict=True):
            if node.id not in chain:
                source = chain.get(i, i)
                latest[source] = min(latest.get(source, count), level[node.id] - (by is not None))
    for node in plan.nodes:
        source = chain.get(node.id, node.id)
        if isinstance(plan.nodes[source].op, Import):
            level[node.id] = latest[source]
    return tuple(tuple(node.id for node in plan.nodes if level[node.id] == at) for at in range(count))


def silent_at_first(plan: DataflowPlan) -> frozenset[int]:
    """Nodes that no row leaves, or need leave, in the first step: a Lookup as of before it finds nothing, and what
    goes there only is for nothing.  Errors pass all the same."""
    readers: dict[int, list[int]] = {}
    for node in plan.nodes:
        for i in node.inputs[:1] if isinstance(node.op, LookupOp) else node.inputs:
            readers.setdefault(i, []).append(node.id)
    silent: set[int] = set()
    for node in reversed(plan.nodes):
        if isinstance(node.op, LookupOp) and (
            node.op.before or (node.id != plan.output and silent.issuperset(readers.get(node.id, [-1])))
        ):
            silent.add(node.id)
    return frozenset(silent)


@dataclass(frozen=True, slots=True)
class SharedNode:
    """The Arrange node `node` may be the arrangement of `index`; its input is the object `source`."""

    node: int
    index: GlobalId
    source: GlobalId


def shared_nodes(plan: DataflowPlan) -> tuple[SharedNode, ...]:
    """The arrangements of a plan that indexes have."""
    found = []
    for node in plan.nodes:
        if isinstance(node.op, ArrangeOp) and node.op.index is not None:
            source = plan.nodes[node.inputs[0]].op
            assert isinstance(source, Import)
            found.append(SharedNode(node.id, node.op.index, source.id))
    return tuple(found)
