"""One object that a run has staged, and which of them take their places when the run ends.

```
in place     a replacement of a materialized view: what rests on the view goes on, and sees the difference
a new object takes the name of the old one, which is dropped with what rests on it: all of that is staged, too
```
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from dbt.adapters.ptvc.dependencies import Edge, transitive_dependents
from dbt.adapters.ptvc.relation import PtvcRelation, shorten
from dbt.adapters.ptvc.staging.names import Name, renamed_schema

SUFFIX = "__dbt_next"


def staging_schema(schema: str) -> str:
    return shorten(schema, SUFFIX)


def in_place(sql: str, schemas: Iterable[str]) -> str:
    """`sql` with all that is staged beside `schemas` called what it will be called."""
    if SUFFIX not in sql:
        return sql
    for schema in schemas:
        sql = renamed_schema(sql, staging_schema(schema), schema)
    return sql


@dataclass(frozen=True, slots=True)
class Staged:
    """`relation` is where it is, `target` where it goes, `existing` what is there; `node` is the model's id.

    One in place that is read `by_name` is what the models below it rest on: all of them that are in the run are staged, so that nothing reads a
    mixture of old and new.  Another one is read by nobody: what is below it rests on the view, and sees the difference when the run ends.

    A source has one of these for each table that its own statement has made, beside that of itself; `own_tables` are those that the
    `existing` one has made, which go with it.

    `sinks` are those on `existing` that go on with the new one.  `forced` is true when whatever rests on `existing` may fall.
    Of one in place, `renamed_indexes` are pairs of names, `made_indexes` those that were made for it beside those of the
    view, and `dropped_indexes` those that it has no more.
    """

    node: str
    target: PtvcRelation
    relation: PtvcRelation
    existing: PtvcRelation | None = None
    in_place: bool = False
    by_name: bool = False
    forced: bool = False
    sinks: tuple[PtvcRelation, ...] = ()
    own_tables: tuple[PtvcRelation, ...] = ()
    renamed_indexes: tuple[tuple[str, str], ...] = ()
    made_indexes: tuple[str, ...] = ()
    dropped_indexes: tuple[str, ...] = ()

    def without(self, going: Collection[Name]) -> Staged:
        """Sinks of these names do not go on."""
        return replace(self, sinks=tuple(sink for sink in self.sinks if name_of(sink) not in going))


@dataclass(frozen=True, slots=True)
class Held:
    """Why a staged object does not take its place.  It `is_error` where no result of the run says so already."""

    reason: str
    is_error: bool = False


def name_of(relation: PtvcRelation) -> Name:
    return relation.schema, relation.identifier


def after(staged: Iterable[Staged], edges: Sequence[Edge], staging: Collection[str]) -> list[Edge]:
    """What rests on what as soon as those in place have their new definitions: on nothing that is dropped."""
    replaced = {name_of(one.target) for one in staged if one.in_place}
    return [
        (dependent, referenced)
        for dependent, referenced in edges
        if name_of(dependent) not in replaced and dependent.schema not in staging
    ]


def held(
    staged: Sequence[Staged],
    failed: Collection[str],
    children: Mapping[str, Collection[str]],
    edges: Sequence[Edge],
    staging: Collection[str],
    made: Collection[Name] = (),
    tests: Mapping[str, str] | None = None,
) -> dict[str, Held]:
    """The nodes whose staged objects do not take their places, and why: what is connected with a failure stays as it was.

    `failed` are the nodes of the run that failed or were skipped, `children` the nodes that are made from each, `edges` what rests on
    what in the catalog, `made` what models of the run are now: nothing of that falls with an old object.  `tests` are the names of
    failed tests, by the nodes that were skipped for them.
    """
    below = {one.node: descendants([one.node], children) for one in staged}
    causes = {one.node: Held("it failed itself") for one in staged if one.node in failed}
    lost = set(failed)
    blamed = dict(tests or {})
    while True:
        found = {}
        for node, other, relation in _connected(staged, causes, lost, below):
            reason = f"{_short(other)}{relation}"
            if other in blamed:
                blamed.setdefault(node, blamed[other])
                reason += f", since test {blamed[other]} failed"
            found[node] = Held(reason)
        taken = [one for one in staged if one.node not in causes and one.node not in found]
        found.update(_left_resting(taken, edges, staging, made) if not found else {})
        if not found:
            return causes
        causes.update(found)
        lost.update(found)


def _connected(
    staged: Sequence[Staged],
    causes: Mapping[str, Held],
    lost: Collection[str],
    below: Mapping[str, set[str]],
) -> Iterable[tuple[str, str, str]]:
    """What is held, by what, and how that is related to it."""
    for one in staged:
        if one.node in causes:
            continue
        failures = sorted(below[one.node] & set(lost))
        if failures:
            yield one.node, failures[0], " is made from it, and stays as it was"
            continue
        above = next((other for other in causes if one.node in below[other]), None)
        if above is not None:
            yield one.node, above, ", which it is made from, stays as it was"


def _left_resting(
    taken: Sequence[Staged], edges: Sequence[Edge], staging: Collection[str], made: Collection[Name]
) -> dict[str, Held]:
    """Those whose old object something rests on that does not go with it."""
    remaining = after(taken, edges, staging)
    going = {name_of(one.existing) for one in taken if one.existing is not None and not one.in_place}
    going.update(name_of(table) for one in taken for table in one.own_tables)
    found = {}
    for one in taken:
        if one.existing is None or one.in_place:
            continue
        keeping = {name_of(sink) for sink in one.sinks}
        left = [
            dependent
            for dependent in transitive_dependents(one.existing, remaining)
            if not dependent.is_index
            and name_of(dependent) not in going | keeping
            and not (one.forced and name_of(dependent) not in made)
        ]
        if left:
            found[one.node] = Held(_in_the_way(left, remaining), is_error=True)
    return found


def _in_the_way(left: Sequence[PtvcRelation], edges: Sequence[Edge]) -> str:
    """`left` are nearest first, and dropped the other way round.  What the run makes over one of them falls with it, and is made anew."""
    drops = []
    for one in reversed(left):
        made_over_it = [
            above for above in transitive_dependents(one, edges) if not above.is_index and above not in left
        ]
        drops.append(f"drop {one.sql_kind} {one.render()}{' cascade' if made_over_it else ''}")
    return (
        f"{left[0].sql_kind} {left[0].render()} rests on it, and is not built anew. Drop what is in the way, and run dbt again: "
        f"`{'; '.join(drops)}`"
    )


def descendants(nodes: Iterable[str], children: Mapping[str, Collection[str]]) -> set[str]:
    """All that is made from them, directly or not."""
    found: set[str] = set()
    frontier = list(nodes)
    while frontier:
        frontier = [child for one in frontier for child in children.get(one, ()) if child not in found]
        found.update(frontier)
    return found


def _short(node: str) -> str:
    return node.split(".", 2)[-1]


def children_of(parents: Mapping[str, Iterable[str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for node, above in parents.items():
        for parent in above:
            found[parent].add(node)
    return found
