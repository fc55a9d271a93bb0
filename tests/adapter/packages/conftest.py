"""What runs a package's own tests here and with dbt-postgres."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from benchmarks.dbt.adapters import DbtAdapter, ptvc_adapter, served_postgres

from .copies import VARIABLE, folder_of_copies


@pytest.fixture(scope="module")
def copies() -> Path:
    folder = folder_of_copies()
    if folder is None:
        pytest.skip(f"no copies of dbt packages: {VARIABLE} names their folder")
    return folder


@pytest.fixture(scope="module")
def adapters(
    copies: Path, server: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[DbtAdapter, DbtAdapter]]:
    """This one and dbt-postgres, where there are copies."""

    def connect() -> psycopg.Connection[Any]:
        return psycopg.connect(**server, autocommit=True)

    with served_postgres(tmp_path_factory.mktemp("environment") / "venv") as postgres:
        yield ptvc_adapter(server["port"], lambda: 0.0, connect), postgres
