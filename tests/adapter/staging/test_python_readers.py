"""Models in Python in a run that has staged something: they read the new, and take their place with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from dbt.tests.util import run_dbt, write_file

from ..test_python_models import OfStores
from .dag import left_behind
from .test_atomic_runs import statuses

pytestmark = pytest.mark.slow

FACTS = "{{{{ config(materialized='materialized_view') }}}} select k{more} from (values (1), (2), (3), (4)) as t(k) where k <= {last}"
SEEN = "{{ config(materialized='view') }} select k from {{ ref('facts') }}"
FILLED = "{{ config(materialized='table') }} select k from {{ ref('facts') }}"
COUNTED = """
from pyspark.sql import functions as F

def model(dbt, session):
    dbt.config(materialized="table")
    return dbt.ref("facts").agg(F.lit("facts").alias("name"), F.count("*").alias("n"))
"""
GATHERED = """
from pyspark.sql import functions as F

def model(dbt, session):
    dbt.config(materialized="incremental", unique_key="name")

    def count(name, frame):
        return frame.agg(F.lit(name).alias("name"), F.count("*").alias("n"))

    counts = count("seen", dbt.ref("seen")).union(count("filled", dbt.ref("filled")))
    return counts.union(dbt.ref("counted"))
"""
OVER = "select name, n from {{ ref('counted') }}"
BELOW = "select n + %s as n from {{ ref('counted') }}"


class Readers:
    """facts <- seen, filled; counted, of Python, reads facts, and gathered, of Python too, reads all three."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "facts.sql": FACTS.format(last=2, more=""),
            "seen.sql": SEEN,
            "filled.sql": FILLED,
            "counted.py": COUNTED,
            "gathered.py": GATHERED,
            "over.sql": OVER,
        }

    @pytest.fixture(autouse=True)
    def built(self, project: Any) -> None:
        (Path(project.project_root) / "models" / "below.sql").unlink(missing_ok=True)
        self.of(project, 2)
        assert set(statuses(run_dbt(["build"])).values()) == {"success"}
        assert self.found(project) == self.counts(2)

    def write(self, project: Any, name: str, text: str) -> None:
        write_file(text, project.project_root, "models", name)

    def of(self, project: Any, last: int, more: str = "") -> None:
        """A column more has a new view made, where a filter alone has the view replaced in its place."""
        self.write(project, "facts.sql", FACTS.format(last=last, more=more))

    def found(self, project: Any) -> dict[str, dict[str, int]]:
        return {
            table: dict(project.run_sql(f"select name, n from {project.test_schema}.{table}", fetch="all"))
            for table in ("counted", "over", "gathered")
        }

    @staticmethod
    def counts(n: int, gathered: int | None = None) -> dict[str, dict[str, int]]:
        every = n if gathered is None else gathered
        return {
            "counted": {"facts": n},
            "over": {"facts": n},
            "gathered": {"facts": every, "seen": every, "filled": every},
        }

    @pytest.mark.parametrize("arguments", [[], ["--full-refresh"]], ids=["build", "full_refresh"])
    @pytest.mark.parametrize("more", ["", ", 1 as one"], ids=["replaced", "made_anew"])
    def test_they_read_the_new(self, project: Any, more: str, arguments: list[str]) -> None:
        self.of(project, 3, more)
        assert set(statuses(run_dbt(["build", *arguments])).values()) == {"success"}
        assert self.found(project) == self.counts(3)
        assert left_behind(project) == []

    def test_they_stay_with_what_stays_and_retry_makes_them(self, project: Any) -> None:
        """The column is one that what is below does not find."""
        self.write(project, "below.sql", "select nothing_of_that_name from {{ ref('counted') }}")
        self.of(project, 4)
        results = statuses(run_dbt(["build", "--select", "facts", "counted+1"], expect_pass=False))
        assert results["below"] == "error"
        assert results["counted"] == "skipped"
        assert self.found(project)["counted"] == {"facts": 2}
        assert left_behind(project) == []
        self.write(project, "below.sql", BELOW % 1)
        assert "counted" in statuses(run_dbt(["retry"]))
        assert self.found(project)["counted"] == {"facts": 4}
        below = project.run_sql(f"select n from {project.test_schema}.below", fetch="one")
        assert below == (5,)
        assert left_behind(project) == []


class TestFromStores(OfStores, Readers):
    pass


class TestBySql(Readers):
    pass
