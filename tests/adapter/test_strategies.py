"""Incremental strategies of the adapter's own making, beyond what dbt's suite asks of them."""

from __future__ import annotations

from typing import Any

import pytest
from dbt.tests.util import patch_microbatch_end_time, run_dbt

from .test_changes import messages
from .test_constraints import rows

EVENTS = (
    "{{ config(materialized='table', event_time='at') }} select id, cast(at as timestamp) as at from (values "
    "(1, '2020-01-01 01:00'), (2, '2020-01-02 01:00'), (3, '2020-01-03 01:00')) v (id, at)"
)
BATCHES = (
    "{{ config(materialized='incremental', incremental_strategy='microbatch', event_time='at', batch_size='day',"
    " begin='2020-01-01', lookback=1) }} select id, at from {{ ref('events') }}"
)
MERGED = (
    "{{ config(materialized='incremental', incremental_strategy='merge', unique_key=['a', 'b']) }}"
    " select 1 as a, 2 as b, {{ var('value') }} as value"
    " {% if is_incremental() %}union all select 1, 3, 7 {% if var('twice', false) %}union all select 1, 3, 8{% endif %}{% endif %}"
)
KEYLESS = "{{ config(materialized='incremental', incremental_strategy='merge') }} select {{ var('value') }} as value"


class TestMicrobatch:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {"events.sql": EVENTS, "batches.sql": BATCHES}

    def test_a_batch_replaces_its_interval_without_a_key(self, project: Any) -> None:
        def ids(*arguments: str) -> list[int]:
            with patch_microbatch_end_time("2020-01-03 13:00:00"):
                run_dbt(["run", "--select", "batches", *arguments])
            return [id for id, _ in rows(project, "batches")]

        run_dbt(["run", "--select", "events"])
        assert ids() == [1, 2, 3]
        project.run_sql("delete from {schema}.events where id in (1, 3)")
        project.run_sql("insert into {schema}.events values (4, timestamp '2020-01-02 23:59')")
        assert ids() == [1, 2, 4], "two days back, and no further"
        assert ids("--event-time-start", "2020-01-01", "--event-time-end", "2020-01-02") == [2, 4]
        assert ids("--full-refresh") == [2, 4]


class TestMerge:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {"merged.sql": MERGED, "keyless.sql": KEYLESS}

    def test_rows_of_a_key_are_updated(self, project: Any) -> None:
        run_dbt(["run", "--vars", "value: 5"])
        run_dbt(["run", "--vars", "value: 6"])
        assert rows(project, "merged") == [(1, 2, 6), (1, 3, 7)]
        assert rows(project, "keyless") == [(5,), (6,)]
        project.run_sql("delete from {schema}.merged where b = 3")
        run_dbt(["run", "--vars", "value: 6", "--select", "merged"])
        said = messages(run_dbt(["run", "--vars", "{value: 8, twice: true}"], expect_pass=False))["merged"]
        assert "Database Error in model merged (models/merged.sql)" in said
        assert "MERGE command cannot affect row a second time" in said
        assert rows(project, "merged") == [(1, 2, 6), (1, 3, 7)]
