"""The body of a loop: what its nodes read, and where it is cut when its rows lie in several parts.

```
Feedback, Enter ── level 0 ──┬── rows by the hash of a key ── level 1 ──┬── ... ── results ── Feedback
```

A loop in one place has one level, whatever exchanges its nodes ask for.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...plan import DividedFeedbackOp, DividedIterateOp, EnterOp, Exchange, FeedbackOp, IterateOp


@dataclass(frozen=True, slots=True)
class Way:
    """Rows of the node `producer` that move `by` the same columns; `key` is where they are among the results of the nodes."""

    key: int
    producer: int
    by: Exchange


class Body:
    """That of `op`.  Results are those of nodes, by their ids, and behind these of the `ways`.

    `enter`: the node of each input; `around`: the nodes by which each binding is read in the next iteration, and `by` what they want
    its rows together.  `levels` are the nodes with inputs, in the order in which they run; `reads`: where each finds its inputs;
    `leaving`: what moves at the end of each level."""

    def __init__(self, op: IterateOp) -> None:
        self.enter = {node.op.input: node.id for node in op.nodes if isinstance(node.op, EnterOp)}
        self.around: dict[int, list[int]] = {}
        self.by: dict[int, Exchange] = {}
        level = dict.fromkeys(range(len(op.nodes)), 0)
        ways: dict[tuple[int, Exchange], Way] = {}
        self.reads: dict[int, tuple[int, ...]] = {}
        for node in op.nodes:
            if isinstance(node.op, FeedbackOp):
                self.around.setdefault(node.op.binding, []).append(node.id)
                self.by[node.id] = node.op.by if isinstance(node.op, DividedFeedbackOp) else None
            exchange = op.moves[node.id] if isinstance(op, DividedIterateOp) else (None,) * len(node.inputs)
            reads = []
            for i, by in zip(node.inputs, exchange, strict=True):
                level[node.id] = max(level[node.id], level[i] + (by is not None))
                if by is None:
                    reads.append(i)
                else:
                    way = ways.setdefault((i, by), Way(len(op.nodes) + len(ways), i, by))
                    reads.append(way.key)
            self.reads[node.id] = tuple(reads)
        count = max(level.values(), default=0) + 1
        self.ways = tuple(ways.values())
        self.levels = [
            [node.id for node in op.nodes if node.inputs and level[node.id] == at] for at in range(count)
        ]
        self.leaving = [[way for way in self.ways if level[way.producer] == at] for at in range(count)]
