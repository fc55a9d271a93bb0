"""The tests of jobs once more, on executors that are processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.slow
@pytest.mark.parametrize("master", ["local-cluster[2,2,1024]"])
def test_jobs_on_executors_of_their_own(master: str) -> None:
    """In a process of its own, as PySpark has one context per process."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow"]
    done = subprocess.run(
        [*command, str(HERE / "test_superstep.py"), str(HERE / "test_compaction.py") + "::test_on_spark"],
        env={**os.environ, "PTVC_TEST_MASTER": master},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "skipped" not in done.stdout, done.stdout
