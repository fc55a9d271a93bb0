"""Random expressions give PostgreSQL's value or error.

A seed's statements are always the same ones; a failure names seed, statement and both answers.
"""

from __future__ import annotations

from random import Random

import pytest

from .random_expressions import Expressions, Signature, judged, signatures
from .suite import Finding, Subjects, Verdict, report

PER_SEED = 100


@pytest.fixture(scope="module")
def drawn(subjects: Subjects) -> list[Signature]:
    return signatures(subjects.theirs)


def _run(seed: int, subjects: Subjects, drawn: list[Signature], count: list[Finding]) -> None:
    expressions = Expressions(Random(seed), drawn)
    for _ in range(PER_SEED):
        sql, one = expressions.statement()
        count.append(judged(subjects.run(sql), one))
    wrong = [finding for finding in count if finding.verdict is Verdict.WRONG]
    assert not wrong, f"seed {seed}:\n{report(wrong)}"


@pytest.mark.slow(ordinary=2)
@pytest.mark.parametrize("seed", range(6))
def test_random_expressions(
    seed: int, subjects: Subjects, drawn: list[Signature], count: list[Finding]
) -> None:
    _run(seed, subjects, drawn, count)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 180))
def test_many_random_expressions(
    seed: int, subjects: Subjects, drawn: list[Signature], count: list[Finding]
) -> None:
    _run(seed, subjects, drawn, count)


def test_there_is_much_to_draw_from(drawn: list[Signature]) -> None:
    assert len(drawn) > 600
