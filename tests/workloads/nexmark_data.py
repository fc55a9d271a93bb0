"""Nexmark's events, small and seeded: people, the auctions that they open, and bids.

Time passes with the events.  Beside what the benchmark says (events only arrive), bids are withdrawn and auctions are
extended, so that every query must take something back.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random
from typing import Any

Row = tuple[Any, ...]
Change = tuple[str, list[Row], list[str]]

START = datetime(2024, 5, 1, 23, 58)
STATES = ("OR", "ID", "CA", "WA", "AZ")
CITIES = ("Phoenix", "Seattle", "Portland", "Boise")
CHANNELS = ("Google", "Facebook", "Baidu", "Apple", "channel-7", "channel-8")
CATEGORIES = (10, 11, 12)


class NexmarkData:
    """A stream of events; `batch` is the next `count` of them as one change."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)
        self._now = START
        self._people = 0
        self._auctions = 0

    def batch(self, count: int) -> list[Change]:
        rng = self._rng
        rows: dict[str, list[Row]] = {"person": [], "auction": [], "bid": []}
        for _ in range(count):
            self._now += timedelta(milliseconds=rng.randrange(800))
            kind = rng.random()
            if kind < 0.06 or not self._people:
                rows["person"].append(self._person())
            elif kind < 0.2 or not self._auctions:
                rows["auction"].append(self._auction())
            else:
                rows["bid"].append(self._bid())
        auction, bidder = rng.randrange(self._auctions) + 1, rng.randrange(self._people) + 1
        statements = {
            "person": [f"UPDATE person SET state = 'OR' WHERE id = {bidder}"],
            # An auction is shortened to a time of its own: there is no type interval yet.
            "auction": [
                f"UPDATE auction SET expires = TIMESTAMP '{self._now - timedelta(seconds=20)}' WHERE id = {auction}"
            ],
            "bid": [
                f"DELETE FROM bid WHERE auction = {auction} AND bidder = {bidder}",
                f"DELETE FROM bid WHERE price = (SELECT max(price) FROM bid WHERE auction = {auction})",
            ],
        }
        return [(table, rows[table], statements[table]) for table in rows]

    def side_input(self) -> list[Row]:
        return [(key, f"value {key}") for key in range(0, 20, 2)]

    def _person(self) -> Row:
        self._people += 1
        rng, key = self._rng, self._people
        return (
            key, f"person {key}", f"{key}@example.com", f"{rng.randrange(10**4):04}", rng.choice(CITIES),
            rng.choice(STATES), self._now, "c" * rng.randrange(4),
        )  # fmt: skip

    def _auction(self) -> Row:
        self._auctions += 1
        rng, key = self._rng, self._auctions
        initial = rng.randrange(10, 500)
        return (
            key, f"item {key}", "as new", initial, initial * 2, self._now,
            self._now + timedelta(seconds=rng.randrange(10, 120)), rng.randrange(self._people) + 1,
            rng.choice(CATEGORIES), "",
        )  # fmt: skip

    def _bid(self) -> Row:
        rng = self._rng
        channel = rng.choice(CHANNELS)
        url = f"https://www.nexmark.com/{rng.choice('abc')}/{rng.choice('xy')}/item.htm?query=1"
        if rng.random() < 0.7:
            url += f"&channel_id={rng.randrange(100)}"
        return (
            max(1, self._auctions - rng.randrange(12)), rng.randrange(self._people) + 1,
            int(10 ** rng.uniform(1, 4.5)), channel, url, self._now, rng.choice(("", "abcabc", "cc")),
        )  # fmt: skip
