"""Sink models INTO KAFKA: as Materialize's adapter has them, a clause, and as a query with a connector; in JSON and in Avro."""

from __future__ import annotations

import io
import json
import time
import uuid
from collections.abc import Iterator
from typing import Any

import fastavro
import pytest
from dbt.tests.util import run_dbt, write_file
from servers.kafka.broker import KafkaBroker
from servers.schema_registry import SchemaRegistry, schema_registry

SEED = "id,port\n1,a\n2,b\n"
MOVES = "{{ config(materialized='materialized_view') }} select id, port from {{ ref('seed') }}"
CHANGED = MOVES.replace("port from", "port || '!' as port from")


@pytest.mark.usefixtures("connection")
class TestKafkaSinks:
    @pytest.fixture(scope="class")
    def topics(self) -> tuple[str, str]:
        return f"clause_{uuid.uuid4().hex[:8]}", f"query_{uuid.uuid4().hex[:8]}"

    @pytest.fixture(scope="class")
    def avro(self) -> str:
        return f"avro_{uuid.uuid4().hex[:8]}"

    @pytest.fixture(scope="class")
    def registry(self) -> Iterator[SchemaRegistry]:
        with schema_registry() as server:
            yield server

    @pytest.fixture(scope="class")
    def seeds(self) -> dict[str, str]:
        return {"seed.csv": SEED}

    @pytest.fixture(scope="class")
    def models(self, topics: tuple[str, str], avro: str) -> dict[str, str]:
        clause, query = topics
        return {
            "moves.sql": MOVES,
            "clause.sql": "{{ config(materialized='sink') }} from {{ ref('moves') }} into kafka connection {{ target.schema }}.broker "
            f"(topic '{clause}', topic partition count 2) key (id) format json envelope upsert",
            "query.sql": "{{ config(materialized='sink', key=['id'], "
            f"connector='kafka connection ' ~ target.schema ~ '.broker (topic {query})') }}}} "
            "select * from {{ ref('moves') }}",
            "avro.sql": "{{ config(materialized='sink', key=['id'], "
            f"connector='kafka connection ' ~ target.schema ~ '.broker (topic {avro})', "
            "format='avro using confluent schema registry connection ' ~ target.schema ~ '.registry') }} "
            "select * from {{ ref('moves') }}",
        }

    @pytest.fixture(scope="class")
    def connection(self, project: Any, kafka: KafkaBroker, registry: SchemaRegistry) -> None:
        project.run_sql(
            f"create connection if not exists {project.test_schema}.broker to kafka "
            f"(broker '{kafka.bootstrap}', security protocol plaintext)"
        )
        project.run_sql(
            f"create connection if not exists {project.test_schema}.registry to confluent schema registry (url '{registry.url}')"
        )

    def test_a_sink_goes_on_over_a_changed_view(
        self, project: Any, kafka: KafkaBroker, topics: tuple[str, str], registry: SchemaRegistry, avro: str
    ) -> None:
        assert len(run_dbt(["build"])) == 5
        for topic in topics:
            wait_for(kafka, topic, {1: "a", 2: "b"})
        wait_for(kafka, avro, {1: "a", 2: "b"}, registry)
        write_file(CHANGED, project.project_root, "models", "moves.sql")
        run_dbt(["build"])
        for topic in topics:
            wait_for(kafka, topic, {1: "a!", 2: "b!"})
            assert len(kafka.messages(topic)) == 4, "the difference, and not the contents again"
        wait_for(kafka, avro, {1: "a!", 2: "b!"}, registry)
        run_dbt(["build"])
        assert all(len(kafka.messages(topic)) == 4 for topic in (*topics, avro))

    def test_a_sink_goes_on_with_a_view_that_is_made_anew(
        self, project: Any, kafka: KafkaBroker, topics: tuple[str, str], registry: SchemaRegistry, avro: str
    ) -> None:
        run_dbt(["run", "--full-refresh"])
        left = "select name from mz_catalog.mz_objects where name like 'moves__dbt_old%'"
        assert project.run_sql(left, fetch="all") == []
        project.run_sql(f"insert into {project.test_schema}.seed values (3, 'c')")
        for topic in topics:
            wait_for(kafka, topic, {1: "a!", 2: "b!", 3: "c!"})
            assert len(kafka.messages(topic)) == 5, "the difference, and not the contents again"
        wait_for(kafka, avro, {1: "a!", 2: "b!", 3: "c!"}, registry)


def wait_for(
    kafka: KafkaBroker, topic: str, wanted: dict[int, str], registry: SchemaRegistry | None = None
) -> None:
    """Until the topic's rows are those, in JSON, or as `registry` has their schema."""
    deadline = time.monotonic() + 60
    while True:
        found = {}
        for message in kafka.messages(topic):
            if registry is None:
                row = json.loads(message.value())
            else:
                ((_, schema),) = registry.versions(f"{topic}-value")
                row = fastavro.schemaless_reader(
                    io.BytesIO(message.value()[5:]), fastavro.parse_schema(schema), None
                )
            found[row["id"]] = row["port"]
        if found == wanted:
            return
        assert time.monotonic() < deadline, found
        time.sleep(0.2)
