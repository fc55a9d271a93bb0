"""Lowering: from what a query means (`Relation`) to how it is maintained (`DataflowPlan`).

A relation is walked once (`builder`); what only shapes rows stays on the edges between operators (`edge`); joins of many
inputs and joins that indexes have a side of become paths of lookups (`delta_joins`), recursion a loop (`loops`).
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from ...expr.tree.relation import GlobalId, Relation
from ...transform.append_only import AppendOnly
from ..plan import DataflowPlan
from .loops import GraphBuilder
from .shared_arrangements import IndexKey


def lower(
    relation: Relation,
    *,
    delta_joins: bool | None = None,
    append_only: AbstractSet[GlobalId] = frozenset(),
    indexes: tuple[IndexKey, ...] = (),
) -> DataflowPlan:
    """The physical plan of a relation.

    Inner joins of three inputs and more are delta joins where these hold less (`delta_paths`); with `delta_joins` True
    wherever they can be, with False nowhere, as is best for what is computed once.  From the objects `append_only` no
    row ever goes: operators over them, and over what is made of them, forget what cannot come back.  Joins look up what
    `indexes` have.
    """
    builder = GraphBuilder(delta_joins, AppendOnly(append_only), indexes)
    output = builder.node(relation)
    return DataflowPlan(tuple(builder.nodes), tuple(builder.imports), output, relation.schema)
