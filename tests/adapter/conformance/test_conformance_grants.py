"""dbt's own conformance tests, unchanged: grants, to roles that are there meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from dbt.tests.adapter.grants import (
    test_incremental_grants,
    test_invalid_grants,
    test_model_grants,
    test_seed_grants,
    test_snapshot_grants,
)
from dbt.tests.adapter.grants.base_grants import TEST_USER_ENV_VARS

from adapter.conformance import slow

_ROLES = ("dbt_reader", "dbt_writer", "dbt_auditor")


@pytest.fixture(scope="module", autouse=True)
def roles(server: dict[str, Any]) -> Iterator[None]:
    with (
        pytest.MonkeyPatch.context() as patch,
        psycopg.connect(
            host=server["host"],
            port=server["port"],
            user=server["user"],
            dbname=server["dbname"],
            autocommit=True,
        ) as db,
    ):
        for variable, role in zip(TEST_USER_ENV_VARS, _ROLES, strict=True):
            patch.setenv(variable, role)
            db.execute(f"CREATE ROLE {role}")  # type: ignore[call-overload]
        yield
        for role in _ROLES:
            db.execute(f"DROP OWNED BY {role}")  # type: ignore[call-overload]
            db.execute(f"DROP ROLE {role}")  # type: ignore[call-overload]


@slow
class TestIncrementalGrants(test_incremental_grants.TestIncrementalGrants):
    pass


@slow
class TestInvalidGrants(test_invalid_grants.TestInvalidGrants):
    pass


class TestModelGrants(test_model_grants.TestModelGrants):
    pass


@slow
class TestSeedGrants(test_seed_grants.TestSeedGrants):
    pass


@slow
class TestSnapshotGrants(test_snapshot_grants.TestSnapshotGrants):
    pass
