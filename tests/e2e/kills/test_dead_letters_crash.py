"""Kill -9 of a runtime, and of its replica, while a source puts records aside and others are replayed.

Record i is in error or not by a draw, and says i in either case.  At every time rows and dead letters together are a prefix of the records, each
of them once: one that was lost, or is there twice, shows in the next query.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from random import Random

import psycopg
import pytest

from ..conftest import running
from ..runtime_process import Runtime
from ..test_restart_cost import kill_coordinator, kill_worker, worker

pytestmark = pytest.mark.slow

_PAUSE = threading.Event()
EVERYTHING = "SELECT id, false FROM s UNION ALL SELECT line - 1, true FROM s_dead_letters"
REPAIR = "SET payload = convert_to(replace(convert_from(payload, 'UTF8'), 'bad ', ''), 'UTF8')"


class Replaying:
    """A client that replays some dead letters again and again, until it is told to stop; it lives through kills."""

    def __init__(self, runtime: Runtime, seed: int) -> None:
        self._runtime, self._random = runtime, Random(seed)
        self._stopped = threading.Event()
        self.answered = 0
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join(60)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                some = f"WHERE line % 7 = {self._random.randrange(7)}"
                self._runtime.run(f"ALTER SOURCE s REPLAY DEAD LETTERS {REPAIR} {some}")
                self.answered += 1
            except psycopg.OperationalError:  # the runtime was killed, or its replica
                self._stopped.wait(0.05)


def state(runtime: Runtime) -> dict[int, bool]:
    """The records that are there, and whether they are dead letters."""
    found = runtime.run(EVERYTHING)
    assert sorted(number for number, _ in found) == list(range(len(found)))
    return dict(found)


@pytest.mark.parametrize("seed", [11, 12])
def test_rows_and_dead_letters_are_exact_after_kills(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    path = tmp_path / "in.jsonl"
    path.touch()
    count = 0

    def append(records: int) -> None:
        nonlocal count
        with path.open("a") as stream:
            for number in range(count, count + records):
                shown: int | str = number if random.random() < 0.5 else f"bad {number}"
                stream.write(json.dumps({"id": shown}) + "\n")
        count += records

    with running() as runtime:
        runtime.run(
            f"CREATE SOURCE s (id int NOT NULL) FROM FILE '{path}' FORMAT JSON WITH (ON ERROR = DEAD LETTER)",
            "CREATE MATERIALIZED VIEW counted AS SELECT count(*) AS n, sum(id) AS total FROM s",
        )
        answered = 0
        for kill in (kill_worker, kill_coordinator, kill_coordinator):
            runtime.eventually(lambda: worker(runtime))
            replaying = Replaying(runtime, random.randrange(1_000))
            append(200)
            _PAUSE.wait(random.choice([0.0, 0.1, 0.5, 1.0]))
            append(50)
            kill(runtime)
            runtime.eventually(lambda: len(state(runtime)) == count)
            replaying.stop()
            answered += replaying.answered
        assert answered
        assert any(state(runtime).values())
        runtime.run(f"ALTER SOURCE s REPLAY DEAD LETTERS {REPAIR}")
        assert state(runtime) == dict.fromkeys(range(count), False)
        total = count * (count - 1) // 2
        runtime.eventually(lambda: runtime.run("SELECT n, total FROM counted") == [(count, total)])
