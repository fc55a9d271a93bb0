"""The physical plan by which a view or an index is maintained: a function of the definitions as they are."""

from __future__ import annotations

from ...compute.lower import lower
from ...compute.plan import DataflowPlan
from ...expr.tree.relation import Map, Relation
from ...transform.pipeline import optimize
from .append_only import append_only
from .catalog import Catalog
from .items import Index, Maintained
from .views import expand


def maintained_plan(item: Maintained, catalog: Catalog) -> DataflowPlan:
    """The plan of a view, or of an index with its key expressions as added columns."""
    expanded = _expanded(item, catalog)
    return lower(optimize(expanded), append_only=append_only(expanded, catalog), indexes=item.shares)


def needs_append_only(item: Maintained, catalog: Catalog) -> bool:
    """Whether the plan is such a one as it is only because something that it reads never loses a row."""
    expanded = _expanded(item, catalog)
    if not append_only(expanded, catalog):
        return False
    plain = lower(optimize(expanded), append_only=frozenset(), indexes=item.shares)
    return plain != maintained_plan(item, catalog)


def _expanded(item: Maintained, catalog: Catalog) -> Relation:
    relation = item.relation
    if isinstance(item, Index):
        relation = Map(relation, item.keys, tuple(f"key{i}" for i in range(len(item.keys))))
    return expand(relation, catalog)
