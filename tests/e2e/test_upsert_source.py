"""Kill -9 of a runtime, and of its replica, while an UPSERT source reads: its state is in files from a few rows on.

Errors that take the places of rows, hundreds at once, go with the next good record of their key: one that was lost, or
restored twice, would leave the source in error at the end.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from threading import Event

import psycopg
import pytest

from .conftest import running
from .runtime_process import Runtime
from .test_restart_cost import kill_coordinator, kill_worker, worker

pytestmark = pytest.mark.slow

KEYS = 600
_PAUSE = Event()


class File:
    """Records that are appended to a file, beside what the rows are then."""

    def __init__(self, path: Path, random: Random) -> None:
        self._path, self._random = path, random
        self.rows: dict[int, str] = {}
        self.bad: set[int] = set()
        self.records = 0

    def put(self, key: int, value: str) -> None:
        self._append(key, {"k": key, "n": 1, "v": value})
        self.rows[key] = value

    def some(self, count: int) -> None:
        for key in self._random.choices(range(KEYS), k=count):
            match self._random.randrange(4):
                case 0:
                    self._append(key, {"k": key})
                case 1:
                    self._append(key, {"k": key, "n": "not a number", "v": "x"})
                    self.bad.add(key)
                case _:
                    self.put(key, f"value {self.records}")

    def _append(self, key: int, record: dict[str, object]) -> None:
        with self._path.open("a") as stream:
            stream.write(json.dumps(record) + "\n")
        self.records += 1
        self.rows.pop(key, None)
        self.bad.discard(key)


def is_in_error(runtime: Runtime) -> bool:
    try:
        runtime.run("SELECT count(*) FROM s")
    except psycopg.errors.InvalidTextRepresentation:
        return True
    return False


def test_an_upsert_source_goes_on_exactly_after_kills(tmp_path: Path) -> None:
    random = Random(7)
    path = tmp_path / "in.jsonl"
    path.touch()
    file = File(path, random)
    with running("spill_rows=16") as runtime:
        runtime.run(
            "CREATE SOURCE s (k int NOT NULL, n int, v text) FROM FILE "
            f"'{path}' FORMAT JSON KEY (k) ENVELOPE UPSERT",
            "CREATE MATERIALIZED VIEW counted AS SELECT count(*) AS rows, sum(n) AS total FROM s",
        )
        for kill in (kill_worker, kill_worker, kill_coordinator, kill_worker, kill_coordinator):
            runtime.eventually(lambda: worker(runtime))
            file.some(400)
            _PAUSE.wait(random.choice([0.0, 0.05, 0.3, 1.0]))
            file.some(50)
            kill(runtime)
        assert len(file.bad) > 100
        runtime.eventually(lambda: is_in_error(runtime))
        for key in sorted(file.bad):
            file.put(key, "good again")
        expected = sorted(file.rows.items())
        runtime.eventually(lambda: runtime.run("SELECT k, v FROM s ORDER BY k") == expected)
        kill_coordinator(runtime)
        runtime.eventually(lambda: runtime.run("SELECT k, v FROM s ORDER BY k") == expected)
        count = len(expected)
        runtime.eventually(lambda: runtime.run("SELECT rows, total FROM counted") == [(count, count)])
