"""The processes of the runtime leave pandas alone, though pyarrow would import it with their first array; dbt's has neither."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def imported(*arguments: str) -> set[str]:
    """What a process imports until it notices that it was started with these, which are not enough to go on."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )
    return {
        line.rsplit("|", 1)[1].strip()
        for line in done.stderr.decode().splitlines()
        if line.startswith("import time:")
    }


@pytest.mark.parametrize(
    ("module", "uses"),
    [
        ("ptvc.compute.spark.worker_daemon", "ptvc.compute.spark.superstep"),
        ("ptvc.replica.queries.fork_server", "ptvc.replica.queries.worker"),
    ],
)
def test_a_process_has_no_pandas(module: str, uses: str) -> None:
    found = imported("-m", module)
    assert uses in found
    assert "pandas.core" not in found


def test_the_driver_has_no_pandas(tmp_path: Path) -> None:
    found = imported(
        *(
            "-m",
            "ptvc.replica.driver",
            str(os.getpid()),
            "nobody",
            str(tmp_path),
            "file:/b",
            "no master",
            "1g",
            "127.0.0.1",
            "",
        )
    )
    assert "ptvc.replica.main" in found
    assert "pandas.core" not in found


def test_the_coordinator_has_no_pandas(tmp_path: Path) -> None:
    found = imported(
        *("-m", "ptvc", "serve", "--path", str(tmp_path)),
        *("--secrets-key-file", str(tmp_path / "none")),
    )
    assert "ptvc.server" in found
    assert "pandas.core" not in found


def test_the_adapter_has_no_arrow() -> None:
    """Nor the parser: a dbt run imports what it needs, which is neither as a rule."""
    found = imported("-c", "import dbt.adapters.ptvc")
    assert "dbt.adapters.ptvc.impl" in found
    assert not {"pandas.core", "pyarrow", "numpy", "ptvc.sql.parser.parse"} & found


def test_who_asks_for_pandas_gets_it() -> None:
    code = (
        "from ptvc.no_pandas import without_pandas; without_pandas(); import pandas, pyarrow;"
        "table = pyarrow.Table.from_pandas(pandas.DataFrame({'a': [1, 2]}));"
        "assert table.to_pandas()['a'].tolist() == [1, 2]"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=120, check=False).returncode == 0
