"""Rows for TPC-H's tables and its two refresh streams, small and seeded.

Keys, ranges and vocabularies follow the specification in manner; words are drawn from fewer, so that all of the 22
queries have answers over a few thousand rows.  Every query must see its input change, so the streams also correct
prices, dates and balances, which the specification's do not.
"""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from ptvc.storage.source.generator.tpch_words import REGIONS

Row = tuple[Any, ...]
Change = tuple[str, list[Row], list[str]]
"""(table, rows to insert, statements that delete or update)."""

FIRST_DAY = date(1992, 1, 1)
DAYS = 2_400

NATIONS = (
    ("ALGERIA", 0), ("BRAZIL", 1), ("CANADA", 1), ("UNITED STATES", 1), ("CHINA", 2), ("INDIA", 2), ("JAPAN", 2),
    ("FRANCE", 3), ("GERMANY", 3), ("UNITED KINGDOM", 3), ("SAUDI ARABIA", 4), ("EGYPT", 4),
)  # fmt: skip
COLORS = ("forest", "green", "almond", "azure", "beige")
TYPES = (
    "ECONOMY ANODIZED STEEL", "PROMO PLATED BRASS", "STANDARD BRUSHED TIN", "PROMO POLISHED STEEL", "LARGE PLATED BRASS",
    "ECONOMY PLATED COPPER",
)  # fmt: skip
BRANDS = ("Brand#12", "Brand#23", "Brand#34", "Brand#45")
CONTAINERS = ("SM CASE", "SM BOX", "MED BAG", "MED BOX", "LG CASE", "LG BOX")
SIZES = (3, 9, 14, 19, 23, 36, 45, 49)
SEGMENTS = ("AUTOMOBILE", "BUILDING", "MACHINERY")
PRIORITIES = ("1-URGENT", "2-HIGH", "3-MEDIUM", "5-LOW")
MODES = ("AIR", "REG AIR", "MAIL", "SHIP", "TRUCK")
INSTRUCTIONS = ("DELIVER IN PERSON", "NONE")
PHONE_CODES = ("13", "17", "18", "23", "29", "31", "40")

SUPPLIERS, PARTS, CUSTOMERS = 24, 80, 90


def _money(rng: Random, low: int, high: int) -> Decimal:
    return Decimal(rng.randrange(low * 100, high * 100)).scaleb(-2)


class TpchData:
    """The tables as generated so far; `orders` is how many orders there are at first."""

    def __init__(self, seed: int, orders: int) -> None:
        self._rng = Random(seed)
        self._next_order = 1
        self._live: list[int] = []
        self.tables: dict[str, list[Row]] = {
            "region": [(i, name, f"region {i}") for i, name in enumerate(REGIONS)],
            "nation": [(i, name, region, f"nation {i}") for i, (name, region) in enumerate(NATIONS)],
            "supplier": [self._supplier(i) for i in range(1, SUPPLIERS + 1)],
            "part": [self._part(i) for i in range(1, PARTS + 1)],
            "partsupp": [
                (
                    part,
                    (part + i * 7) % SUPPLIERS + 1,
                    self._rng.randrange(1, 2000),
                    _money(self._rng, 1, 100),
                    "",
                )
                for part in range(1, PARTS + 1)
                for i in range(3)
            ],
            "customer": [self._customer(i) for i in range(1, CUSTOMERS + 1)],
        }
        self.tables["orders"], self.tables["lineitem"] = self._orders(orders)

    def refresh(self, orders: int) -> list[Change]:
        """One pair of refreshes: new orders with their lines, old ones deleted, and corrections."""
        rng = self._rng
        new_orders, new_lines = self._orders(orders)
        gone = [self._live.pop(rng.randrange(len(self._live))) for _ in range(orders)]
        keys = ", ".join(map(str, gone))
        part, supplier, customer = (rng.randrange(1, n + 1) for n in (PARTS, SUPPLIERS, CUSTOMERS))
        kept = rng.choice(self._live)
        return [
            ("orders", new_orders, [f"DELETE FROM orders WHERE o_orderkey IN ({keys})"]),
            (
                "lineitem",
                new_lines,
                [
                    f"DELETE FROM lineitem WHERE l_orderkey IN ({keys})",
                    f"UPDATE lineitem SET l_quantity = l_quantity + 7 WHERE l_orderkey = {kept}",
                    f"UPDATE lineitem SET l_receiptdate = l_commitdate - 1 WHERE l_orderkey = {kept + 1}",
                ],
            ),
            ("partsupp", [], [f"UPDATE partsupp SET ps_supplycost = ps_supplycost / 2 WHERE ps_partkey = {part}"]),
            ("part", [], [f"UPDATE part SET p_size = 14 WHERE p_partkey = {part}"]),
            (
                "supplier",
                [],
                [
                    f"UPDATE supplier SET s_nationkey = (s_nationkey + 1) % {len(NATIONS)} "
                    f"WHERE s_suppkey = {supplier}",
                    f"UPDATE supplier SET s_comment = 'Customer Complaints' WHERE s_suppkey = {supplier % 5 + 1}",
                ],
            ),
            (
                "customer",
                [self._customer(CUSTOMERS + self._next_order)],
                [f"UPDATE customer SET c_acctbal = c_acctbal + 500 WHERE c_custkey = {customer}"],
            ),
        ]  # fmt: skip

    def _supplier(self, key: int) -> Row:
        comment = "slow Customer and Complaints" if key % 9 == 0 else "quick"
        nation = key % len(NATIONS)
        return (
            key, f"Supplier#{key:09}", f"street {key}", nation, self._phone(), _money(self._rng, -900, 9000), comment
        )  # fmt: skip

    def _part(self, key: int) -> Row:
        rng = self._rng
        name = " ".join(rng.sample(COLORS, 3))
        return (
            key, name, f"Manufacturer#{key % 5 + 1}", rng.choice(BRANDS), rng.choice(TYPES), rng.choice(SIZES),
            rng.choice(CONTAINERS), _money(rng, 900, 2000), f"part {key}",
        )  # fmt: skip

    def _customer(self, key: int) -> Row:
        rng = self._rng
        return (
            key, f"Customer#{key:09}", f"avenue {key}", rng.randrange(len(NATIONS)), self._phone(),
            _money(rng, -900, 9000), rng.choice(SEGMENTS), f"customer {key}",
        )  # fmt: skip

    def _phone(self) -> str:
        return f"{self._rng.choice(PHONE_CODES)}-{self._rng.randrange(100, 999)}"

    def _orders(self, count: int) -> tuple[list[Row], list[Row]]:
        rng = self._rng
        orders, lines = [], []
        for _ in range(count):
            key = self._next_order
            self._next_order += 1
            self._live.append(key)
            day = FIRST_DAY + timedelta(days=rng.randrange(DAYS))
            own = [self._line(key, number, day) for number in range(1, rng.randrange(1, 7))]
            lines += own
            comment = "special urgent requests" if rng.random() < 0.2 else "usual"
            # Every third customer never orders.
            customer = rng.choice([c for c in range(1, CUSTOMERS + 1) if c % 3])
            orders.append(
                (
                    key, customer, rng.choice("FOP"), sum((line[5] for line in own), Decimal(0)), day,
                    rng.choice(PRIORITIES), f"Clerk#{rng.randrange(9)}", 0, comment,
                )
            )  # fmt: skip
        return orders, lines

    def _line(self, order: int, number: int, day: date) -> Row:
        rng = self._rng
        quantity = rng.randrange(1, 51)
        part = rng.randrange(1, PARTS + 1)
        shipped = day + timedelta(days=rng.randrange(1, 122))
        committed = day + timedelta(days=rng.randrange(30, 91))
        received = shipped + timedelta(days=rng.randrange(1, 31))
        return (
            order, part, (part + rng.randrange(3) * 7) % SUPPLIERS + 1, number, Decimal(quantity),
            Decimal(quantity) * (90_000 + part * 100) / 100, Decimal(rng.randrange(11)).scaleb(-2),
            Decimal(rng.randrange(9)).scaleb(-2), rng.choice("RAN"), rng.choice("FO"), shipped, committed, received,
            rng.choice(INSTRUCTIONS), rng.choice(MODES), "",
        )  # fmt: skip
