"""A model that is a KAFKA source: made by a run, left alone by the next, replaced when its text changes."""

from __future__ import annotations

import time
from typing import Any

import pytest
from dbt.tests.util import run_dbt, write_file
from servers.kafka.broker import KafkaBroker

SOURCE = (
    "{{{{ config(materialized='source') }}}}\n(id int, name text, primary key (id)) "
    "from kafka connection {connection} (topic '{topic}') key format json value format json {more} envelope upsert"
)
VIEW = "{{ config(materialized='materialized_view') }} select id, name from {{ ref('customers') }}"


class TestKafkaSource:
    @pytest.fixture(scope="class")
    def topic(self, kafka: KafkaBroker) -> str:
        topic = kafka.topic()
        kafka.produce(topic, [(b'{"id": 1}', b'{"name": "ada"}'), (b'{"id": 2}', b'{"name": "bob"}')])
        return topic

    @pytest.fixture(scope="class")
    def models(self, topic: str) -> dict[str, str]:
        return {"customers.sql": self.source(topic), "names.sql": VIEW}

    @pytest.fixture(scope="class")
    def macros(self, kafka: KafkaBroker) -> dict[str, str]:
        made = f"create connection if not exists events to kafka (broker '{kafka.bootstrap}', security protocol plaintext)"
        return {
            "connections.sql": f'{{% macro make_connections() %}}{{% do run_query("{made}") %}}{{% endmacro %}}'
        }

    def source(self, topic: str, more: str = "") -> str:
        return SOURCE.format(connection="public.events", topic=topic, more=more)

    def test_it_is_a_model_as_any_other(self, project: Any, kafka: KafkaBroker, topic: str) -> None:
        def id_of(name: str) -> str:
            query = (
                f"select id from mz_objects where schema_name = '{project.test_schema}' and name = '{name}'"
            )
            return str(project.run_sql(query, fetch="one")[0])

        def holds(wanted: list[tuple[int, str]]) -> None:
            deadline = time.monotonic() + 60
            query = f"select id, name from {project.test_schema}.names order by id"
            while project.run_sql(query, fetch="all") != wanted:
                assert time.monotonic() < deadline, project.run_sql(query, fetch="all")
                time.sleep(0.1)

        run_dbt(["run-operation", "make_connections"])
        assert len(run_dbt(["run"])) == 2
        holds([(1, "ada"), (2, "bob")])
        before = id_of("customers")
        run_dbt(["run"])
        assert id_of("customers") == before
        kafka.produce(topic, [(b'{"id": 1}', None), (b'{"id": 3}', b'{"name": "cyd"}')])
        holds([(2, "bob"), (3, "cyd")])
        write_file(self.source(topic, "include offset"), project.project_root, "models", "customers.sql")
        run_dbt(["run"])
        assert id_of("customers") != before
        holds([(2, "bob"), (3, "cyd")])
        project.run_sql("drop connection public.events cascade")
