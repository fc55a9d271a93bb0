"""What a change of a project does to the objects that were made of it before: which are built anew, which change in place, and why.

It is what the adapter does (docs/dbt.md, Changes): an object is compared by the hash of its definition; a materialized view whose columns
stay takes its new definition in place; any other is built anew, and so is what rests on it, up to materialized views whose columns stay.
Why, is said by comparing what the two queries say, part by part (`parts`).
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dbt.adapters.ptvc.definition_hash import definition_hash

from ..coord.catalog.items import Sink
from ..coord.ddl.sinks import over_columns
from ..errors import PtvcError
from ..sql.plans.definition_plans import CreateMaterializedView, CreateTable, CreateView
from ..sql.plans.query_plans import Select
from ..sql.statement.replacement import difference
from .checker import Checked, Result
from .environment import Environment
from .foreign import Foreign, has_moved, of_former, rests, why_refused
from .nodes import Node, Project
from .parts import PARTS, Parts, parts_of
from .statements import asserted_columns, relation_name

_OPTIONS = ("cluster", "retain_history", "refresh", "partition_by", "connector", "format", "envelope", "key")
_MAINTAINED = ("view", "materialized_view", "source", "source_table", "sink", "index")
_GROWING = ("incremental", "snapshot")
"""Their rows stay, whatever they were computed by, until `--full-refresh`."""


class Action(enum.Enum):
    """What the next `dbt build` does with an object."""

    NEW = "new"
    GONE = "gone"
    IN_PLACE = "in place"
    REBUILT = "rebuilt"
    REFILLED = "refilled"
    ONWARD = "onward"
    CUT_OVER = "cut over"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Reason:
    """A part of a definition, what it was and what it is."""

    part: str
    before: str | None
    after: str | None

    def to_json(self) -> dict[str, Any]:
        return {"part": self.part, "before": self.before, "after": self.after}


@dataclass(frozen=True, slots=True)
class Cost:
    """What was found when the object was hydrated last: the rows that it read, and how long it took."""

    rows: int | None
    seconds: float | None
    by_job: bool | None

    def to_json(self) -> dict[str, Any]:
        return {"rows": self.rows, "seconds": self.seconds, "by_job": self.by_job}


@dataclass(frozen=True, slots=True)
class Change:
    """`because_of` is the node below that is built anew, and with which the object changes; `kept` names those above that go on as they are.
    `why_refused` is why the runtime refuses a sink what it would read, and with that the whole release; or why the run refuses to make
    the object anew, and what is made from it."""

    node: Node
    action: Action
    reasons: tuple[Reason, ...] = ()
    because_of: str | None = None
    why_not_in_place: str | None = None
    why_refused: str | None = None
    kept: tuple[str, ...] = ()
    cost: Cost | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "node": self.node.id,
            "action": self.action.value,
            "reasons": [reason.to_json() for reason in self.reasons],
            "because_of": self.because_of,
            "why_not_in_place": self.why_not_in_place,
            "why_refused": self.why_refused,
            "kept": list(self.kept),
            "cost": None if self.cost is None else self.cost.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Version:
    """A project as it was checked."""

    project: Project
    result: Result
    environment: Environment

    def objects(self) -> dict[str, Node]:
        """Nodes that become objects of a runtime, in order, whether they could be checked or not."""
        return {
            node.id: node
            for node in self.project.of_type("model", "snapshot", "seed")
            if node.kind != "ephemeral"
        }


@dataclass(frozen=True, slots=True)
class Compared:
    """What changes; of `not_compared` it is not known: their own text is the same, and what it means, now or before, could not be checked."""

    changes: Sequence[Change]
    not_compared: Sequence[Node]


@dataclass(slots=True)
class Comparison:
    """`foreign` is what rests on the objects that are there, and that no node of the new project makes; None: what the old one has made."""

    old: Version
    new: Version
    costs: Mapping[str, Cost] = field(default_factory=dict)
    foreign: Foreign | None = None

    def changes(self) -> list[Change]:
        """In the order of the project; those that are gone come last.  One that has moved is new in its place, and gone from the former."""
        old, new = self.old.objects(), self.new.objects()
        moved = {id_ for id_, node in new.items() if id_ in old and has_moved(old[id_], node)}
        found: dict[str, Change] = {}
        for id_, node in new.items():
            if id_ in moved:
                come = tuple(replace(reason, before=None) for reason in _places_differ(old[id_], node))
                change: Change | None = Change(node, Action.NEW, come)
            else:
                change = Change(node, Action.NEW) if id_ not in old else self._compared(id_)
            if change is not None:
                found[id_] = change
        self._spread(found)
        self._refuse(found)
        gone = [
            Change(
                node,
                Action.GONE,
                tuple(replace(reason, after=None) for reason in _places_differ(node, new[id_])),
            )
            for id_, node in old.items()
            if id_ in moved
        ]
        gone += [Change(node, Action.GONE) for id_, node in old.items() if id_ not in new]
        order = {id_: place for place, id_ in enumerate(dict.fromkeys([*self.new.project.nodes, *old]))}
        changes = [*found.values(), *gone]
        return sorted(changes, key=lambda change: (change.action is Action.GONE, order[change.node.id]))

    def compared(self) -> Compared:
        changes = self.changes()
        known, old = {change.node.id for change in changes}, self.old.objects()
        blind = {
            change.node.id
            for change in changes
            if change.action is Action.CUT_OVER and self._sinks(change.node) is None
        }
        unknown = [
            node
            for id_, node in self.new.objects().items()
            if id_ in blind or (id_ in old and id_ not in known and self._checked(id_) is None)
        ]
        return Compared(changes, unknown)

    def _checked(self, id: str) -> tuple[Checked, Checked] | None:
        """As it was and as it is; None where one of them could not be checked."""
        before, after = self.old.result.checked.get(id), self.new.result.checked.get(id)
        return None if before is None or after is None else (before, after)

    def _compared(self, id: str) -> Change | None:
        both = self._checked(id)
        if both is not None:
            return self._change(*both)
        old, new = self.old.project.nodes[id], self.new.project.nodes[id]
        if (old.raw, old.kind, _options(old)) == (new.raw, new.kind, _options(new)):
            return None
        action = Action.REBUILT if new.kind in _MAINTAINED else _of_rows(new)
        when = "is" if id not in self.new.result.checked else "was before"
        return Change(
            new, action, (Reason("text", None, f"what it {when} is not known: it could not be checked"),)
        )

    def _change(self, old: Checked, new: Checked) -> Change | None:
        node = new.node
        columns = difference(old.schema, new.schema)
        same_columns = _named(old) == _named(new)
        same = old.node.kind == node.kind and (_hash(old) == _hash(new) or _same_incremental(old.node, node))
        if same and (node.kind in _MAINTAINED or same_columns):
            return None
        reasons = tuple(self._reasons(old, new)) or (Reason("text", None, "its text is another"),)
        cost = self.costs.get(node.id)
        if node.kind not in _MAINTAINED:
            if old.node.kind == node.kind and (same_columns or node.kind in _GROWING):
                return Change(node, _of_rows(node), reasons, cost=cost)
            return Change(node, Action.REBUILT, reasons, cost=cost)
        if old.node.kind != node.kind or node.kind != "materialized_view":
            return Change(node, Action.REBUILT, reasons, cost=cost)
        if columns is not None:
            return Change(node, Action.REBUILT, reasons, why_not_in_place=columns[0], cost=cost)
        kept = tuple(sorted(self._above(node.id)))
        return Change(node, Action.IN_PLACE, reasons, kept=kept, cost=cost)

    def _spread(self, found: dict[str, Change]) -> None:
        """What rests on an object that is built anew is made anew over the new one: a materialized view in place where its columns stay,
        which is as far as it goes; a sink goes on, and reads the new one."""
        resting = self._resting()
        anew = [id_ for id_, change in found.items() if change.action is Action.REBUILT]
        for origin in anew:
            pending, seen = [origin], {origin}
            while pending:
                for above in resting.get(pending.pop(), ()):
                    if above in seen:
                        continue
                    seen.add(above)
                    node, known = self.new.project.nodes[above], found.get(above)
                    if known is not None and known.action in (Action.REBUILT, Action.NEW):
                        continue  # what rests on that is reached from there, or was
                    if node.kind == "ephemeral":
                        pending.append(above)
                        continue
                    change = self._made_over(origin, node, known)
                    found[above] = change
                    if change.action is Action.REBUILT:
                        pending.append(above)

    def _made_over(self, origin: str, node: Node, known: Change | None) -> Change:
        """What happens to an object above `origin`, which is built anew; `known` is what its own text asks for."""
        reasons = known.reasons if known is not None else ()
        cost = self.costs.get(node.id)
        if node.kind == "sink" and known is None:
            refused = self._why_refused(node)
            action = Action.CUT_OVER if refused is None else Action.REFUSED
            return Change(node, action, because_of=origin, why_refused=refused, cost=cost)
        if (known is not None and known.action is Action.IN_PLACE) or self._keeps_columns(node):
            kept = tuple(sorted(self._above(node.id)))
            return Change(node, Action.IN_PLACE, reasons, because_of=origin, kept=kept, cost=cost)
        return Change(node, Action.REBUILT, reasons, because_of=origin, cost=cost)

    def _refuse(self, found: dict[str, Change]) -> None:
        """What is made anew takes the place of the old object, unless something rests on that which the run cannot make anew with it."""
        foreign = self.foreign if self.foreign is not None else of_former(self.old.project, self.new.project)
        for id_, because_of in self._made_anew(found).items():
            node, known = self.new.project.nodes[id_], found.get(id_)
            if node.kind == "ephemeral" or not foreign.get(id_):
                continue
            change = known if known is not None else Change(node, Action.REBUILT, because_of=because_of)
            found[id_] = replace(
                change, action=Action.REFUSED, why_refused=why_refused(node, foreign[id_]), kept=()
            )

    def _made_anew(self, found: Mapping[str, Change]) -> dict[str, str | None]:
        """The nodes of whose objects new ones are made, and the node below for which.  Beside those that are built anew, a table that is
        filled from what is staged is a new one, and so is what rests on that."""
        anew: dict[str, str | None] = {}
        staged: set[str] = set()
        for id_, node in self.new.project.nodes.items():
            change = found.get(id_)
            over_new = next((below for below in node.depends_on if below in anew), None)
            over_staged = next((below for below in node.depends_on if below in staged), None)
            if change is not None and change.action is Action.REBUILT:
                anew[id_] = change.because_of
            elif over_staged is not None and node.kind == "table":
                anew[id_] = over_staged
            elif over_new is not None and rests(node) and node.kind != "sink":
                if not self._keeps_columns(node):
                    anew[id_] = over_new
            elif (change is None or change.action is not Action.IN_PLACE) and (
                over_staged is None or node.kind != "ephemeral"
            ):
                continue
            staged.add(id_)
        return anew

    def _why_refused(self, node: Node) -> str | None:
        """What a sink's target has against the columns that the sink, the same by its text, reads from now on."""
        sinks = self._sinks(node)
        if sinks is None:
            return None  # it could not be checked, which is said
        old, new = sinks
        try:
            over_columns(old, new.schema)
        except PtvcError as error:
            return error.message
        return None

    def _sinks(self, node: Node) -> tuple[Sink, Sink] | None:
        """A sink as it was and as it is; None where it is not known what one of them reads."""
        old, new = (version.environment.find(node.schema, node.alias) for version in (self.old, self.new))
        return (old, new) if isinstance(old, Sink) and isinstance(new, Sink) else None

    def _keeps_columns(self, node: Node) -> bool:
        """Whether it is a materialized view that was one before, with the same columns."""
        old, new = self.old.result.checked.get(node.id), self.new.result.checked.get(node.id)
        if old is None or new is None or not old.node.kind == node.kind == "materialized_view":
            return False
        return difference(old.schema, new.schema) is None

    def _above(self, id: str) -> list[str]:
        """What rests on the object, however far up."""
        resting = self._resting()
        found: dict[str, None] = {}
        pending = [id]
        while pending:
            for above in resting.get(pending.pop(), ()):
                if above not in found:
                    found[above] = None
                    pending.append(above)
        return list(found)

    def _resting(self) -> dict[str, list[str]]:
        """Views and stored tests by what they are made over; a table has its own rows."""
        resting: dict[str, list[str]] = {}
        for node in self.new.project.nodes.values():
            if rests(node):
                for below in node.depends_on:
                    resting.setdefault(below, []).append(node.id)
        return resting

    # --- why ---

    def _reasons(self, old: Checked, new: Checked) -> Iterator[Reason]:
        if old.node.kind != new.node.kind:
            yield Reason("materialized", old.node.kind, new.node.kind)
        before, after = _options(old.node), _options(new.node)
        for name in before.keys() | after.keys():
            if before.get(name) != after.get(name):
                yield Reason(name, _said(before.get(name)), _said(after.get(name)))
        yield from _columns_differ(old, new)
        places = [*_places_differ(old.node, new.node), *self._inputs_differ(new.node)]
        yield from places
        parts = (self._parts(self.old, old), self._parts(self.new, new))
        if parts[0] is not None and parts[1] is not None:
            differ = list(_parts_differ(parts[0], parts[1]))
            yield from differ
            same_shape = _named(old) == _named(new) and old.node.kind == new.node.kind
            if not differ and not places and same_shape and before == after:
                yield Reason("text", None, "it is written otherwise, and means the same")

    def _inputs_differ(self, node: Node) -> Iterator[Reason]:
        """What it reads that has another place, however many ephemeral models are in between."""
        old, new = self.old.project.nodes, self.new.project.nodes
        pending, seen = list(node.depends_on), set(node.depends_on)
        for id_ in pending:
            if id_ not in old or id_ not in new:
                continue
            if new[id_].kind == "ephemeral":
                further = [below for below in new[id_].depends_on if below not in seen]
                pending += further
                seen.update(further)
            elif relation_name(old[id_]) != relation_name(new[id_]):
                yield Reason("reads", relation_name(old[id_]), relation_name(new[id_]))

    @staticmethod
    def _parts(version: Version, checked: Checked) -> Parts | None:
        environment = version.environment
        try:
            planned = environment.resolved(checked.sql)
        except PtvcError:
            return None
        match planned:
            case (
                CreateView(relation=relation, schema=schema)
                | CreateMaterializedView(relation=relation, schema=schema)
            ):
                return parts_of(relation, schema.names, environment.short_name)
            case CreateTable(query=Select(relation=relation), schema=schema):
                return parts_of(relation, schema.names, environment.short_name)
            case _:
                return None


def _of_rows(node: Node) -> Action:
    """What a change does to the rows of a table."""
    return Action.ONWARD if node.kind in _GROWING else Action.REFILLED


def _same_incremental(old: Node, new: Node) -> bool:
    """Compiled code of an incremental model is that of its first run, or of a later one."""
    return new.kind == "incremental" and old.raw == new.raw


def _hash(checked: Checked) -> str:
    return definition_hash(checked.node.kind, checked.sql, _options(checked.node))


def _named(checked: Checked) -> list[tuple[str, str]]:
    return [(column.name, str(column.type)) for column in checked.schema]


def _options(node: Node) -> dict[str, Any]:
    """Those that shape the object."""
    found = {name: node.config.get(name) for name in _OPTIONS if node.config.get(name) is not None}
    if node.kind == "materialized_view" and (asserted := asserted_columns(node)):
        found["assert_not_null"] = asserted
    return found


def _said(value: object) -> str | None:
    return None if value is None else str(value)


def _columns_differ(old: Checked, new: Checked) -> Iterator[Reason]:
    before = {column.name: str(column.type) for column in old.schema}
    after = {column.name: str(column.type) for column in new.schema}
    for name, type_ in before.items():
        if name not in after:
            yield Reason("columns", f"{name} {type_}", None)
        elif after[name] != type_:
            yield Reason("columns", f"{name} {type_}", f"{name} {after[name]}")
    for name, type_ in after.items():
        if name not in before:
            yield Reason("columns", None, f"{name} {type_}")
    if list(before) != list(after) and set(before) == set(after):
        yield Reason("columns", ", ".join(before), ", ".join(after))


def _places_differ(old: Node, new: Node) -> Iterator[Reason]:
    if old.schema != new.schema:
        yield Reason("schema", old.schema, new.schema)
    if old.alias != new.alias:
        yield Reason("alias", old.alias, new.alias)


def _parts_differ(before: Parts, after: Parts) -> Iterator[Reason]:
    for part in PARTS:
        if part == "window":
            continue  # said of the column that shows it
        for gone, come in _pairs(before.parts[part], after.parts[part]):
            yield Reason(part, gone, come)
    for name, expression in after.columns.items():
        if name in before.columns and before.columns[name] != expression:
            yield Reason(f"column {name}", before.columns[name], expression)


def _pairs(before: list[str], after: list[str]) -> Iterator[tuple[str | None, str | None]]:
    """What is there no more, beside what is there instead."""
    gone, come = list(before), list(after)
    for text in before:
        if text in come:
            come.remove(text)
            gone.remove(text)
    for place in range(max(len(gone), len(come))):
        yield (gone[place] if place < len(gone) else None, come[place] if place < len(come) else None)
