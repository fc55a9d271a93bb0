"""What is computed by tables over integer keys that lie close together, in one-off queries over many rows, before anything else is.

```
keys:   7  3  9  7          least 3, so a table has a place for each of 3 ... 9
places: 4  0  6  4          no hash, no search
```

`dense_join` finds matches by it, `dense_groups` adds groups up.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..expr.tree.relation import Get, GlobalId, Join, LetRec, Reduce, Relation
from ..expr.tree.relation_tree import inputs as inputs_of
from ..expr.tree.relation_tree import with_inputs
from ..repr.rows import Rows
from .dense_groups import grouped
from .dense_join import joined


def of_dense_keys(
    query: Relation, inputs: Mapping[GlobalId, Rows]
) -> tuple[Relation, Mapping[GlobalId, Rows]]:
    """The same query, joins and groups like that computed: each is a collection now."""
    found = dict(inputs)
    return _replaced(query, found, {}), found


def _replaced(query: Relation, inputs: dict[GlobalId, Rows], done: dict[int, Relation]) -> Relation:
    """What stands in several places is the same object, and stays one."""
    if (known := done.get(id(query))) is not None:
        return known
    found = query
    if not isinstance(query, LetRec):  # its bindings mean something inside it only
        before = inputs_of(query)
        after = tuple(_replaced(child, inputs, done) for child in before)
        if any(new is not old for new, old in zip(after, before, strict=True)):
            found = with_inputs(query, after)
        if (rows := _computed(found, inputs)) is not None:
            found = Get(f"by dense keys {len(inputs)}", query.schema)
            inputs[found.id] = rows
    done[id(query)] = found
    return found


def _computed(relation: Relation, inputs: Mapping[GlobalId, Rows]) -> Rows | None:
    match relation:
        case Join():
            return joined(relation, inputs)
        case Reduce():
            return grouped(relation, inputs)
        case _:
            return None
