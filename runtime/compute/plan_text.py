"""A physical plan as text, one operator a line, in the order in which they run, expressions included.

    0  level 0  Import u1  (ok, ck, amt)
    1  level 0  Mfp %0 filter gt(#2, 5) | project #1, #2  (ck, amt)
    2  level 1  Reduce %1 by hash(#0) keys #0 | count(*), sum(#1)  (ck, n, s) -> output

`#n` is column n of the operator's input (of both inputs side by side, in a residual); `%n` is node n as an input,
with the columns that its rows are exchanged by; the level is the superstep of a Spark job.  A `monotonic` operator holds
only what can still matter, as its input is append-only.  The graph inside a loop follows it, indented, with numbers of
its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, assert_never

from ..expr.text.text_output import literal_text
from ..expr.tree.relation import GlobalId, OrderBy
from ..expr.tree.scalar import (
    And,
    Call,
    Case,
    Cast,
    Coalesce,
    ColumnRef,
    ExternalCall,
    Literal,
    MzNow,
    NowCompare,
    Or,
    Parameter,
    PerExecution,
    Scalar,
)
from ..expr.tree.windows import DEFAULT_FRAME, Bound, Exclusion, Frame
from .plan import (
    EVERYWHERE,
    AggregateOp,
    ArrangeOp,
    AssertSingleOp,
    ConstantOp,
    DataflowPlan,
    DistinctOp,
    DividedFeedbackOp,
    DividedIterateOp,
    EnterOp,
    Exchange,
    FeedbackOp,
    FlatMapOp,
    Import,
    IterateOp,
    JoinOp,
    LookupOp,
    Mfp,
    NegateOp,
    Node,
    Op,
    ReduceOp,
    TemporalFilterOp,
    ThresholdOp,
    TopKOp,
    UnionOp,
    WindowCallOp,
    WindowOp,
    levels,
)


def plan_json(plan: DataflowPlan, names: Mapping[GlobalId, str] | None = None) -> list[dict[str, Any]]:
    """The plan's nodes: number, level, operator, its details as text, the nodes that it reads, columns, and whether
    its rows are the output's.  A loop has nodes of its own."""
    level = {id: at for at, ids in enumerate(levels(plan)) for id in ids}
    return [
        {"level": level[node.id]} | _node_json(node, names or {}) | {"output": node.id == plan.output}
        for node in plan.nodes
    ]


def _node_json(node: Node, names: Mapping[GlobalId, str]) -> dict[str, Any]:
    name, details = _op(node.op, names)
    shown: dict[str, Any] = {
        "node": node.id,
        "operator": name,
        "details": details + _index(node.op, names),
        "inputs": list(node.inputs),
        "columns": list(node.schema.names),
    }
    if isinstance(node.op, IterateOp):
        shown["loop"] = [_node_json(inner, names) for inner in _nodes(node.op)]
    return shown


def plan_text(plan: DataflowPlan, names: Mapping[GlobalId, str] | None = None, *, loops: bool = True) -> str:
    """The plan as lines: node, level, operator with its inputs and details, output columns.  `names` are those of
    objects; the graphs of `loops` may be left out."""
    known = names or {}
    level = {id: at for at, ids in enumerate(levels(plan)) for id in ids}
    lines = []
    for node in plan.nodes:
        columns = ", ".join(node.schema.names)
        output = " -> output" if node.id == plan.output else ""
        lines.append(
            f"{node.id:>3}  level {level[node.id]}  {_node(node, known)}{_index(node.op, known)}  ({columns}){output}"
        )
        if loops and isinstance(node.op, IterateOp):
            lines += _inside(node.op, "       ", known)
    return "\n".join(lines)


def _index(op: Op, names: Mapping[GlobalId, str]) -> str:
    """Whose arrangement it is."""
    if not isinstance(op, ArrangeOp) or op.index is None:
        return ""
    return f" by index {names.get(op.index, op.index)}"


def _inside(loop: IterateOp, indent: str, known: Mapping[GlobalId, str]) -> list[str]:
    """The graph of a loop, one operator a line."""
    lines = []
    for node in _nodes(loop):
        names = ", ".join(node.schema.names)
        bound = "".join(f" -> binding {b}" for b, result in enumerate(loop.results) if result == node.id)
        lines.append(f"{indent}{node.id:>3}  {_node(node, known)}  ({names}){bound}")
        if isinstance(node.op, IterateOp):
            lines += _inside(node.op, indent + "     ", known)
    return lines


def _nodes(loop: IterateOp) -> Iterator[Node]:
    """The graph of a loop; of one that is divided, with those exchanges that move rows."""
    for node in loop.nodes:
        yield replace(node, exchange=loop.moves[node.id]) if isinstance(loop, DividedIterateOp) else node


def _node(node: Node, names: Mapping[GlobalId, str]) -> str:
    inputs = ", ".join(f"%{i}{exchange_text(by)}" for i, by in zip(node.inputs, node.exchange, strict=True))
    name, details = _op(node.op, names)
    return " ".join(part for part in (name, inputs, details) if part)


def exchange_text(by: Exchange) -> str:
    """By which columns rows are brought together, behind what they are rows of."""
    if by is None:
        return ""
    if by is EVERYWHERE:
        return " everywhere"
    return f" by hash({_columns(by)})" if by else " to one place"


def _columns(positions: Sequence[int]) -> str:
    return ", ".join(f"#{i}" for i in positions)


def _op(op: Op, names: Mapping[GlobalId, str]) -> tuple[str, str]:
    match op:
        case Import(id=id):
            return "Import", names.get(id, id)
        case ConstantOp(rows=rows):
            return "Constant", f"{len(rows)} rows"
        case Mfp():
            return "Mfp", _mfp(op)
        case UnionOp():
            return "Union", ""
        case NegateOp():
            return "Negate", ""
        case JoinOp():
            return "Join", _join(op)
        case ArrangeOp(key=key, index=index):
            return ("Arrange" if index is None else "Arranged"), f"by {_columns(key)}"
        case LookupOp():
            return "Lookup", _lookup(op)
        case ReduceOp():
            return "Reduce", _reduce(op)
        case DistinctOp(monotonic=monotonic):
            return "Distinct", "monotonic" if monotonic else ""
        case TopKOp():
            return "TopK", _top_k(op)
        case WindowOp():
            return "Window", _window(op)
        case ThresholdOp():
            return "Threshold", ""
        case AssertSingleOp(group=group):
            return "AssertSingle", f"per {_columns(group)}" if group else ""
        case FlatMapOp():
            return "FlatMap", _flat_map(op)
        case TemporalFilterOp(bounds=bounds):
            return "TemporalFilter", " AND ".join(f"{b.operator}(mz_now(), #{b.column})" for b in bounds)
        case EnterOp(input=number):
            return "Enter", f"input {number}"
        case DividedFeedbackOp(binding=number, by=by):
            return "Feedback", f"of binding {number}{exchange_text(by)}"
        case FeedbackOp(binding=number):
            return "Feedback", f"of binding {number}"
        case IterateOp():
            return "Iterate", _limit(op)
        case _:
            assert_never(op)


def _mfp(op: Mfp) -> str:
    parts = []
    if op.maps:
        parts.append("map " + ", ".join(map(scalar_text, op.maps)))
    if op.predicates:
        parts.append("filter " + " AND ".join(map(scalar_text, op.predicates)))
    parts.append(f"project {_columns(op.projection)}")
    return " | ".join(parts)


def _flat_map(op: FlatMapOp) -> str:
    calls = [f"{call.function}({', '.join(map(scalar_text, call.args))})" for call in op.calls]
    text = ", ".join(calls)
    if op.ordinality:
        text += " with ordinality"
    if op.outer:
        text += " or NULL"
    return f"{text} | keep {_columns(op.kept)}" if op.kept else text


def _join(op: JoinOp) -> str:
    equal = "IS NOT DISTINCT FROM" if op.null_safe else "="
    keys = " AND ".join(
        f"left #{a} {equal} right #{b}" for a, b in zip(op.left_key, op.right_key, strict=True)
    )
    text = f"{op.kind.value} on {keys or 'true'}"
    if op.residual:
        text += " where " + " AND ".join(map(scalar_text, op.residual))
    return text


def _lookup(op: LookupOp) -> str:
    keys = " AND ".join(f"#{a} = held #{b}" for a, b in zip(op.key, op.arranged_key, strict=True))
    text = f"as of {'before' if op.before else 'after'} the step on {keys}"
    if op.residual:
        text += " where " + " AND ".join(map(scalar_text, op.residual))
    return text


def _reduce(op: ReduceOp) -> str:
    parts = [f"keys {_columns(range(op.keys))}"] if op.keys else []
    if op.aggregates:
        parts.append(", ".join(map(_aggregate, op.aggregates)))
    if op.scalar:
        parts.append("one row always")
    if op.monotonic:
        parts.append("monotonic")
    return " | ".join(parts)


def _aggregate(op: AggregateOp) -> str:
    arguments = "*" if op.argument is None else _columns((op.argument, *op.rest))
    direct = ", ".join(map(scalar_text, op.direct))
    order = ", ".join(map(_order, op.order))
    if op.argument is None and op.order:
        text = f"{op.function}({direct}) within group ({order})"
    else:
        text = f"{op.function}({'DISTINCT ' if op.distinct else ''}{arguments}{' order ' + order if order else ''})"
    return text if op.condition is None else f"{text} where #{op.condition}"


def _limit(op: IterateOp) -> str:
    where = "all workers" if isinstance(op, DividedIterateOp) else "the replica"
    parts = [f"in {where}, never a Spark job"]
    if op.limit is not None:
        parts.append(f"{'return' if op.return_at_limit else 'error'} at {op.limit} iterations")
    return " | ".join(parts)


def _top_k(op: TopKOp) -> str:
    parts = []
    if op.group:
        parts.append(f"per {_columns(op.group)}")
    if op.order:
        parts.append("order " + ", ".join(map(_order, op.order)))
    if op.limit is not None:
        parts.append(f"limit {op.limit}")
    if op.offset:
        parts.append(f"offset {op.offset}")
    if op.monotonic:
        parts.append("monotonic")
    return " | ".join(parts)


def _window(op: WindowOp) -> str:
    parts = []
    if op.partition:
        parts.append(f"per {_columns(op.partition)}")
    if op.order:
        parts.append("order " + ", ".join(map(_order, op.order)))
    parts.append(", ".join(map(_call, op.calls)))
    return " | ".join(parts)


def _call(call: WindowCallOp) -> str:
    args = ", ".join(f"#{arg}" if isinstance(arg, int) else scalar_text(arg) for arg in call.args)
    frame = "" if call.frame == DEFAULT_FRAME else f" {frame_text(call.frame)}"
    nulls = " ignore nulls" if call.ignore_nulls else ""
    return f"{call.function}({args}){nulls}{frame}"


def frame_text(frame: Frame) -> str:
    """A frame as SQL writes it."""
    text = f"{frame.unit.value} between {_bound(frame.start)} and {_bound(frame.end)}"
    if frame.exclusion is not Exclusion.NO_OTHERS:
        text += f" exclude {frame.exclusion.value}"
    return text


def _bound(bound: Bound) -> str:
    return bound.kind.value if bound.offset is None else f"{scalar_text(bound.offset)} {bound.kind.value}"


def _order(order: OrderBy) -> str:
    direction = " DESC" if order.descending else ""
    return f"#{order.index}{direction} NULLS {'FIRST' if order.nulls_first else 'LAST'}"


def scalar_text(scalar: Scalar) -> str:
    """An expression as text, columns by position."""
    match scalar:
        case ColumnRef(index=index):
            return f"#{index}"
        case Literal(value=value, type=type_):
            return literal_text(value, type_) or _literal(value)
        case Call(function=function, args=args):
            return f"{function}({', '.join(map(scalar_text, args))})"
        case ExternalCall(function=called, args=args):
            return f"{called.name}({', '.join(map(scalar_text, args))})"
        case Cast(arg=arg, type=type_):
            return f"{scalar_text(arg)}::{type_}"
        case Coalesce(args=args):
            return f"coalesce({', '.join(map(scalar_text, args))})"
        case And(args=args):
            return "(" + " AND ".join(map(scalar_text, args)) + ")"
        case Or(args=args):
            return "(" + " OR ".join(map(scalar_text, args)) + ")"
        case Parameter(number=number):
            return f"${number}"
        case PerExecution(function=function):
            return f"{function}()"
        case MzNow():
            return "mz_now()"
        case NowCompare(operator=operator, bound=bound):
            return f"{operator}(mz_now(), {scalar_text(bound)})"
        case Case(branches=branches, otherwise=otherwise):
            whens = " ".join(f"WHEN {scalar_text(c)} THEN {scalar_text(r)}" for c, r in branches)
            return f"CASE {whens} ELSE {scalar_text(otherwise)} END"
        case _:
            assert_never(scalar)


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)
