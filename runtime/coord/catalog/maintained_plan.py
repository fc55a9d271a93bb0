"""The physical plan by which a view or an index is maintained: a function of the definitions as they are."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from ...compute.lower import lower
from ...compute.plan import DataflowPlan
from ...expr.temporal import finds_now
from ...expr.tree.relation import Map, Relation
from ...expr.tree.relation_tree import walk
from ...transform.pipeline import optimize
from .append_only import append_only
from .catalog import Catalog
from .items import Index, Maintained
from .views import expand

FEW_RELATIONS = 60
FEW_EXPRESSIONS = 2_000
"""A view of more takes tens of milliseconds to be planned."""


def maintained_plan(item: Maintained, catalog: Catalog) -> DataflowPlan:
    """The plan of a view, or of an index with its key expressions as added columns."""
    return planning(item, catalog)[0]()


def planning(item: Maintained, catalog: Catalog) -> tuple[Callable[[], DataflowPlan], bool]:
    """What makes the plan, for any thread: it does not look at the catalog any more; and whether that takes long."""
    expanded = _expanded(item, catalog)
    appended, shared = append_only(expanded, catalog), item.shares
    return lambda: lower(optimize(expanded), append_only=appended, indexes=shared), _takes_long(expanded)


def needs_append_only(item: Maintained, catalog: Catalog) -> bool:
    """Whether the plan is such a one as it is only because something that it reads never loses a row."""
    expanded = _expanded(item, catalog)
    if not append_only(expanded, catalog):
        return False
    plain = lower(optimize(expanded), append_only=frozenset(), indexes=item.shares)
    return plain != maintained_plan(item, catalog)


def _takes_long(relation: Relation) -> bool:
    many = next(islice(walk(relation), FEW_RELATIONS, None), None) is not None
    return many or finds_now(relation, FEW_EXPRESSIONS) is None


def _expanded(item: Maintained, catalog: Catalog) -> Relation:
    relation = item.relation
    if isinstance(item, Index):
        relation = Map(relation, item.keys, tuple(f"key{i}" for i in range(len(item.keys))))
    return expand(relation, catalog)
