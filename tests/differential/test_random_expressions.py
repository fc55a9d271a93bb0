"""Random expressions give PostgreSQL's value or error.

A seed's statements are always the same ones; a failure names seed, statement and both answers.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from .random_expressions import Expressions, Signature, signatures
from .suite import Failure, Finding, Subjects, Verdict, report

PER_SEED = 100


@pytest.fixture(scope="module")
def drawn(subjects: Subjects) -> list[Signature]:
    return signatures(subjects.theirs)


def _judged(found: Finding, one: bool) -> Finding:
    """Deviations of docs/sql/deviations.md that no list of statements can name."""
    if found.verdict is not Verdict.WRONG or not isinstance(found.ours, Failure):
        return found
    too_long = found.ours.message == "value overflows numeric format"
    theirs = found.theirs.sqlstate if isinstance(found.theirs, Failure) else ""
    another = theirs[:2] == found.ours.sqlstate[:2] == "22" and not one
    no_date = found.ours.sqlstate == "22007" and theirs in ("22008", "22023")
    return replace(found, verdict=Verdict.DEVIATING) if too_long or another or no_date else found


def _run(seed: int, subjects: Subjects, drawn: list[Signature], count: list[Finding]) -> None:
    expressions = Expressions(Random(seed), drawn)
    for _ in range(PER_SEED):
        sql, one = expressions.statement()
        count.append(_judged(subjects.run(sql), one))
    wrong = [finding for finding in count if finding.verdict is Verdict.WRONG]
    assert not wrong, f"seed {seed}:\n{report(wrong)}"


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
