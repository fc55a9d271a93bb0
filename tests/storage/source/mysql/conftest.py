"""A MariaDB whose binary log can be read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from servers.mariadb_listening import MariaDb, mariadb_server


@pytest.fixture(scope="session")
def upstream() -> Iterator[MariaDb]:
    with mariadb_server() as server:
        yield server
