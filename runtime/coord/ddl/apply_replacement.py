"""APPLY REPLACEMENT as changes of a catalog: a view takes the definition of its replacement, which goes.

What has to happen when the changes are made is in `replacements`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NoReturn

from ...compute.lower.shared_arrangements import IndexKey
from ...errors import DependentObjectsExist, ObjectNotReady, PtvcError, Unsupported, WrongObjectType
from ...expr.tree.relation import Get, GlobalId, Project, Relation
from ...expr.tree.relation_tree import reading
from ...repr.schema import Schema
from ...sql.plans.definition_plans import ApplyReplacement
from ..catalog.applications import Application, Repointed
from ..catalog.catalog import Catalog
from ..catalog.entries import Change
from ..catalog.items import (
    Computed,
    Index,
    Item,
    ItemBase,
    Maintained,
    MaterializedView,
    Relational,
    Sink,
    View,
)
from ..catalog.maintained_plan import needs_append_only
from ..catalog.views import stored_inputs
from .dependents import depends
from .view_texts import reading_instead


def apply_changes(catalog: Catalog, plan: ApplyReplacement) -> list[Change]:
    view = catalog.get_as(plan.id, MaterializedView)
    replacement = catalog.get_as(plan.replacement, MaterializedView)
    _check(catalog, view, replacement)
    after = _replaced(view, replacement, narrowed=bool(catalog.dependents(replacement.id)))
    replacing = [item for item in catalog.user_items() if _replaces(item, replacement)]
    others = {item.id: item for item in (*_readers(catalog, [replacement.id]), *replacing)}
    others.pop(view.id, None)
    return [
        Change(view, after),
        Change(replacement, None),
        *(
            Change(item, new)
            for item in others.values()
            if (new := _reading(item, replacement, after)) is not item
        ),
    ]


def _replaced(view: MaterializedView, replacement: MaterializedView, narrowed: bool) -> MaterializedView:
    """The view with the definition of its replacement; with `narrowed`, it promises what that does of columns without NULL."""
    retained = replacement.retain_history_ms
    columns = zip(view.schema, replacement.schema, strict=True)
    promised = Schema(tuple(replace(c, nullable=c.nullable and new.nullable) for c, new in columns))
    return replace(
        view,
        schema=promised if narrowed else view.schema,
        cluster=replacement.cluster,
        relation=replacement.relation,
        definition_sql=replacement.definition_sql,
        uses=replacement.uses,
        columns=replacement.columns,
        lineage=replacement.lineage,
        # Columns may have been renamed meanwhile.
        named=replacement.named or replacement.schema.names != view.schema.names,
        shares=replacement.shares,
        retain_history_ms=view.retain_history_ms if retained is None else retained,
        assert_not_null=replacement.assert_not_null,
        replaces=None,
        replaced=True,
        state=replacement.state_name,
    )


def _readers(catalog: Catalog, ids: Iterable[GlobalId]) -> list[Relational]:
    """What may read these, also by way of views, which are part of the queries over them."""
    found: dict[GlobalId, Relational] = {}
    pending = list(ids)
    while pending:
        for item in catalog.dependents(pending.pop()):
            if item.id not in found and isinstance(item, Relational):
                found[item.id] = item
                if isinstance(item, View):
                    pending.append(item.id)
    return list(found.values())


def _replaces(item: Relational, view: MaterializedView) -> bool:
    return isinstance(item, MaterializedView) and item.replaces == view.id


def _reading(item: Relational, old: MaterializedView, new: MaterializedView) -> Relational:
    """The object with the view `new` in the place of `old`; itself if it has nothing of that."""
    if isinstance(item, MaterializedView) and _replaces(item, old):
        item = replace(item, replaces=new.id)
    if not isinstance(item, Computed):
        return item

    def view(read: Get) -> Relation:
        whole = Get(new.id, new.schema)
        if read.schema.names == new.schema.names:
            return whole
        return Project(whole, tuple(range(len(new.schema))), read.schema.names)

    relation = reading(item.relation, old.id, view)
    if relation is item.relation and old.id not in item.uses:
        return item
    uses = dict.fromkeys(new.id if id_ == old.id else id_ for id_ in item.uses)
    if isinstance(item, Index):
        return replace(item, relation=relation, uses=tuple(uses), shares=_shares(item, old, new))
    columns = item.columns
    if columns is not None:
        columns = tuple(sorted((new.id if id_ == old.id else id_, place) for id_, place in columns))
    lineage = None if item.lineage is None else item.lineage.of_other(old.id, new.id)
    if old.id in item.uses:
        item = reading_instead(item, old, new)
    item = replace(item, relation=relation, uses=tuple(sorted(uses)), columns=columns, lineage=lineage)
    return item if isinstance(item, View) else replace(item, shares=_shares(item, old, new))


def _shares(item: Maintained, old: MaterializedView, new: MaterializedView) -> tuple[IndexKey, ...]:
    """Its indexes of `old` are those of `new`."""
    return tuple(replace(key, on=new.id) if key.on == old.id else key for key in item.shares)


def repointed(
    catalog: Catalog, changes: Iterable[Change], applied: Sequence[Application]
) -> tuple[Repointed, ...]:
    """What is maintained from replacements in `catalog`, and goes on from the views after the changes."""
    gone = frozenset(application.replacement.id for application in applied)
    ended = {application.before.id for application in applied}
    after = {change.before.id: change.after for change in changes if isinstance(change.before, ItemBase)}
    after |= {application.replacement.id: application.after for application in applied}
    found = []
    for item in _readers(catalog, gone):
        if isinstance(item, Maintained) and item.id not in ended:
            reads, now = gone & stored_inputs(item, catalog), after.get(item.id, item)
            if reads and isinstance(now, Maintained):
                found.append(Repointed(item, now, reads))
    return tuple(found)


def ranks(
    catalog: Catalog, applied: Sequence[Application], moved: Sequence[Repointed]
) -> dict[GlobalId, int]:
    """In which order the views change, by the replacements' ids: the last is 0.  0A000 where there is none.

    What is computed from a view is complete only up to that one's change.  So before it have to change what a replacement
    that is computed from it replaces, and what replacements replace that something else reads beside it; no later than it a view
    that is computed from it so far; and all that one object reads changes at one time, which is its own if it is a replacement itself.
    """
    of_view = {application.before.id: application.replacement.id for application in applied}

    def views_below(item: Item) -> set[GlobalId]:
        return {of_view[below.id] for below in catalog.below(item.uses) if below.id in of_view}

    behind = {a.replacement.id: views_below(a.replacement) for a in applied}
    beside = {a.replacement.id: views_below(a.before) for a in applied}
    together = [{*item.reads, *({item.before.id} & behind.keys())} for item in moved]
    for item, group in zip(moved, together, strict=True):
        for id_ in group:
            behind[id_] = behind[id_] | views_below(item.before)
    found = dict.fromkeys(behind, 0)
    while True:
        before = dict(found)
        for id_ in found:
            later = (1 + found[other] for other in behind[id_])
            found[id_] = max([found[id_], *later, *(found[other] for other in beside[id_])])
        for group in together:
            found |= dict.fromkeys(group, max(found[id_] for id_ in group))
        if found == before:
            return found
        if max(found.values()) >= len(found):
            _refuse_order(catalog, applied, moved)


def _refuse_order(catalog: Catalog, applied: Sequence[Application], moved: Sequence[Repointed]) -> NoReturn:
    """Says which object reads a replacement and rests on a view that changes no later; the first is as good as others."""
    views = {application.before.id: application.before.name for application in applied}
    for item in moved:
        if below := sorted(views[on.id] for on in catalog.below(item.before.uses) if on.id in views):
            raise Unsupported(
                f'"{item.before.name}" reads a replacement, and beside it what is computed from "{below[0]}", which is replaced too',
                hint="Replace what lies between as well, so that it reads replacements only; or drop it, and create it anew.",
            )
    names = ", ".join(f'"{name}"' for name in sorted(views.values()))
    raise Unsupported(
        f"{names} cannot be replaced in one transaction: replacements are computed from views that would have to change no later than they",
        hint="Let replacements read each other, not the views; or apply them in several transactions.",
    )


# -- what is refused --


def _check(catalog: Catalog, view: MaterializedView, replacement: MaterializedView) -> None:
    if replacement.replaces != view.id:
        raise WrongObjectType(
            f'"{replacement.name}" is not a replacement for materialized view "{view.name}"',
            hint="CREATE REPLACEMENT MATERIALIZED VIEW ... FOR makes one.",
        )
    if view.id in catalog.applied:
        raise Unsupported(
            f'materialized view "{view.name}" cannot be replaced twice in one transaction',
            hint="COMMIT first.",
        )
    check_cycle(catalog, view, replacement.uses)
    sinks = [item for item in catalog.dependents(replacement.id) if isinstance(item, Sink)]
    if sinks:
        raise DependentObjectsExist(
            f"cannot apply replacement {replacement.name} because sinks read it",
            detail=depends(sinks, replacement),
            hint=f'ALTER SINK ... SET FROM "{view.name}" gives a sink the view to read, before or after.',
        )
    check_losable(catalog, view)


def check_losable(catalog: Catalog, view: MaterializedView) -> None:
    """Raises when what is maintained from the view would not bear that rows of it go."""
    bound = [
        item
        for item in catalog.above([view.id])
        if isinstance(item, Maintained) and item.id != view.id and needs_append_only(item, catalog)
    ]
    if bound:
        raise ObjectNotReady(
            f'cannot replace materialized view "{view.name}" while others rely on it to lose no rows',
            detail=depends(bound, view),
            hint="Drop them, apply the replacement and create them anew.",
        )


def check_cycle(catalog: Catalog, view: MaterializedView, uses: tuple[GlobalId, ...]) -> None:
    """Raises when what a replacement of the view uses is computed from the view."""
    if any(item.id == view.id for item in catalog.below(uses)):
        raise PtvcError(
            f'materialized view "{view.name}" cannot be replaced by what is computed from it',
            sqlstate="42P17",
            hint="The definition must not read the view itself, nor anything that reads it.",
        )
