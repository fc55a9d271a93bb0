"""dbt's own conformance tests, unchanged: dbt's own macros."""

from __future__ import annotations

from dbt.tests.adapter.utils import (
    test_any_value,
    test_array_append,
    test_array_concat,
    test_array_construct,
    test_bool_or,
    test_cast,
    test_cast_bool_to_text,
    test_concat,
    test_date,
    test_date_trunc,
    test_dateadd,
    test_datediff,
    test_equals,
    test_escape_single_quotes,
    test_except,
    test_generate_series,
    test_get_powers_of_two,
    test_hash,
    test_intersect,
    test_last_day,
    test_length,
    test_listagg,
    test_null_compare,
    test_position,
    test_replace,
    test_right,
    test_safe_cast,
    test_source_freshness_custom_info,
    test_split_part,
    test_string_literal,
    test_validate_sql,
)
from dbt.tests.adapter.utils.data_types import (
    test_type_bigint,
    test_type_boolean,
    test_type_float,
    test_type_int,
    test_type_numeric,
    test_type_string,
    test_type_timestamp,
)

from adapter.conformance import slow


@slow
class TestTypeBigInt(test_type_bigint.TestTypeBigInt):
    pass


@slow
class TestTypeBoolean(test_type_boolean.TestTypeBoolean):
    pass


@slow
class TestTypeFloat(test_type_float.TestTypeFloat):
    pass


@slow
class TestTypeInt(test_type_int.TestTypeInt):
    pass


@slow
class TestTypeNumeric(test_type_numeric.TestTypeNumeric):
    pass


@slow
class TestTypeString(test_type_string.TestTypeString):
    pass


@slow
class TestTypeTimestamp(test_type_timestamp.TestTypeTimestamp):
    pass


@slow
class TestAnyValue(test_any_value.TestAnyValue):
    pass


@slow
class TestArrayConstruct(test_array_construct.TestArrayConstruct):
    pass


@slow
class TestBoolOr(test_bool_or.TestBoolOr):
    pass


@slow
class TestCast(test_cast.TestCast):
    pass


@slow
class TestCastBoolToText(test_cast_bool_to_text.TestCastBoolToText):
    pass


class TestConcat(test_concat.TestConcat):
    pass


@slow
class TestDateTrunc(test_date_trunc.TestDateTrunc):
    pass


@slow
class TestDateDiff(test_datediff.TestDateDiff):
    pass


@slow
class TestEquals(test_equals.TestEquals):
    pass


@slow
class TestEscapeSingleQuotes(test_escape_single_quotes.TestEscapeSingleQuotes):
    pass


@slow
class TestExcept(test_except.TestExcept):
    pass


@slow
class TestGenerateSeries(test_generate_series.TestGenerateSeries):
    pass


@slow
class TestGetPowersOfTwo(test_get_powers_of_two.TestGetPowersOfTwo):
    pass


@slow
class TestHash(test_hash.TestHash):
    pass


@slow
class TestIntersect(test_intersect.TestIntersect):
    pass


@slow
class TestLength(test_length.TestLength):
    pass


@slow
class TestMixedNullCompare(test_null_compare.TestMixedNullCompare):
    pass


@slow
class TestNullCompare(test_null_compare.TestNullCompare):
    pass


@slow
class TestPosition(test_position.TestPosition):
    pass


@slow
class TestReplace(test_replace.TestReplace):
    pass


@slow
class TestRight(test_right.TestRight):
    pass


@slow
class TestSafeCast(test_safe_cast.TestSafeCast):
    pass


@slow
class TestCalculateFreshnessMethod(test_source_freshness_custom_info.TestCalculateFreshnessMethod):
    pass


@slow
class TestSplitPart(test_split_part.TestSplitPart):
    pass


@slow
class TestStringLiteral(test_string_literal.TestStringLiteral):
    pass


@slow
class TestValidateSqlMethod(test_validate_sql.TestValidateSqlMethod):
    pass


@slow
class TestArrayAppend(test_array_append.TestArrayAppend):
    pass


@slow
class TestArrayConcat(test_array_concat.TestArrayConcat):
    pass


@slow
class TestDate(test_date.TestDate):
    pass


@slow
class TestDateAdd(test_dateadd.TestDateAdd):
    pass


@slow
class TestLastDay(test_last_day.TestLastDay):
    pass


@slow
class TestListagg(test_listagg.TestListagg):
    pass
