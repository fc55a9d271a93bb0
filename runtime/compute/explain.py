"""EXPLAIN PHYSICAL PLAN: a dataflow plan as text, one operator a line, with what must be exchanged before it."""

from __future__ import annotations

from dataclasses import fields

from .plan import DataflowPlan, Import, Node, levels


def explain_plan(plan: DataflowPlan) -> str:
    """Operators in the order in which a step runs them; `level` is the superstep of a Spark job."""
    level_of = {id_: at for at, ids in enumerate(levels(plan)) for id_ in ids}
    lines = [_line(node, level_of[node.id]) for node in plan.nodes]
    return "\n".join([*lines, f"output: %{plan.output}"])


def _line(node: Node, level: int) -> str:
    inputs = []
    for id_, by in zip(node.inputs, node.exchange, strict=True):
        if by is None:
            inputs.append(f"%{id_}")
        elif by:
            inputs.append(f"%{id_} by ({', '.join(f'#{i}' for i in by)})")
        else:
            inputs.append(f"%{id_} to one place")
    return f"%{node.id} = {_describe(node)}{' <- ' if inputs else ''}{', '.join(inputs)}  [level {level}]"


def _describe(node: Node) -> str:
    if isinstance(node.op, Import):
        return f"Import {node.op.id}"
    name = type(node.op).__name__.removesuffix("Op")
    shown = []
    for field in fields(node.op):
        value = getattr(node.op, field.name)
        if isinstance(value, tuple) and value and all(isinstance(v, int) for v in value):
            shown.append(f"{field.name}=({', '.join(f'#{v}' for v in value)})")
        elif isinstance(value, tuple):
            if value:
                shown.append(f"{field.name}: {len(value)}")
        elif value not in (None, False, 0):
            shown.append(f"{field.name}={getattr(value, 'value', value)}")
    return f"{name}({', '.join(shown)})"
