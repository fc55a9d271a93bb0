"""What a source could leave out without any reader seeing a difference: what EXPLAIN SOURCE offers, and ALTER SOURCE ... APPLY does.

| offer | of |
|---|---|
| FILTER | conditions that all readers have, where they read as SQL |
| COLUMNS | columns at which no reader looks, and that no definition names: who creates that anew shall not fail |
| RETENTION | the longest while at which readers look, of sources of which rows only come, and of which nobody relies on that they stay |

What of this the source does already is no offer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from ....errors import PtvcError
from ....expr.functions.system.system import quote_ident
from ....expr.tree.relation import Filter, Get
from ....expr.tree.scalar import And, Call, ColumnRef, Literal, NowCompare, Scalar, columns_of, remap
from ....repr.intervals import parts
from ....repr.types import Kind
from ....sql.plans.explain_tree import show
from ....sql.syntax.vocabulary import OfferKind
from ....storage.connectors import only_appends
from ....storage.envelope import EnvelopeKind
from ....storage.ingestion import PROGRESS
from ....storage.row_filter import RowFilter
from ....storage.row_retention import LEAST_MS, MOST_MS, RowRetention, may_be_retained_by
from ....transform.pipeline import optimize
from ...catalog.catalog import Catalog
from ...catalog.connectors import connector_options, connector_word
from ...catalog.items import AnySource, AnyView, Item, Maintained, Source, SourceTable
from ...catalog.maintained_plan import needs_append_only
from .condition_text import condition_text
from .readers import Conjuncts, SourceUse, flat_conjuncts

_DAY_MS = 86_400_000
_MONTH_MS = 31 * _DAY_MS
"""A month at its longest."""


@dataclass(frozen=True, slots=True)
class FilterOffer:
    """`where` is over the columns that the source shows, `condition` over those that are stored."""

    where: RowFilter
    condition: Scalar

    kind = OfferKind.FILTER

    @property
    def text(self) -> str:
        return f"WHERE ({self.where.text})"


@dataclass(frozen=True, slots=True)
class ColumnsOffer:
    """`places` of what is stored, with the names of the columns there."""

    places: frozenset[int]
    names: tuple[str, ...]

    kind = OfferKind.COLUMNS

    @property
    def text(self) -> str:
        return f"EXCLUDE COLUMNS ({', '.join(map(quote_ident, self.names))})"


@dataclass(frozen=True, slots=True)
class RetentionOffer:
    """`column` is the name of that by which rows are retained."""

    retention: RowRetention
    column: str

    kind = OfferKind.RETENTION

    @property
    def text(self) -> str:
        return f"RETAIN ROWS FOR '{self.retention.duration_ms}ms' BY {quote_ident(self.column)}"


Offer = FilterOffer | ColumnsOffer | RetentionOffer


@dataclass(frozen=True, slots=True)
class Refusal:
    """`what` could be left out if it were not for the reason `why`."""

    kind: OfferKind
    what: str
    why: str

    @property
    def text(self) -> str:
        return f"{self.what}: {self.why}"


@dataclass(frozen=True, slots=True)
class SourceOffers:
    offers: tuple[Offer, ...] = ()
    refusals: tuple[Refusal, ...] = ()

    def of(self, kinds: frozenset[OfferKind]) -> SourceOffers:
        return SourceOffers(
            tuple(offer for offer in self.offers if offer.kind in kinds),
            tuple(refusal for refusal in self.refusals if refusal.kind in kinds),
        )


def source_offers(
    item: Source | SourceTable, use: SourceUse, catalog: Catalog, bind: Callable[[str], RowFilter]
) -> SourceOffers:
    """`bind` makes a condition of its text, over the columns that the source shows.  Without readers there is no offer,
    nor of where a source stands."""
    if not use.readers or (isinstance(item, SourceTable) and item.reference == PROGRESS):
        return SourceOffers()
    found = [
        *_filter(item, use, bind),
        *_columns(item, use, catalog),
        *_retention(item, use.safe_reads, catalog),
    ]
    return SourceOffers(
        tuple(one for one in found if not isinstance(one, Refusal)),
        tuple(one for one in found if isinstance(one, Refusal)),
    )


# -- filter --


def _filter(
    item: Source | SourceTable, use: SourceUse, bind: Callable[[str], RowFilter]
) -> Iterator[Offer | Refusal]:
    known = _known_conditions(item)
    offered: list[tuple[Scalar, RowFilter]] = []
    for condition in use.conditions:
        if condition in known:
            continue
        shown = show(condition, use.schema.names)
        if failing := use.failing(condition):
            names = ", ".join(reader.full_name for reader in failing)
            yield Refusal(OfferKind.FILTER, shown, f"where it is NULL, {names} may tell of an error")
        elif (bound := _bound(item, condition, bind)) is None:
            yield Refusal(OfferKind.FILTER, shown, "it cannot be written as the WHERE of a source")
        else:
            offered.append((condition, bound))
    if offered:
        text = " AND ".join(where.text for _, where in offered)
        predicates = tuple(where.predicate for _, where in offered)
        passing = tuple(condition for condition, _ in offered)
        where = RowFilter(predicates[0] if len(predicates) == 1 else And(predicates), text)
        yield FilterOffer(where, passing[0] if len(passing) == 1 else And(passing))


def _known_conditions(item: Source | SourceTable) -> Conjuncts:
    """Those of its WHERE, over what is stored; what names other columns is left out."""
    if item.where is None:
        return ()
    schema = item.read
    kept = range(len(schema)) if item.projection is None else item.projection.kept
    places = {column: place for place, column in enumerate(kept)}
    return tuple(
        remap(conjunct, places.__getitem__)
        for conjunct in _conjuncts(Filter(Get("", schema), (item.where.predicate,)))
        if columns_of(conjunct) <= places.keys()
    )


def _bound(
    item: Source | SourceTable, condition: Scalar, bind: Callable[[str], RowFilter]
) -> RowFilter | None:
    """The condition over the columns that are shown, if its text means the same."""
    shown = item.layout.all_places(item.schema)
    if not columns_of(condition) <= set(shown):
        return None
    over_shown = remap(condition, shown.index)
    text = condition_text(over_shown, item.schema.names)
    if text is None:
        return None
    try:
        bound = bind(text)
    except PtvcError:  # such a text is nobody's statement: it is no condition that a source may have
        return None
    means = _conjuncts(Filter(Get("", item.schema), (bound.predicate,)))
    return bound if means == (over_shown,) else None


def _conjuncts(filtered: Filter) -> Conjuncts:
    """As an optimized plan has them."""
    relation = optimize(filtered)
    return tuple(flat_conjuncts(relation.predicates)) if isinstance(relation, Filter) else ()


# -- columns --


def _columns(item: Source | SourceTable, use: SourceUse, catalog: Catalog) -> Iterator[Offer | Refusal]:
    shown = item.layout.all_places(item.schema)
    names = dict(zip(shown, item.schema.names, strict=True))
    unread = [place for place in use.unread if place in names]
    free: list[int] = []
    for place in unread:
        if (why := _kept_because(item, place, catalog)) is None:
            free.append(place)
        else:
            yield Refusal(OfferKind.COLUMNS, names[place], why)
    if len(free) == len(shown):
        yield Refusal(OfferKind.COLUMNS, names[free.pop(0)], "a source has a column at least")
    if free:
        yield ColumnsOffer(frozenset(free), tuple(names[place] for place in free))


def _kept_because(item: Source | SourceTable, place: int, catalog: Catalog) -> str | None:
    """Why a column at which nobody looks stays."""
    if isinstance(item, Source) and place in item.key:
        return "rows are known by it"
    if item.retention is not None and item.retention.column == place:
        return "RETAIN ROWS is by it"
    if isinstance(item, SourceTable) and item.upstream is not None and item.where is not None:
        read = place if item.projection is None else item.projection.kept[place]
        if read in columns_of(item.where.predicate):
            return "WHERE names it, and of such a table cannot name what is not read"
    naming = [other for other in catalog.dependents(item.id) if _names(other, item, place)]
    if naming and all(_named(other, item) == frozenset() for other in naming):
        names = ", ".join(other.full_name for other in naming)
        return f"it may be named by {names}: a view that names no column is not told from one of an earlier version"
    return f"it is named by {', '.join(other.full_name for other in naming)}" if naming else None


def _names(other: Item, item: Source | SourceTable, place: int) -> bool:
    """Whether the definition names the column, as `*` does; so does one of which that is not known."""
    if isinstance(other, SourceTable):
        return False
    named = _named(other, item)
    if named is None:
        return True
    return place in named or (not named and isinstance(item, Source))


def _named(other: Item, item: Source | SourceTable) -> frozenset[int] | None:
    """The places of the columns that a view's definition is known to name, of which none may mean that an earlier version has made it;
    None: what it names is not known, or all."""
    if not isinstance(other, AnyView) or other.columns is None:
        return None
    return frozenset(column for id_, column in other.columns if id_ == item.id)


# -- retention --


def _retention(
    item: Source | SourceTable, reads: Sequence[Conjuncts], catalog: Catalog
) -> Iterator[Offer | Refusal]:
    whiles = [_whiles(conditions, item) for conditions in reads]
    common = {
        column: max(LEAST_MS, *(each[column] for each in whiles))
        for column in whiles[0]
        if all(column in each for each in whiles)
    }
    before = item.retention
    if before is not None:
        common = {
            column: duration
            for column, duration in common.items()
            if column == before.column and duration < before.duration_ms
        }
    if not common:
        return
    column = min(common, key=lambda place: (common[place], place))
    duration = common[column]
    offer = RetentionOffer(RowRetention(column, duration), item.physical.names[column])
    if duration > MOST_MS:
        yield Refusal(OfferKind.RETENTION, offer.text, "that is more than 100 years")
    elif not _only_appends(item, catalog):
        yield Refusal(OfferKind.RETENTION, offer.text, "its rows are changed and taken back upstream")
    elif bound := relying(item, catalog):
        names = ", ".join(other.full_name for other in bound)
        yield Refusal(OfferKind.RETENTION, offer.text, f"{names} relies on it that the source loses no rows")
    else:
        yield offer


def relying(item: Source | SourceTable, catalog: Catalog) -> list[Maintained]:
    """What is maintained over the source and would not bear that rows of it go."""
    return [
        above
        for above in catalog.above([item.id])
        if isinstance(above, Maintained) and needs_append_only(above, catalog)
    ]


def _only_appends(item: Source | SourceTable, catalog: Catalog) -> bool:
    if isinstance(item, Source):
        word, options = connector_word(item.connector), connector_options(item.connector)
        return only_appends(word, options, EnvelopeKind(item.envelope.value))
    source = catalog.get(item.source)
    assert isinstance(source, AnySource)
    word, options = connector_word(source.connector), connector_options(source.connector)
    return only_appends(word, options, EnvelopeKind.NONE, item.reference)


def _whiles(conditions: Conjuncts, item: Source | SourceTable) -> dict[int, int]:
    """By column, for how many milliseconds after it a row is looked at."""
    found: dict[int, int] = {}
    for condition in conditions:
        if isinstance(condition, NowCompare) and condition.operator in ("lt", "le", "eq"):
            match condition.bound:
                case ColumnRef(index=column):
                    duration: int | None = 0
                case Call(function="add", args=(ColumnRef(index=column), Literal() as after)):
                    duration = _longest_ms(after)
                case Call(function="add", args=(Literal() as after, ColumnRef(index=column))):
                    duration = _longest_ms(after)
                case _:
                    continue
            if duration is not None and may_be_retained_by(item.physical[column].type):
                found[column] = min(duration, found.get(column, duration))
    return found


def _longest_ms(interval: Literal) -> int | None:
    """The longest that the interval may be; None for one that goes back, and what is none."""
    if interval.type.kind is not Kind.INTERVAL or interval.value is None:
        return None
    months, days, micros = (int(part[0]) for part in parts(pa.array([interval.value], interval.type.arrow)))
    if min(months, days, micros) < 0:
        return None
    return months * _MONTH_MS + days * _DAY_MS + -(-micros // 1000)
