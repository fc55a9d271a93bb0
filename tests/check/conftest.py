"""dbt in this process: what it leaves open is closed, and what it would send is not sent."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.adapter.conftest import ClosedLogFile


@pytest.fixture(scope="session", autouse=True)
def _what_dbt_leaves_open(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dbt_common.events.logger.RotatingFileHandler", ClosedLogFile)
        patch.setenv("DBT_LOG_PATH", str(tmp_path_factory.mktemp("logs")))
        patch.setenv("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
        yield
    if ClosedLogFile.latest is not None:
        ClosedLogFile.latest.close()
        ClosedLogFile.latest = None
