from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from known_bugs import FINDINGS, MUTANTS, Mutant
from mutants import ROOT, applied, copied, missed

of_each = pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)


def test_names_are_unique() -> None:
    assert Counter(mutant.name for mutant in MUTANTS).most_common(1)[0][1] == 1


def test_each_finding_has_a_mutant() -> None:
    assert {mutant.finding for mutant in FINDINGS} == set(range(1, 17))


@of_each
def test_a_mutant_is_of_the_code_as_it_is(mutant: Mutant, tmp_path: Path) -> None:
    """Else it would not be put in, or into two places."""
    texts = {edit.file: (ROOT / edit.file).read_text() for edit in mutant.edits}
    for file, text in texts.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    with applied(mutant, tmp_path):
        for file, text in texts.items():
            changed = (tmp_path / file).read_text()
            assert changed != text
            if file.endswith(".py"):
                compile(changed, file, "exec")
    assert {file: (tmp_path / file).read_text() for file in texts} == texts
    assert all((ROOT / test.partition("::")[0]).exists() for test in mutant.tests)


@pytest.fixture(scope="module")
def copy() -> Iterator[Path]:
    with copied() as copy:
        yield copy


@pytest.mark.slow(slices=40)
@pytest.mark.timeout(900)
@of_each
def test_a_mutant_is_found(mutant: Mutant, copy: Path) -> None:
    failed, not_found = missed(mutant, copy, rotation=0)
    assert failed
    assert not_found == []
