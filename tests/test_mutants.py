from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from mutants import MUTANTS, ROOT, Mutant, applied


def test_names_are_unique() -> None:
    assert Counter(mutant.name for mutant in MUTANTS).most_common(1)[0][1] == 1
    assert len(MUTANTS) >= 10


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_is_of_the_code_as_it_is(mutant: Mutant, tmp_path: Path) -> None:
    """Else it would not be put in, or into two places."""
    text = (ROOT / "runtime" / mutant.module).read_text()
    copy = tmp_path / "runtime" / mutant.module
    copy.parent.mkdir(parents=True)
    copy.write_text(text)
    with applied(mutant, tmp_path):
        changed = copy.read_text()
        assert changed != text
        compile(changed, str(copy), "exec")
    assert copy.read_text() == text
    assert all((ROOT / name).exists() for name in mutant.tests)
