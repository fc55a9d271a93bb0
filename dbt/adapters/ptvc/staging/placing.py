"""The statements of the transaction in which what is staged takes its place."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from dbt.adapters.ptvc.dependencies import Edge, transitive_dependents
from dbt.adapters.ptvc.deployment import quoted
from dbt.adapters.ptvc.relation import PtvcRelation
from dbt.adapters.ptvc.staging.names import Name
from dbt.adapters.ptvc.staging.retired import Retirement
from dbt.adapters.ptvc.staging.staged import Staged, after, name_of


def statements(
    taken: Sequence[Staged],
    edges: Sequence[Edge],
    staging: Collection[str],
    reads: Mapping[Name, Name],
) -> list[str]:
    """`edges` are what rests on what now, `staging` the schemas that objects are staged in, `reads` what each sink that goes on reads now:
    it may rest on what it has read before, too."""
    renamed, dropped = _departures(taken, edges, staging)
    return [
        *_replacements(taken),
        *(dropping(relation) for relation in dropped),
        *(
            f"alter {old.sql_kind} {old.render()} rename to {quoted(retired.identifier or '')}"
            for old, retired in renamed
        ),
        *(
            f"alter {one.target.sql_kind} {one.relation.render()} set schema {one.target.rendered_schema}"
            for one in taken
            if not one.in_place and not one.target.is_index  # an index goes with what it is on
        ),
        *_sinks_cut_over(taken, [old for old, _ in renamed], reads),
    ]


def dropping(relation: PtvcRelation) -> str:
    cascade = "" if relation.is_sink or relation.is_index else " cascade"
    return f"drop {relation.sql_kind} if exists {relation.render()}{cascade}"


def _replacements(taken: Sequence[Staged]) -> Iterator[str]:
    for one in taken:
        if not one.in_place:
            continue
        yield f"alter materialized view {one.target.render()} apply replacement {one.relation.render()}"
        for old, new in one.renamed_indexes:
            yield f"alter index {_index(one, old)} rename to {quoted(new)}"
        for name in one.dropped_indexes:
            yield f"drop index if exists {_index(one, name)}"


def _index(one: Staged, name: str) -> str:
    index: PtvcRelation = one.target.incorporate(path={"identifier": name}, type="index")  # type: ignore[no-untyped-call]
    return index.render()


def _departures(
    taken: Sequence[Staged], edges: Sequence[Edge], staging: Collection[str]
) -> tuple[list[tuple[PtvcRelation, PtvcRelation]], list[PtvcRelation]]:
    """What is renamed, with the new names, and what is dropped: old objects, but what a sink reads stays until the sink is done with it."""
    remaining = after(taken, edges, staging)
    renamed: dict[Name, tuple[PtvcRelation, PtvcRelation]] = {}
    dropped: dict[Name, PtvcRelation] = {}
    for one in taken:
        if one.existing is None or one.in_place:
            continue
        resting = {name_of(found) for found in transitive_dependents(one.existing, remaining)}
        sinks = [sink for sink in one.sinks if name_of(sink) in resting]
        retirement = Retirement.of(one.existing, sinks, remaining)
        renamed.update({name_of(old): (old, new) for old, new in retirement.renamed})
        dropped.update({name_of(relation): relation for relation in retirement.dropped})
    return list(renamed.values()), [relation for name, relation in dropped.items() if name not in renamed]


def _sinks_cut_over(
    taken: Sequence[Staged], renamed: Sequence[PtvcRelation], reads: Mapping[Name, Name]
) -> Iterator[str]:
    """Sinks go on with what takes the name of what they read, also where they have not come to that yet."""
    places = {name_of(one.target): one.target for one in taken if not one.in_place}
    leaving = {name_of(relation) for relation in renamed}
    for sink in {name_of(sink): sink for one in taken for sink in one.sinks}.values():
        read = reads[name_of(sink)]
        if read in leaving and read in places:
            yield f"alter sink {sink.render()} set from {places[read].render()}"
