"""Inputs of unit tests whose rows come and go."""

from __future__ import annotations

from typing import Any

import pytest
from dbt.tests.util import run_dbt
from dbt_common.exceptions import CompilationError

from dbt.adapters.ptvc.fixtures import has_diffs, rows_left

from .test_changes import messages

Row = dict[str, Any]


def test_rows_without_diffs_are_left_alone() -> None:
    assert not has_diffs([{"a": 1}, {}])
    assert has_diffs([{"a": 1}, {"MZ_DIFF": 1}])


@pytest.mark.parametrize(
    ("rows", "left"),
    [
        ([{"a": 1}, {"a": 1, "mz_diff": -1}], []),
        ([{"a": 1, "mz_diff": 2}, {"a": 2}, {"a": 1, "mz_diff": -1}], [{"a": 1}, {"a": 2}]),
        ([{"a": 1}, {"a": 1}, {"A": 1, "mz_diff": "-1"}], [{"a": 1}]),
        ([{"a": 1, "b": None}, {"a": 1, "MZ_DIFF": -1}, {"a": 1, "mz_diff": 1}], [{"a": 1, "b": None}]),
        ([{"a": 1, "mz_diff": None}, {"a": 1, "mz_diff": ""}], [{"a": 1}, {"a": 1}]),
        ([{"a": [1, 2], "mz_diff": 0}, {"a": [3]}], [{"a": [3]}]),
    ],
)
def test_what_is_left(rows: list[Row], left: list[Row]) -> None:
    assert rows_left(rows, "orders") == left


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"a": 1, "mz_diff": -1}, {"a": 1}], "input orders takes back a row that is not there: {'a': 1}"),
        ([{"a": 1}, {"a": "1", "mz_diff": -1}], "takes back a row that is not there: {'a': '1'}"),
        ([{"a": 1, "mz_diff": 0.5}], "mz_diff of a row of the unit test's input orders is 0.5"),
    ],
)
def test_refused(rows: list[Row], message: str) -> None:
    with pytest.raises(CompilationError) as error:
        rows_left(rows, "orders")
    assert message in str(error.value)


UNIT_TESTS = """
unit_tests:
  - name: takes_back
    model: largest
    given:
      - input: ref('orders')
        rows:
          - {customer: a, amount: 5}
          - {customer: a, amount: 9}
          - {customer: b, amount: 3}
          - {customer: a, amount: 9, mz_diff: -1}
          - {customer: b, amount: 3, mz_diff: -1}
    expect:
      rows:
        - {customer: a, most: 5}
  - name: takes_back_csv
    model: largest
    given:
      - input: ref('orders')
        format: csv
        rows: |
          customer,amount,mz_diff
          a,5,
          a,9,2
          a,9,-2
    expect:
      rows:
        - {customer: a, most: 5}
  - name: not_there
    model: largest
    given:
      - input: ref('orders')
        rows:
          - {customer: a, amount: 5, mz_diff: -1}
    expect:
      rows: []
  - name: a_column_of_its_own
    model: differences
    given:
      - input: ref('with_diffs')
        rows:
          - {id: 1, mz_diff: -4}
    expect:
      rows:
        - {total: -4}
  - name: an_array
    model: words
    given:
      - input: ref('with_words')
        rows:
          - {id: 1, words: "{a,b}"}
          - {id: 2}
    expect:
      rows:
        - {id: 1, number: 2}
        - {id: 2, number: null}
"""


class TestUnitTests:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "orders.sql": "{{ config(materialized='materialized_view') }} select 'a' as customer, 1 as amount",
            "largest.sql": "{{ config(materialized='materialized_view') }}"
            " select customer, max(amount) as most from {{ ref('orders') }} group by customer",
            "with_diffs.sql": "{{ config(materialized='view') }} select 1 as id, 1 as mz_diff",
            "differences.sql": "select sum(mz_diff) as total from {{ ref('with_diffs') }}",
            "with_words.sql": "select 1 as id, array['x']::text[] as words",
            "words.sql": "select id, cardinality(words) as number from {{ ref('with_words') }}",
            "models.yml": UNIT_TESTS,
        }

    def test_rows_are_taken_back(self, project: Any) -> None:
        run_dbt(["run"])
        results = run_dbt(["test"], expect_pass=False)
        assert {result.node.name: str(result.status) for result in results} == {
            "takes_back": "pass",
            "takes_back_csv": "pass",
            "not_there": "error",
            "a_column_of_its_own": "pass",
            "an_array": "pass",
        }
        said = messages(results)["not_there"]
        assert "input orders takes back a row that is not there: {'customer': 'a', 'amount': 5}" in said
