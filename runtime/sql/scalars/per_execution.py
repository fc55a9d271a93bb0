"""What a plain view and a DEFAULT leave open: `now()`, `current_user`, what `random()` draws.  Each execution that reads them puts it in.

```
CREATE VIEW v AS SELECT now(), random() FROM t     now(), "random float8"(seed 7, n)
SELECT * FROM v                                    TIMESTAMPTZ '...', "random float8"('\\x...', n)
```
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from ...errors import Unsupported
from ...expr.evaluate import fold
from ...expr.functions.system.random_values import DRAWING, new_seed
from ...expr.tree.relation import Relation
from ...expr.tree.relation_tree import dependencies, scalars_of, with_scalars
from ...expr.tree.relation_tree import walk as walk_relation
from ...expr.tree.scalar import ROW, SEED, Call, Literal, PerExecution, Scalar, transform, walk
from ...repr.types import BYTEA
from ...transform.rewrite import bottom_up
from ..catalog.catalog_view import CatalogItem, ItemKind

if TYPE_CHECKING:
    from ..query.planner import Planner

_SEEDS = 63
"""Bits of the number of a seed that is left open, by which those of several views differ."""

HINT = (
    "What is maintained must be a function of its inputs: compare a column with mz_now() in WHERE, or keep the "
    "value in a table. A plain view computes it at each read."
)


def open_function(scalar: Scalar) -> str | None:
    """What is left open in the expression, as it is written; None if it is a function of its columns."""
    for node in walk(scalar):
        if isinstance(node, Call) and node.function in DRAWING:
            if isinstance(node.args[0], PerExecution):
                return DRAWING[node.function]
        elif isinstance(node, PerExecution) and node.function not in (SEED, ROW):
            return node.function
    return None


def left_open(relation: Relation) -> str | None:
    """As `open_function`, of a view's definition."""
    for node in walk_relation(relation):
        for scalar in scalars_of(node):
            if (found := open_function(scalar)) is not None:
                return found
    return None


def read_view(planner: Planner, item: CatalogItem, relation: Relation, position: int) -> Relation:
    """A view's definition in the statement that reads it.  Raises Unsupported where that is to be maintained."""
    if planner.maintained and not planner.open:
        _check_inputs(planner, item, relation, position)
    function = left_open(relation)
    if function is None:
        return relation
    if not planner.maintained:
        return bottom_up(relation, partial(_bound_node, change=_binding(planner)))
    if not planner.open:
        raise Unsupported(
            f'view "{item.name.name}" calls {function}, so it cannot be read by {planner.defining}',
            hint=HINT,
            position=position,
        )
    return bottom_up(relation, partial(_bound_node, change=_renumbering()))


def _check_inputs(planner: Planner, item: CatalogItem, relation: Relation, position: int) -> None:
    for id_ in sorted(dependencies(relation)):
        below = planner.context.catalog.item_by_id(id_)
        if below.kind is ItemKind.SYSTEM:
            raise Unsupported(
                f'view "{item.name.name}" is over system relation {below.name}, so it cannot be read by {planner.defining}',
                hint="Query it directly, or use CREATE VIEW.",
                position=position,
            )


def bound(planner: Planner, scalar: Scalar, row: Scalar | None) -> Scalar:
    """A DEFAULT's value in the execution that is being planned, for the row of that number.  Each use draws for itself."""
    return fold(transform(scalar, _binding(planner, row))) if is_open(scalar) else scalar


def open_seed() -> PerExecution:
    """A seed of a definition, which each execution draws."""
    return PerExecution(SEED, BYTEA, number=secrets.randbits(_SEEDS))


def is_open(scalar: Scalar) -> bool:
    return any(isinstance(node, PerExecution) for node in walk(scalar))


def draws(scalar: Scalar) -> bool:
    """Whether the value of a DEFAULT differs from row to row."""
    return any(isinstance(node, PerExecution) and node.function == ROW for node in walk(scalar))


def _bound_node(node: Relation, *, change: Callable[[Scalar], Scalar]) -> Relation:
    if not any(map(is_open, scalars_of(node))):
        return node
    return with_scalars(node, lambda scalar: transform(scalar, change))


def _binding(planner: Planner, row: Scalar | None = None) -> Callable[[Scalar], Scalar]:
    seeds: dict[int, Literal] = {}

    def change(node: Scalar) -> Scalar:
        if not isinstance(node, PerExecution):
            return node
        if node.function == ROW:
            assert row is not None, "it stands in a DEFAULT"
            return row
        if node.function != SEED:
            return planner.session.value_of(node.function)
        if node.number not in seeds:
            planner.context.hold_once()
            seeds[node.number] = Literal(new_seed(), BYTEA)
        return seeds[node.number]

    return change


def _renumbering() -> Callable[[Scalar], Scalar]:
    """Each use of a view in another one draws for itself."""
    seeds: dict[int, PerExecution] = {}

    def change(node: Scalar) -> Scalar:
        if isinstance(node, PerExecution) and node.function == SEED:
            return seeds.setdefault(node.number, open_seed())
        return node

    return change
