"""A PostgreSQL that can be replicated from, of each version that there is."""

from __future__ import annotations

from collections.abc import Iterator

import oracle
import pytest
from servers.postgres_listening import Listening, logical_postgres


@pytest.fixture(scope="session", params=oracle.VERSIONS, ids="PostgreSQL {}".format)
def upstream(request: pytest.FixtureRequest) -> Iterator[Listening]:
    with logical_postgres(version=request.param) as server:
        yield server
