"""A file with records in error."""

from __future__ import annotations

from pathlib import Path

import pytest

from .letters import BAD, lines


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "in.jsonl"
    path.write_text(lines('{"id": 1}', BAD[0], '{"id": 2, "n": 3}', BAD[1], BAD[2]))
    return path
