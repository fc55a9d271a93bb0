"""TPCH: the tables of TPC-H at a scale factor, and orders that are replaced by others.

Counts, keys, ranges, distributions and the texts' lengths are the specification's.  A line's price follows from its part, an
order's price and status from its lines.  Every tick deletes an order with its lines, and inserts another under a key that is
free: of 32 keys orders have 8 at a time, so each has four to take turns at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....repr.schema import Column, Schema
from ....repr.types import DATE, INT4, INT8, TEXT, Kind, ScalarType
from ...changes import Changes
from . import tpch_words as words
from .draws import Draws, Numbers, Shuffle, decimals
from .options import GeneratorOptions
from .ticking import Rows, Wanted, replaced

MONEY = ScalarType(Kind.NUMERIC, precision=15, scale=2)


def _schema(columns: str) -> Schema:
    types = {"l": INT8, "i": INT4, "t": TEXT, "m": MONEY, "d": DATE}
    named = (column.split(":") for column in columns.split())
    return Schema(tuple(Column(name, types[letter], False) for name, letter in named))


TABLES = {
    "region": _schema("r_regionkey:l r_name:t r_comment:t"),
    "nation": _schema("n_nationkey:l n_name:t n_regionkey:l n_comment:t"),
    "supplier": _schema("s_suppkey:l s_name:t s_address:t s_nationkey:l s_phone:t s_acctbal:m s_comment:t"),
    "part": _schema(
        "p_partkey:l p_name:t p_mfgr:t p_brand:t p_type:t p_size:i p_container:t p_retailprice:m p_comment:t"
    ),
    "partsupp": _schema("ps_partkey:l ps_suppkey:l ps_availqty:i ps_supplycost:m ps_comment:t"),
    "customer": _schema(
        "c_custkey:l c_name:t c_address:t c_nationkey:l c_phone:t c_acctbal:m c_mktsegment:t c_comment:t"
    ),
    "orders": _schema(
        "o_orderkey:l o_custkey:l o_orderstatus:t o_totalprice:m o_orderdate:d o_orderpriority:t o_clerk:t "
        "o_shippriority:i o_comment:t"
    ),
    "lineitem": _schema(
        "l_orderkey:l l_partkey:l l_suppkey:l l_linenumber:i l_quantity:m l_extendedprice:m l_discount:m l_tax:m "
        "l_returnflag:t l_linestatus:t l_shipdate:d l_commitdate:d l_receiptdate:d l_shipinstruct:t l_shipmode:t "
        "l_comment:t"
    ),
}

FIRST_DAY = (date(1992, 1, 1) - date(1970, 1, 1)).days
ORDER_DAYS = (date(1998, 8, 2) - date(1992, 1, 1)).days + 1 - 151
CURRENT_DAY = (date(1995, 6, 17) - date(1970, 1, 1)).days
PARTS, SUPPLIERS, CUSTOMERS, ORDERS = 200_000, 10_000, 150_000, 1_500_000
"""At scale 1."""
MOST_LINES = 7
SUPPLIERS_OF_A_PART = 4
TURNS = 4
"""Keys that an order and those in its place take turns at."""
PIECE = 50_000
"""Rows of a piece, and orders, which have four lines on average."""

Columns = tuple[pa.Array, ...]


class Tpch:
    tables = TABLES
    first_tick = 0
    bytes_per_tick = 1_600

    def __init__(self, options: GeneratorOptions) -> None:
        self._draws = Draws(options.seed)
        self._parts, self._suppliers, self._customers, self._orders = (
            max(round(count * options.scale_factor), SUPPLIERS_OF_A_PART)
            for count in (PARTS, SUPPLIERS, CUSTOMERS, ORDERS)
        )
        self._order = Shuffle(self._orders)

    def contents(self, wanted: Wanted, tick: int, start_ms: int) -> Iterator[Rows]:
        fixed = {
            "region": (len(words.REGIONS), self._region),
            "nation": (len(words.NATIONS), self._nation),
            "supplier": (self._suppliers, self._supplier),
            "part": (self._parts, self._part),
            "partsupp": (self._parts * SUPPLIERS_OF_A_PART, self._partsupp),
            "customer": (self._customers, self._customer),
        }
        for table, (count, rows) in fixed.items():
            if table in wanted:
                for begin in range(0, count, PIECE):
                    yield {table: rows(np.arange(begin, min(begin + PIECE, count)))}
        if wanted & {"orders", "lineitem"}:
            for begin in range(0, self._orders, PIECE):
                orders = np.arange(begin, min(begin + PIECE, self._orders))
                yield self._orders_and_lines(wanted, orders, self._order.turns(orders, tick))

    def count(self, table: str, tick: int) -> int:
        match table:
            case "region":
                return len(words.REGIONS)
            case "nation":
                return len(words.NATIONS)
            case "supplier":
                return self._suppliers
            case "part":
                return self._parts
            case "partsupp":
                return self._parts * SUPPLIERS_OF_A_PART
            case "customer":
                return self._customers
            case "orders":
                return self._orders
        orders = np.arange(self._orders)
        return int(self._lines_of(orders, self._order.turns(orders, tick)).sum())

    def changes(self, wanted: Wanted, after: int, upto: int, start_ms: int) -> Mapping[str, Changes]:
        if not wanted & {"orders", "lineitem"}:
            return {}
        orders = self._order.among(after, upto)
        old = self._orders_and_lines(wanted, orders, self._order.turns(orders, after))
        new = self._orders_and_lines(wanted, orders, self._order.turns(orders, upto))
        return {table: replaced(columns, new[table]) for table, columns in old.items()}

    # -- the tables; rows are counted from 0 --

    def _region(self, rows: Numbers) -> Columns:
        return pa.array(rows), pa.array(words.REGIONS).take(pa.array(rows)), self._text("r", 72, rows)

    def _nation(self, rows: Numbers) -> Columns:
        names = pa.array([name for name, _ in words.NATIONS]).take(pa.array(rows))
        regions = pa.array([region for _, region in words.NATIONS]).take(pa.array(rows))
        return pa.array(rows), names, regions, self._text("n", 72, rows)

    def _supplier(self, rows: Numbers) -> Columns:
        keys = rows + 1
        nations = self._below("s_nationkey", len(words.NATIONS), rows)
        # Five of ten thousand each, as the specification has it.
        comments = pc.if_else(
            pa.array(keys % 2_000 == 7), "slyly Customer furiously Complaints", self._text("s", 63, rows)
        )
        comments = pc.if_else(pa.array(keys % 2_000 == 1_007), "blithely Customer even Recommends", comments)
        return (
            pa.array(keys),
            _numbered("Supplier#", keys),
            words.addresses(self._draws, "s_address", rows),
            pa.array(nations),
            self._phones("s_phone", nations, rows),
            self._balances("s_acctbal", rows),
            comments,
        )

    def _part(self, rows: Numbers) -> Columns:
        keys = rows + 1
        brands = self._below("p_brand", len(words.BRANDS), rows)
        # Five different ones: no multiple of an odd step of 1 to 21 below 5 is one of 92.
        first = self._below("p_name", len(words.COLORS), rows)
        step = 2 * self._below("p_name's step", 11, rows) + 1
        colors = pa.array(words.COLORS)
        names = [colors.take(pa.array((first + i * step) % len(words.COLORS))) for i in range(5)]
        return (
            pa.array(keys),
            pc.binary_join_element_wise(*names, " "),
            pa.array(words.MAKERS).take(pa.array(brands // 5)),
            pa.array(words.BRANDS).take(pa.array(brands)),
            self._draws.choice("p_type", words.TYPES, rows),
            _small(self._below("p_size", 50, rows) + 1),
            self._draws.choice("p_container", words.CONTAINERS, rows),
            decimals(_retail_cents(keys), MONEY),
            self._text("p", 14, rows),
        )

    def _partsupp(self, rows: Numbers) -> Columns:
        parts, places = rows // SUPPLIERS_OF_A_PART + 1, rows % SUPPLIERS_OF_A_PART
        return (
            pa.array(parts),
            pa.array(self._supplier_of(parts, places)),
            _small(self._below("ps_availqty", 9_999, rows) + 1),
            decimals(self._below("ps_supplycost", 99_901, rows) + 100, MONEY),
            self._text("ps", 124, rows),
        )

    def _customer(self, rows: Numbers) -> Columns:
        keys = rows + 1
        nations = self._below("c_nationkey", len(words.NATIONS), rows)
        return (
            pa.array(keys),
            _numbered("Customer#", keys),
            words.addresses(self._draws, "c_address", rows),
            pa.array(nations),
            self._phones("c_phone", nations, rows),
            self._balances("c_acctbal", rows),
            self._draws.choice("c_mktsegment", words.SEGMENTS, rows),
            self._text("c", 73, rows),
        )

    def _lines_of(self, orders: Numbers, turns: Numbers) -> Numbers:
        return self._below("lines", MOST_LINES, turns * self._orders + orders) + 1

    def _orders_and_lines(self, wanted: Wanted, orders: Numbers, turns: Numbers) -> dict[str, Columns]:
        """Those that have taken the places of the orders so many times."""
        rows = turns * self._orders + orders
        keys = orders // 8 * 32 + orders % 8 + 1 + 8 * (turns % TURNS)
        days = FIRST_DAY + self._below("o_orderdate", ORDER_DAYS, rows)
        lines_of = self._lines_of(orders, turns)
        order = np.repeat(np.arange(len(orders)), lines_of)
        begins = np.cumsum(lines_of) - lines_of
        numbers = np.arange(len(order)) - begins[order]
        lines = rows[order] * 8 + numbers
        parts = self._below("l_partkey", self._parts, lines) + 1
        quantities = self._below("l_quantity", 50, lines) + 1
        prices = quantities * _retail_cents(parts)
        discounts, taxes = self._below("l_discount", 11, lines), self._below("l_tax", 9, lines)
        shipped = days[order] + self._below("l_shipdate", 121, lines) + 1
        is_open = shipped > CURRENT_DAY
        found: dict[str, Columns] = {}
        if "orders" in wanted:
            open_lines = np.add.reduceat(is_open.astype(np.int64), begins)
            status = np.where(open_lines == 0, 0, np.where(open_lines == lines_of, 1, 2))
            charged = np.add.reduceat(prices * (100 - discounts) * (100 + taxes), begins) // 10_000
            # Every third customer never orders.
            customers = self._below("o_custkey", self._customers, rows) + 1
            customers = np.maximum(customers - (customers % 3 == 0), 1)
            clerks = max(self._orders // 1_500, 1)
            found["orders"] = (
                pa.array(keys),
                pa.array(customers),
                pa.array(["F", "O", "P"]).take(pa.array(status)),
                decimals(charged, MONEY),
                _dates(days),
                self._draws.choice("o_orderpriority", words.PRIORITIES, rows),
                _numbered("Clerk#", self._below("o_clerk", clerks, rows) + 1),
                _small(np.zeros(len(rows), np.int64)),
                self._text("o", 49, rows),
            )
        if "lineitem" in wanted:
            received = shipped + self._below("l_receiptdate", 30, lines) + 1
            flags = np.where(received <= CURRENT_DAY, self._below("l_returnflag", 2, lines), 2)
            places = self._below("l_suppkey", SUPPLIERS_OF_A_PART, lines)
            found["lineitem"] = (
                pa.array(keys[order]),
                pa.array(parts),
                pa.array(self._supplier_of(parts, places)),
                _small(numbers + 1),
                decimals(quantities * 100, MONEY),
                decimals(prices, MONEY),
                decimals(discounts, MONEY),
                decimals(taxes, MONEY),
                pa.array(["R", "A", "N"]).take(pa.array(flags)),
                pa.array(["F", "O"]).take(pa.array(is_open.astype(np.int64))),
                _dates(shipped),
                _dates(days[order] + self._below("l_commitdate", 61, lines) + 30),
                _dates(received),
                self._draws.choice("l_shipinstruct", words.INSTRUCTIONS, lines),
                self._draws.choice("l_shipmode", words.MODES, lines),
                self._text("l", 27, lines),
            )
        return found

    def _supplier_of(self, parts: Numbers, place: Numbers) -> Numbers:
        """One of the four of a part: they are as far apart as the specification says, where few suppliers allow that."""
        count = self._suppliers
        step = count // SUPPLIERS_OF_A_PART
        most = (count - 1) // 3 - step  # three such steps do not lead back to the first
        return (parts + place * (step + (parts - 1) // count % (most + 1))) % count + 1

    def _below(self, column: str, values: int, rows: Numbers) -> Numbers:
        return self._draws.below(column, values, rows)

    def _text(self, table: str, average: int, rows: Numbers) -> pa.Array:
        return words.texts(self._draws, f"{table}_comment", average, rows)

    def _balances(self, column: str, rows: Numbers) -> pa.Array:
        return decimals(self._below(column, 1_099_999, rows) - 99_999, MONEY)

    def _phones(self, column: str, nations: Numbers, rows: Numbers) -> pa.Array:
        local = self._below(column, 900 * 900 * 9_000, rows)
        numbers = (nations + 10, local % 900 + 100, local // 900 % 900 + 100, local // 810_000 + 1_000)
        return pc.binary_join_element_wise(*(pa.array(part).cast(pa.string()) for part in numbers), "-")


def _retail_cents(parts: Numbers) -> Numbers:
    return 90_000 + parts // 10 % 20_001 + 100 * (parts % 1_000)


def _small(values: Numbers) -> pa.Array:
    return pa.array(values.astype(np.int32))


def _dates(days: Numbers) -> pa.Array:
    return _small(days).cast(pa.date32())


def _numbered(prefix: str, numbers: Numbers) -> pa.Array:
    digits = pc.utf8_lpad(pa.array(numbers).cast(pa.string()), 9, "0")
    return pc.binary_join_element_wise(prefix, digits, "")
