"""Seeded rows of TPC-H's tables at a scale factor.

Counts, keys, ranges and vocabularies are the specification's; texts are drawn from fewer, of its lengths.  A line's price
follows from its part, an order's price and status from its lines.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Numbers = npt.NDArray[np.int64]

FIRST_DAY = (date(1992, 1, 1) - date(1970, 1, 1)).days
ORDER_DAYS = (date(1998, 8, 2) - date(1992, 1, 1)).days + 1
CURRENT_DAY = (date(1995, 6, 17) - date(1970, 1, 1)).days

REGIONS = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
NATIONS = (
    ("ALGERIA", 0), ("ARGENTINA", 1), ("BRAZIL", 1), ("CANADA", 1), ("EGYPT", 4), ("ETHIOPIA", 0), ("FRANCE", 3),
    ("GERMANY", 3), ("INDIA", 2), ("INDONESIA", 2), ("IRAN", 4), ("IRAQ", 4), ("JAPAN", 2), ("JORDAN", 4), ("KENYA", 0),
    ("MOROCCO", 0), ("MOZAMBIQUE", 0), ("PERU", 1), ("CHINA", 2), ("ROMANIA", 3), ("SAUDI ARABIA", 4), ("VIETNAM", 2),
    ("RUSSIA", 3), ("UNITED KINGDOM", 3), ("UNITED STATES", 1),
)  # fmt: skip
COLORS = [
    "almond",
    "antique",
    "aquamarine",
    "azure",
    "beige",
    "bisque",
    "black",
    "blanched",
    "blue",
    "blush",
    "brown",
    "burlywood",
    "burnished",
    "chartreuse",
    "chiffon",
    "chocolate",
    "coral",
    "cornflower",
    "cornsilk",
    "cream",
    "cyan",
    "dark",
    "deep",
    "dim",
    "dodger",
    "drab",
    "firebrick",
    "floral",
    "forest",
    "frosted",
    "gainsboro",
    "ghost",
    "goldenrod",
    "green",
    "grey",
    "honeydew",
    "hot",
    "indian",
    "ivory",
    "khaki",
    "lace",
    "lavender",
    "lawn",
    "lemon",
    "light",
    "lime",
    "linen",
    "magenta",
    "maroon",
    "medium",
    "metallic",
    "midnight",
    "mint",
    "misty",
    "moccasin",
    "navajo",
    "navy",
    "olive",
    "orange",
    "orchid",
    "pale",
    "papaya",
    "peach",
    "peru",
    "pink",
    "plum",
    "powder",
    "puff",
    "purple",
    "red",
    "rose",
    "rosy",
    "royal",
    "saddle",
    "salmon",
    "sandy",
    "seashell",
    "sienna",
    "sky",
    "slate",
    "smoke",
    "snow",
    "spring",
    "steel",
    "tan",
    "thistle",
    "tomato",
    "turquoise",
    "violet",
    "wheat",
    "white",
    "yellow",
]
TYPES = [
    f"{size} {finish} {metal}"
    for size in ("STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO")
    for finish in ("ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED")
    for metal in ("TIN", "NICKEL", "BRASS", "STEEL", "COPPER")
]
CONTAINERS = [
    f"{size} {form}"
    for size in ("SM", "LG", "MED", "JUMBO", "WRAP")
    for form in ("CASE", "BOX", "BAG", "JAR", "PKG", "PACK", "CAN", "DRUM")
]
BRANDS = [f"Brand#{maker}{brand}" for maker in range(1, 6) for brand in range(1, 6)]
SEGMENTS = ("AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY")
PRIORITIES = ("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW")
MODES = ("REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB")
INSTRUCTIONS = ("DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN")
WORDS = [
    "accounts",
    "across",
    "after",
    "among",
    "bold",
    "carefully",
    "courts",
    "deposits",
    "even",
    "express",
    "final",
    "foxes",
    "furiously",
    "ideas",
    "instructions",
    "packages",
    "pending",
    "pinto",
    "platelets",
    "quickly",
    "quietly",
    "regular",
    "requests",
    "silent",
    "slyly",
    "theodolites",
    "unusual",
]

PARTS, SUPPLIERS, CUSTOMERS, ORDERS = 200_000, 10_000, 150_000, 1_500_000
"""At scale 1."""
MOST_LINES = 7
SUPPLIERS_OF_A_PART = 4
TEXTS = 5_000
"""Different comments of each column."""


def tables(scale: float, seed: int = 1) -> dict[str, pa.Table]:
    """All eight, by name."""
    return _Drawing(scale, seed).tables()


class _Drawing:
    def __init__(self, scale: float, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._parts, self._suppliers, self._customers, self._orders = (
            max(round(count * scale), SUPPLIERS_OF_A_PART) for count in (PARTS, SUPPLIERS, CUSTOMERS, ORDERS)
        )

    def tables(self) -> dict[str, pa.Table]:
        orders, lines = self._orders_and_lines()
        return {
            "region": pa.table(
                {
                    "r_regionkey": _integers(np.arange(len(REGIONS))),
                    "r_name": pa.array(REGIONS),
                    "r_comment": self._comments(len(REGIONS), 60),
                }
            ),
            "nation": pa.table(
                {
                    "n_nationkey": _integers(np.arange(len(NATIONS))),
                    "n_name": pa.array([name for name, _ in NATIONS]),
                    "n_regionkey": pa.array([region for _, region in NATIONS], pa.int32()),
                    "n_comment": self._comments(len(NATIONS), 70),
                }
            ),
            "supplier": self._supplier(),
            "part": self._part(),
            "partsupp": self._partsupp(),
            "customer": self._customer(),
            "orders": orders,
            "lineitem": lines,
        }

    def _supplier(self) -> pa.Table:
        keys = np.arange(1, self._suppliers + 1)
        nations = self._draw(len(NATIONS), len(keys))
        # The specification's share: five of ten thousand.
        complaints = pa.array(keys % 2_000 == 7)
        comments = pc.if_else(
            complaints, "slyly Customer furiously Complaints", self._comments(len(keys), 60)
        )
        return pa.table(
            {
                "s_suppkey": _integers(keys),
                "s_name": _numbered("Supplier#", keys),
                "s_address": self._comments(len(keys), 25),
                "s_nationkey": _integers(nations),
                "s_phone": self._phones(nations),
                "s_acctbal": _decimals(self._random.integers(-99_999, 999_999, len(keys), endpoint=True)),
                "s_comment": comments,
            }
        )

    def _part(self) -> pa.Table:
        keys = np.arange(1, self._parts + 1)
        brands = self._draw(len(BRANDS), len(keys))
        words = [self._choice(COLORS, len(keys)) for _ in range(5)]
        return pa.table(
            {
                "p_partkey": _integers(keys),
                "p_name": pc.binary_join_element_wise(*words, " "),
                "p_mfgr": pa.array([f"Manufacturer#{maker}" for maker in range(1, 6)]).take(
                    pa.array(brands // 5)
                ),
                "p_brand": pa.array(BRANDS).take(pa.array(brands)),
                "p_type": self._choice(TYPES, len(keys)),
                "p_size": _integers(self._draw(50, len(keys)) + 1),
                "p_container": self._choice(CONTAINERS, len(keys)),
                "p_retailprice": _decimals(_retail_cents(keys)),
                "p_comment": self._comments(len(keys), 14),
            }
        )

    def _partsupp(self) -> pa.Table:
        parts = np.repeat(np.arange(1, self._parts + 1), SUPPLIERS_OF_A_PART)
        places = np.tile(np.arange(SUPPLIERS_OF_A_PART), self._parts)
        return pa.table(
            {
                "ps_partkey": _integers(parts),
                "ps_suppkey": _integers(self._supplier_of(parts, places)),
                "ps_availqty": _integers(self._draw(9_999, len(parts)) + 1),
                "ps_supplycost": _decimals(self._random.integers(100, 100_000, len(parts), endpoint=True)),
                "ps_comment": self._comments(len(parts), 124),
            }
        )

    def _customer(self) -> pa.Table:
        keys = np.arange(1, self._customers + 1)
        nations = self._draw(len(NATIONS), len(keys))
        return pa.table(
            {
                "c_custkey": _integers(keys),
                "c_name": _numbered("Customer#", keys),
                "c_address": self._comments(len(keys), 25),
                "c_nationkey": _integers(nations),
                "c_phone": self._phones(nations),
                "c_acctbal": _decimals(self._random.integers(-99_999, 999_999, len(keys), endpoint=True)),
                "c_mktsegment": self._choice(SEGMENTS, len(keys)),
                "c_comment": self._comments(len(keys), 73),
            }
        )

    def _orders_and_lines(self) -> tuple[pa.Table, pa.Table]:
        count = self._orders
        numbers = np.arange(count)
        keys = numbers // 8 * 32 + numbers % 8 + 1
        days = FIRST_DAY + self._draw(ORDER_DAYS - 151, count)
        lines_of = self._draw(MOST_LINES, count) + 1
        order = np.repeat(numbers, lines_of)
        total = len(order)
        begins = np.cumsum(lines_of) - lines_of
        parts = self._draw(self._parts, total) + 1
        quantities = self._draw(50, total) + 1
        prices = quantities * _retail_cents(parts)
        discounts, taxes = self._draw(11, total), self._draw(9, total)
        shipped = days[order] + self._draw(121, total) + 1
        received = shipped + self._draw(30, total) + 1
        is_open = shipped > CURRENT_DAY
        open_lines = np.add.reduceat(is_open.astype(np.int64), begins)
        status = np.where(open_lines == 0, 0, np.where(open_lines == lines_of, 1, 2))
        charged = np.add.reduceat(prices * (100 - discounts) * (100 + taxes), begins) // 10_000
        # Every third customer never orders.
        customers = self._draw(self._customers, count) + 1
        customers = np.maximum(customers - (customers % 3 == 0), 1)
        urgent = pa.array(self._random.random(count) < 0.01)
        orders = pa.table(
            {
                "o_orderkey": _integers(keys),
                "o_custkey": _integers(customers),
                "o_orderstatus": pa.array(["F", "O", "P"]).take(pa.array(status)),
                "o_totalprice": _decimals(charged),
                "o_orderdate": _dates(days),
                "o_orderpriority": self._choice(PRIORITIES, count),
                "o_clerk": _numbered("Clerk#", self._draw(max(count // 1_500, 1), count) + 1),
                "o_shippriority": _integers(np.zeros(count, np.int64)),
                "o_comment": pc.if_else(
                    urgent, "carefully special furiously requests", self._comments(count, 49)
                ),
            }
        )
        flags = np.where(received <= CURRENT_DAY, self._draw(2, total), 2)
        lines = pa.table(
            {
                "l_orderkey": _integers(keys[order]),
                "l_partkey": _integers(parts),
                "l_suppkey": _integers(self._supplier_of(parts, self._draw(SUPPLIERS_OF_A_PART, total))),
                "l_linenumber": _integers(np.arange(total) - begins[order] + 1),
                "l_quantity": _decimals(quantities * 100),
                "l_extendedprice": _decimals(prices),
                "l_discount": _decimals(discounts),
                "l_tax": _decimals(taxes),
                "l_returnflag": pa.array(["R", "A", "N"]).take(pa.array(flags)),
                "l_linestatus": pa.array(["F", "O"]).take(pa.array(is_open.astype(np.int64))),
                "l_shipdate": _dates(shipped),
                "l_commitdate": _dates(days[order] + self._draw(61, total) + 30),
                "l_receiptdate": _dates(received),
                "l_shipinstruct": self._choice(INSTRUCTIONS, total),
                "l_shipmode": self._choice(MODES, total),
                "l_comment": self._comments(total, 27),
            }
        )
        return orders, lines

    def _draw(self, values: int, count: int) -> Numbers:
        """`count` of 0 to `values` - 1."""
        return self._random.integers(0, values, count)

    def _choice(self, values: Any, count: int) -> pa.Array:
        return pa.array(values, pa.string()).take(pa.array(self._draw(len(values), count)))

    def _supplier_of(self, parts: Numbers, place: Numbers) -> Numbers:
        """One of the four of a part."""
        count = self._suppliers
        return (parts + place * (count // SUPPLIERS_OF_A_PART + (parts - 1) // count)) % count + 1

    def _phones(self, nations: Numbers) -> pa.Array:
        local = [self._draw(900, len(nations)) + 100, self._draw(900, len(nations)) + 100]
        texts = [pa.array(part).cast(pa.string()) for part in (nations + 10, *local)]
        return pc.binary_join_element_wise(*texts, "-")

    def _comments(self, count: int, length: int) -> pa.Array:
        """Texts of that length on average."""
        words = self._draw(len(WORDS), TEXTS * (length // 4)).reshape(TEXTS, -1)
        lengths = self._random.integers(length // 2, length + length // 2, TEXTS)
        texts = [
            " ".join(WORDS[word] for word in row)[:most]
            for row, most in zip(words.tolist(), lengths.tolist(), strict=True)
        ]
        return pa.array(texts).take(pa.array(self._draw(TEXTS, count)))


def _retail_cents(parts: Numbers) -> Numbers:
    return 90_000 + parts // 10 % 20_001 + 100 * (parts % 1_000)


def _integers(values: Numbers) -> pa.Array:
    return pa.array(values.astype(np.int32))


def _dates(days: Numbers) -> pa.Array:
    return _integers(days).cast(pa.date32())


def _decimals(cents: Numbers) -> pa.Array:
    """As numeric(15, 2): two words of 64 bits each, the lower first."""
    words = np.stack((cents, cents >> 63), axis=1)
    return pa.Array.from_buffers(pa.decimal128(15, 2), len(cents), [None, pa.py_buffer(words.tobytes())])


def _numbered(prefix: str, numbers: Numbers) -> pa.Array:
    digits = pc.utf8_lpad(pa.array(numbers).cast(pa.string()), 9, "0")
    return pc.binary_join_element_wise(prefix, digits, "")
