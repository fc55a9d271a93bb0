"""A runtime with an HTTP port."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from inprocess import FAST, InProcess, running

from .posting import Poster

SETTINGS = replace(FAST, webhook_max_body_bytes=100_000, webhook_idempotency_keys=5, http_timeout_ms=1_000)


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running(SETTINGS, http=True) as runtime:
        yield runtime


@pytest.fixture
def fresh() -> Iterator[InProcess]:
    with running(SETTINGS, http=True) as runtime:
        yield runtime


@pytest.fixture
def poster(runtime: InProcess, schema: str) -> Iterator[Poster]:
    with Poster(runtime.http_port, schema) as poster:
        yield poster
