"""AUCTION: organizations with their users and accounts, which stay; and, a tick each, auctions and bids.

Of ten ticks the first starts an auction, and each of the others places a bid in one that is open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa

from ....repr.schema import Column, Schema
from ....repr.types import INT4, INT8, TEXT, TIMESTAMPTZ
from ...changes import Changes
from .draws import Draws, Numbers, times
from .options import GeneratorOptions
from .ticking import Rows, Wanted, inserted

TABLES = {
    "organizations": Schema((Column("id", INT8, False), Column("name", TEXT, False))),
    "users": Schema((Column("id", INT8, False), Column("org_id", INT8, False), Column("name", TEXT, False))),
    "accounts": Schema(
        (Column("id", INT8, False), Column("org_id", INT8, False), Column("balance", INT8, False))
    ),
    "auctions": Schema(
        (
            Column("id", INT8, False),
            Column("seller", INT8, False),
            Column("item", TEXT, False),
            Column("end_time", TIMESTAMPTZ, False),
        )
    ),
    "bids": Schema(
        (
            Column("id", INT8, False),
            Column("buyer", INT8, False),
            Column("auction_id", INT8, False),
            Column("amount", INT4, False),
            Column("bid_time", TIMESTAMPTZ, False),
        )
    ),
}

ORGANIZATIONS = (
    "Alder & Sons", "Brightwater", "Cobalt Freight", "Dunmore Glass", "Elmfield Press", "Foxglove", "Granite Works",
    "Harbour Lights", "Ironbridge", "Juniper Foods", "Kestrel Air", "Larkspur", "Millrace", "Northgate", "Oakhurst Mills",
    "Pinnacle", "Quayside", "Redfern", "Silverline", "Thornbury",
)  # fmt: skip
FIRST_NAMES = (
    "Ada", "Ben", "Cleo", "Dara", "Edith", "Femi", "Greta", "Hugo", "Ines", "Jonas", "Kaya", "Liam", "Mina", "Noor", "Olga",
    "Pavel", "Quinn", "Rosa", "Sven", "Tara", "Uma", "Viktor", "Wanda", "Xenia", "Yusuf", "Zoe",
)  # fmt: skip
ITEMS = (
    "Antique Clock", "Bicycle", "Chess Set", "Desk Lamp", "Easel", "Fountain Pen", "Globe", "Hammock", "Icebox", "Jug",
    "Kayak", "Lantern", "Mandolin", "Night Stand", "Oil Painting", "Piano Stool", "Quilt", "Record Player", "Sextant",
    "Typewriter",
)  # fmt: skip
USERS = 4_000
BLOCK = 10
"""Ticks from one auction to the next."""
OPEN = 3
"""So many auctions are open at a time; the newest has most of the bids."""
_BACK = np.array([0, 0, 0, 0, 0, 0, 0, 1, 1, 2])
PIECE = 500_000


class Auction:
    tables = TABLES
    first_tick = 0
    bytes_per_tick = 64

    def __init__(self, options: GeneratorOptions) -> None:
        assert options.tick_ms is not None
        self._draws = Draws(options.seed)
        self._tick_ms = options.tick_ms
        self._as_of = options.as_of

    def contents(self, wanted: Wanted, tick: int, start_ms: int) -> Iterator[Rows]:
        fixed = self._fixed(wanted)
        if fixed:
            yield fixed
        if wanted & {"auctions", "bids"}:
            for after in range(0, tick, PIECE):
                yield self._moving(wanted, after, min(after + PIECE, tick), start_ms)

    def count(self, table: str, tick: int) -> int:
        auctions = -(-tick // BLOCK)
        fixed = {"organizations": len(ORGANIZATIONS), "users": USERS, "accounts": len(ORGANIZATIONS)}
        return fixed.get(table, auctions if table == "auctions" else tick - auctions)

    def changes(self, wanted: Wanted, after: int, upto: int, start_ms: int) -> Mapping[str, Changes]:
        return inserted(self._moving(wanted, after, upto, start_ms))

    def _fixed(self, wanted: Wanted) -> dict[str, tuple[pa.Array, ...]]:
        organizations = np.arange(1, len(ORGANIZATIONS) + 1)
        users = np.arange(1, USERS + 1)
        found = {
            "organizations": (pa.array(organizations), pa.array(ORGANIZATIONS)),
            "users": (
                pa.array(users),
                pa.array(self._draws.below("user's organization", len(ORGANIZATIONS), users) + 1),
                self._draws.choice("user's name", FIRST_NAMES, users),
            ),
            "accounts": (
                pa.array(organizations),
                pa.array(organizations),
                pa.array(self._draws.below("balance", 1_000_000, organizations)),
            ),
        }
        return {table: columns for table, columns in found.items() if table in wanted}

    def _moving(
        self, wanted: Wanted, after: int, upto: int, start_ms: int
    ) -> dict[str, tuple[pa.Array, ...]]:
        """The auctions and bids of the ticks after `after`."""
        ticks = np.arange(after, upto)  # counted from 0
        starts = ticks % BLOCK == 0
        found = {}
        if "auctions" in wanted:
            begun = ticks[starts]
            found["auctions"] = self._auctions(begun, start_ms)
        if "bids" in wanted:
            found["bids"] = self._bids(ticks[~starts], start_ms)
        return found

    def _auctions(self, ticks: Numbers, start_ms: int) -> tuple[pa.Array, ...]:
        return (
            pa.array(ticks // BLOCK + 1),
            pa.array(self._draws.below("seller", USERS, ticks) + 1),
            self._draws.choice("item", ITEMS, ticks),
            times(self._at(ticks + OPEN * BLOCK, start_ms)),
        )

    def _bids(self, ticks: Numbers, start_ms: int) -> tuple[pa.Array, ...]:
        newest = ticks // BLOCK
        back = np.minimum(_BACK[self._draws.below("auction", len(_BACK), ticks)], newest)
        return (
            pa.array(ticks - newest),
            pa.array(self._draws.below("buyer", USERS, ticks) + 1),
            pa.array(newest - back + 1),
            pa.array((self._draws.below("amount", 100, ticks) + 1).astype(np.int32)),
            times(self._at(ticks, start_ms)),
        )

    def _at(self, ticks: Numbers, start_ms: int) -> Numbers:
        """When ticks happen, of which the source has begun behind the first `as_of`."""
        return start_ms + (ticks + 1 - self._as_of) * self._tick_ms
