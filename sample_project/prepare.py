"""Write what dbt needs before its first run: the seeds, and the directories that flights and changes go to.

python prepare.py [--data DIR] [--seeds DIR] [--weather-days N]
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path

import flights_data

HERE = Path(__file__).resolve().parent


def airlines() -> Iterable[Mapping[str, str | None]]:
    return flights_data.rows("airlines")


def airports() -> Iterable[Mapping[str, str | None]]:
    return flights_data.rows("airports")


def planes() -> Iterable[Mapping[str, str | None]]:
    for row in flights_data.rows("planes"):
        row["year_built"] = row.pop("year")
        del row["speed"]
        yield row


def weather(days: int | None) -> Iterable[Mapping[str, str | None]]:
    """Hourly weather; the instant as PostgreSQL writes a timestamp, in UTC.  `days` keeps the first of the year."""
    for row in flights_data.rows("weather"):
        if days is not None and day_of_year(row) > days:
            continue
        instant = row["time_hour"] or ""
        row["time_hour"] = instant.replace("T", " ").removesuffix("Z")
        yield row


def day_of_year(row: Mapping[str, str | None]) -> int:
    return date(int(row["year"] or 0), int(row["month"] or 0), int(row["day"] or 0)).timetuple().tm_yday


SEEDS: dict[str, tuple[str, ...]] = {
    "airlines": ("carrier", "name"),
    "airports": ("faa", "name", "lat", "lon", "alt", "tz", "dst", "tzone"),
    "planes": ("tailnum", "year_built", "type", "manufacturer", "model", "engines", "seats", "engine"),
    "weather": ("origin", "time_hour", "temp", "humid", "wind_speed", "precip", "visib"),
}


def write_seed(folder: Path, name: str, source: Iterable[Mapping[str, str | None]]) -> int:
    """Write `<name>.csv` and put it in place at once.  Returns the number of rows."""
    count = 0
    partial = folder / f".{name}.csv.partial"
    with partial.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, SEEDS[name], extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        for row in source:
            writer.writerow({column: row[column] for column in SEEDS[name]})
            count += 1
    partial.replace(folder / f"{name}.csv")
    return count


def prepare(data: Path, seeds: Path, weather_days: int | None = None) -> dict[str, int]:
    """Write all seeds and make the directories.  Returns the rows of each seed."""
    seeds.mkdir(parents=True, exist_ok=True)
    (data / "flights").mkdir(parents=True, exist_ok=True)
    (data / "long_delays").mkdir(parents=True, exist_ok=True)
    sources = {
        "airlines": airlines(),
        "airports": airports(),
        "planes": planes(),
        "weather": weather(weather_days),
    }
    return {name: write_seed(seeds, name, source) for name, source in sources.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    default_data = os.environ.get("PTVC_SAMPLE_DATA") or str(HERE / "data")
    parser.add_argument("--data", type=Path, default=Path(default_data), help="where flights arrive")
    parser.add_argument("--seeds", type=Path, default=HERE / "seeds", help="where the seeds go")
    parser.add_argument(
        "--weather-days", type=int, default=None, help="keep the weather of the first N days only"
    )
    arguments = parser.parse_args()
    try:
        counts = prepare(arguments.data, arguments.seeds, arguments.weather_days)
    except flights_data.MissingData as error:
        print(f"prepare: {error}", file=sys.stderr)
        return 1
    for name, count in counts.items():
        print(f"{name}: {count:,} rows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
