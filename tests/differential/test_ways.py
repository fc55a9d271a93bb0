"""Statements that read tables give PostgreSQL's answer by each way in which queries are answered (`ways`), and so do random
expressions.

Left out is what no way can change: a query over constants alone.
"""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from ways import SLICES, SPARK, by_each_way

from .random_expressions import Expressions, judged, signatures
from .stored_values import over_stored_values
from .suite import CASES, Finding, Subjects, Verdict, files, statements

FILES = [path for path in files() if path.parent == CASES]
LARGE = [CASES / "generated" / "columns.sql", CASES / "generated" / "aggregates.sql"]
PIECES = 4
"""Large files come in so many pieces, statements dealt in turn."""
SEEDS = 8
PER_SEED = 100
ORDINARY = 16
"""Of some ways one case in so many is ordinary."""

_READS = re.compile(r"\b(from|join|table)\b", re.IGNORECASE)
_SELECT = re.compile(r"\s*(select|values)\b", re.IGNORECASE)


def _reading(path: Path) -> list[str]:
    """The statements of the file that read tables or do something else; none if nothing reads a table."""
    found = map(over_stored_values, statements(path.read_text()))
    reading = [sql for sql in found if _READS.search(sql) or not _SELECT.match(sql)]
    return reading if any(_SELECT.match(sql) for sql in reading) else []


READING = [(path.stem, sqls) for path in FILES if (sqls := _reading(path))]
READING += [
    (f"{path.stem}-{piece}", _reading(path)[piece::PIECES]) for path in LARGE for piece in range(PIECES)
]


def _check(subjects: Subjects, asked: list[tuple[str, bool]], count: list[Finding], judge: bool) -> None:
    wrong: list[str] = []
    for sql, one in asked:
        for when, found in subjects.run_in_its_way(sql).items():
            finding = judged(found, one) if judge else found
            count.append(finding)
            if finding.verdict is Verdict.WRONG:
                wrong.append(f"{when}: {finding}")
    assert not wrong, f"{len(wrong)} of {len(count)} differ:\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    ("subjects_in_a_way", "lines"),
    by_each_way(READING, ORDINARY),
    indirect=["subjects_in_a_way"],
)
def test_statements(lines: list[str], subjects_in_a_way: Subjects, count: list[Finding]) -> None:
    _check(subjects_in_a_way, [(sql, True) for sql in lines], count, judge=False)


@pytest.mark.slow(slices=SLICES)
@pytest.mark.timeout(900)
@pytest.mark.parametrize("subjects_in_a_way", [SPARK], ids=["spark"], indirect=True)
@pytest.mark.parametrize("lines", [pytest.param(sqls, id=name) for name, sqls in READING])
def test_statements_by_spark_itself(
    lines: list[str], subjects_in_a_way: Subjects, count: list[Finding]
) -> None:
    _check(subjects_in_a_way, [(sql, True) for sql in lines], count, judge=False)


@pytest.mark.parametrize(
    ("subjects_in_a_way", "seed"),
    by_each_way([(str(seed), seed) for seed in range(SEEDS)], ORDINARY),
    indirect=["subjects_in_a_way"],
)
def test_random_expressions(seed: int, subjects_in_a_way: Subjects, count: list[Finding]) -> None:
    # Each way has expressions of its own.
    drawn = signatures(subjects_in_a_way.theirs)
    assert subjects_in_a_way.variant is not None
    expressions = Expressions(Random(f"{subjects_in_a_way.variant.way.name} {seed}"), drawn)
    _check(subjects_in_a_way, [expressions.statement() for _ in range(PER_SEED)], count, judge=True)


def test_there_are_enough() -> None:
    assert sum(len(sqls) for _, sqls in READING) >= 2_500
