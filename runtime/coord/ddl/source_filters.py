"""ALTER SOURCE ... ADD WHERE and APPLY: a source, or a table of one, keeps less from now on, and what it has of the rest is taken back.

```
writes to the collection wait ── rows that are not kept are read ── one commit: they are taken back, the definition is another
                                                                 └─ the source is installed anew, and goes on where it is
```

What another installation has read, by the former definition, is not committed any more, and is read again.  Columns that are left out are
NULL from then on in what is read of the rows that are there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard, assert_never

from ...errors import ObjectNotReady, UndefinedTable, Unsupported
from ...expr.registry import resolve_call
from ...expr.tree.relation import Aggregate, Filter, Reduce
from ...expr.tree.scalar import And, Coalesce, Literal, Scalar, remap
from ...repr.types import BOOL, INT8
from ...sql.plans.definition_plans import AddWhere, ApplyOffers
from ...sql.syntax.vocabulary import OfferKind
from ...storage.projection import Projection
from ...storage.row_filter import RowFilter
from ...storage.source.upstream_tables import parsed_table
from ...transform.pipeline import optimize
from ..catalog.catalog import Catalog
from ..catalog.entries import Change
from ..catalog.items import Source, SourceTable, WebhookSource
from ..dml.key_lookup import Read
from ..query.sources.offers import (
    ColumnsOffer,
    FilterOffer,
    Offer,
    RetentionOffer,
    relying,
    source_offers,
)
from ..query.sources.readers import source_use
from ..query.sources.row_ages import not_due
from ..storage.commit_request import Defined
from ..storage.storage import Storage
from .catalog_changes import CatalogChanges
from .dependents import depends

AnyKept = Source | SourceTable


@dataclass(frozen=True, slots=True)
class Applied:
    """What is left out from now on, as it is written in a definition, and how many rows were taken back; `refused` says what could not
    be, and why."""

    texts: tuple[str, ...]
    gone: int
    refused: tuple[str, ...] = ()


class SourceFilters:
    """The lock of definitions is held."""

    def __init__(self, catalog: Catalog, storage: Storage, changes: CatalogChanges, read: Read) -> None:
        self._catalog = catalog
        self._storage = storage
        self._changes = changes
        self._read = read

    async def add_where(self, plan: AddWhere) -> int:
        """How many rows were taken back."""
        async with self._storage.frozen(plan.id):
            item = self._item(plan.id, "ADD WHERE")
            new = replace(narrowed(item, plan.where), applied=(*item.applied, f"WHERE ({plan.where.text})"))
            shown = item.layout.all_places(item.schema)
            kept = [remap(plan.where.predicate, shown.__getitem__)]
            return await self._keep_less(item, new, kept, lambda: _check_losable(self._catalog, item))

    async def apply_offers(self, plan: ApplyOffers) -> Applied:
        """What EXPLAIN SOURCE offers now, of the kinds that the plan names."""
        async with self._storage.frozen(plan.id):
            item = self._item(plan.id, "APPLY")
            use = source_use(item.id, item.physical, self._catalog)
            if not use.readers:
                raise ObjectNotReady(
                    f'nothing that is maintained reads "{item.name}": nobody says what it could leave out',
                    hint="Create what reads it first, or say it: ALTER SOURCE ... ADD WHERE (condition).",
                )
            found = source_offers(item, use, self._catalog, plan.bind).of(plan.offers)
            refused = tuple(f"{refusal.kind.name}: {refusal.text}" for refusal in found.refusals)
            if not found.offers:
                _refuse_nothing(item, plan.offers, refused)
                return Applied((), 0, refused)
            if any(isinstance(offer, ColumnsOffer) for offer in found.offers) and _is_upstream(item):
                await self._check_no_errors(item)
            time = self._storage.oracle.read_time
            new, conditions = item, list[Scalar]()
            for offer in found.offers:
                new = without(new, offer)
                if isinstance(offer, FilterOffer):
                    conditions.append(offer.condition)
                if isinstance(offer, RetentionOffer):
                    conditions.append(not_due(offer.retention, item.physical, time))
            # Readers have these conditions before all else: what relies on it that the source loses no rows is not told of these.
            gone = await self._keep_less(item, new, conditions, lambda: None)
            return Applied(tuple(offer.text for offer in found.offers), gone, refused)

    async def _check_no_errors(self, item: AnyKept) -> None:
        """Raises the first error of a row that there is.  Where a row is in error by a column that is not read any more, nobody would know so
        when it is deleted upstream."""
        counted = Aggregate("count", None, INT8, "count", nullable=False)
        await self._read(optimize(Reduce(item.stored_rows, (), (), (counted,), scalar=True)))

    def _item(self, id: str, statement: str) -> AnyKept:
        item = self._catalog.find_by_id(id)
        if isinstance(item, WebhookSource):
            raise Unsupported(
                f"{statement} of a WEBHOOK source is not supported",
                hint="Filter in a view, or create the source anew, with WHERE.",
            )
        if not isinstance(item, Source | SourceTable):
            raise UndefinedTable("the source was dropped meanwhile", sqlstate="40001")
        return item

    async def _keep_less(
        self, item: AnyKept, new: AnyKept, kept: Sequence[Scalar], check: Callable[[], None]
    ) -> int:
        """Takes back the rows on which not all of `kept`, over what is stored, holds, and makes the item `new`, in one commit; if there
        are some, and the `check` does not raise."""
        change = [Change(item, new)]
        found = None
        if kept:
            passes = Coalesce((kept[0] if len(kept) == 1 else And(tuple(kept)), Literal(False, BOOL)), BOOL)
            rows = Filter(item.stored_rows, (resolve_call("not", (passes,)),))
            found = await self._read(optimize(rows))
        if found is None or not len(found):
            await self._changes.apply(change)
            return 0
        check()
        parts = await self._storage.encode(item.shard, item.physical, found.negate())

        async def append(defined: Defined) -> None:
            await self._storage.write({item.id: parts}, {}, {}, frozenset(), lambda: True, defined)

        await self._changes.apply(change, append)
        return int(found.diffs.sum())


def without(item: AnyKept, offer: Offer) -> AnyKept:
    """The item, which leaves out from now on what is offered."""
    item = replace(item, applied=(*item.applied, offer.text))
    match offer:
        case FilterOffer(where=where):
            return narrowed(item, where)
        case RetentionOffer(retention=retention):
            return replace(item, retention=retention)
        case ColumnsOffer(places=places):
            left = [
                column
                for column, place in enumerate(item.layout.all_places(item.schema))
                if place not in places
            ]
            comments = item.column_comments
            projection = item.projection or Projection(item.schema, tuple(range(len(item.schema))))
            if _is_upstream(item):
                item = _read_without(item, frozenset(item.physical.names[place] for place in places))
            return replace(
                item,
                schema=item.schema.project(left),
                projection=projection.without(places),
                column_comments={new: comments[old] for new, old in enumerate(left) if old in comments},
            )
        case _:
            assert_never(offer)


def _is_upstream(item: AnyKept) -> TypeGuard[SourceTable]:
    """Whether it is a table of a database, whose columns come and go there."""
    return isinstance(item, SourceTable) and item.upstream is not None


def _read_without(table: SourceTable, names: frozenset[str]) -> SourceTable:
    """The table, which does not mind what becomes of these columns upstream."""
    assert table.upstream is not None
    return replace(table, upstream=parsed_table(table.upstream).without(names).to_json())


def narrowed(item: AnyKept, more: RowFilter) -> AnyKept:
    """With what its WHERE says and `more`, which is over the columns that it shows."""
    places = item.layout.all_places(item.schema)
    kept = range(len(item.read)) if item.projection is None else item.projection.kept
    predicate = remap(more.predicate, lambda column: kept[places[column]])
    if item.where is None:
        return replace(item, where=RowFilter(predicate, more.text))
    both = And((item.where.predicate, predicate))
    return replace(item, where=RowFilter(both, f"({item.where.text}) AND ({more.text})"))


def _refuse_nothing(item: AnyKept, kinds: frozenset[OfferKind], refused: Sequence[str]) -> None:
    """Raises where something was asked for by name and nothing of it can be had."""
    if refused and kinds != frozenset(OfferKind):
        raise ObjectNotReady(
            f'nothing of what is asked for can be left out of "{item.name}"',
            detail="\n".join(refused),
            hint="EXPLAIN SOURCE says what can.",
        )


def _check_losable(catalog: Catalog, item: AnyKept) -> None:
    """Raises when what is maintained over the source would not bear that rows of it go."""
    if bound := relying(item, catalog):
        raise ObjectNotReady(
            f'rows of "{item.name}" cannot be taken back while others rely on it to lose none',
            detail=depends(bound, item),
            hint="Drop them, alter the source and create them anew.",
        )
