"""The views whose hydration is measured, and seeded rows of their tables.

| name | view |
|---|---|
| W2 | orders join customers, count and sum by customer and segment |
| five | trips join stations, left join stations, an aggregate of their payments, tariffs by kind and day |
| q01 to q22 | TPC-H's queries |

Views of one `Base` are over the same tables, which are loaded once.  `five` has 3 trips for 10 rows of the base, 8 payments for 10 trips, 200 stations and 5 tariffs, one for each kind.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from .. import tpch
from ..tpch.data import tables as tpch_tables
from ..workloads import WORKLOADS, Data, Rows, answer

STATIONS, KINDS, METHODS = 200, 5, 4
DAYS = 365
QUANTITY = 300

_FIVE = """
SELECT t.id, t.minutes, s.name AS start_name, e.name AS end_name, p.total, p.payments, p.methods, f.rate
FROM trips t
JOIN stations s ON s.id = t.start_station
LEFT JOIN stations e ON e.id = t.end_station
LEFT JOIN (
    SELECT trip, CAST(sum(amount) AS bigint) AS total, count(*) AS payments, {methods} AS methods
    FROM payments GROUP BY trip
) p ON p.trip = t.id
LEFT JOIN tariffs f
    ON f.kind = t.kind AND CAST(t.started AS date) >= f.valid_from AND CAST(t.started AS date) < f.valid_to
"""


@dataclass(frozen=True, slots=True)
class HydratedView:
    """`query` in PostgreSQL's SQL, `spark_query` in Spark's.  `expected` is what a recomputation by none of the programs says;
    None: DuckDB's answer decides."""

    name: str
    query: str
    spark_query: str
    expected: Rows | None


@dataclass(frozen=True, slots=True)
class Base:
    """Tables, and views over them; `rows` of the largest table."""

    tables: Mapping[str, pa.Table]
    views: Sequence[HydratedView]

    @property
    def rows(self) -> int:
        return max(map(len, self.tables.values()))


def w2(base_rows: int) -> Base:
    workload = WORKLOADS["W2"]
    tables = Data(workload, base_rows).tables()
    view = HydratedView("W2", workload.query, workload.query, answer(workload, tables))
    return Base(tables, (view,))


def five(base_rows: int) -> Base:
    random = np.random.default_rng(1)
    trips = base_rows * 3 // 10
    payments = trips * 8 // 10
    begin = np.datetime64("2024-01-01T00:00:00", "us")

    def numbered(prefix: str, numbers: npt.NDArray[np.int64]) -> pa.Array:
        return pa.array([f"{prefix}{number}" for number in range(int(numbers.max()) + 1)]).take(
            pa.array(numbers)
        )

    def small(least: int, most: int, count: int) -> pa.Array:
        return pa.array(random.integers(least, most, count).astype(np.int32))

    days = pa.array([date(2024, 1, 1), date(2025, 1, 1)], pa.date32())
    tables = {
        "trips": {
            "id": pa.array(np.arange(trips)),
            "start_station": small(0, STATIONS, trips),
            "end_station": small(0, STATIONS, trips),
            "kind": numbered("kind ", random.integers(0, KINDS, trips)),
            "started": pa.array(begin + random.integers(0, DAYS * 86_400, trips).astype("m8[s]")),
            "minutes": small(1, 90, trips),
        },
        "stations": {
            "id": pa.array(np.arange(STATIONS, dtype=np.int32)),
            "name": numbered("station ", np.arange(STATIONS)),
        },
        "payments": {
            "trip": pa.array(random.integers(0, trips, payments)),
            "amount": small(1, 1_000, payments),
            "method": numbered("method ", random.integers(0, METHODS, payments)),
        },
        "tariffs": {
            "kind": numbered("kind ", np.arange(KINDS)),
            "valid_from": days.take(pa.array([0] * KINDS)),
            "valid_to": days.take(pa.array([1] * KINDS)),
            "rate": pa.array(np.arange(KINDS, dtype=np.int32)),
        },
    }
    view = HydratedView(
        "five",
        _FIVE.format(methods="string_agg(DISTINCT method, ',' ORDER BY method)"),
        _FIVE.format(methods="array_join(sort_array(collect_set(method)), ',')"),
        None,
    )
    return Base({name: pa.table(columns) for name, columns in tables.items()}, (view,))


def tpch_views(scale: float) -> Mapping[str, HydratedView]:
    """The specification's own literals where they depend on the scale; some orders have to be above the quantity."""
    queries = tpch.queries(fraction=Decimal("0.0001") / Decimal(str(scale)), quantity=QUANTITY)
    return {name: HydratedView(name, query, query, None) for name, query in queries.items()}


TPCH_NAMES = tuple(tpch_views(1))
VIEWS = ("W2", "five", *TPCH_NAMES)


def bases(names: Collection[str], base_rows: int, tpch_scale: float) -> Iterator[Base]:
    """Those of the named views: over `base_rows` rows, or of TPC-H at that scale."""
    if "W2" in names:
        yield w2(base_rows)
    if "five" in names:
        yield five(base_rows)
    chosen = [view for name, view in tpch_views(tpch_scale).items() if name in names]
    if chosen:
        yield Base(tpch_tables(tpch_scale), chosen)
