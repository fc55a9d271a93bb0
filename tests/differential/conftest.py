"""The two subjects of the suite, and its verdicts, which the summary of the test run shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import psycopg
import pytest
from inprocess import running
from oracle import own_database

from .random_expressions import leaves
from .suite import Finding, Subjects, build_world


@pytest.fixture(scope="package")
def subjects(oracle_uri: str) -> Iterator[Subjects]:
    """Both sides, with the tables of world.sql and those of random expressions; PostgreSQL in a database of its own."""
    with (
        own_database(oracle_uri, "differential") as uri,
        psycopg.connect(uri, autocommit=True) as theirs,
        running() as runtime,
        runtime.connect() as ours,
    ):
        for connection in (ours, theirs):
            build_world(connection)
            for sql in leaves():
                connection.execute(sql.encode())
        yield Subjects(ours, theirs)


@pytest.fixture
def count(request: pytest.FixtureRequest) -> Iterator[list[Finding]]:
    """What is put in is counted under the name of the test's family, see the summary in `tests/conftest.py`."""
    findings: list[Finding] = []
    yield findings
    family = request.node.callspec.params.get("path")
    name = family.stem if family is not None else "random expressions"
    counts = Counter(finding.verdict.value for finding in findings)
    request.node.user_properties.append(("verdicts", {"family": name, "counts": dict(counts)}))
