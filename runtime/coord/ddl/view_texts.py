"""What the texts of views call the relations that they read, when these are called otherwise.

Items refer to each other by id, so a view goes on over what was renamed or moved.  Its text is what is shown of it (SHOW CREATE,
pg_get_viewdef, pg_matviews), and names what it reads as that is called now, where it says schemas.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from ...expr.tree.relation import GlobalId
from ...sql.statement.relations_in_text import Place, moved_in_text
from ..catalog.catalog import Catalog
from ..catalog.entries import Change
from ..catalog.items import AnyView, ItemBase, Relational

V = TypeVar("V", bound=AnyView)


def with_texts(catalog: Catalog, changes: Sequence[Change]) -> list[Change]:
    """The changes, and those of the texts of views over what they rename or move."""
    moved: dict[GlobalId, tuple[Place, Place]] = {}
    for change in changes:
        before, after = change.before, change.after
        if isinstance(before, Relational) and isinstance(after, Relational) and place(before) != place(after):
            moved[before.id] = place(before), place(after)
    found = {change.before.id: change for change in changes if isinstance(change.before, ItemBase)}
    # Each text once: one that reads two relations which exchange names would get the former ones again.
    for item in {item.id: item for id_ in moved for item in catalog.dependents(id_)}.values():
        change = found.get(item.id, Change(item, item))
        if isinstance(change.after, AnyView):
            after = _over(change.after, dict(moved[used] for used in item.uses if used in moved))
            if after is not change.after:
                found[item.id] = Change(item, after)
    others = [change for change in changes if not isinstance(change.before, ItemBase)]
    return [*others, *found.values()]


def reading_instead(view: V, old: ItemBase, new: ItemBase) -> V:
    """The view whose text names `new` where it has named `old`."""
    return _over(view, {place(old): place(new)})


def place(item: ItemBase) -> Place:
    return item.schema_name, item.name


def _over(view: V, moved: Mapping[Place, Place]) -> V:
    text = moved_in_text(view.definition_sql, moved)
    return view if text == view.definition_sql else replace(view, definition_sql=text)
