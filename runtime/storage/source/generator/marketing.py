"""MARKETING: customers, which stay; and, from tick to tick, what they see, click on and buy.

Every tick has an impression, and may have a lead, with a prediction and perhaps a coupon.  Some impressions are clicked on,
and some leads are converted, a few ticks later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....repr.schema import Column, Schema
from ....repr.types import INT8, TEXT, TIMESTAMPTZ, Kind, ScalarType
from ...changes import Changes
from .draws import Draws, Numbers, decimals, times
from .options import GeneratorOptions
from .ticking import Rows, Wanted, inserted, replaced

SCORE = ScalarType(Kind.NUMERIC, precision=6, scale=4)

TABLES = {
    "customers": Schema(
        (Column("id", INT8, False), Column("email", TEXT, False), Column("income", INT8, False))
    ),
    "impressions": Schema(
        (
            Column("id", INT8, False),
            Column("customer_id", INT8, False),
            Column("campaign_id", INT8, False),
            Column("impression_time", TIMESTAMPTZ, False),
        )
    ),
    "clicks": Schema((Column("impression_id", INT8, False), Column("click_time", TIMESTAMPTZ, False))),
    "leads": Schema(
        (
            Column("id", INT8, False),
            Column("customer_id", INT8, False),
            Column("created_at", TIMESTAMPTZ, False),
            Column("converted_at", TIMESTAMPTZ),
            Column("conversion_amount", INT8),
        )
    ),
    "coupons": Schema(
        (
            Column("id", INT8, False),
            Column("lead_id", INT8, False),
            Column("created_at", TIMESTAMPTZ, False),
            Column("amount", INT8, False),
        )
    ),
    "conversion_predictions": Schema(
        (
            Column("lead_id", INT8, False),
            Column("experiment_bucket", TEXT, False),
            Column("predicted_at", TIMESTAMPTZ, False),
            Column("score", SCORE, False),
        )
    ),
}

CUSTOMERS = 1_000
CAMPAIGNS = 10
CLICK_WITHIN = 5
CONVERSION_WITHIN = 30
PIECE = 200_000


class Marketing:
    tables = TABLES
    first_tick = 0
    bytes_per_tick = 96

    def __init__(self, options: GeneratorOptions) -> None:
        assert options.tick_ms is not None
        self._draws = Draws(options.seed)
        self._tick_ms = options.tick_ms
        self._as_of = options.as_of

    def contents(self, wanted: Wanted, tick: int, start_ms: int) -> Iterator[Rows]:
        if "customers" in wanted:
            yield {"customers": self._customers()}
        if wanted - {"customers"}:
            for after in range(0, tick, PIECE):
                upto = min(after + PIECE, tick)
                rows = self._appended(wanted, after, upto, start_ms)
                if "leads" in wanted:
                    rows["leads"] = self._leads(self._with_lead(after, upto), tick, start_ms)
                yield rows

    def count(self, table: str, tick: int) -> int:
        if table in ("customers", "impressions"):
            return CUSTOMERS if table == "customers" else tick
        if table == "clicks":
            return len(self._clicked(0, tick)[0])
        leads = self._with_lead(0, tick)
        return len(self._with_coupon(leads) if table == "coupons" else leads)

    def changes(self, wanted: Wanted, after: int, upto: int, start_ms: int) -> Mapping[str, Changes]:
        found = inserted(self._appended(wanted, after, upto, start_ms))
        if "leads" in wanted:
            # Those from before that were converted, and those that are new.
            before = self._with_lead(max(0, after - CONVERSION_WITHIN), after)
            converted = self._conversions(before)
            changed = before[(converted > after) & (converted <= upto)]
            now = np.concatenate([changed, self._with_lead(after, upto)])
            found["leads"] = replaced(self._leads(changed, after, start_ms), self._leads(now, upto, start_ms))
        return found

    def _customers(self) -> tuple[pa.Array, ...]:
        ids = np.arange(1, CUSTOMERS + 1)
        email = pc.binary_join_element_wise("customer", pa.array(ids).cast(pa.string()), "@example.com", "")
        return pa.array(ids), email, pa.array(self._draws.below("income", 180_001, ids) + 20_000)

    def _appended(
        self, wanted: Wanted, after: int, upto: int, start_ms: int
    ) -> dict[str, tuple[pa.Array, ...]]:
        """What the ticks after `after` add, but for leads.  Rows of a tick have its number as id, counted from 1."""
        draws = self._draws
        found: dict[str, tuple[pa.Array, ...]] = {}
        ticks = np.arange(after, upto) + 1
        if "impressions" in wanted:
            found["impressions"] = (
                pa.array(ticks),
                pa.array(draws.below("impression's customer", CUSTOMERS, ticks) + 1),
                pa.array(draws.below("campaign", CAMPAIGNS, ticks) + 1),
                times(self._at(ticks, start_ms)),
            )
        if "clicks" in wanted:
            impressions, clicked = self._clicked(after, upto)
            found["clicks"] = (pa.array(impressions), times(self._at(clicked, start_ms)))
        leads = self._with_lead(after, upto)
        if "coupons" in wanted:
            given = self._with_coupon(leads)
            found["coupons"] = (
                pa.array(given),
                pa.array(given),
                times(self._at(given, start_ms)),
                pa.array((draws.below("coupon's amount", 20, given) + 1) * 5),
            )
        if "conversion_predictions" in wanted:
            found["conversion_predictions"] = (
                pa.array(leads),
                draws.choice("bucket", ("baseline", "experiment"), leads),
                times(self._at(leads, start_ms)),
                decimals(draws.below("score", 10_001, leads), SCORE),
            )
        return found

    def _clicked(self, after: int, upto: int) -> tuple[Numbers, Numbers]:
        """The impressions that are clicked on in the ticks after `after`, and in which."""
        impressions = np.arange(max(0, after - CLICK_WITHIN), upto) + 1
        impressions = impressions[self._draws.below("click", 10, impressions) == 0]
        clicked = impressions + self._draws.below("click's delay", CLICK_WITHIN, impressions) + 1
        now = (clicked > after) & (clicked <= upto)
        return impressions[now], clicked[now]

    def _with_lead(self, after: int, upto: int) -> Numbers:
        ticks = np.arange(after, upto) + 1
        return np.compress(self._draws.below("lead", 4, ticks) == 0, ticks)

    def _with_coupon(self, leads: Numbers) -> Numbers:
        return np.compress(self._draws.below("coupon", 2, leads) == 0, leads)

    def _conversions(self, leads: Numbers) -> Numbers:
        """In which tick each is converted; those that never are, beyond all time."""
        delay = self._draws.below("conversion's delay", CONVERSION_WITHIN, leads) + 1
        never = self._draws.below("conversion", 3, leads) == 0
        return np.where(never, np.int64(1) << 62, leads + delay)

    def _leads(self, leads: Numbers, tick: int, start_ms: int) -> tuple[pa.Array, ...]:
        """The leads as they are after `tick`."""
        converted = self._conversions(leads)
        pending = pa.array(converted > tick)
        at = times(self._at(np.minimum(converted, tick), start_ms))
        amount = pa.array((self._draws.below("conversion's amount", 1_000, leads) + 1) * 10)
        return (
            pa.array(leads),
            pa.array(self._draws.below("lead's customer", CUSTOMERS, leads) + 1),
            times(self._at(leads, start_ms)),
            pc.if_else(pending, pa.scalar(None, at.type), at),
            pc.if_else(pending, pa.scalar(None, amount.type), amount),
        )

    def _at(self, ticks: Numbers, start_ms: int) -> Numbers:
        return start_ms + (ticks - self._as_of) * self._tick_ms
