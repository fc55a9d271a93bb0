"""GROUPING SETS, ROLLUP and CUBE: what several groupings of one query come to.

The elements of GROUP BY are lists of sets, and cross: `a, ROLLUP (b, c)` is the sets (a, b, c), (a, b), (a).  All sets
but empty ones are one Reduce: every row is there once per set, with the set's number as one more key, and NULL for the
keys that the set leaves out.

```
                 ┌─ a, b,    0 ─┐
rows ── (a, b) ──┼─ a, NULL, 1 ─┼── Union ── Reduce by (a, b, set) ──┐
                 └──────────────┘                                    Union
                                └── Reduce by nothing ─ NULL, NULL, 2┘
```

So a step costs one pass over the changed rows of each set, with one operator's overhead for all of them; their input
is computed and its state kept once, and the state is the groups of all sets.  An empty set has a row even over
nothing, as a query without GROUP BY has, so it is a Reduce by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product

from ...errors import GroupingError, PtvcError, Unsupported
from ...expr.tree.relation import Map, Relation, Union
from ...expr.tree.scalar import Literal, Scalar
from ...repr.schema import Schema
from ...repr.types import INT4
from ..calls.aggregate_call import is_grouping
from ..scalars import build
from ..syntax import ast

MAX_SETS = 4096
"""PostgreSQL's limit."""

MAX_MAINTAINED_SETS = 256

GroupingSet = tuple[ast.Expression, ...]
KeySet = frozenset[int]
"""Positions among the keys."""


def grouping_sets(elements: Sequence[ast.Expression | ast.GroupingSets]) -> list[GroupingSet]:
    """The sets that GROUP BY's elements come to, in PostgreSQL's order; one empty set for no elements."""
    lists = [_sets(element) for element in elements]
    count = 1
    for found in lists:
        count *= len(found)
    _check_count(count, elements)
    return [tuple(part for group in groups for part in group) for groups in product(*lists)]


def _check_count(count: int, elements: Sequence[ast.Expression | ast.GroupingSets]) -> None:
    position = elements[0].position if elements else 0
    if count > MAX_SETS:
        raise PtvcError(
            f"too many grouping sets present (maximum {MAX_SETS})", sqlstate="54001", position=position
        )
    if count > MAX_MAINTAINED_SETS:
        raise Unsupported(
            f"{count} grouping sets in one query are not supported",
            hint=f"The limit is {MAX_MAINTAINED_SETS}: use UNION ALL over several queries.",
            position=position,
        )


def _sets(element: ast.Expression | ast.GroupingSets) -> list[GroupingSet]:
    if not isinstance(element, ast.GroupingSets):
        return [_items(element)]
    if element.kind == "sets":
        return [found for item in element.items for found in _sets(item)]
    groups = [_items(item) for item in element.items if not isinstance(item, ast.GroupingSets)]
    if element.kind == "rollup":
        chosen = [tuple(groups[:length]) for length in range(len(groups), -1, -1)]
    else:
        if len(groups) > 12:
            raise PtvcError("CUBE is limited to 12 elements", sqlstate="54011", position=element.position)
        masks = sorted(product((True, False), repeat=len(groups)), key=lambda mask: -sum(mask))
        chosen = [tuple(group for group, taken in zip(groups, mask, strict=True) if taken) for mask in masks]
    return [tuple(part for group in taken for part in group) for taken in chosen]


def _items(node: ast.Expression) -> GroupingSet:
    return node.items if isinstance(node, ast.Row) else (node,)


def reduce_by_sets(
    relation: Relation,
    width: int,
    keys: Sequence[Scalar],
    names: Sequence[str],
    sets: Sequence[KeySet],
    reduce: Callable[[Relation, Sequence[Scalar], Sequence[str]], Relation],
) -> Relation:
    """One row per set and group: the first `width` columns, the keys, the set's number, then the aggregates.

    `reduce` groups by the first `width` columns and by keys of these names, in this layout.
    """
    numbered = list(enumerate(sets))
    arms: list[Relation] = []
    parts: list[Relation] = []
    for number, chosen in numbered:
        own = [key if i in chosen else Literal(None, key.type) for i, key in enumerate(keys)]
        if chosen:
            arms.append(Map(relation, (*own, build.int4(number)), (*names, "set")))
    if arms:
        base = len(relation.schema)
        together = _union(arms)
        places = range(base, base + len(keys) + 1)
        parts.append(reduce(together, build.refs(together, places), [*names, "set"]))
    for number, chosen in numbered:
        if chosen:
            continue
        total = reduce(relation, (), ())
        nulls: list[Scalar] = [Literal(None, key.type) for key in keys]
        wide = Map(total, (*nulls, build.int4(number)), (*names, "set"))
        end = len(total.schema)
        order = [*range(width), *range(end, end + len(keys) + 1), *range(width, end)]
        parts.append(build.project(wide, order))
    return _union(parts)


def _union(arms: Sequence[Relation]) -> Relation:
    if len(arms) == 1:
        return arms[0]
    columns = [
        replace(column, nullable=any(arm.schema[i].nullable for arm in arms))
        for i, column in enumerate(arms[0].schema)
    ]
    return Union(tuple(arms), Schema(tuple(columns)))


# --- GROUPING(a, b) ------------------------------------------------------------------------------------------------


def grouping_calls(node: object) -> Iterator[ast.Function]:
    """Calls of GROUPING within `node`, subqueries left out."""
    if isinstance(node, ast.Query) or node is None or isinstance(node, str | int):
        return
    if isinstance(node, ast.Function) and is_grouping(node):
        yield node
        return
    if isinstance(node, tuple):
        for part in node:
            yield from grouping_calls(part)
        return
    for slot in getattr(type(node), "__slots__", ()):
        yield from grouping_calls(getattr(node, slot))


def grouping_value(
    call: ast.Function,
    arguments: Sequence[Scalar],
    keys: Sequence[Scalar],
    sets: Sequence[KeySet],
    number: Scalar | None,
) -> Scalar:
    """GROUPING: a bit per argument, the last one the lowest, set where the row's set leaves it out.

    `number` is the column of the set's number, None when there is one set only.
    """
    if len(arguments) > 31:
        raise PtvcError(
            "GROUPING must have fewer than 32 arguments", sqlstate="54023", position=call.position
        )
    places = []
    for argument in arguments:
        if argument not in keys:
            raise GroupingError(
                "arguments to GROUPING must be grouping expressions of the associated query level",
                position=call.position,
            )
        places.append(keys.index(argument))
    masks = [
        sum((place not in chosen) << (len(places) - 1 - i) for i, place in enumerate(places))
        for chosen in sets
    ]
    if number is None or len(set(masks)) == 1:
        return build.int4(masks[0])
    branches = [(build.equal(number, build.int4(i)), build.int4(mask)) for i, mask in enumerate(masks[:-1])]
    return build.when(branches, build.int4(masks[-1]), INT4)
