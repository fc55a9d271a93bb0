"""Loops in parts: inside them rows lie, and move, as they do outside.

```
outside   edges ── by source ──┐            an input that is wanted by several keys comes once by each
inside    Enter ───────────────┤
          Feedback, by node ───┴─ Join ── Mfp ── by all columns ── Distinct ──> Feedback, by node
```

Rows that go round are brought to where they are read next, between two iterations, when all workers meet anyway.
Whatever follows from a row inside a loop depends on nothing but the rows: so it lies in one part for good.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..plan import (
    DataflowPlan,
    DividedFeedbackOp,
    DividedIterateOp,
    EnterOp,
    Exchange,
    FeedbackOp,
    IterateOp,
    Mfp,
    Node,
)

Columns = tuple[int, ...]


def divisible(op: IterateOp) -> bool:
    """Whether anything in the loop brings rows together by a key.  A loop of which that is not so is in the first part."""
    return any(by for node in op.nodes for by in node.exchange)


def inside(op: IterateOp) -> DataflowPlan:
    """The graph of a loop, as a plan."""
    result = op.results[0]
    return DataflowPlan(op.nodes, (), result, op.nodes[result].schema)


def opened(node: Node) -> Node:
    """The node of a divisible loop with a divided one: its inputs come, and its bindings go round, by the columns by which they are
    wanted, and everything still moves as nodes ask for it."""
    op = node.op
    assert isinstance(op, IterateOp)
    nodes, inputs = list(op.nodes), list(node.inputs)
    by_input: list[Exchange] = [None] * len(inputs)
    wants = _wants(op.nodes)
    for source in op.nodes:
        if not isinstance(source.op, EnterOp | FeedbackOp):
            continue
        wanted = [by for by, _ in wants.get(source.id, Counter()).most_common()]
        places: list[Exchange] = [*wanted] or [None]
        ids = [source.id, *range(len(nodes), len(nodes) + len(wanted[1:]))]
        nodes += [replace(source, id=id_) for id_ in ids[1:]]
        for id_, by in zip(ids, places, strict=True):
            if isinstance(source.op, FeedbackOp):
                nodes[id_] = replace(nodes[id_], op=DividedFeedbackOp(source.op.binding, by))
            elif id_ == source.id:
                by_input[source.op.input] = by
            else:
                nodes[id_] = replace(nodes[id_], op=EnterOp(len(inputs)))
                inputs.append(node.inputs[source.op.input])
                by_input.append(by)
        place = dict(zip(wanted, ids, strict=False))
        for reader in op.nodes:
            if source.id in reader.inputs:
                nodes[reader.id] = _reading(nodes[reader.id], source.id, place, op.nodes)
    divided = DividedIterateOp(
        tuple(nodes),
        op.results,
        op.outputs,
        op.limit,
        op.return_at_limit,
        tuple(node.exchange for node in nodes),
    )
    return replace(node, op=divided, inputs=tuple(inputs), exchange=tuple(by_input))


def _wants(nodes: Sequence[Node]) -> dict[int, Counter[Columns]]:
    """By source the columns by which its readers want its rows."""
    wants: dict[int, Counter[Columns]] = {}
    for node in nodes:
        for at, i in enumerate(node.inputs):
            if not nodes[i].inputs and (by := _wanted(node, at, nodes)) is not None:
                wants.setdefault(i, Counter())[by] += 1
    return wants


def _wanted(node: Node, at: int, nodes: Sequence[Node]) -> Columns | None:
    """By which of its columns a node wants an input: by those, if it only maps it, by which all want that; None if it does not care."""
    if not isinstance(node.op, Mfp):
        by = node.exchange[at]
        return by if isinstance(by, tuple) else None
    width = len(nodes[node.inputs[0]].schema)
    found = {
        tuple(node.op.projection[c] for c in by)
        for reader in nodes
        for i, by in zip(reader.inputs, reader.exchange, strict=True)
        if i == node.id and isinstance(by, tuple)
    }
    usable = [by for by in found if all(c < width for c in by)]
    return usable[0] if len(found) == len(usable) == 1 else None


def _reading(node: Node, source: int, place: Mapping[Columns, int], nodes: Sequence[Node]) -> Node:
    """The node as it reads the source by the columns by which it wants it; `nodes` are the loop's as it was lowered."""
    before = nodes[node.id]
    found = list(node.inputs)
    for at, i in enumerate(before.inputs):
        if i == source and (by := _wanted(before, at, nodes)) is not None:
            found[at] = place[by]
    return replace(node, inputs=tuple(found))
