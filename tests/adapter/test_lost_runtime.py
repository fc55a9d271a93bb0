"""A runtime that is killed in the middle of a run of dbt: what each node says, and what goes on when it is there again."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from dbt.tests.util import run_dbt
from servers.ports import free_port

from dbt.adapters.ptvc.connections import is_lost, lost
from dbt.adapters.ptvc.credentials import PtvcCredentials

LIBPQS = ("server closed", "connection is closed", "consuming input", "Is the server running", "terminating")
"""Words that say nothing to who runs dbt."""
SLEEPS = "{{ config(materialized='table', pre_hook='select pg_sleep(100)') }} select id from {{ ref('a') }}"
A = "{{ config(materialized='materialized_view') }} select 1 as id"


class Killable:
    """A runtime in a process of its own, that comes again at the same port."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.port = free_port()
        self.start()

    def start(self) -> None:
        command = [
            sys.executable,
            "-m",
            "ptvc",
            "serve",
            "--path",
            str(self._folder / "state"),
            "--port",
            str(self.port),
        ]
        with (self._folder / "serve.log").open("a") as log:
            self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()  # printed when it is ready; empty when it has ended
        assert f"-p {self.port}" in line, (line, (self._folder / "serve.log").read_text()[-2000:])

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


@pytest.fixture(scope="class")
def killable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Killable]:
    runtime = Killable(tmp_path_factory.mktemp("killable"))
    yield runtime
    runtime.kill()


@pytest.fixture(scope="class")
def dbt_profile_target(killable: Killable) -> dict[str, Any]:
    return {"type": "ptvc", "threads": 1, "host": "127.0.0.1", "port": killable.port, "user": "ptvc"}


class TestKilledRuntime:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "a.sql": A,
            "b.sql": "select id from {{ ref('a') }}",
            "y.sql": A,
            "z_last.sql": "{{ config(materialized='table') }} select id from {{ ref('y') }}",
        }

    def test_what_is_said_and_that_it_goes_on(self, project: Any, killable: Killable) -> None:
        run_dbt(["build"])
        folder = Path(project.project_root)
        (folder / "models" / "a.sql").write_text(A.replace("1 as id", "2 as id"))
        (folder / "models" / "b.sql").write_text(SLEEPS)
        killer = threading.Thread(target=kill_when_asleep, args=(killable,))
        killer.start()
        results = run_dbt(["run"], expect_pass=False)
        killer.join()
        said = {result.node.name: (str(result.status), result.message or "") for result in results}
        assert "was lost while dbt was at work" in said["b"][1]
        assert said["a"][0] == "error"  # it was staged
        assert "no ptvc runtime answers" in said["a"][1]
        assert "One did before" in said["a"][1]
        assert "no ptvc runtime answers" in said["z_last"][1], "it came behind b"
        for _, message in said.values():
            assert not [words for words in LIBPQS if words in message]
        written = json.loads((folder / "target" / "run_results.json").read_text())
        assert len(written["results"]) == len(results)
        (folder / "models" / "b.sql").write_text(SLEEPS.replace("100", "0"))
        killable.start()
        again = run_dbt(["retry"])
        assert {"a", "b", "z_last"} <= {result.node.name for result in again}
        assert project.run_sql(f"select id from {project.test_schema}.b", fetch="all") == [(2,)]

    def test_what_was_tested_before_is_tested_again(self, project: Any, killable: Killable) -> None:
        """What is staged goes with the runtime, so the test has not run on what `dbt retry` makes."""
        folder = Path(project.project_root)
        (folder / "models" / "a.sql").write_text(A.replace("1 as id", "3 as id"))
        (folder / "models" / "b.sql").write_text(SLEEPS)
        (folder / "tests" / "on_a.sql").write_text("select id from {{ ref('a') }} where id = 9")
        killer = threading.Thread(target=kill_when_asleep, args=(killable,))
        killer.start()
        results = run_dbt(["build", "--select", "a", "b", "on_a"], expect_pass=False)
        killer.join()
        (tested,) = (result for result in results if result.node.name == "on_a")
        assert str(tested.status) == "skipped"
        assert "on_a is to run again" in tested.adapter_response["reason"]
        (folder / "models" / "b.sql").write_text(SLEEPS.replace("100", "0"))
        killable.start()
        again = {result.node.name: str(result.status) for result in run_dbt(["retry"])}
        assert again == {"a": "success", "b": "success", "on_a": "pass"}


def kill_when_asleep(runtime: Killable) -> None:
    with psycopg.connect(host="127.0.0.1", port=runtime.port, user="ptvc", dbname="ptvc") as db:
        db.autocommit = True
        deadline = time.monotonic() + 120
        query = "select count(*) from pg_stat_activity where state = 'active' and query like '%pg_sleep(100)%' and pid <> pg_backend_pid()"
        while db.execute(query).fetchone() == (0,):
            assert time.monotonic() < deadline
            threading.Event().wait(0.05)
    runtime.kill()


@pytest.mark.parametrize(
    ("error", "is_so"),
    [
        (psycopg.OperationalError("server closed the connection unexpectedly"), True),
        (psycopg.InterfaceError("cannot use a closed cursor"), True),
        (psycopg.errors.AdminShutdown("terminating connection"), True),
        (psycopg.errors.ConnectionFailure("gone"), True),
        (psycopg.errors.UndefinedTable("no such table"), False),
        (psycopg.errors.OutOfMemory("memory"), False),
        (psycopg.ProgrammingError("the last operation didn't produce a result"), False),
    ],
)
def test_what_says_that_the_runtime_has_gone(error: psycopg.Error, is_so: bool) -> None:
    assert is_lost(error) is is_so


def test_one_that_dbt_starts_is_started_again() -> None:
    message = lost(PtvcCredentials(path="/data/state"))
    assert "the ptvc runtime under /data/state has gone" in message
    assert "/data/state/log/ptvc.log" in message
    assert "`dbt retry` starts it again" in message
