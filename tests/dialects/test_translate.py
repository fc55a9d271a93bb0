"""Names, strings and places."""

from __future__ import annotations

import pytest
import sqlglot
from ptvc.check.environment import Environment
from ptvc.dialects.translate import translate
from ptvc.errors import PtvcError, SqlSyntaxError


def types(schema: str | None, name: str) -> dict[str, str] | None:
    return {"id": "integer", "Name": "text", "day": "date"} if name == "t" else None


def test_relations_are_quoted_as_dbt_does_it_where_quotes_are_strings() -> None:
    found = translate('select "x" as v from "ptvc"."public"."T"', "bigquery")
    assert found == "SELECT 'x' AS v\nFROM ptvc.public.\"T\""


def test_capitals_of_snowflake_are_small_letters() -> None:
    assert translate('select "ID", "Name" from t', "snowflake", types) == 'SELECT id, "Name"\nFROM t'


def test_two_names_of_snowflake_that_are_one_here() -> None:
    with pytest.raises(PtvcError, match="two columns in snowflake"):
        translate('select id, "id" as other from t', "snowflake", types)


def test_names_are_found_without_their_case() -> None:
    assert translate("select NAME from t", "duckdb", types) == 'SELECT "Name"\nFROM t'


def test_numbers_and_texts_of_redshift_are_compared_as_texts() -> None:
    for sql in ("select id from t where id < '10'", "select id from unknown where id < '10'"):
        with pytest.raises(PtvcError, match=r"is compared as a text|which is not known"):
            translate(sql, "redshift", types)
    assert translate("select id from t where \"Name\" < '10'", "redshift", types).endswith("< '10')")


@pytest.mark.parametrize(
    ("text", "found"),
    [("1.5", "1.50"), ("1.500", "1.50"), ("-.25", "-0.25"), ("7.", "7.00"), ("1.505", None)],
)
def test_texts_of_more_digits_than_redshift_has_room_for_are_errors(text: str, found: str | None) -> None:
    sql = translate(
        f"select cast(a as decimal(5, 2)) as v from (select '{text}' || '' as a) as t", "redshift"
    )
    if found is not None:
        assert str(Environment(0).rows(sql)[1][0][0]) == found
        return
    with pytest.raises(PtvcError, match="ends in an error"):
        Environment(0).rows(sql)


def test_parts_of_dates_of_redshift_are_told_apart_by_what_they_are_called() -> None:
    assert translate("select extract(month from day) / 4 as v from t", "redshift", types)
    with pytest.raises(PtvcError, match="an integer or a float") as caught:
        translate("select DATE_PART(month, day) / 4 as v from t", "redshift", types)
    assert caught.value.position == len("select D")


def test_a_name_that_may_be_two_things() -> None:
    sql = "select upper(id::varchar) as id, count(*) as n from t group by id"
    with pytest.raises(PtvcError, match="dialects differ in which"):
        translate(sql, "duckdb", types)


def test_types_that_are_not_known() -> None:
    with pytest.raises(PtvcError, match="which is not known") as caught:
        translate("select a / b as v from unknown", "snowflake")
    assert caught.value.position == len("select a")


def test_escapes_that_are_not_read() -> None:
    with pytest.raises(PtvcError, match="escape") as caught:
        translate(r"select '\x41' as v", "bigquery")
    assert caught.value.position == 9


def test_a_syntax_error_has_its_place() -> None:
    with pytest.raises(SqlSyntaxError) as caught:
        translate("select a from where", "duckdb")
    assert caught.value.position is not None


def test_a_column_of_the_model_has_a_name() -> None:
    with pytest.raises(PtvcError, match="no name"):
        translate("select count(*) from t", "bigquery", types)


def test_an_unknown_dialect() -> None:
    with pytest.raises(PtvcError, match='no dialect "oracle"'):
        translate("select 1 as v", "oracle")


def test_sqlglot_knows_ptvc() -> None:
    assert sqlglot.transpile("SELECT a::INT FROM t", read="ptvc", write="ptvc") == [
        "SELECT CAST(a AS INT) FROM t"
    ]
