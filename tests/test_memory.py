"""The memory of the machine, or of the container."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from ptvc.memory import machine_memory, resident_memory, size
from ptvc.replica.memory import LEAST_QUERY, dataflows_limit, query_limit


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    machine_memory.cache_clear()
    yield
    machine_memory.cache_clear()


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("memory.max", "1048576\n", 1 << 20),
        ("memory.max", "max\n", None),
        ("memory/memory.limit_in_bytes", "2097152\n", 1 << 21),
        ("memory/memory.limit_in_bytes", f"{1 << 63}\n", None),
        ("other", "7", None),
    ],
)
def test_a_container_has_less(tmp_path: Path, name: str, text: str, wanted: int | None) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text)
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert machine_memory(tmp_path) == (whole if wanted is None else wanted)


def test_resident_memory_is_that_of_a_process() -> None:
    before = resident_memory()
    held = b"\1" * (64 << 20)
    after = resident_memory(os.getpid())
    assert before is not None
    assert after is not None
    assert len(held) // 2 < after - before
    assert resident_memory(1 << 30) is None


def test_limits_that_nobody_has_set_are_parts_of_the_machine_s_memory() -> None:
    whole = machine_memory()
    assert dataflows_limit(None) == whole // 2
    assert dataflows_limit(0) is None
    assert dataflows_limit(5 << 30) == 5 << 30
    assert query_limit(None, None) == query_limit(None, 0) == max(whole // 4, LEAST_QUERY)
    assert query_limit(None, 100 << 20) == 100 << 20
    assert query_limit(None, 1) == LEAST_QUERY, "a query of few rows runs in any cluster"
    assert query_limit(1 << 20, 100 << 20) == 1 << 20


def test_sizes_in_words() -> None:
    assert [size(n) for n in (7, 1 << 10, 3 << 19, 5 << 30)] == ["7 bytes", "1.0 kB", "1.5 MB", "5.0 GB"]
