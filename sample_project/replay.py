"""Replay the flights of 2013 as json lines, as if they were happening.

    python replay.py [--speed EVENTS_PER_SECOND] [--limit EVENTS] [--seed N]
                     [--data DIR | --kafka BROKER [--topic TOPIC] | --postgres CONNINFO]

What becomes of a flight, in order of scheduled departure:

    it leaves        a record without arrival
    it lands         the same key again, with the arrival; for one in fifty the delay is first a wrong one, and a
                     correction follows an hour or more later
    it is cancelled  a record without departure, and two hours later one with nothing but the key: a delete marker

The sequence of events depends on the seed alone.  A replay that is started again goes on after the last whole line.
"""

from __future__ import annotations

import argparse
import heapq
import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Any, Protocol

import flights_data
import pyarrow.compute as pc
from flights_data import KEY

HERE = Path(__file__).resolve().parent
DEFAULT_SEED = 2013
CORRECTED = 0.02  # share of landed flights whose delay is first reported wrong
CANCELLED_AFTER_MIN = 120
DIVERTED_AFTER_MIN = 360
FLUSH_EVERY_S = 0.05
BATCH_ROWS = 4096

ORDER = ("month", "day", "sched_dep_time", "carrier", "flight", "origin", "dest")
ARRIVAL = ("arr_time", "arr_delay", "air_time")

Flight = dict[str, Any]
Event = tuple[int, int, Flight]
"""(minute of the year, sequence number, record): in the order in which they happen."""


def flights() -> Iterator[Flight]:
    """All flights, in order of scheduled departure."""
    table = flights_data.table("flights")
    instant = pc.replace_substring(pc.replace_substring(table["time_hour"], "T", " "), "Z", "")
    table = table.set_column(table.schema.get_field_index("time_hour"), "time_hour", instant)
    table = table.sort_by([(name, "ascending") for name in ORDER])
    for batch in table.to_batches(max_chunksize=BATCH_ROWS):
        yield from batch.to_pylist()


def load_flights() -> list[Flight]:
    """All flights, in order of scheduled departure."""
    return list(flights())


def scheduled_minute(flight: Flight) -> int:
    """Minutes of local time from the start of 2013 to the scheduled departure."""
    days = date(flight["year"], flight["month"], flight["day"]).toordinal() - date(2013, 1, 1).toordinal()
    clock = flight["sched_dep_time"]
    return int(days * 1440 + clock // 100 * 60 + clock % 100)


def events(flights: Iterable[Flight], seed: int = DEFAULT_SEED) -> Iterator[Event]:
    """Every event of `flights` (which come in order of scheduled departure), in order of time."""
    pending: list[Event] = []
    sequence = 0
    chance = random.Random(seed)
    for flight in flights:
        start = scheduled_minute(flight)
        while pending and pending[0][0] <= start:
            yield heapq.heappop(pending)
        for minute, record in life_of(flight, start, chance):
            heapq.heappush(pending, (minute, sequence, record))
            sequence += 1
    while pending:
        yield heapq.heappop(pending)


def life_of(flight: Flight, start: int, chance: random.Random) -> list[tuple[int, Flight]]:
    """What is reported of one flight, and when."""
    draw, wrong_by, later = chance.random(), chance.randrange(5, 90), chance.randrange(60, 240)
    departed = {**flight, **dict.fromkeys(ARRIVAL)}
    if flight["dep_time"] is None:
        return [(start, departed), (start + CANCELLED_AFTER_MIN, {name: flight[name] for name in KEY})]
    if flight["arr_delay"] is None:  # diverted: of some an arrival is known, hours later
        diverted = (start + max(flight["dep_delay"], 0) + DIVERTED_AFTER_MIN, flight)
        return [(start, departed)] if flight == departed else [(start, departed), diverted]
    landed = start + max(flight["dep_delay"], 0) + flight["air_time"] + 20
    life = [(start, departed), (landed, flight)]
    if draw < CORRECTED:
        life[1] = (landed, {**flight, "arr_delay": flight["arr_delay"] + wrong_by})
        life.append((landed + later, flight))
    return life


def line(record: Flight) -> str:
    return json.dumps(record, separators=(",", ":")) + "\n"


class Target(Protocol):
    """Where events go; `written` of them are there."""

    written: int

    def append(self, lines: list[str]) -> None: ...

    def close(self) -> None: ...


class Arrivals:
    """The directory that the source tails: one file, appended to by whole lines."""

    def __init__(self, data: Path) -> None:
        folder = data / "flights"
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "flights.jsonl"
        self.written = self._count_whole_lines()
        self._file = self.path.open("ab", buffering=0)

    def _count_whole_lines(self) -> int:
        """The number of lines, after a last one that was cut short by a crash is taken off."""
        if not self.path.exists():
            return 0
        count, end, position = 0, 0, 0
        with self.path.open("r+b") as file:
            while chunk := file.read(1 << 20):
                count += chunk.count(b"\n")
                newline = chunk.rfind(b"\n")
                if newline >= 0:
                    end = position + newline + 1
                position += len(chunk)
            if end != position:
                file.truncate(end)
        return count

    def append(self, lines: list[str]) -> None:
        content = memoryview("".join(lines).encode())
        while content:
            content = content[self._file.write(content) :]
        self.written += len(lines)

    def close(self) -> None:
        self._file.close()


def replay(
    arrivals: Target,
    stream: Iterator[Event],
    speed: float,
    limit: int | None = None,
    report: Callable[[int, Event], None] = lambda written, last: None,
) -> int:
    """Append events at `speed` a second (0: as fast as they can be written) until `limit` lines are there.

    The first `arrivals.written` events are there already.  Returns how many lines were added.
    """
    already = arrivals.written
    for _ in range(already):
        if next(stream, None) is None:
            return 0
    start = time.monotonic()
    batch: list[str] = []
    last: Event | None = None
    for event in stream:
        if limit is not None and arrivals.written + len(batch) >= limit:
            break
        batch.append(line(event[2]))
        last = event
        due = start + (arrivals.written - already + len(batch)) / speed if speed else 0.0
        ahead = due - time.monotonic() if speed else 0.0
        if ahead >= FLUSH_EVERY_S or (not speed and len(batch) >= 10_000):
            arrivals.append(batch)
            batch = []
            report(arrivals.written, event)
            if ahead > 0:
                time.sleep(ahead)
    if batch and last is not None:
        arrivals.append(batch)
        report(arrivals.written, last)
    return arrivals.written - already


def target(arguments: argparse.Namespace) -> Target:
    """Raises OSError where one cannot write there."""
    if arguments.postgres is not None:
        from postgres_arrivals import TableArrivals

        return TableArrivals(arguments.postgres)
    if arguments.kafka is None:
        return Arrivals(arguments.data)
    try:
        from kafka_arrivals import KafkaException, TopicArrivals
    except ImportError:
        raise OSError("it needs confluent-kafka: pip install 'dbt-ptvc[kafka]'") from None
    try:
        return TopicArrivals({"bootstrap.servers": arguments.kafka}, arguments.topic)
    except KafkaException as error:
        raise OSError(error.args[0].str()) from None


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    default_data = os.environ.get("PTVC_SAMPLE_DATA") or str(HERE / "data")
    parser.add_argument(
        "--data", type=Path, default=Path(default_data), help="the directory that prepare.py made"
    )
    parser.add_argument(
        "--speed", type=float, default=500.0, help="events a second; 0 is as fast as possible"
    )
    parser.add_argument("--limit", type=int, default=None, help="stop when so many events are there")
    parser.add_argument(
        "--seed", type=int, default=DEFAULT_SEED, help="which flights are corrected, and by how much"
    )
    parser.add_argument("--kafka", help="write to a topic of this broker (host:port) instead")
    parser.add_argument("--topic", default="flights", help="its name")
    parser.add_argument(
        "--postgres", help="write to tables of this database instead (libpq's connection string)"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress")
    arguments = parser.parse_args()
    if arguments.speed < 0:
        parser.error("--speed is a number of events a second, or 0")
    said = time.monotonic()

    def report(written: int, event: Event) -> None:
        nonlocal said
        if not arguments.quiet and time.monotonic() - said >= 1.0:
            said = time.monotonic()
            day = date.fromordinal(date(2013, 1, 1).toordinal() + event[0] // 1440)
            print(f"{written:,} events, {day:%d %B %Y}", flush=True)

    try:
        arrivals = target(arguments)
        try:
            added = replay(
                arrivals, events(flights(), arguments.seed), arguments.speed, arguments.limit, report
            )
        finally:
            arrivals.close()
    except flights_data.MissingData as error:
        print(f"replay: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        # A connection string may have a password.
        where = "the database" if arguments.postgres else arguments.kafka or arguments.data
        print(f"replay: cannot write to {where}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("replay: stopped; start it again to go on")
        return 130
    if not arguments.quiet:
        print(f"{added:,} events added, {arrivals.written:,} in all")
    return 0


if __name__ == "__main__":
    sys.exit(main())
