"""The two subjects of the suite, and its verdicts, which the summary of the test run shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import psycopg
import pytest
from inprocess import running
from oracle import own_database
from ways import Way, running_in

from .random_expressions import leaves
from .stored_values import over_stored_values, stored_values
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


@pytest.fixture(scope="package")
def subjects_in_a_way(request: pytest.FixtureRequest, oracle_uri: str) -> Iterator[Subjects]:
    """As `subjects`, in the way that is the parameter, and with tables of the values that cases/generated/aggregates.sql aggregates."""
    way: Way = request.param
    with (
        own_database(oracle_uri, "differential_in_a_way") as uri,
        psycopg.connect(uri, autocommit=True) as theirs,
        running_in(way) as variant,
        variant.runtime.connect() as ours,
    ):
        for connection in (ours, theirs):
            build_world(connection, keyed=way.indexed or way.stored == "merged")
            for sql in (*leaves(), *stored_values().values()):
                connection.execute(sql.encode())
        variant.changed()
        subjects = Subjects(ours, theirs, variant)
        subjects.known |= {over_stored_values(sql): why for sql, why in subjects.known.items()}
        yield subjects


@pytest.fixture
def count(request: pytest.FixtureRequest) -> Iterator[list[Finding]]:
    """What is put in is counted under the name of the test's family, see the summary in `tests/conftest.py`."""
    findings: list[Finding] = []
    yield findings
    given = request.node.callspec.params
    if (way := given.get("subjects_in_a_way")) is not None:
        name = f"statements by {way.name}"
    else:
        name = given["path"].stem if "path" in given else "random expressions"
    counts = Counter(finding.verdict.value for finding in findings)
    request.node.user_properties.append(("verdicts", {"family": name, "counts": dict(counts)}))
