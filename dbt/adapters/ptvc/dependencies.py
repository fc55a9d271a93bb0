"""Which objects rest on which: the edges that the catalog reports, and what falls with an object."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from dbt.adapters.ptvc.relation import PtvcRelation, PtvcRelationType

Edge = tuple[PtvcRelation, PtvcRelation]
"""(dependent, referenced)"""

_Key = tuple[str | None, str | None]


def _key(relation: PtvcRelation) -> _Key:
    return relation.schema, relation.identifier


def read_by(sink: PtvcRelation, edges: Iterable[Edge]) -> list[PtvcRelation]:
    """What the sink reads now, and what it has read before, until it has written all of that; not the connections that it goes through."""
    return [
        referenced
        for user, referenced in edges
        if _key(user) == _key(sink) and referenced.type != PtvcRelationType.External
    ]


def transitive_dependents(of: PtvcRelation, edges: Iterable[Edge]) -> list[PtvcRelation]:
    """All that rests on `of`, directly or not, nearest first."""
    direct: dict[_Key, list[PtvcRelation]] = defaultdict(list)
    for dependent, referenced in edges:
        direct[_key(referenced)].append(dependent)
    found: dict[_Key, PtvcRelation] = {}
    frontier = [_key(of)]
    while frontier:
        following = []
        for key in frontier:
            for dependent in direct[key]:
                if _key(dependent) not in found and _key(dependent) != _key(of):
                    found[_key(dependent)] = dependent
                    following.append(_key(dependent))
        frontier = following
    return list(found.values())
