"""ALTER SOURCE ... ADD WHERE: a source, or a table of one, keeps less from now on, and what it has of the rest is taken back.

```
writes to the collection wait ── rows that do not pass are read ── one commit: they are taken back, the definition is another
                                                                └─ the source is installed anew, and goes on where it is
```

What another installation has read, by the former definition, is not committed any more, and is read again.
"""

from __future__ import annotations

from dataclasses import replace

from ...errors import ObjectNotReady, UndefinedTable, Unsupported
from ...expr.registry import resolve_call
from ...expr.tree.relation import Filter, Get
from ...expr.tree.scalar import And, Coalesce, Literal, remap
from ...repr.types import BOOL
from ...sql.plans.definition_plans import AddWhere
from ...storage.row_filter import RowFilter
from ...transform.pipeline import optimize
from ..catalog.catalog import Catalog
from ..catalog.entries import Change
from ..catalog.items import Maintained, Source, SourceTable, WebhookSource
from ..catalog.maintained_plan import needs_append_only
from ..dml.key_lookup import Read
from ..storage.commit_request import Defined
from ..storage.storage import Storage
from .catalog_changes import CatalogChanges
from .dependents import depends


async def add_where(
    plan: AddWhere, catalog: Catalog, storage: Storage, changes: CatalogChanges, read: Read
) -> int:
    """How many rows were taken back.  The lock of definitions is held."""
    async with storage.frozen(plan.id):
        item = catalog.find_by_id(plan.id)
        if isinstance(item, WebhookSource):
            raise Unsupported(
                "ADD WHERE of a WEBHOOK source is not supported",
                hint="Filter in a view, or create the source anew, with WHERE.",
            )
        if not isinstance(item, Source | SourceTable):
            raise UndefinedTable("the source was dropped meanwhile", sqlstate="40001")
        predicate = plan.where.predicate
        passes = Coalesce((predicate, Literal(False, BOOL)), BOOL)
        found = await read(optimize(Filter(Get(item.id, item.schema), (resolve_call("not", (passes,)),))))
        change = [Change(item, replace(item, where=_narrowed(item, plan.where)))]
        if not len(found):
            await changes.apply(change)
            return 0
        _check_losable(catalog, item)
        parts = await storage.encode(item.shard, item.schema, found.negate())

        async def append(defined: Defined) -> None:
            await storage.write({item.id: parts}, {}, {}, frozenset(), lambda: True, defined)

        await changes.apply(change, append)
        return int(found.diffs.sum())


def _narrowed(item: Source | SourceTable, more: RowFilter) -> RowFilter:
    """What the source has and `more`, which is over the columns that are stored."""
    if item.projection is not None:
        more = replace(more, predicate=remap(more.predicate, item.projection.kept.__getitem__))
    if item.where is None:
        return more
    return RowFilter(And((item.where.predicate, more.predicate)), f"({item.where.text}) AND ({more.text})")


def _check_losable(catalog: Catalog, item: Source | SourceTable) -> None:
    """Raises when what is maintained over the source would not bear that rows of it go."""
    bound = [
        above
        for above in catalog.above([item.id])
        if isinstance(above, Maintained) and needs_append_only(above, catalog)
    ]
    if bound:
        raise ObjectNotReady(
            f'rows of "{item.name}" cannot be taken back while others rely on it to lose none',
            detail=depends(bound, item),
            hint="Drop them, alter the source and create them anew.",
        )
