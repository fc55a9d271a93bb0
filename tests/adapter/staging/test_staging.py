"""What is staged, as the threads of models see it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from dbt.adapters.ptvc.relation import PtvcRelation
from dbt.adapters.ptvc.staging.names import REFERENCES
from dbt.adapters.ptvc.staging.staged import Staged, name_of
from dbt.adapters.ptvc.staging.staging import Staging

COUNT = 300


@pytest.fixture
def switching() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("switching")
def test_a_thread_finds_what_another_is_just_staging_or_does_not() -> None:
    staging = Staging(lambda: pytest.fail("nothing is sent"))
    relations = [
        PtvcRelation.create(database="ptvc", schema="s__dbt_next", identifier=f"m{n}", type="view")
        for n in range(COUNT)
    ]
    some = [Staged(f"model.p.m{n}", one.in_schema("s"), one) for n, one in enumerate(relations)]

    def read() -> list[str]:
        found: list[str] = []
        while len(found) < COUNT:
            found = [one.node for one in staging.read_by("select * from s__dbt_next.m0, s__dbt_next.m7")]
            if len(staging.all) == COUNT:
                break
        return found

    with ThreadPoolExecutor(2) as threads:
        readers = [threads.submit(read) for _ in range(2)]
        for one in some:
            staging.add(one)
        assert [reader.result(60) for reader in readers] == [["model.p.m0", "model.p.m7"]] * 2
    REFERENCES.remove([name_of(one.target) for one in some])
