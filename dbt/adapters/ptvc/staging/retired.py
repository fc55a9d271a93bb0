"""What a run has replaced, and a sink still reads: it is kept under a name of its own until the sink's model cuts it over.

A sink goes on in its target only as long as it is the same sink.  So what lies between it and a relation that is replaced
is renamed, not dropped, and everything else that rests on the relation is dropped.  A sink that is not cut over, since
the run has failed meanwhile, goes on with the old; the next run of its model finds it there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dbt.adapters.ptvc.dependencies import Edge, transitive_dependents
from dbt.adapters.ptvc.relation import PtvcRelation, shorten

_SUFFIX = re.compile(r"__dbt_old_\d+\Z")


def is_retired(relation: PtvcRelation) -> bool:
    return _SUFFIX.search(relation.identifier or "") is not None


def stands_for(identifier: str | None, name: str | None) -> bool:
    """Whether an object of that identifier is `name`, or is what it was before."""
    if identifier is None or name is None:
        return False
    suffix = _SUFFIX.search(identifier)
    return identifier == (name if suffix is None else shorten(name, suffix[0]))


@dataclass(frozen=True, slots=True)
class Retirement:
    """What happens to a relation that is replaced, and to what rests on it: `renamed` with the new names, `dropped` with
    what rests on that.  Without a sink to keep, nothing is renamed."""

    renamed: tuple[tuple[PtvcRelation, PtvcRelation], ...]
    dropped: tuple[PtvcRelation, ...]

    @classmethod
    def of(cls, relation: PtvcRelation, sinks: Sequence[PtvcRelation], edges: Sequence[Edge]) -> Retirement:
        """`sinks` are those to keep."""
        if not sinks:
            return cls((), (relation,))
        keys = {_key(sink) for sink in sinks}
        dependents = transitive_dependents(relation, edges)
        kept = [relation]
        kept += [d for d in dependents if keys & {_key(found) for found in transitive_dependents(d, edges)}]
        staying = keys | {_key(found) for found in kept}
        taken = {_key(found) for edge in edges for found in edge}
        renamed = tuple((found, _free(found, taken)) for found in kept if not is_retired(found))
        return cls(renamed, tuple(found for found in dependents if _key(found) not in staying))


def retired_below(sink: PtvcRelation, edges: Sequence[Edge]) -> list[PtvcRelation]:
    """The retired relations that the sink reads, directly or not."""
    return [found for found in read_below(sink, edges) if is_retired(found)]


def read_below(sink: PtvcRelation, edges: Sequence[Edge]) -> list[PtvcRelation]:
    """All that the sink reads, directly or not."""
    turned = [(referenced, dependent) for dependent, referenced in edges]
    return transitive_dependents(sink, turned)


def left_over(retired: Iterable[PtvcRelation], edges: Sequence[Edge]) -> Iterator[PtvcRelation]:
    """Those of them that no sink rests on any more."""
    for relation in retired:
        if not any(dependent.is_sink for dependent in transitive_dependents(relation, edges)):
            yield relation


def _key(relation: PtvcRelation) -> tuple[str | None, str | None]:
    return relation.schema, relation.identifier


def _free(relation: PtvcRelation, taken: set[tuple[str | None, str | None]]) -> PtvcRelation:
    number = 1
    while (relation.schema, name := shorten(relation.identifier or "", f"__dbt_old_{number}")) in taken:
        number += 1
    return relation.incorporate(path={"identifier": name})  # type: ignore[no-any-return, no-untyped-call]
