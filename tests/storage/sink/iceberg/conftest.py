"""A catalog for each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .support import Target, catalog_values


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Callable[..., Target]]:
    made: list[Target] = []

    def make(**options: Any) -> Target:
        made.append(Target(catalog_values(tmp_path), **options))
        return made[-1]

    yield make
    for one in made:
        one.close()
