"""A compaction as the plan of a job: all updates of a shard's batches, equal ones brought together and added up.

```
Import shard ── by all columns ── Union        level 0 reads and adds up | level 1 adds up and writes
```

Partitions are ranges of the hash of the whole row, which is the order of consolidated updates: so the parts of all tasks
are, one after the other, what one process would have written, but for the order of updates of different times.
"""

from __future__ import annotations

from dataclasses import replace

from ...expr.tree.relation import GlobalId
from ...repr.schema import Schema
from ..plan import DataflowPlan, Import, Node, UnionOp


def brought_together(plan: DataflowPlan) -> DataflowPlan:
    """The same rows, equal ones all in one partition: so none of them is retracted elsewhere."""
    schema = plan.nodes[plan.output].schema
    union = Node(len(plan.nodes), UnionOp(), (plan.output,), schema, (tuple(range(len(schema))),))
    return replace(plan, nodes=(*plan.nodes, union), output=union.id)


def compaction_plan(id: GlobalId, schema: Schema) -> DataflowPlan:
    """For a `Job` with a `merge_upper`, over the collection `id` of such rows."""
    contents = Node(0, Import(id), (), schema, ())
    return brought_together(DataflowPlan((contents,), (id,), 0, schema))
