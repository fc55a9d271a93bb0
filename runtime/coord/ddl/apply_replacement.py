"""APPLY REPLACEMENT as changes of a catalog: a view takes the definition of its replacement, which goes.

What has to happen when the changes are made is in `replacements`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...errors import DependentObjectsExist, ObjectNotReady, PtvcError, Unsupported, WrongObjectType
from ...expr.tree.relation import GlobalId
from ...sql.plans.definition_plans import ApplyReplacement
from ..catalog.catalog import Catalog
from ..catalog.entries import Change
from ..catalog.items import Maintained, MaterializedView
from ..catalog.maintained_plan import needs_append_only
from .dependents import depends


def apply_changes(catalog: Catalog, plan: ApplyReplacement) -> list[Change]:
    view = catalog.get_as(plan.id, MaterializedView)
    replacement = catalog.get_as(plan.replacement, MaterializedView)
    _check(catalog, view, replacement)
    return [Change(view, _replaced(view, replacement)), Change(replacement, None)]


def _replaced(view: MaterializedView, replacement: MaterializedView) -> MaterializedView:
    """The view with the definition of its replacement."""
    retained = replacement.retain_history_ms
    return replace(
        view,
        cluster=replacement.cluster,
        relation=replacement.relation,
        definition_sql=replacement.definition_sql,
        uses=replacement.uses,
        columns=replacement.columns,
        # Columns may have been renamed meanwhile.
        named=replacement.named or replacement.schema.names != view.schema.names,
        shares=replacement.shares,
        retain_history_ms=view.retain_history_ms if retained is None else retained,
        assert_not_null=replacement.assert_not_null,
        replaces=None,
        replaced=True,
        state=replacement.state_name,
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
    dependents = catalog.dependents(replacement.id)
    if dependents:
        raise DependentObjectsExist(
            f"cannot apply replacement {replacement.name} because other objects depend on it",
            detail=depends(dependents, replacement),
            hint="Drop them first: the replacement goes when it is applied.",
        )
    check_losable(catalog, view)


def check_losable(catalog: Catalog, view: MaterializedView) -> None:
    """Raises when what is maintained from the view would not bear that rows of it go."""
    bound = [item for item in _maintained_from(catalog, view) if needs_append_only(item, catalog)]
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


def _maintained_from(catalog: Catalog, view: MaterializedView) -> Iterator[Maintained]:
    """The materialized views and indexes that are computed from the view."""
    pending, seen = [view.id], {view.id}
    while pending:
        for item in catalog.dependents(pending.pop()):
            if item.id not in seen:
                seen.add(item.id)
                pending.append(item.id)
                if isinstance(item, Maintained):
                    yield item
