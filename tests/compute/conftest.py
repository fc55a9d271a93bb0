"""Fixtures of tests of dataflows."""

from __future__ import annotations

import pytest
from ptvc.compute.operators.reductions import combine


@pytest.fixture
def eager_combining(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows are combined, whatever that costs; of keys with one row these are sent."""
    monkeypatch.setattr(combine, "FEW_ROWS", 1)
    monkeypatch.setattr(combine, "WORTH", 1)
    monkeypatch.setattr(combine, "WORTH_SUMS", 2)
    monkeypatch.setattr(combine, "MOST_SENT", 1_000_000.0)
