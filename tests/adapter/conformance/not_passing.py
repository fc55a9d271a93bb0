"""dbt's conformance classes that do not pass yet, or never will, each with the reason.

A class is named by its module below `dbt.tests.adapter` and its own name.  `test_conformance_table.py` keeps the table
complete: every class of dbt-tests-adapter is either a test of this folder or listed here, never both.
"""

from __future__ import annotations

NOT_PASSING: dict[str, str] = {
    "dbt_clone.test_dbt_clone.BaseClonePossible": "a table cannot be cloned: `dbt clone` makes a view on it, which TestPostgresCloneNotPossible tests",
    "dbt_clone.test_dbt_clone.BaseCloneSameSourceAndTarget": "a table cannot be cloned: `dbt clone` makes a view on it, which TestPostgresCloneNotPossible tests",
    "empty.test_empty.BaseTestEmptySeedFlag": "dbt-core 1.11 has no `dbt seed --empty`",
    "functions.test_js_udfs.JSAggregateUDFVolatilityIgnored": "the volatility of an aggregate counts: views need it IMMUTABLE, and the class asks that it be dropped",
    "functions.test_js_udfs.JSUDFStableVolatilityWarns": "STABLE is a volatility of functions in JavaScript as of all, so it is neither dropped nor warned of",
    "utils.test_current_timestamp.BaseCurrentTimestampNaive": "a naive current_timestamp is not what this adapter gives: it has a time zone",
    "utils.test_escape_single_quotes.BaseEscapeSingleQuotesBackslash": "a backslash is no escape in standard strings: TestEscapeSingleQuotes is the class that fits",
}
