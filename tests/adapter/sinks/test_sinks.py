"""A sink model goes on over whatever a run does to what it reads, and a sink that does not write fails the run."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture, write_file

from ..staging.dag import DbtProcess
from ..test_changes import messages

SEED = "id,port\n1,a\n2,b\n"
MOVES = "{{ config(materialized='view') }} select id, port from {{ ref('seed') }}"
DAY = "{{ config(materialized='materialized_view', indexes=[{'columns': ['id']}]) }} select id, port from {{ ref('moves') }}"
FAILING = DAY.replace("select id, port", "select 100 / (id - 8) as id, port")
CHANGED = MOVES.replace("port from", "port || '!' as port from")
MORE = MOVES.replace("port from", "port, 1 as more from")


def wait_for(condition: Any) -> None:
    deadline = time.monotonic() + 180
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.usefixtures("folder")
class TestSinks:
    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return {"models": {"+grants": {"select": ["public"]}}}  # which is nothing for the sink among them

    @pytest.fixture(scope="class")
    def folder(self, tmp_path_factory: pytest.TempPathFactory) -> Path:
        return tmp_path_factory.mktemp("sinks")

    @pytest.fixture(scope="class")
    def seeds(self) -> dict[str, str]:
        return {"seed.csv": SEED}

    @pytest.fixture(scope="class")
    def models(self, folder: Path) -> dict[str, str]:
        sink = (
            f"{{{{ config(materialized='sink', connector=\"file '{folder}/out'\", key=['id']) }}}}"
            " select * from {{ ref('day') }}"
        )
        return {"moves.sql": MOVES, "day.sql": DAY, "feed.sql": sink, "also.sql": DAY}

    @pytest.fixture(autouse=True)
    def built(self, project: Any) -> None:
        write_file(MOVES, project.project_root, "models", "moves.sql")
        write_file(DAY, project.project_root, "models", "day.sql")
        run_dbt(["build"])

    def ids(self, project: Any) -> list[Any]:
        rows = project.run_sql(
            f"select id from mz_catalog.mz_objects where schema_name = '{project.test_schema}' and name = 'feed'",
            fetch="all",
        )
        return [id_ for (id_,) in rows]

    def cluster(self, project: Any) -> Any:
        return project.run_sql(
            "select c.name from mz_catalog.mz_sinks s join mz_catalog.mz_clusters c on c.id = s.cluster_id "
            f"join mz_catalog.mz_objects o on o.id = s.id where o.schema_name = '{project.test_schema}' and o.name = 'feed'",
            fetch="one",
        )[0]

    def target(self, folder: Path) -> dict[int, str]:
        """The rows that a reader of the target has."""
        upper = json.loads((folder / "out" / "manifest.json").read_text())["upper"]
        found = {}
        for path in sorted((folder / "out").glob("*.jsonl")):
            if int(path.name[:20]) < upper:
                for line in path.read_text().splitlines():
                    record = json.loads(line)
                    found[record["key"]["id"] if "key" in record else record["id"]] = record["after"]
        return {key: after["port"] for key, after in found.items() if after is not None}

    def left(self, project: Any) -> list[str]:
        rows = project.run_sql(
            f"select name from mz_catalog.mz_objects where schema_name = '{project.test_schema}' "
            "and name like '%__dbt_%' and type <> 'index'",
            fetch="all",
        )
        return sorted(name for (name,) in rows)

    @pytest.mark.slow
    def test_a_sink_goes_on_when_what_it_reads_is_replaced(self, project: Any, folder: Path) -> None:
        before = self.ids(project)
        write_file(CHANGED, project.project_root, "models", "moves.sql")
        assert messages(run_dbt(["run", "--select", "moves+"]))["feed"] == "UNCHANGED"
        wait_for(lambda: self.target(folder) == {1: "a!", 2: "b!"})
        assert self.ids(project) == before
        assert self.left(project) == []
        assert messages(run_dbt(["run"]))["feed"] == "UNCHANGED"

    @pytest.mark.slow(ordinary=1)
    @pytest.mark.parametrize("selected", ["moves+", "day+", "feed"])
    def test_full_refresh_leaves_the_sink(self, project: Any, folder: Path, selected: str) -> None:
        before = self.ids(project)
        results = run_dbt(["run", "--full-refresh", "--select", selected])
        assert messages(results)["feed"] == ("UNCHANGED" if selected == "feed" else "ALTER SINK")
        project.run_sql(f"insert into {project.test_schema}.seed values (3, '{selected}')")
        wait_for(lambda: self.target(folder).get(3) == selected)
        assert self.ids(project) == before
        assert self.left(project) == []

    def test_a_run_that_fails_leaves_the_sink_with_the_old(self, project: Any, folder: Path) -> None:
        before = self.ids(project)
        write_file(CHANGED, project.project_root, "models", "moves.sql")
        write_file(
            DAY.replace("select id", "select 1/0 as nothing, nothing.id"),
            project.project_root,
            "models",
            "day.sql",
        )
        run_dbt(["run", "--select", "moves+"], expect_pass=False)
        assert self.left(project) == []
        assert self.ids(project) == before
        project.run_sql(f"insert into {project.test_schema}.seed values (4, 'd')")
        wait_for(lambda: self.target(folder).get(4) == "d")
        write_file(DAY, project.project_root, "models", "day.sql")
        run_dbt(["run", "--select", "moves+"])
        wait_for(lambda: self.target(folder).get(4) == "d!")
        assert self.ids(project) == before
        assert self.left(project) == []

    @pytest.mark.slow
    def test_a_sink_that_is_stalled_fails_the_run(self, project: Any, folder: Path) -> None:
        project.run_sql(f"drop sink {project.test_schema}.feed")
        (result,) = run_dbt(["run", "--select", "feed"], expect_pass=False)
        assert "belongs to another sink" in result.message
        (again,) = run_dbt(["run", "--select", "feed"], expect_pass=False)
        assert "is stalled, and writes nothing" in again.message
        assert "It stays, and goes on by itself when that is mended" in again.message
        shutil.rmtree(folder / "out")
        assert messages(run_dbt(["run", "--select", "feed"])) == {"feed": "UNCHANGED"}

    def test_a_sink_that_is_not_part_of_the_run_is_a_refusal(self, project: Any) -> None:
        write_file(MORE, project.project_root, "models", "moves.sql")
        _, log = run_dbt_and_capture(["run", "--select", "moves", "day", "also"], expect_pass=False)
        assert '"feed"' in log
        assert "are not part of this run" in log

    def test_a_sink_over_a_model_of_another_name_goes_on(self, project: Any, folder: Path) -> None:
        before = self.ids(project)
        feed = Path(project.project_root, "models", "feed.sql")
        text = feed.read_text()
        feed.write_text(text.replace("ref('day')", "ref('also')"))
        try:
            assert messages(run_dbt(["run"]))["feed"] == "ALTER SINK"
            project.run_sql(f"insert into {project.test_schema}.seed values (5, 'e')")
            wait_for(lambda: self.target(folder).get(5) == "e")
            assert self.ids(project) == before
        finally:
            feed.write_text(text)
        assert messages(run_dbt(["run"]))["feed"] == "ALTER SINK"
        assert messages(run_dbt(["run"]))["feed"] == "UNCHANGED"
        assert self.ids(project) == before

    def test_a_sink_goes_on_in_another_cluster(self, project: Any, folder: Path) -> None:
        """Alone, with something else to read, and where the release waits for what is staged; without a cluster it stays there."""
        before = self.ids(project)
        feed = Path(project.project_root, "models", "feed.sql")
        text = feed.read_text()

        def write(cluster: str, reads: str = "day") -> None:
            in_cluster = text.replace("key=['id']", f"key=['id'], cluster='{cluster}'")
            feed.write_text(in_cluster.replace("ref('day')", f"ref('{reads}')"))

        home = self.cluster(project)
        clusters = [f"{project.test_schema}_{number}" for number in (1, 2)]
        for cluster in clusters:
            project.run_sql(f"create cluster {cluster}")
        try:
            write(clusters[0])
            assert messages(run_dbt(["run", "--select", "feed"]))["feed"] == "ALTER SINK"
            assert self.cluster(project) == clusters[0]
            assert messages(run_dbt(["run"]))["feed"] == "UNCHANGED"
            write(clusters[1], "also")
            assert messages(run_dbt(["run"]))["feed"] == "ALTER SINK"
            assert self.cluster(project) == clusters[1]
            write(clusters[0])
            write_file(MORE, project.project_root, "models", "moves.sql")
            assert messages(run_dbt(["run"]))["feed"] == "ALTER SINK"
            assert self.cluster(project) == clusters[0]
            assert self.left(project) == []
            feed.write_text(text)
            assert messages(run_dbt(["run"]))["feed"] == "UNCHANGED"
            assert self.cluster(project) == clusters[0]
            project.run_sql(f"insert into {project.test_schema}.seed values (6, 'f')")
            wait_for(lambda: self.target(folder).get(6) == "f")
            assert self.ids(project) == before
        finally:
            feed.write_text(text)
            project.run_sql(f"alter sink {project.test_schema}.feed set cluster {home}")
            for cluster in clusters:
                project.run_sql(f"drop cluster {cluster}")

    def test_another_way_to_write_to_the_same_target_is_a_refusal(self, project: Any, folder: Path) -> None:
        before = self.ids(project)
        feed = Path(project.project_root, "models", "feed.sql")
        text = feed.read_text()
        feed.write_text(text.replace("key=['id']", "key=['id'], envelope='debezium'"))
        try:
            results = run_dbt(["run"], expect_pass=False)
            assert "to write in another way to where it writes" in messages(results)["feed"]
        finally:
            feed.write_text(text)
        assert self.ids(project) == before
        assert messages(run_dbt(["run"]))["feed"] == "UNCHANGED"

    def test_a_run_mends_what_a_sink_waits_for(self, project: Any, folder: Path) -> None:
        """The error of what it reads is not the sink's, and must not keep the run from mending it."""
        before = self.ids(project)
        failing = DAY.replace("select id, port", "select 100 / (id - 7) as id, port")
        write_file(failing, project.project_root, "models", "day.sql")
        run_dbt(["run"])
        project.run_sql(f"insert into {project.test_schema}.seed values (7, 'g')")
        mended = failing.replace("(id - 7)", "nullif(id - 7, 0)")
        write_file(mended, project.project_root, "models", "day.sql")
        results = messages(run_dbt(["run"]))
        assert results["feed"] == "UNCHANGED", results
        project.run_sql(f"delete from {project.test_schema}.seed where id = 7")
        write_file(DAY, project.project_root, "models", "day.sql")
        run_dbt(["run"])
        wait_for(lambda: self.target(folder).get(2, "").startswith("b"))
        assert self.ids(project) == before

    @contextmanager
    def in_error(self, project: Any) -> Iterator[None]:
        """What feed reads has a row that is an error, if `day` is FAILING."""
        project.run_sql(f"insert into {project.test_schema}.seed values (8, 'h')")
        try:
            yield
        finally:
            project.run_sql(f"delete from {project.test_schema}.seed where id = 8")

    @pytest.mark.slow
    def test_a_sink_over_an_error_goes_over_to_what_mends_it(self, project: Any) -> None:
        before = self.ids(project)
        write_file(FAILING, project.project_root, "models", "day.sql")
        run_dbt(["run"])
        again = ["run", "--full-refresh", "--select", "day+"]
        with self.in_error(project):
            # What takes its place is in error as well, so the sink can neither go on nor go over.
            results, log = run_dbt_and_capture([*again], expect_pass=False)
            assert "is stalled, and still writes what it has read before" in messages(results)["feed"]
            assert "division by zero" in messages(results)["feed"]
            assert "still writes what it has read before: " in log
            assert self.left(project) == ["day__dbt_old_1"]
        results, log = run_dbt_and_capture([*again])
        assert messages(results)["feed"] == "ALTER SINK"
        rebuilt = [line for line in log.splitlines() if "rebuilt later in this run" in line]
        assert not any("__dbt_old_" in line for line in rebuilt)
        assert self.left(project) == []
        with self.in_error(project):
            write_file(DAY, project.project_root, "models", "day.sql")
            assert messages(run_dbt([*again]))["feed"] == "ALTER SINK"
            assert self.left(project) == []
        assert self.ids(project) == before

    @pytest.mark.slow
    def test_a_sink_that_waits_between_two_errors_goes_over_to_another_change(
        self, project: Any, folder: Path
    ) -> None:
        """Neither of what it has read and what it was to read comes out of its error meanwhile."""
        before = self.ids(project)
        write_file(FAILING, project.project_root, "models", "day.sql")
        run_dbt(["run"])
        again = ["run", "--full-refresh", "--select", "day+"]
        with self.in_error(project):
            results = run_dbt([*again], expect_pass=False)
            assert "by another change of the models between" in messages(results)["feed"]
            run_dbt([*again], expect_pass=False)
            assert self.left(project) == ["day__dbt_old_1", "day__dbt_old_2"]
            write_file(DAY, project.project_root, "models", "day.sql")
            assert messages(run_dbt([*again]))["feed"] == "ALTER SINK"
            assert self.left(project) == []
            assert self.target(folder)[8] == "h"
        assert self.ids(project) == before

    @pytest.mark.slow
    def test_retry_goes_on_with_a_sink_that_was_waited_for(self, project: Any, tmp_path: Path) -> None:
        write_file(FAILING, project.project_root, "models", "day.sql")
        run_dbt(["run"])
        with self.in_error(project):
            process = DbtProcess(project, tmp_path, "run", "--full-refresh", "--select", "day+")
            wait_for(lambda: process.has_ended or "still writes what it has read before: " in process.output)
            process.interrupt()
            assert process.wait() != 0
            assert "feed: the run was stopped before it had gone over" in process.output.replace('"', "")
        target = tmp_path / process.log.stem / "target"
        assert set(messages(run_dbt(["retry", "--state", str(target)]))) == {"feed"}
        assert self.left(project) == []

    def test_other_columns_and_another_target_in_one_run(self, project: Any, folder: Path) -> None:
        feed = Path(project.project_root, "models", "feed.sql")
        text = feed.read_text()
        feed.write_text(text.replace("/out'", "/wider'"))
        write_file(MORE, project.project_root, "models", "moves.sql")
        write_file(DAY.replace("id, port", "id, port, more"), project.project_root, "models", "day.sql")
        try:
            assert messages(run_dbt(["run"]))["feed"] == "CREATE SINK"
            wait_for(lambda: (folder / "wider" / "manifest.json").exists())
            wait_for(lambda: '"more":1' in "".join(p.read_text() for p in (folder / "wider").glob("*.jsonl")))
            assert self.left(project) == []
        finally:
            feed.write_text(text)
            shutil.rmtree(folder / "out")
            project.run_sql(f"drop sink {project.test_schema}.feed")
