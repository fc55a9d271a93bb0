"""EXPLAIN: a relation as an indented tree, one operator a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...expr.functions.system.random_values import DRAWING
from ...expr.text.keywords import RESERVED
from ...expr.text.text_output import literal_text
from ...expr.tree import relation as rel
from ...expr.tree.relation_tree import inputs
from ...expr.tree.scalar import (
    CLOCKS,
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
from ...expr.tree.windows import DEFAULT_FRAME, Exclusion, Frame
from ...repr.types import Kind

_INFIX = {
    "eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "add": "+", "subtract": "-",
    "multiply": "*", "divide": "/", "modulo": "%", "concat_op": "||",
}  # fmt: skip


Names = Mapping[rel.GlobalId, str]


def explain(relation: rel.Relation, names: Names | None = None) -> str:
    """The tree as lines; objects by their `names`, or ids."""
    return "\n".join(_lines(relation, 0, names or {}))


def explain_json(relation: rel.Relation, names: Names | None = None) -> dict[str, Any]:
    """The tree as JSON: of each operator its name, its details as text, its columns and its inputs."""
    known = names or {}
    operator, _, details = _head(relation, known).partition(" ")
    node: dict[str, Any] = {"operator": operator, "details": details, "columns": list(relation.schema.names)}
    if isinstance(relation, rel.LetRec):
        bindings = {binding.id: explain_json(binding.value, known) for binding in relation.bindings}
        return node | {"bindings": bindings, "inputs": [explain_json(relation.body, known)]}
    return node | {"inputs": [explain_json(child, known) for child in inputs(relation)]}


def finishing_line(finishing: rel.Finishing) -> str | None:
    """What happens to the rows of a one-off query at last; None if nothing does."""
    if not finishing.order and finishing.limit is None and not finishing.offset:
        return None
    keys = ", ".join(map(_order, finishing.order))
    limit = "none" if finishing.limit is None else str(finishing.limit)
    return f"Finish order=({keys}) limit={limit} offset={finishing.offset}"


def _lines(relation: rel.Relation, depth: int, names: Names) -> list[str]:
    lines = ["  " * depth + _head(relation, names)]
    if isinstance(relation, rel.LetRec):
        for binding in relation.bindings:
            lines += ["  " * (depth + 1) + f"Binding {binding.id}", *_lines(binding.value, depth + 2, names)]
        return [*lines, "  " * (depth + 1) + "Body", *_lines(relation.body, depth + 2, names)]
    for child in inputs(relation):
        lines.extend(_lines(child, depth + 1, names))
    return lines


def _head(relation: rel.Relation, names: Names) -> str:
    match relation:
        case rel.Changes(object=object_):
            return f"Changes {names.get(object_, object_)}"
        case rel.Get(id=id_):
            return f"Get {names.get(id_, id_)}"
        case rel.Constant(rows=rows):
            shown = ", ".join("(" + ", ".join(_value(v) for v in row) + ")" for row in rows[:5])
            more = f", ... {len(rows) - 5} more" if len(rows) > 5 else ""
            return f"Constant [{shown}{more}]"
        case rel.Map(scalars=scalars):
            return f"Map ({_list(scalars)})"
        case rel.Filter(predicates=predicates):
            return f"Filter {' AND '.join(show(p) for p in predicates)}"
        case rel.Project(indices=indices):
            return f"Project ({_columns(indices)})"
        case rel.Join():
            return _join(relation)
        case rel.Reduce(keys=keys, aggregates=aggregates):
            return f"Reduce group=({_list(keys)}) aggregates=({', '.join(aggregate_text(a) for a in aggregates)})"
        case rel.Distinct():
            return "Distinct"
        case rel.TopK(group=group, order=order, limit=limit, offset=offset):
            sort = ", ".join(_order(key) for key in order)
            bounds = f" limit={limit}" if limit is not None else ""
            bounds += f" offset={offset}" if offset else ""
            return f"TopK group=({_columns(group)}) order=({sort}){bounds}"
        case rel.Window(partition=partition, order=order, calls=calls):
            sort = ", ".join(_order(key) for key in order)
            return f"Window partition=({_columns(partition)}) order=({sort}) calls=({', '.join(map(call_text, calls))})"
        case rel.Union():
            return "Union"
        case rel.Negate():
            return "Negate"
        case rel.Threshold():
            return "Threshold"
        case rel.AssertSingle(group=group):
            return f"AssertSingle group=({_columns(group)})"
        case rel.FlatMap():
            return _flat_map(relation)
        case rel.LocalGet(id=id_):
            return f"Get {id_}"
        case rel.LetRec(limit=limit, return_at_limit=back):
            return "Recursion" if limit is None else f"Recursion {'return' if back else 'error'} at {limit}"


def _flat_map(relation: rel.FlatMap) -> str:
    calls = ", ".join(f"{call.function}({_list(call.args)})" for call in relation.calls)
    text = f"FlatMap ({calls}) keep=({_columns(relation.kept)})"
    if relation.ordinality:
        text += " with ordinality"
    return text + " outer" if relation.outer else text


def _join(join: rel.Join) -> str:
    sign = "<=>" if join.null_safe else "="
    keys = [f"{show(a)} {sign} right.{show(b)}" for a, b in zip(join.left_keys, join.right_keys, strict=True)]
    text = f"Join {join.kind.value}"
    if keys:
        text += f" on ({', '.join(keys)})"
    if join.residual:
        text += f" filter ({' AND '.join(show(p) for p in join.residual)})"
    return text


def aggregate_text(aggregate: rel.Aggregate, names: Sequence[str] | None = None) -> str:
    """The aggregate; columns as in `show`."""
    arguments = "*" if aggregate.argument is None else _list((aggregate.argument, *aggregate.rest), names)
    order = ", ".join(_scalar_order(key, names) for key in aggregate.order)
    if aggregate.argument is None and aggregate.order:
        text = f"{aggregate.function}({_list(aggregate.direct)}) WITHIN GROUP (ORDER BY {order})"
    else:
        by = f" ORDER BY {order}" if order else ""
        text = f"{aggregate.function}({'DISTINCT ' if aggregate.distinct else ''}{arguments}{by})"
    return text if aggregate.filter is None else f"{text} FILTER ({show(aggregate.filter, names)})"


def call_text(call: rel.WindowCall, names: Sequence[str] | None = None) -> str:
    """The call, without its window; columns as in `show`."""
    text = f"{call.function}({_list(call.args, names)})"
    if call.filter is not None:
        text += f" FILTER ({show(call.filter, names)})"
    if call.ignore_nulls:
        text += " ignore nulls"
    return text if call.frame == DEFAULT_FRAME else f"{text} {_frame(call.frame)}"


def _frame(frame: Frame) -> str:
    bounds = [
        bound.kind.value if bound.offset is None else f"{show(bound.offset)} {bound.kind.value}"
        for bound in (frame.start, frame.end)
    ]
    text = f"{frame.unit.value} between {bounds[0]} and {bounds[1]}".upper()
    if frame.exclusion is not Exclusion.NO_OTHERS:
        text += f" EXCLUDE {frame.exclusion.value.upper()}"
    return text


def _scalar_order(key: rel.ScalarOrder, names: Sequence[str] | None) -> str:
    return f"{show(key.scalar, names)} {'DESC' if key.descending else 'ASC'} NULLS {'FIRST' if key.nulls_first else 'LAST'}"


def _order(key: rel.OrderBy) -> str:
    return (
        f"#{key.index} {'DESC' if key.descending else 'ASC'} NULLS {'FIRST' if key.nulls_first else 'LAST'}"
    )


def _columns(indices: Sequence[int]) -> str:
    return ", ".join(f"#{index}" for index in indices)


def _list(scalars: Sequence[Scalar], names: Sequence[str] | None = None) -> str:
    return ", ".join(show(scalar, names) for scalar in scalars)


def _value(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return str(value) if isinstance(value, int) else f"'{value}'"


def show(scalar: Scalar, names: Sequence[str] | None = None) -> str:
    """The expression; columns as `#position`, or by name where `names` are given."""
    match scalar:
        case ColumnRef(index=index):
            return f"#{index}" if names is None else names[index]
        case Parameter(number=number):
            return f"${number}"
        case PerExecution(function=function):
            return function.upper() if function in RESERVED else f"{function}()"
        case Call(function=function) if function in DRAWING:
            return f"{DRAWING[function]}()"
        case MzNow():
            return "mz_now()"
        case NowCompare(operator=operator, bound=bound):
            return f"(mz_now() {_INFIX[operator]} {show(bound, names)})"
        case Literal(value=value, type=type_):
            shown = literal_text(value, type_) or _value(value)
            return str(value) if value is not None and type_.kind is Kind.NUMERIC else shown
        case Call(function=function, args=args) if function in _INFIX and len(args) == 2:
            return f"({show(args[0], names)} {_INFIX[function]} {show(args[1], names)})"
        case Call(function=function, args=args):
            return f"{function}({_list(args, names)})"
        case ExternalCall(function=called, args=args):
            return f"{called.name}({_list(args, names)})"
        case Cast(arg=PerExecution(function=function), type=type_) if (
            function in CLOCKS and CLOCKS[function].kind is type_.kind
        ):
            return function.upper() + ("" if type_.precision is None else f"({type_.precision})")
        case Cast(arg=arg, type=type_):
            return f"{show(arg, names)}::{type_}"
        case Case(branches=branches, otherwise=otherwise):
            parts = [f"WHEN {show(c, names)} THEN {show(r, names)}" for c, r in branches]
            return f"CASE {' '.join(parts)} ELSE {show(otherwise, names)} END"
        case Coalesce(args=args):
            return f"coalesce({_list(args, names)})"
        case And(args=args):
            return f"({' AND '.join(show(a, names) for a in args)})"
        case Or(args=args):
            return f"({' OR '.join(show(a, names) for a in args)})"
