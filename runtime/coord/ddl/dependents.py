"""What depends on what: which items a DROP takes along, and why one without CASCADE is refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...errors import DependentObjectsExist
from ...expr.tree.relation import GlobalId
from ..catalog.catalog import Catalog
from ..catalog.items import Index, Item, MaterializedView, SourceTable

CASCADE_HINT = "Use DROP ... CASCADE to drop the dependent objects too."


def noun(item: Item) -> str:
    return item.kind.value.replace("-", " ")


def dropped_with(catalog: Catalog, roots: Sequence[Item], cascade: bool) -> list[Item]:
    """The items to drop, dependents first.  Indexes go with what they are on, dead letters with their source, and only with that; others
    need CASCADE."""
    found: dict[GlobalId, Item] = {}
    pending = list(roots)
    blocking: list[tuple[Item, Item]] = []
    named = {item.id for item in roots}
    replacements: dict[GlobalId, list[Item]] = {}
    for other in catalog.user_items():
        if isinstance(other, MaterializedView) and other.replaces is not None:
            replacements.setdefault(other.replaces, []).append(other)
    while pending:
        item = pending.pop()
        if item.id in found:
            continue
        found[item.id] = item
        # What was to replace it has nothing to replace any more.
        pending += replacements.get(item.id, ())
        for dependent in catalog.dependents(item.id):
            if not _belongs_to(dependent, item) and dependent.id not in named:
                blocking.append((dependent, item))
            pending.append(dependent)
    if blocking and not cascade:
        first = roots[0]
        raise DependentObjectsExist(
            f"cannot drop {noun(first)} {first.shown_name} because other objects depend on it",
            detail="\n".join(_depends(a, b) for a, b in blocking),
            hint=CASCADE_HINT,
        )
    for root in roots:
        if isinstance(root, SourceTable) and root.is_dead_letters and root.source not in found:
            source = catalog.get(root.source)
            raise DependentObjectsExist(
                f"cannot drop {noun(root)} {root.shown_name} because {noun(source)} {source.shown_name} requires it",
                hint=f"You can drop {noun(source)} {source.shown_name} instead.",
            )
    return sorted(found.values(), key=lambda item: int(item.id[1:]), reverse=True)


def _belongs_to(item: Item, other: Item) -> bool:
    """Whether the item is a part of the other one, so that it goes with that."""
    if isinstance(item, SourceTable):
        return item.is_dead_letters and item.source == other.id
    return isinstance(item, Index) and item.on == other.id


def refuse_unless_empty(what: str, roots: Sequence[Item], cascade: bool, relation: str) -> None:
    """Raises when a schema or cluster holds items without CASCADE."""
    if roots and not cascade:
        raise DependentObjectsExist(
            f"cannot drop {what} because other objects depend on it",
            detail="\n".join(f"{noun(item)} {item.full_name} {relation}" for item in roots),
            hint=CASCADE_HINT,
        )


def depends(dependents: Iterable[Item], on: Item) -> str:
    """One line for each dependent, as PostgreSQL's DETAIL has it."""
    return "\n".join(_depends(dependent, on) for dependent in dependents)


def _depends(dependent: Item, on: Item) -> str:
    return f"{noun(dependent)} {dependent.full_name} depends on {noun(on)} {on.full_name}"
