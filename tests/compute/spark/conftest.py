"""One Spark session for the tests of this folder that run jobs, under the master that PTVC_TEST_MASTER names."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from ptvc.compute.spark.application import Application
from ptvc.compute.spark.session import application_context

MASTER = os.environ.get("PTVC_TEST_MASTER", "local[2,4]")


@pytest.fixture(scope="package")
def application() -> Iterator[Application]:
    with tempfile.TemporaryDirectory(prefix="ptvc-spark-") as directory:
        application = Application(application_context(MASTER, "1g", Path(directory)), Path(directory))
        try:
            yield application
        finally:
            application.stop()
