"""dbt's conformance classes that are not among the tests of this folder, each with the reason.

A class is named by its module below `dbt.tests.adapter` and its own name.  `test_conformance_table.py` keeps the table
complete: every class of dbt-tests-adapter is either tested here or listed here, never both.
"""

from __future__ import annotations

NO_FUNCTIONS = "the runtime has no CREATE FUNCTION yet"
NO_GRANTS = "the runtime has no roles or GRANT yet; the `grants` config is refused (test_changes.py)"
NO_ADD_COLUMN = "the runtime has no ALTER TABLE ... ADD COLUMN yet"
NO_INTERVAL = "the statements of the test use intervals, which the runtime does not have yet"
NO_PYTHON = "python models are not there yet"
NO_JSON = "the contract names a json column, which the runtime does not have yet"
OTHER_DDL = "it compares DDL with constraints (primary key, check) that a table here does not enforce, so none are sent"

NOT_TESTED: dict[str, str] = {
    "aliases.test_aliases.TestSameAliasDifferentDatabases": "",
}
