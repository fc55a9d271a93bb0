from __future__ import annotations

from collections.abc import Iterator
from threading import current_thread
from typing import Any

import pytest
from inprocess import InProcess, running
from ptvc.coord.catalog import maintained_plan


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running() as runtime:
        runtime.query("CREATE TABLE t (a int)")
        yield runtime


@pytest.mark.parametrize(
    ("query", "beside"),
    [
        ("SELECT a + 1 AS a FROM t WHERE a > 5", False),
        (" UNION ALL ".join(f"SELECT a + {i} AS a FROM t" for i in range(70)), True),
        ("SELECT " + ", ".join(f"a + {i} AS c{i}" for i in range(700)) + " FROM t", True),
    ],
    ids=["a small one", "many relations", "many expressions"],
)
def test_large_views_are_planned_beside_the_loop(
    runtime: InProcess, monkeypatch: pytest.MonkeyPatch, query: str, beside: bool
) -> None:
    threads = []
    lower = maintained_plan.lower

    def spy(*arguments: Any, **keywords: Any) -> Any:
        threads.append(current_thread().name)
        return lower(*arguments, **keywords)

    monkeypatch.setattr(maintained_plan, "lower", spy)
    runtime.query(f"CREATE MATERIALIZED VIEW v AS {query}")
    runtime.query("SELECT count(*) FROM v")
    runtime.query("DROP MATERIALIZED VIEW v")
    assert threads
    assert {name.startswith("planning") for name in threads} == {beside}
