"""A plan over narrower imports: columns that no node looks at need not be decoded.

```
Mfp[#5 > 0, project #2](Import t: 8 columns)  ──>  Mfp[#1 > 0, project #0](Import t: columns 2 and 5)
```

Ids of nodes, and the shapes of all others, stay: state of the one plan is state of the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..expr.tree.relation import GlobalId
from ..expr.tree.scalar import columns_of, remap
from .plan import DataflowPlan, Import, Mfp, Node

Columns = tuple[int, ...]


def narrow_imports(plan: DataflowPlan) -> tuple[DataflowPlan, dict[GlobalId, Columns]]:
    """`plan` over narrower imports, and which columns of each import it reads, in ascending order; those of which it reads
    all are missing."""
    wide = {node.id: node.op.id for node in plan if isinstance(node.op, Import)}
    read: dict[GlobalId, set[int]] = {id_: set() for id_ in wide.values()}
    if plan.output in wide:
        read.pop(wide[plan.output], None)
    for node in plan:
        for id_ in [wide[i] for i in node.inputs if i in wide]:
            if not isinstance(node.op, Mfp):
                read.pop(id_, None)
            elif id_ in read:
                read[id_] |= _read(node.op, len(plan.nodes[node.inputs[0]].schema))
    columns = {
        id_: tuple(sorted(kept)) for id_, kept in read.items() if len(kept) < len(plan.import_schema(id_))
    }
    if not columns:
        return plan, {}
    nodes = tuple(_narrowed(plan, node, columns) for node in plan)
    return replace(plan, nodes=nodes), columns


def _read(op: Mfp, width: int) -> set[int]:
    """The columns of the input that are looked at, or passed on."""
    scalars = (*op.maps, *op.predicates)
    return {c for c in set(op.projection).union(*map(columns_of, scalars)) if c < width}


def _narrowed(plan: DataflowPlan, node: Node, columns: Mapping[GlobalId, Columns]) -> Node:
    if isinstance(node.op, Import) and node.op.id in columns:
        return replace(node, schema=node.schema.project(columns[node.op.id]))
    source = plan.nodes[node.inputs[0]] if node.inputs else node
    if not isinstance(source.op, Import) or source.op.id not in columns:
        return node
    assert isinstance(node.op, Mfp)
    kept, width = columns[source.op.id], len(source.schema)
    places = {column: place for place, column in enumerate(kept)}
    places |= {width + i: len(kept) + i for i in range(len(node.op.maps))}
    op = Mfp(
        tuple(remap(scalar, places.__getitem__) for scalar in node.op.maps),
        tuple(remap(scalar, places.__getitem__) for scalar in node.op.predicates),
        tuple(places[column] for column in node.op.projection),
    )
    return replace(node, op=op)
