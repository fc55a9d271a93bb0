"""What an analyst reads when something is wrong: the object, the place, and what to do."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path
from typing import Any

import psycopg
import pytest
from dbt.tests.util import run_dbt
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError

from dbt.adapters.ptvc.connections import UnreachableError, open_handle
from dbt.adapters.ptvc.credentials import PtvcCredentials

from .test_changes import messages

MODELS = {
    "unknown_column.sql": "select id,\n  nope\nfrom {{ ref('fine') }}",
    "wrong_type.sql": "select id + 'x' as id from {{ ref('fine') }}",
    "syntax.sql": """{{
  config(tags=['a'])
}}

select name,
  count(*) as n
frm {{ ref('fine') }}
group by name
""",
    "unsupported.sql": "select name, now() as at from {{ ref('fine') }}",
    "contract.sql": "{{ config(contract={'enforced': true}) }} select id, name from {{ ref('fine') }}",
    "fine.sql": "{{ config(materialized='view') }} select 1 as id, 'a' as name",
    "models.yml": "models:\n  - name: contract\n    columns:\n      - {name: id, data_type: text}\n"
    "      - {name: name, data_type: text}\n",
}


class TestModels:
    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return {"models": {"+materialized": "materialized_view"}}

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return MODELS

    def test_messages_name_model_line_and_remedy(self, project: Any) -> None:
        said = messages(run_dbt(["run"], expect_pass=False))
        column = said["unknown_column"]
        assert "Database Error in model unknown_column (models/unknown_column.sql)" in column
        assert 'column "nope" does not exist' in column
        assert "nope\n" in column  # the line, with a caret under the place
        assert "^" in column
        assert 'invalid input syntax for type integer: "x"' in said["wrong_type"]
        assert 'syntax error at or near "' in said["syntax"]
        assert "That is line 7 of models/syntax.sql." in said["syntax"]
        assert "That is line 2 of models/unknown_column.sql." in column
        assert "HINT:" in said["unsupported"]
        assert "data type mismatch" in said["contract"]
        assert all("Traceback" not in message for message in said.values())


def credentials(server: dict[str, Any], **changes: Any) -> PtvcCredentials:
    return PtvcCredentials(
        **{"host": server["host"], "port": server["port"], "user": server["user"], **changes}
    )


def test_nothing_listens_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        with pytest.raises(UnreachableError) as caught:
            open_handle(PtvcCredentials(host="127.0.0.1", port=port, connect_timeout=5))
    message = str(caught.value)
    assert f"no ptvc runtime answers at 127.0.0.1:{port}" in message
    assert "Start it with `ptvc serve`" in message
    assert "name a `path` instead" in message


def test_another_database_does_not_exist(server: dict[str, Any]) -> None:
    with pytest.raises(psycopg.OperationalError, match='database "elsewhere" does not exist'):
        open_handle(credentials(server, database="elsewhere"))


def test_an_unknown_cluster_is_named(server: dict[str, Any], target_name: str) -> None:
    if target_name == "postgres":
        pytest.skip("PostgreSQL has no clusters")
    handle = open_handle(credentials(server))
    try:
        with pytest.raises(psycopg.Error, match="nowhere"):
            handle.execute("create materialized view public.x in cluster nowhere as select 1 as id")
    finally:
        handle.close()


def test_a_runtime_of_another_version_is_refused(
    server: dict[str, Any], target_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if target_name == "postgres":
        pytest.skip("PostgreSQL does not say which ptvc it is")
    open_handle(credentials(server)).close()
    monkeypatch.setattr("dbt.adapters.ptvc.connections.adapter_version", "99.0.0")
    with pytest.raises(DbtRuntimeError, match=r"is ptvc .*, the adapter is 99\.0\.0\. Install `dbt-ptvc=="):
        open_handle(credentials(server))


class TestConnections:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {"one.sql": "select 1 as id"}

    def test_a_lost_runtime_is_named_with_what_to_do_next(self, project: Any) -> None:
        with project.adapter.connection_named("lost"):
            project.adapter.execute("select 1")
            handle = project.adapter.connections.get_thread_connection().handle
            with socket.socket(fileno=os.dup(handle.fileno())) as twin:
                twin.shutdown(socket.SHUT_RDWR)
            with pytest.raises(DbtDatabaseError) as caught:
                project.adapter.execute("select 1")
        message = str(caught.value)
        assert "the connection to the ptvc runtime at " in message
        assert "was lost while dbt was at work" in message
        assert "`dbt retry` does what has not been done" in message
        assert "server closed" not in message

    def test_interrupting_a_run_cancels_on_the_server(self, project: Any) -> None:
        """As dbt does on Ctrl-C: another thread's statement is cancelled, and its connection can be used again."""
        project.run_sql(f"create table {project.test_schema}.ten (n int)")
        project.run_sql(
            f"insert into {project.test_schema}.ten values (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)"
        )
        million = ", ".join(f"{project.test_schema}.ten t{i}" for i in range(6))
        failures: list[str] = []
        adapter = project.adapter

        def work() -> None:
            with adapter.connection_named("busy"):
                while not failures:
                    try:
                        adapter.execute(f"select count(*) from {million}")
                    except DbtDatabaseError as error:
                        failures.append(str(error))
                adapter.execute("select 1")

        worker = threading.Thread(target=work)
        worker.start()
        while worker.is_alive():
            if not failures:
                adapter.connections.cancel_open()
            worker.join(0.1)
        adapter.connections.interrupted.clear()
        assert "canceling statement due to user request" in failures[0]

    def test_interrupting_a_run_ends_the_wait_for_a_view(self, project: Any) -> None:
        adapter = project.adapter
        missing = adapter.Relation.create(
            schema=project.test_schema, identifier="nothing", type="materialized_view"
        )
        adapter.connections.interrupted.set()
        try:
            with (
                adapter.connection_named("waiting"),
                pytest.raises(DbtRuntimeError, match="stopped waiting for"),
            ):
                adapter.wait_until_hydrated(missing, 60)
        finally:
            adapter.connections.interrupted.clear()

    def test_an_interrupted_run_leaves_nothing_of_what_it_was_building(self, project: Any) -> None:
        """A model's own relation, new or intermediate, goes; what was finished, or belongs to another thread, stays."""
        adapter, schema = project.adapter, project.test_schema
        made = {
            name: adapter.Relation.create(schema=schema, identifier=name, type="materialized_view")
            for name in ("finished", "unfinished", "others")
        }
        with adapter.connection_named("interrupted"):
            for name, relation in made.items():
                adapter.execute(f"create materialized view {schema}.{name} as select 1 as a")
                if name != "others":
                    adapter.building(relation)
            adapter.built(made["finished"])
            adapter.connections.building["another thread"] = [made["others"]]
            adapter.connections.interrupted.set()
            try:
                adapter.post_model_hook({}, None)
            finally:
                adapter.connections.interrupted.clear()
        left = project.run_sql(
            "select name from mz_catalog.mz_materialized_views where name in ('finished', 'unfinished', 'others')",
            fetch="all",
        )
        assert sorted(left) == [("finished",), ("others",)]
        adapter.connections.building.clear()
        for name in ("finished", "others"):
            project.run_sql(f"drop materialized view {schema}.{name}")

    def test_what_follows_an_interrupt_is_not_cancelled_by_it(
        self, project: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The drops of a thread begin when the interrupt has cancelled what ran on its connection."""
        connections, order = project.adapter.connections, []

        def cancel(connection: Any) -> None:
            thread.start()
            thread.join(0.2)
            order.append("cancelled")

        def dropping() -> None:
            connections.interrupted.wait()
            connections.building[connections.get_thread_identifier()] = ["a relation"]
            project.adapter.post_model_hook({}, None)

        thread = threading.Thread(target=dropping)
        monkeypatch.setattr(type(connections), "cancel", lambda self, connection: cancel(connection))
        monkeypatch.setattr(
            type(project.adapter), "drop_relation", lambda self, relation: order.append("dropped")
        )
        with project.adapter.connection_named("waits"):
            project.adapter.execute("select 1")
            canceler = threading.Thread(target=connections.cancel_open)
            canceler.start()
            canceler.join()
            thread.join()
        connections.interrupted.clear()
        assert order[0] == "cancelled"
        assert order[-1] == "dropped"

    def test_a_model_interrupted_while_it_waits_is_dropped(
        self, project: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The first time, and beside its former self."""
        adapter = type(project.adapter)
        model = Path(project.project_root) / "models" / "waits.sql"

        def interrupted(this: Any, relation: Any, timeout: float) -> None:
            this.connections.interrupted.set()
            raise DbtRuntimeError("stopped waiting")

        def run(text: str, wait: bool) -> list[Any]:
            model.write_text("{{ config(materialized='materialized_view') }} " + text)
            with monkeypatch.context() as patch:
                if wait:
                    patch.setattr(adapter, "wait_until_hydrated", interrupted)
                run_dbt(["run", "--select", "waits"], expect_pass=not wait)
            return list(
                project.run_sql(
                    "select name from mz_catalog.mz_objects where name like 'waits%' and type <> 'index'",
                    fetch="all",
                )
            )

        assert run("select 1 as a", wait=True) == []
        assert run("select 1 as a", wait=False) == [("waits",)]
        assert run("select 'x' as b", wait=True) == [("waits",)]
        model.unlink()

    def test_a_view_that_is_not_hydrated_in_time(self, project: Any) -> None:
        adapter = project.adapter
        missing = adapter.Relation.create(
            schema=project.test_schema, identifier="nothing", type="materialized_view"
        )
        with adapter.connection_named("waiting"), pytest.raises(DbtRuntimeError) as caught:
            adapter.wait_until_hydrated(missing, 0)
        assert "was not hydrated after 0 s (no replica works on it). Raise `hydration_timeout`" in str(
            caught.value
        )
