"""Files that all workers of a cluster read, and kill -9 of whoever has a part in that: every row is there once."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from ..conftest import running
from ..test_restart_cost import kill_coordinator
from .test_workers_crash import members, resident

pytestmark = pytest.mark.slow

FILES, ROWS = 3, 250_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for file in range(FILES):
        first = file * ROWS
        with (tmp_path / f"{file}.json").open("w") as stream:
            for id_ in range(first, first + ROWS):
                stream.write(json.dumps({"id": id_, "t": f"text of the row {id_}"}) + "\n")
    return tmp_path


@pytest.mark.parametrize("kill", ["member", "leader", "coordinator", None])
def test_rows_are_there_once_whoever_dies_while_workers_read(folder: Path, kill: str | None) -> None:
    total = FILES * ROWS
    with running() as runtime:
        runtime.run("CREATE CLUSTER divided (WORKERS 3)")
        leader = resident(runtime)
        led = runtime.eventually(lambda: members(leader))
        runtime.run(
            f"CREATE SOURCE s (id bigint, t text) IN CLUSTER divided FROM FILE '{folder}' FORMAT JSON",
            "CREATE MATERIALIZED VIEW v IN CLUSTER divided AS SELECT count(*) AS n, count(DISTINCT id) AS ids FROM s",
        )
        runtime.eventually(lambda: any((runtime.directory / "blobs").rglob("*replica-*/*")))
        if kill == "coordinator":
            kill_coordinator(runtime)
        elif kill is not None:
            os.kill(min(led) if kill == "member" else leader, signal.SIGKILL)
        seen = set()

        def all_there() -> bool:
            found = runtime.run("SELECT n, ids FROM v")
            seen.update(found)
            return found == [(total, total)]

        runtime.eventually(all_there)
        assert all(n == ids for n, ids in seen), "nothing is there twice at any time"
        counted = runtime.run("SELECT count(*), count(DISTINCT id), sum(id) FROM s")
        assert counted == [(total, total, total * (total - 1) // 2)]
        with (folder / "0.json").open("a") as stream:
            stream.write('{"id": -1, "t": "later"}\n')
        runtime.eventually(lambda: runtime.rows("SELECT t FROM s WHERE id < 0") == [("later",)])
