"""The workloads: tables, the view over them, seeded data, and changes of a given size.

| name     | view                                                            |
|----------|-----------------------------------------------------------------|
| W1       | count and sum of orders by customer                             |
| W2       | orders join customers, count and sum by customer and segment    |
| W2-text  | the same with text keys                                         |
| W3       | min and max of orders by customer, under retractions            |
| W4       | the three largest orders of each customer                       |
| W5       | orders, customers, nations: orders and distinct buyers by nation |
| W6       | the nodes that edges lead to from ten roots, by WITH RECURSIVE  |

A base of n rows is n orders of n / 10 customers of 25 nations, or n edges between n / 3 nodes, both ends at random: most
nodes are reached, over a depth of some 16 edges.  A change deletes and inserts halves (a change of one row does one after the
other in turn), so the base stays as large as it was; every deleted row is one that is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from ptvc.compute.lower import lower
from ptvc.compute.plan import DataflowPlan
from ptvc.expr.tree.relation import GlobalId
from ptvc.repr.batch import Batch
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, INT8, TEXT
from ptvc.sql.catalog.catalog_view import CatalogItem, ItemKind, PlanContext, QualifiedName
from ptvc.sql.parser.parse import parse
from ptvc.sql.plan import plan
from ptvc.sql.plans.definition_plans import CreateMaterializedView
from ptvc.transform.pipeline import optimize

ORDERS: GlobalId = "u1"
CUSTOMERS: GlobalId = "u2"
NATIONS: GlobalId = "u3"
ORDERS_PER_CUSTOMER = 10
AMOUNTS = 1_000
NATION_COUNT = 25
TOP = 3
EDGES_PER_NODE = 3
ROOTS = 10
SIGNIFICANT = 10
CHANGES = (1, 100, 10_000, 100_000)
SEGMENTS = ("automobile", "building", "furniture", "household", "machinery")

Rows = set[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Workload:
    """`query` is over the tables `orders`, `customers` and `nations`, or over `edges`; `text_keys`: customers are known
    by a text; `changes`: the sizes of change that are usually measured.

    `reference` names the workload that the bare reference runs beside it, on the same changes to the orders: this one,
    or where it knows none such, the join; "" where it cannot take these orders.
    """

    name: str
    title: str
    query: str
    reference: str
    text_keys: bool = False
    changes: tuple[int, ...] = CHANGES

    @property
    def recursive(self) -> bool:
        return "RECURSIVE" in self.query

    @property
    def changing(self) -> str:
        """The table that changes; its first column is the key of a row."""
        return "edges" if self.recursive else "orders"

    @property
    def joins(self) -> bool:
        return "JOIN customers" in self.query

    @property
    def three_way(self) -> bool:
        return "JOIN nations" in self.query

    @property
    def orders(self) -> Schema:
        """The columns of the table that changes."""
        if self.recursive:
            names = ("edge_id", "source", "target")
            return Schema(tuple(Column(name, INT8, False) for name in names))
        key = TEXT if self.text_keys else INT8
        return Schema(
            (Column("order_id", INT8, False), Column("customer", key, False), Column("amount", INT4, False))
        )

    @property
    def customers(self) -> Schema:
        key = TEXT if self.text_keys else INT8
        columns = (Column("customer", key, False), Column("segment", TEXT, False))
        return Schema((*columns, Column("nation", INT8, False)) if self.three_way else columns)

    @property
    def nations(self) -> Schema:
        return Schema((Column("nation", INT8, False), Column("name", TEXT, False)))

    @property
    def tables(self) -> dict[str, Schema]:
        """Schema by name of every table that the view reads."""
        tables = {self.changing: self.orders}
        if self.joins:
            tables["customers"] = self.customers
        if self.three_way:
            tables["nations"] = self.nations
        return tables

    def plan(self) -> DataflowPlan:
        """The view as the runtime would run it: parsed, planned, optimized, lowered."""
        ids = {self.changing: ORDERS, "customers": CUSTOMERS, "nations": NATIONS}
        catalog = Tables({name: (ids[name], schema) for name, schema in self.tables.items()})
        (statement,) = parse(f"CREATE MATERIALIZED VIEW v AS {self.query}")
        context = PlanContext(catalog, ("public",), "ptvc", "ptvc", "quickstart", 0, "pg_temp_1", {})
        planned = plan(statement, context)
        assert isinstance(planned, CreateMaterializedView)
        return lower(optimize(planned.relation))


_JOIN = (
    "SELECT c.customer, c.segment, count(*) AS orders, sum(o.amount) AS total"
    " FROM orders o JOIN customers c ON o.customer = c.customer GROUP BY c.customer, c.segment"
)
WORKLOADS = {
    workload.name: workload
    for workload in (
        Workload(
            "W1",
            "count, sum by key",
            "SELECT customer, count(*) AS orders, sum(amount) AS total FROM orders GROUP BY customer",
            "W1",
        ),
        Workload("W2", "join, sum by group", _JOIN, "W2"),
        Workload("W2-text", "join, sum by group, text keys", _JOIN, "", text_keys=True),
        Workload(
            "W3",
            "min, max by key",
            "SELECT customer, min(amount) AS least, max(amount) AS most FROM orders GROUP BY customer",
            "W3",
        ),
        Workload(
            "W4",
            "top 3 per key",
            "SELECT customer, order_id, amount FROM (SELECT *, row_number() OVER"
            " (PARTITION BY customer ORDER BY amount DESC, order_id) AS place FROM orders) AS ranked"
            f" WHERE place <= {TOP}",
            "W2",
        ),
        Workload(
            "W5",
            "3-way join, count distinct",
            "SELECT n.name, count(*) AS orders, count(DISTINCT o.customer) AS buyers"
            " FROM orders o JOIN customers c ON o.customer = c.customer"
            " JOIN nations n ON c.nation = n.nation GROUP BY n.name",
            "W2",
        ),
        Workload(
            "W6",
            "reachability",
            f"WITH RECURSIVE reach(node) AS (VALUES {', '.join(f'({i}::bigint)' for i in range(ROOTS))}"
            " UNION SELECT e.target FROM reach r JOIN edges e ON e.source = r.node) SELECT node FROM reach",
            "",
            changes=(1, 10, 100, 1_000),
        ),
    )
}


class Tables:
    """A catalog of tables only."""

    def __init__(self, tables: Mapping[str, tuple[GlobalId, Schema]]) -> None:
        self._items = {
            id_: CatalogItem(id_, QualifiedName("ptvc", "public", name), ItemKind.TABLE, schema, None)
            for name, (id_, schema) in tables.items()
        }

    def schema_exists(self, schema: str) -> bool:
        return schema == "public"

    def item(self, schema: str, name: str) -> CatalogItem | None:
        wanted = (schema, name)
        return next((i for i in self._items.values() if (i.name.schema, i.name.name) == wanted), None)

    def type(self, schema: str, name: str) -> CatalogItem | None:
        return None

    def of_kind(self, kind: ItemKind, schema: str, name: str) -> CatalogItem | None:
        return None

    def all_types(self) -> tuple[CatalogItem, ...]:
        return ()

    def functions(self, name: str) -> tuple[CatalogItem, ...]:
        return ()

    def all_functions(self) -> tuple[CatalogItem, ...]:
        return ()

    def item_by_id(self, id: str) -> CatalogItem:
        return self._items[id]

    def items(self) -> Mapping[str, CatalogItem]:
        return self._items

    def oid(self, id: str) -> int:
        return 16384 + int(id[1:])

    def schema_oids(self) -> Mapping[str, int]:
        return {"public": 2200}

    def clusters(self) -> tuple[str, ...]:
        return ("quickstart",)

    def role_oids(self) -> Mapping[str, int]:
        return {}


class Data:
    """The contents of the tables and a stream of changes to the one that changes, both from one seed.

    Two instances of equal arguments give equal changes, as long as they are asked for the same sizes in turn.
    """

    def __init__(self, workload: Workload, base_rows: int, seed: int = 1) -> None:
        self.workload = workload
        self._random = np.random.default_rng(seed)
        self._customers = max(base_rows // ORDERS_PER_CUSTOMER, 1)
        self._nodes = max(base_rows // EDGES_PER_NODE, ROOTS)
        self._next_id = base_rows
        self._ids = np.arange(base_rows)
        self._keys, self._amounts = self._drawn(base_rows)
        self._segments = self._random.integers(0, len(SEGMENTS), self._customers)
        self._nations = np.arange(self._customers) % NATION_COUNT
        self._vacant: npt.NDArray[np.int64] = np.empty(0, np.int64)

    def base(self, time: int) -> dict[GlobalId, Batch]:
        """All rows as insertions at `time`, by import."""
        live = self._live()
        batches = {ORDERS: _batch(self._orders(live), time, np.ones(len(live), np.int64))}
        if self.workload.joins:
            columns: tuple[pa.Array, ...] = (
                self._key(np.arange(self._customers)),
                pa.array(SEGMENTS).take(pa.array(self._segments)),
            )
            if self.workload.three_way:
                columns = (*columns, pa.array(self._nations))
            batches[CUSTOMERS] = _batch(columns, time, np.ones(self._customers, np.int64))
        if self.workload.three_way:
            names = pa.array([f"nation {i}" for i in range(NATION_COUNT)])
            nations = (pa.array(np.arange(NATION_COUNT)), names)
            batches[NATIONS] = _batch(nations, time, np.ones(NATION_COUNT, np.int64))
        return batches

    def tables(self) -> dict[str, pa.Table]:
        """What the tables hold now, by name."""
        changing = list(self._orders(self._live()))
        tables = {self.workload.changing: pa.table(changing, names=self.workload.orders.names)}
        base = self.base(0)
        if self.workload.joins:
            columns = list(base[CUSTOMERS].columns)
            tables["customers"] = pa.table(columns, names=self.workload.customers.names)
        if self.workload.three_way:
            tables["nations"] = pa.table(list(base[NATIONS].columns), names=self.workload.nations.names)
        return tables

    def change(self, rows: int, time: int) -> Batch:
        """`rows` updates of the table that changes, at `time`: half of them deletions, half insertions."""
        filled = len(self._vacant)
        deletions = max((rows + 1) // 2 - filled, 0) if rows == 1 else rows // 2
        places = self._vacant[:0]
        if deletions:
            places = self._random.choice(len(self._ids), deletions + filled, replace=False)
            places = np.setdiff1d(places, self._vacant)[:deletions]
        deleted = self._orders(places)
        free = np.concatenate((self._vacant, places))
        insertions = rows - deletions
        if insertions > len(free):
            raise ValueError(f"a change of {rows} rows is too large for a base of {len(self._ids)}")
        used, self._vacant = free[:insertions], free[insertions:]
        self._ids[used] = np.arange(self._next_id, self._next_id + insertions)
        self._next_id += insertions
        self._keys[used], self._amounts[used] = self._drawn(insertions)
        inserted = self._orders(used)
        columns = tuple(pa.concat_arrays(pair) for pair in zip(deleted, inserted, strict=True))
        return _batch(columns, time, np.repeat((-1, 1), (deletions, insertions)).astype(np.int64))

    def _drawn(self, count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
        """The second and third column of new rows: customer and amount, or source and target."""
        if self.workload.recursive:
            return self._random.integers(0, self._nodes, count), self._random.integers(0, self._nodes, count)
        keys = self._random.integers(0, self._customers, count)
        return keys, self._random.integers(1, AMOUNTS, count).astype(np.int32)

    def _live(self) -> npt.NDArray[np.int64]:
        present = np.ones(len(self._ids), np.bool_)
        present[self._vacant] = False
        return np.flatnonzero(present)

    def _orders(self, places: npt.NDArray[np.int64]) -> tuple[pa.Array, ...]:
        keys = self._key(self._keys[places])
        return pa.array(self._ids[places]), keys, pa.array(self._amounts[places])

    def _key(self, keys: npt.NDArray[np.int64]) -> pa.Array:
        if not self.workload.text_keys:
            return pa.array(keys)
        digits = pc.utf8_lpad(pa.array(keys).cast(pa.string()), 9, "0")
        return pc.binary_join_element_wise("Customer#", digits, "")


def _batch(columns: tuple[pa.Array, ...], time: int, diffs: npt.NDArray[np.int64]) -> Batch:
    return Batch(columns, np.full(len(diffs), time, np.uint64), diffs)


def answer(workload: Workload, tables: Mapping[str, pa.Table]) -> Rows:
    """The view over `tables`, by Arrow's own kernels: what the runtime's answer must equal."""
    if workload.recursive:
        return _reached(tables["edges"])
    if "row_number" in workload.query:
        return _largest(tables["orders"])
    if workload.three_way:
        return _by_nation(tables)
    table = tables["orders"].select(["customer", "amount"])
    keys = ["customer"]
    if workload.joins:
        table, keys = table.join(tables["customers"], "customer", join_type="inner"), ["customer", "segment"]
    if "min(" in workload.query:
        wanted = [("amount", "min"), ("amount", "max")]
    else:
        wanted = [("amount", "count"), ("amount", "sum")]
    grouped = table.group_by(keys).aggregate(wanted)
    names = [*keys, *(f"{column}_{function}" for column, function in wanted)]
    return rows_of([grouped[name] for name in names])


def _reached(edges: pa.Table) -> Rows:
    """Breadth first from the roots."""
    source, target = (edges[name].to_numpy() for name in ("source", "target"))
    order = np.argsort(source, kind="stable")
    source, target = source[order], target[order]
    reached = open_ = np.arange(ROOTS)
    while len(open_):
        first, last = np.searchsorted(source, open_), np.searchsorted(source, open_, "right")
        counts = last - first
        edge = np.arange(counts.sum()) + np.repeat(first - (np.cumsum(counts) - counts), counts)
        open_ = np.setdiff1d(target[edge], reached)
        reached = np.union1d(reached, open_)
    return {(node,) for node in reached.tolist()}


def _largest(orders: pa.Table) -> Rows:
    keys = [("customer", "ascending"), ("amount", "descending"), ("order_id", "ascending")]
    ordered = orders.take(pc.sort_indices(orders, sort_keys=keys))
    customers = ordered["customer"].to_numpy()
    place = np.arange(len(customers)) - np.searchsorted(customers, customers, "left")
    kept = ordered.filter(pa.array(place < TOP))
    return rows_of([kept[name] for name in ("customer", "order_id", "amount")])


def _by_nation(tables: Mapping[str, pa.Table]) -> Rows:
    joined = tables["orders"].join(tables["customers"], "customer", join_type="inner")
    joined = joined.join(tables["nations"], "nation", join_type="inner").select(["name", "customer"])
    grouped = joined.group_by("name").aggregate([("customer", "count"), ("customer", "count_distinct")])
    return rows_of([grouped[name] for name in ("name", "customer_count", "customer_count_distinct")])


def rows_of(columns: list[pa.ChunkedArray] | list[pa.Array]) -> Rows:
    """Rows as Python values, to compare answers."""
    return comparable(zip(*(column.to_pylist() for column in columns), strict=True))


def comparable(rows: Iterable[tuple[object, ...]], decimals: int | None = None) -> Rows:
    """Whole numbers of any type are equal; others are compared by SIGNIFICANT digits, and by so many decimals if they are given."""
    return {tuple(_comparable(value, decimals) for value in row) for row in rows}


def _comparable(value: object, decimals: int | None) -> object:
    if not isinstance(value, Decimal | float):
        return value
    number = Decimal(value)
    if decimals is not None:
        number = round(number, decimals)
    return int(number) if number == int(number) else Decimal(f"{number:.{SIGNIFICANT - 1}e}")
