"""CHANGES in a query: found before it is sent to a replica, which reads them as an input like any other."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import MemoryLimitExceeded
from ...expr.tree.relation import Changes, Get, GlobalId, Relation
from ...expr.tree.relation_tree import inputs, walk, with_inputs
from ...replica.protocol import Import
from ..storage.parts import row_count

MOST_ROWS = 5_000_000
"""Rows and changes that such a query reads: no job takes them, and a replica has them in memory beside what it maintains."""


def changes_in(relation: Relation) -> dict[GlobalId, Changes]:
    """By the id of the input."""
    return {node.id: node for node in walk(relation) if isinstance(node, Changes)}


def without_changes(relation: Relation) -> Relation:
    """`relation` over the inputs that tell them."""
    if isinstance(relation, Changes):
        return Get(relation.id, relation.schema)
    return with_inputs(relation, tuple(without_changes(child) for child in inputs(relation)))


def check_size(sources: Sequence[Import]) -> None:
    """Raises MemoryLimitExceeded if a query of `sources`, some of which tell changes, is not answered in memory."""
    rows = sum(row_count((*source.snapshot, *source.updates)) for source in sources)
    if rows > MOST_ROWS:
        raise MemoryLimitExceeded(
            f"the query reads {rows:,} rows and changes; with CHANGES it may be {MOST_ROWS:,}",
            hint="Read fewer times, by BETWEEN. spark.readStream reads any number of changes.",
        )
