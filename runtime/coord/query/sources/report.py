"""EXPLAIN SOURCE: who reads a source, what all of them need of it, and what it could leave out, with what that would save."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from ....expr.tree.relation import Aggregate, Get, Reduce, Relation, TopK
from ....expr.tree.scalar import And, Scalar
from ....repr.batch import Batch
from ....repr.types import INT8
from ....sql.plans.explain_tree import show
from ....transform.pipeline import optimize
from ...catalog.items import Source, SourceTable, WebhookSource
from .offers import ColumnsOffer, FilterOffer, Offer, RetentionOffer, SourceOffers
from .readers import SourceUse
from .row_ages import not_due

_SAMPLE = 10_000
"""Rows of which it is measured what share of a row a column is."""


@dataclass(frozen=True, slots=True)
class SourceReport:
    """As of `time`; `nbytes` are those of what is stored."""

    item: Source | SourceTable | WebhookSource
    use: SourceUse
    offers: SourceOffers
    nbytes: int
    time: int

    def counts(self) -> Relation:
        """One row: how many rows there are, on how many the common conditions hold, and, of each offer in turn, how many it leaves."""
        passing = self.use.conditions
        held = [None, None if not passing else passing[0] if len(passing) == 1 else And(passing)]
        held += [self._left_by(offer) for offer in self.offers.offers]
        counted = tuple(
            Aggregate("count", None, INT8, f"count{number}", filter=condition, nullable=False)
            for number, condition in enumerate(held)
        )
        return optimize(Reduce(self._rows, (), (), counted, scalar=True))

    def _left_by(self, offer: Offer) -> Scalar | None:
        match offer:
            case FilterOffer(condition=condition):
                return condition
            case RetentionOffer(retention=retention):
                return not_due(retention, self.use.schema, self.time)
            case ColumnsOffer():
                return None
            case _:
                assert_never(offer)

    def sample(self) -> Relation:
        """Some of the rows as they are stored."""
        return optimize(TopK(self._rows, (), (), _SAMPLE))

    @property
    def _rows(self) -> Relation:
        if isinstance(self.item, WebhookSource):
            return Get(self.item.id, self.item.schema)
        return self.item.stored_rows

    def lines(self, counts: Sequence[int], sample: Batch) -> list[str]:
        name, (rows, wanted, *left) = self.item.full_name, counts
        applied = () if isinstance(self.item, WebhookSource) else self.item.applied
        told = [f"Left out since it was created: {'; '.join(applied)}"] if applied else []
        if not self.use.readers:
            return [f"Nothing that is maintained reads {name}: {rows} rows, {self.nbytes} bytes", *told]
        return [
            f"Read by {len(self.use.readers)}:",
            *(
                f"  {reader.item.kind.value.replace('-', ' ')} {reader.item.full_name}"
                for reader in self.use.readers
            ),
            *self._in_common(),
            f"Of {rows} rows, {self.nbytes} bytes, {wanted} are wanted",
            *told,
            *self._offered(rows, left, sample),
        ]

    def _in_common(self) -> Iterator[str]:
        physical = self.use.schema.names
        shown, temporal = (
            " AND ".join(show(condition, physical) for condition in conditions)
            for conditions in (self.use.conditions, self.use.temporal)
        )
        yield f"All want only: {shown}" if shown else "There is no condition that all have"
        if temporal:
            yield f"All look at the last while: {temporal}"
        gone: frozenset[int] = frozenset()
        if not isinstance(self.item, WebhookSource):
            gone = self.item.layout.dropped_places
        unread = [physical[place] for place in self.use.unread if place not in gone]
        yield f"Nobody looks at: {', '.join(unread)}" if unread else "Each column is looked at"

    def _offered(self, rows: int, left: Sequence[int], sample: Batch) -> Iterator[str]:
        offers, refusals = self.offers.offers, self.offers.refusals
        if offers:
            kind = "TABLE" if isinstance(self.item, SourceTable) else "SOURCE"
            yield f"ALTER {kind} {self.item.full_name} APPLY would leave out:"
        for offer, remaining in zip(offers, left, strict=True):
            yield f"  {offer.kind.name}: {offer.text}, {self._saved(offer, rows, rows - remaining, sample)}"
        if refusals:
            yield "Not applicable:"
        for refusal in refusals:
            yield f"  {refusal.kind.name}: {refusal.text}"

    def _saved(self, offer: Offer, rows: int, gone: int, sample: Batch) -> str:
        if not isinstance(offer, ColumnsOffer):
            return f"{gone} rows, about {self.nbytes * gone // max(rows, 1)} bytes"
        sizes = [column.nbytes for column in sample.columns]
        share = sum(sizes[place] for place in offer.places) / max(sum(sizes), 1)
        return f"no rows, about {int(self.nbytes * share)} bytes"
