"""The statements that macros render for what only the runtime has: sources, sinks, clusters, options."""

from __future__ import annotations

import re
from typing import Any

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture

MODELS = {
    "events.sql": """
{{ config(materialized='source', cluster='fast') }}
(id integer not null, at timestamp) from file '/data' format json key (id) envelope upsert
""",
    "counted.sql": """
{{ config(materialized='materialized_view', cluster='fast', retain_history='1 hour', assert_not_null=['id']) }}
select id, count(*) as n from {{ ref('events') }} group by id
""",
    "out_config.sql": """
{{ config(materialized='sink', connector="file '/out'", key=['id']) }}
select * from {{ ref('counted') }}
""",
    "out_clause.sql": """
{{ config(materialized='sink') }}
from {{ ref('counted') }} into file '/out' format json envelope debezium
""",
    "out_rows.sql": """
{{ config(materialized='sink', connector="postgres connection c (table reports.counted)", key=['id']) }}
select * from {{ ref('counted') }}
""",
    "nowhere.sql": "{{ config(materialized='sink') }} select * from {{ ref('counted') }}",
}

HASH = r"/\* dbt:hash=[0-9a-f]{64} \*/"


def one_line(sql: str) -> str:
    return re.sub(r"\s+", " ", sql).strip()


class TestCompiled:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return MODELS

    def test_the_project_parses(self, project: Any) -> None:
        manifest = run_dbt(["parse"])
        kinds = {node.name: node.config.materialized for node in manifest.nodes.values()}
        assert kinds == {
            "events": "source",
            "counted": "materialized_view",
            "out_config": "sink",
            "out_clause": "sink",
            "out_rows": "sink",
            "nowhere": "sink",
        }

    def test_a_source(self, project: Any) -> None:
        """PostgreSQL, and a runtime without cluster `fast`, refuse it: what was sent is in the log."""
        _, log = run_dbt_and_capture(["--debug", "run", "--select", "events"], expect_pass=False)
        assert re.search(
            rf'create source "{project.test_schema}"\."events" {HASH} \(id integer not null, at timestamp\) '
            r"in cluster \"fast\" from file '/data' format json key \(id\) envelope upsert",
            one_line(log),
        )

    def test_sinks_of_both_styles(self, project: Any) -> None:
        _, log = run_dbt_and_capture(
            ["--debug", "run", "--select", "config.materialized:sink"], expect_pass=False
        )
        text, schema = one_line(log), project.test_schema
        assert re.search(
            rf'create sink "{schema}"\."out_config" {HASH} from "{schema}"\."counted" into file \'/out\' '
            r"format json key \(id\) envelope upsert",
            text,
        )
        assert re.search(
            rf'create sink "{schema}"\."out_clause" {HASH} from "{schema}"\."counted" into file \'/out\' '
            r"format json envelope debezium",
            text,
        )
        assert re.search(
            rf'create sink "{schema}"\."out_rows" {HASH} from "{schema}"\."counted" '
            r"into postgres connection c \(table reports\.counted\) key \(id\) envelope upsert",
            text,
        )
        assert "set `connector`" in text

    def test_a_maintained_view(self, project: Any) -> None:
        _, log = run_dbt_and_capture(["--debug", "run", "--select", "counted"], expect_pass=False)
        assert re.search(
            rf'create materialized view "{project.test_schema}"\."counted" in cluster "fast" '
            r"with \(retain history for '1 hour', assert not null \"id\"\) as "
            r"select /\* dbt:hash=[0-9a-f]{64} \*/ id, count\(\*\) as n",
            one_line(log),
        )
