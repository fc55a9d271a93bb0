"""All that a run changes takes its place at one time, or none of it, however the run ends."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture, write_file

from dbt.adapters.ptvc.staging.session import StagingSession

from .dag import KINDS, Dag, DbtProcess, Model, connected, left_behind, reading

SOURCES = """
sources:
  - name: given
    schema: "{{ target.schema }}"
    tables: [{name: base}]
"""
SLEEP = "{{ config(post_hook='select pg_sleep(120)') }} select * from {{ ref('m0') }}"


def wait_for(condition: Callable[[], bool], timeout: float = 120) -> None:
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline
        Event().wait(0.05)


def statuses(results: Any) -> dict[str, str]:
    return {result.node.name: str(result.status) for result in results}


class Released:
    """A source of one row, and models over it."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {"sources.yml": SOURCES}

    @pytest.fixture(autouse=True)
    def base(self, project: Any) -> None:
        project.run_sql(f"create table if not exists {project.test_schema}.base (v int)")
        project.run_sql(f"delete from {project.test_schema}.base")
        project.run_sql(f"insert into {project.test_schema}.base values (0)")

    def folder(self, project: Any) -> Path:
        return Path(project.project_root) / "models"


# m0 <- m1 <- m2, m0 <- m3: all marts see a change of m0; m4 is of its own.
SMALL = Dag(
    (
        Model(0, (), 1, kind="view"),
        Model(1, (0,), 10),
        Model(2, (1,), 100, indexed=True),
        Model(3, (0,), 1000),
        Model(4, (), 5),
    )
)


def changed(dag: Dag, **constants: int) -> Dag:
    """With other constants, by name."""
    models = (
        Model(m.number, m.parents, constants.get(m.name, m.constant), m.kind, m.wide, m.indexed)
        for m in dag.models
    )
    return Dag(tuple(models))


class TestReleases(Released):
    @pytest.fixture(autouse=True)
    def built(self, project: Any, base: None) -> None:
        for name in ("slow.sql", "filled.sql", "tests.yml"):
            (self.folder(project) / name).unlink(missing_ok=True)
        SMALL.write(self.folder(project))
        run_dbt(["run"])

    def read(self, project: Any, name: str) -> int:
        value: int = project.run_sql(f"select v from {project.test_schema}.{name}", fetch="one")[0]
        return value

    def values(self, project: Any) -> tuple[int, ...]:
        return tuple(self.read(project, model.name) for model in SMALL.models)

    @pytest.mark.slow(ordinary=1)
    @pytest.mark.parametrize("wide", [False, True])
    @pytest.mark.parametrize("kind", KINDS)
    def test_readers_see_all_of_the_old_or_all_of_the_new(
        self, project: Any, server: dict[str, Any], kind: str, wide: bool
    ) -> None:
        models = list(changed(SMALL, m0=2, m1=20, m2=200, m4=6).models)
        models[0] = Model(0, (), 2, kind=kind, wide=wide)
        dag = Dag(tuple(models))
        allowed = {SMALL.values(), dag.values()}
        with reading(server, project.test_schema, len(models), allowed) as readers:
            dag.write(self.folder(project))
            run_dbt(["run"])
        assert readers.errors == []
        assert readers.polls > 1
        assert self.values(project) == dag.values()
        assert left_behind(project) == []
        assert set(statuses(run_dbt(["run"])).values()) == {"success"}

    def test_what_is_connected_with_a_failure_stays_as_it_was(self, project: Any) -> None:
        changed(SMALL, m0=2, m4=6).with_broken(2).write(self.folder(project))
        results, output = run_dbt_and_capture(["run"], expect_pass=False)
        assert statuses(results) == {
            "m0": "skipped",
            "m1": "skipped",
            "m2": "error",
            "m3": "skipped",
            "m4": "success",
        }
        assert "m0 is as it was before: " in output
        assert "Completed with 1 error," in output
        assert self.values(project) == changed(SMALL, m4=6).values()
        assert left_behind(project) == []
        changed(SMALL, m0=2, m4=6).write(self.folder(project))
        assert set(statuses(run_dbt(["retry"]))) == {"m0", "m1", "m2", "m3"}
        assert self.values(project) == changed(SMALL, m0=2, m4=6).values()

    def test_tests_and_tables_read_the_new(self, project: Any) -> None:
        """m1 has only the difference to see, and is staged all the same: its test would fail, the table would be old."""
        replaceable = Dag((Model(0, (), 1), *SMALL.models[1:]))
        replaceable.write(self.folder(project))
        write_file(
            "{{ config(materialized='table') }} select v from {{ ref('m1') }}",
            *self.at(project, "filled.sql"),
        )
        run_dbt(["run"])
        write_file(
            "models: [{name: m1, columns: [{name: v, data_tests: [{accepted_values: {arguments: {values: [12], quote: false}}}]}]}]",
            *self.at(project, "tests.yml"),
        )
        dag = changed(replaceable, m0=2)
        dag.write(self.folder(project))
        assert "error" not in statuses(run_dbt(["build"])).values()
        assert self.values(project) == dag.values()
        assert self.read(project, "filled") == 12
        assert left_behind(project) == []

    def test_a_replacement_alone_leaves_what_is_below(self, project: Any) -> None:
        oid = f"select '{project.test_schema}.m2'::regclass::oid"
        before = project.run_sql(oid, fetch="one")
        changed(SMALL, m1=20).write(self.folder(project))
        results = {result.node.name: result.message for result in run_dbt(["run"])}
        assert (results["m1"], results["m2"]) == ("CREATE REPLACEMENT MATERIALIZED VIEW", "UNCHANGED")
        assert self.values(project) == changed(SMALL, m1=20).values()
        assert project.run_sql(oid, fetch="one") == before

    def test_a_failed_test_below_keeps_the_old(self, project: Any) -> None:
        write_file(
            "models: [{name: m1, columns: [{name: v, data_tests: [{accepted_values: {arguments: {values: [11], quote: false}}}]}]}]",
            *self.at(project, "tests.yml"),
        )
        changed(SMALL, m0=2).write(self.folder(project))
        results = statuses(run_dbt(["build"], expect_pass=False))
        assert results["m2"] == "skipped"
        assert self.values(project) == SMALL.values()
        assert left_behind(project) == []

    def test_a_release_that_is_refused_changes_nothing(self, project: Any) -> None:
        """m2 reads the new m0 for the sake of the table, and m1, which is not selected, and so the old one."""
        models = (Model(0, (), 1), Model(1, (0,), 10), Model(2, (0, 1), 100), *SMALL.models[3:])
        dag = Dag(models)
        dag.write(self.folder(project))
        write_file(
            "{{ config(materialized='table') }} select v from {{ ref('m2') }}",
            *self.at(project, "filled.sql"),
        )
        run_dbt(["run"])
        changed(dag, m0=2).write(self.folder(project))
        results = run_dbt(["run", "--select", "m0", "m2", "filled"], expect_pass=False)
        assert sorted(statuses(results).values()) == ["error", "skipped", "skipped"]
        (failed,) = (result for result in results if result.status == "error")
        assert "beside it what is computed from" in failed.message
        assert "Held back with it: " in failed.message
        for result in results:
            if result is not failed:
                assert f"the error is that of {failed.node.name}" in result.adapter_response["reason"]
        assert self.values(project) == dag.values()
        assert self.read(project, "filled") == dag.values()[2]
        assert left_behind(project) == []
        run_dbt(["run", "--select", "m0+"])
        assert self.values(project) == changed(dag, m0=2).values()
        assert self.read(project, "filled") == changed(dag, m0=2).values()[2]

    @pytest.mark.slow
    @pytest.mark.parametrize("signal", ["interrupt", "kill"])
    def test_a_run_that_is_stopped(
        self, project: Any, server: dict[str, Any], tmp_path: Path, signal: str
    ) -> None:
        dag = changed(SMALL, m0=2, m1=20)
        with reading(server, project.test_schema, len(SMALL.models), {SMALL.values()}) as readers:
            dag.write(self.folder(project))
            write_file(SLEEP, *self.at(project, "slow.sql"))
            process = DbtProcess(project, tmp_path, "run")
            wait_for(lambda: process.has_ended or left_behind(project) != [])
            wait_for(lambda: process.has_ended or "OK created sql materialized_view model" in process.output)
            assert not process.has_ended, process.output
            getattr(process, signal)()
            assert process.wait() != 0
        assert readers.errors == []
        assert (left_behind(project) == []) == (signal == "interrupt")
        (self.folder(project) / "slow.sql").unlink()
        run_dbt(["run"])
        assert self.values(project) == dag.values()
        assert left_behind(project) == []

    @pytest.mark.slow
    def test_the_second_of_two_runs_waits_and_names_the_first(
        self, project: Any, server: dict[str, Any], tmp_path: Path
    ) -> None:
        dag = changed(SMALL, m0=2)
        dag.write(self.folder(project))
        other = StagingSession(partial(connected, server), print, Event())
        try:
            assert other.lock([f"{project.test_schema}__dbt_next"])
            process = DbtProcess(project, tmp_path, "run")
            wait_for(lambda: process.has_ended or "waiting for" in process.output)
            assert "waiting for the run of dbt of " in process.output
            assert "which is changing the same schema" in process.output
            assert self.values(project) == SMALL.values()
        finally:
            other.close()
        assert process.wait() == 0, process.output
        assert self.values(project) == dag.values()

    def test_what_a_living_run_has_staged_is_left_alone(self, project: Any, server: dict[str, Any]) -> None:
        staging = f"{project.test_schema}__dbt_next"
        other = StagingSession(partial(connected, server), print, Event())
        try:
            assert other.lock([staging])
            other.make(staging, [])
            run_dbt(["run"])  # has nothing to change
            assert left_behind(project) == [staging]
        finally:
            other.close()
        run_dbt(["run"])
        assert left_behind(project) == []

    @staticmethod
    def at(project: Any, name: str) -> tuple[str, str, str]:
        return project.project_root, "models", name


@pytest.mark.slow
class TestRandomEdits(Released):
    """Twenty edits, of which each test makes two: four kinds of disturbances come before them, one after the other."""

    SIZE = 30
    EDITS = 2

    @pytest.mark.timeout(900)
    @pytest.mark.parametrize("seed", range(10))
    def test_readers_find_whole_versions(
        self, project: Any, server: dict[str, Any], tmp_path: Path, seed: int
    ) -> None:
        random = Random(seed)
        dag = Dag.random(random, self.SIZE)
        folder = self.folder(project)
        dag.write(folder)
        assert DbtProcess(project, tmp_path, "run").wait() == 0
        allowed = {dag.values()}
        with reading(server, project.test_schema, self.SIZE, allowed) as readers:
            for edit in range(seed * self.EDITS, (seed + 1) * self.EDITS):
                following = dag.edited(random)
                allowed.add(following.values())
                following.write(folder)
                self.disturb(random, edit, project, tmp_path, following)
                assert left_behind(project) == [] or edit % 4 == 2
                following.write(folder)
                process = DbtProcess(project, tmp_path, "run")
                assert process.wait() == 0, process.output
                assert left_behind(project) == []
                polls = readers.polls
                wait_for(lambda polls=polls: readers.polls > polls + 4 or bool(readers.errors))  # type: ignore[misc]
                allowed.remove(dag.values())
                dag = following
                assert readers.errors == []
        assert readers.errors == []

    def disturb(self, random: Random, edit: int, project: Any, tmp_path: Path, dag: Dag) -> None:
        """Before the run that is to succeed: one that is interrupted, killed, or fails, or one beside it."""
        match edit % 4:
            case 0:
                return
            case 1 | 2:
                process = DbtProcess(project, tmp_path, "run")
                Event().wait(random.uniform(3, 15))
                if edit % 4 == 1:
                    process.interrupt()
                    process.wait()
                else:
                    process.kill()
            case 3 if edit % 8 == 3:
                processes = [DbtProcess(project, tmp_path, "run") for _ in range(2)]
                codes = [process.wait() for process in processes]
                assert 0 in codes, processes[0].output
                for code, process in zip(codes, processes, strict=True):
                    assert code == 0 or "was changed by the other run" in process.output, process.output
            case 3:
                dag.with_broken(random.randrange(self.SIZE)).write(self.folder(project))
                assert DbtProcess(project, tmp_path, "run").wait() != 0
