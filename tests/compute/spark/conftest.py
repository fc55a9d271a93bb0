"""One Spark session for all tests of this folder that run jobs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from ptvc.compute.spark.application import Application


@pytest.fixture(scope="session")
def application() -> Iterator[Application]:
    with tempfile.TemporaryDirectory(prefix="ptvc-spark-") as directory:
        application = Application("local[4,4]", "1g", Path(directory))
        try:
            yield application
        finally:
            application.stop()
