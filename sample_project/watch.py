"""Views that change while data arrives, shown as they do: tables on a terminal, lines elsewhere."""

from __future__ import annotations

import statistics
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import psycopg
from arrivals import Arriving
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

POLL_EVERY_S = 0.05
SHOW_EVERY_S = 0.5
LINE_EVERY_S = 2.0

SCOREBOARD = (
    "SELECT name, flights, late_flights, total_delay FROM carrier_scoreboard ORDER BY flights DESC, name"
)
WORST = "SELECT origin, carrier, flight, dest, month, day, arr_delay FROM worst_by_origin ORDER BY origin, arr_delay DESC, carrier, flight"
# The last node of a dataflow is the view itself: what it has put out are the view's changes.
CHANGES = """
    SELECT o.name, s.rows_out
    FROM mz_internal.mz_dataflow_operators s
    JOIN (SELECT object_id, max(node) AS node FROM mz_internal.mz_dataflow_operators GROUP BY object_id) l
      ON l.object_id = s.object_id AND l.node = s.node
    JOIN mz_catalog.mz_objects o ON o.id = s.object_id
    WHERE o.type = 'materialized-view'
"""

Rows = list[tuple[Any, ...]]


@dataclass
class Seen:
    """What was seen: appends become visible after `latencies` (seconds), `changes` are rows that views put out."""

    events: int = 0
    seconds: float = 0.0
    reads: int = 0
    changes: int = 0
    latencies: list[float] = field(default_factory=list)

    def latency(self) -> str:
        """The latencies in words."""
        if not self.latencies:
            return "no append was seen in a view yet"
        ordered = sorted(self.latencies)
        tail = ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
        return (
            f"median {statistics.median(ordered) * 1000:,.0f} ms, 99 of 100 within {tail * 1000:,.0f} ms, "
            f"longest {ordered[-1] * 1000:,.0f} ms"
        )


def changes_of(connection: psycopg.Connection[Any]) -> int:
    """Changes that all materialized views have put out since their dataflows began."""
    return sum(rows for _, rows in connection.execute(CHANGES))


def watch(connection: psycopg.Connection[Any], arriving: Arriving, seconds: float, console: Console) -> Seen:
    """Reads the views again and again for `seconds`, while `arriving` goes on, and shows them."""
    seen = Seen()
    before = changes_of(connection)
    first = arriving.written
    arriving.forget()
    start = time.monotonic()
    screen = Screen(console)
    with screen.live():
        worst: Rows = []
        shown = -LINE_EVERY_S
        while (elapsed := time.monotonic() - start) < seconds and arriving.is_alive():
            board = connection.execute(SCOREBOARD).fetchall()
            seen.latencies += arriving.seen(sum(int(row[1]) for row in board), time.monotonic())
            seen.reads += 1
            seen.events = arriving.written - first
            if elapsed - shown >= screen.interval:
                shown = elapsed
                worst = connection.execute(WORST).fetchall()
                screen.show(board, worst, arriving, seen, seconds - elapsed)
            time.sleep(POLL_EVERY_S)
    seen.seconds = time.monotonic() - start
    seen.changes = changes_of(connection) - before
    return seen


class Screen:
    """Two tables that are drawn anew; or, where nobody looks, one line now and then."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, auto_refresh=False) if console.is_terminal else None
        self._last: dict[str, tuple[Any, ...]] = {}
        self.interval = SHOW_EVERY_S if self._live is not None else LINE_EVERY_S

    def live(self) -> AbstractContextManager[object]:
        return self._live if self._live is not None else nullcontext()

    def show(self, board: Rows, worst: Rows, arriving: Arriving, seen: Seen, left: float) -> None:
        day = date.fromordinal(date(2013, 1, 1).toordinal() + arriving.minute // 1440)
        latest = f"{seen.latencies[-1] * 1000:,.0f} ms ago" if seen.latencies else "not seen yet"
        head = f"{day:%d %B %Y}   {arriving.written:,} events   last append seen: written {latest}"
        if self._live is None:
            flights, late = sum(row[1] for row in board), sum(row[2] for row in board)
            self._console.print(
                f"  {head}   {flights:,} flights, {late:,} late", soft_wrap=True, highlight=False
            )
            return
        self._live.update(
            Group(Text(f"{head}   {left:.0f} s to go", style="bold"), self._board(board), self._worst(worst)),
            refresh=True,
        )

    def _board(self, rows: Rows) -> Table:
        table = Table(
            title="carrier_scoreboard", title_justify="left", caption="bold: changed since the last look"
        )
        for name in ("carrier", "flights", "late", "total delay (min)"):
            table.add_column(name, justify="left" if name == "carrier" else "right", min_width=10)
        for row in rows[:10]:
            style = "bold" if self._last.get(row[0], row) != row else ""
            table.add_row(row[0], *(f"{value:,}" for value in row[1:]), style=style)
        self._last = {row[0]: row for row in rows}
        return table

    def _worst(self, rows: Rows) -> Table:
        table = Table(title="worst_by_origin", title_justify="left")
        for name in ("origin", "flight", "to", "on", "minutes late"):
            table.add_column(name, justify="right" if name == "minutes late" else "left")
        for origin, carrier, flight, dest, month, day, delay in rows:
            table.add_row(
                origin, f"{carrier} {flight}", dest, f"{date(2013, month, day):%d %b}", f"{delay:,}"
            )
        return table
