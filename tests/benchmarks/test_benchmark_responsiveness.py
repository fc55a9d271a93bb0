"""The benchmark of responsiveness runs, over small data, against a runtime in this process."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from inprocess import running

from benchmarks import responsiveness
from benchmarks.postgres import postgres
from benchmarks.report import show
from benchmarks.responsiveness import measure_responsiveness


def test_responsiveness(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(responsiveness, "LITERAL_BYTES", 1 << 20)
    log = tmp_path / "log"
    line = "the event loop stood still for {} ms, of which it computed 1 ms, waited {} ms for a core, and 0 ms went\n"
    log.write_text(line.format(77, 5))  # before anything is measured

    def outage() -> None:
        with log.open("a") as file:
            file.write(line.format(90, 30) + line.format(70, 0))

    with running() as runtime:
        results = measure_responsiveness(runtime.connect, runtime.port, log, 2_000, 0.1, outage)
    assert (results[0].load, results[-1].load) == ("nothing", "all of it")
    assert all(r.probe.count > 0 for r in results)
    found = {r.load: (r.stalls > 0, r.longest_stall_ms, r.longest_held_ms) for r in results}
    assert found.pop("consensus is away") == found.pop("all of it") == (True, 90, 70)
    assert set(found.values()) == {(False, 0, 0)}
    show(list(results))
    assert "SELECT 1 while others work" in capsys.readouterr().out


def test_a_frozen_server_answers_later() -> None:
    with postgres() as server, psycopg.connect(server.uri) as connection:
        connection.execute("SELECT 1")
        with ThreadPoolExecutor(1) as pool:
            with server.frozen():
                answer = pool.submit(connection.execute, "SELECT 1")
                with pytest.raises(TimeoutError):
                    answer.result(0.3)
            assert answer.result(60).fetchall() == [(1,)]
