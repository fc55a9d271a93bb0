"""Every statement of cases/ gives PostgreSQL's answer, is refused, or deviates as docs/sql/deviations.md says.

`python tests/differential/regenerate.py` writes the generated files.  Of these, ordinary runs take every third statement, by
a hash of its text; slow ones take all.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from .suite import CASES, Finding, Subjects, Verdict, deviations, files, report, statements

HAND_WRITTEN = [path for path in files() if path.parent == CASES]
GENERATED = [path for path in files() if path.parent != CASES]
DOCS = Path(__file__).parents[2] / "docs" / "sql" / "deviations.md"
SHARE = 3


def _run(subjects: Subjects, lines: list[str], count: list[Finding]) -> None:
    count += [subjects.run(sql) for sql in lines]
    wrong = [finding for finding in count if finding.verdict is Verdict.WRONG]
    assert not wrong, f"{len(wrong)} of {len(lines)} differ:\n{report(wrong)}"
    mended = [
        finding.sql for finding in count if finding.verdict is Verdict.SAME and finding.sql in subjects.known
    ]
    assert not mended, f"no longer deviating: {mended}"


@pytest.mark.parametrize("path", HAND_WRITTEN, ids=lambda path: path.stem)
@pytest.mark.slow(ordinary=8)
def test_statements(path: Path, subjects: Subjects, count: list[Finding]) -> None:
    _run(subjects, statements(path.read_text()), count)


@pytest.mark.parametrize("path", GENERATED, ids=lambda path: path.stem)
@pytest.mark.slow(ordinary=2)
def test_generated_statements(path: Path, subjects: Subjects, count: list[Finding]) -> None:
    lines = [sql for sql in statements(path.read_text()) if zlib.crc32(sql.encode()) % SHARE == 0]
    _run(subjects, lines, count)


@pytest.mark.slow
@pytest.mark.parametrize("path", GENERATED, ids=lambda path: path.stem)
def test_all_other_generated_statements(path: Path, subjects: Subjects, count: list[Finding]) -> None:
    lines = [sql for sql in statements(path.read_text()) if zlib.crc32(sql.encode()) % SHARE]
    _run(subjects, lines, count)


def test_there_are_enough() -> None:
    lines = {path: statements(path.read_text()) for path in files()}
    ordinary = sum(
        len(found) if path in HAND_WRITTEN else sum(zlib.crc32(sql.encode()) % SHARE == 0 for sql in found)
        for path, found in lines.items()
    )
    assert ordinary >= 3_000
    assert sum(map(len, lines.values())) >= 10_000


def test_every_deviation_is_in_the_documentation() -> None:
    section = DOCS.read_text()
    rows = [line.removeprefix("| ") for line in section.splitlines() if line.startswith("| ")]
    for reason in set(deviations().values()):
        assert sum(row.startswith(reason) for row in rows) == 1, reason


def test_every_deviation_is_a_statement_of_the_suite() -> None:
    known = {sql for path in files() for sql in statements(path.read_text())}
    assert deviations().keys() <= known
