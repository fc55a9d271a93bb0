"""A MariaDB, and a MySQL, whose binary logs can be read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from servers.mysql_process import MysqlProcess
from servers.mysql_servers import KINDS, server_of


@pytest.fixture(scope="session", params=KINDS)
def upstream(request: pytest.FixtureRequest) -> Iterator[MysqlProcess]:
    with server_of(request.param) as server:
        yield server
