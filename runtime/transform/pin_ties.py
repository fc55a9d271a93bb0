"""A top-k that is read in two places takes the same rows in both.

Which of several ties a TopK takes falls to the total order of its rows, and so to the columns that it has.  A common
table expression that is read twice stands in two places, where its columns would be narrowed in two ways.  So its order
is completed by all of its columns, as the total order is: now it says which rows it takes, and keeps what tells them.

Which are one follows from the identity of its input, as planning leaves it; a TopK in one place may go on to take any.
"""

from __future__ import annotations

from dataclasses import replace

from ..expr.tree.relation import OrderBy, Relation, TopK
from ..expr.tree.relation_tree import inputs, walk, with_inputs

_Choice = tuple[int, tuple[int, ...], tuple[OrderBy, ...], int | None, int]
"""What a TopK takes, and of which relation, by identity."""


def pin_ties(relation: Relation) -> Relation:
    shared = _shared(relation)
    done: dict[int, Relation] = {}

    def visit(node: Relation) -> Relation:
        found = done.get(id(node))
        if found is None:
            children = inputs(node)
            new = tuple(map(visit, children))
            same = all(a is b for a, b in zip(children, new, strict=True))
            found = node if same else with_inputs(node, new)
            if isinstance(node, TopK) and isinstance(found, TopK) and _choice(node) in shared:
                found = _pinned(found)
            done[id(node)] = found
        return found

    return visit(relation) if shared else relation


def _choice(top: TopK) -> _Choice:
    return id(top.input), top.group, top.order, top.limit, top.offset


def _shared(relation: Relation) -> set[_Choice]:
    """The choices to which more than one way leads."""
    seen: set[int] = set()
    made: set[_Choice] = set()
    shared: set[_Choice] = set()
    waiting = [relation]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            shared.update(_choice(below) for below in walk(node) if isinstance(below, TopK))
            continue
        seen.add(id(node))
        waiting.extend(inputs(node))
        if isinstance(node, TopK):
            if (choice := _choice(node)) in made:
                shared.add(choice)
            made.add(choice)
    return shared


def _pinned(top: TopK) -> TopK:
    if not _chooses(top):
        return top
    ordered = {key.index for key in top.order}
    rest = [OrderBy(i) for i in range(len(top.schema)) if i not in ordered and i not in top.group]
    return replace(top, order=(*top.order, *rest))


def _chooses(top: TopK) -> bool:
    return top.limit is not None or top.offset > 0
