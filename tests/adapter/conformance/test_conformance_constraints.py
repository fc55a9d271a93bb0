"""dbt's own conformance tests of contracts and constraints.

The runtime enforces NOT NULL, CHECK, UNIQUE and PRIMARY KEY of tables; it has no foreign keys.
"""

from __future__ import annotations

import pytest
from dbt.tests.adapter.constraints import test_constraints

from adapter.conformance import slow

pytestmark = slow


class TypeNames:
    """The originals expect a driver's names of types, in capitals: here they are PostgreSQL's."""

    @pytest.fixture
    def string_type(self) -> str:
        return "text"

    @pytest.fixture
    def int_type(self) -> str:
        return "integer"

    @pytest.fixture
    def data_types(self) -> list[list[str]]:
        return [
            ["1", "integer", "integer"],
            ["'1'", "text", "text"],
            ["true", "bool", "boolean"],
            ["'2013-11-03 00:00:00-07'::timestamptz", "timestamptz", "timestamp with time zone"],
            ["'2013-11-03 00:00:00-07'::timestamp", "timestamp", "timestamp without time zone"],
            ["ARRAY['a','b','c']", "text[]", "text[]"],
            ["ARRAY[1,2,3]", "int[]", "integer[]"],
            ["'1'::numeric", "numeric", "numeric"],
            ["""'{"bar": "baz", "balance": 7.77, "active": false}'::json""", "json", "json"],
        ]


class TestTableConstraintsColumnsEqual(TypeNames, test_constraints.TestTableConstraintsColumnsEqual):
    pass


class TestViewConstraintsColumnsEqual(TypeNames, test_constraints.TestViewConstraintsColumnsEqual):
    pass


class TestIncrementalConstraintsColumnsEqual(
    TypeNames, test_constraints.TestIncrementalConstraintsColumnsEqual
):
    pass


class NoForeignKey:
    """The runtime has no foreign keys: dbt warns, and leaves them out of the statement."""

    @pytest.fixture(scope="class")
    def expected_sql(self) -> str:
        """The original's statement without `references <foreign_key_model_identifier> (id)`."""
        return """
            create table <model_identifier> (
                id integer not null primary key check ((id > 0)) check (id >= 1) unique,
                color text,
                date_day text
            ) ;
            insert into <model_identifier> (id, color, date_day)
            (
                select id, color, date_day from (
                    -- depends_on: <foreign_key_model_identifier>
                    select 'blue' as color, 1 as id, '2019-01-01' as date_day
                ) as model_subq
            );
        """


class TestTableConstraintsRuntimeDdlEnforcement(
    NoForeignKey, test_constraints.TestTableConstraintsRuntimeDdlEnforcement
):
    pass


class TestIncrementalConstraintsRuntimeDdlEnforcement(
    NoForeignKey, test_constraints.TestIncrementalConstraintsRuntimeDdlEnforcement
):
    pass


class TestModelConstraintsRuntimeEnforcement(test_constraints.TestModelConstraintsRuntimeEnforcement):
    @pytest.fixture(scope="class")
    def expected_sql(self) -> str:
        """The original's statement without `foreign key (id) references <foreign_key_model_identifier> (id)`."""
        return """
            create table <model_identifier> (
                id integer not null,
                color text,
                date_day text,
                check ((id > 0)),
                check (id >= 1),
                primary key (id),
                constraint strange_uniqueness_requirement unique (color, date_day)
            ) ;
            insert into <model_identifier> (id, color, date_day)
            (
                select id, color, date_day from (
                    -- depends_on: <foreign_key_model_identifier>
                    select 'blue' as color, 1 as id, '2019-01-01' as date_day
                ) as model_subq
            );
        """


class TestConstraintQuotedColumn(test_constraints.TestConstraintQuotedColumn):
    pass


class TestTableConstraintsRollback(test_constraints.TestTableConstraintsRollback):
    pass


class TestIncrementalConstraintsRollback(test_constraints.TestIncrementalConstraintsRollback):
    pass


class TestTableContractSqlHeader(test_constraints.TestTableContractSqlHeader):
    pass


class TestIncrementalContractSqlHeader(test_constraints.TestIncrementalContractSqlHeader):
    pass


class TestIncrementalForeignKeyConstraint(test_constraints.TestIncrementalForeignKeyConstraint):
    pass
