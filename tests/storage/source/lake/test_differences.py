"""What files that come and go leave, however little may be in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT2, TEXT
from ptvc.storage.source.lake import differences
from ptvc.storage.source.lake.differences import changes
from ptvc.storage.source.lake.table import LakeRows

SCHEMA = Schema((Column("k", INT2), Column("v", TEXT)))


@dataclass(frozen=True)
class File:
    rows: list[tuple[int, str]]
    name: str = "f"
    nbytes: int = 0
    count: int | None = None

    def batches(self) -> Iterator[LakeRows]:
        for number, row in enumerate(self.rows, 1):
            columns = {"k": pa.array([row[0]], pa.int32()), "v": pa.array([row[1]])}
            yield LakeRows(columns, np.array([number]))


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("memory", [1, 200, 1 << 20])
def test_rows_that_come_and_go_cancel_each_other_out(
    monkeypatch: pytest.MonkeyPatch, memory: int, named: bool
) -> None:
    """Rows in error, too, and equal rows; one row may be larger than all that may be in memory."""
    monkeypatch.setattr(differences, "MEMORY_BYTES", memory)
    monkeypatch.setattr(differences, "_STEP_BYTES", 1)
    stays = [(k, "x" * 50) for k in range(40)] + [(7, "same")] * 5 + [(70_000, "in error")]
    removed = [File([*stays, (1, "gone"), (80_000, "in error")])]
    added = [File(stays[20:]), File([*stays[:20], (7, "same"), (2, "new")])]
    rows: Counter[Any] = Counter()
    errors: Counter[str] = Counter()
    for part in changes(removed, added, SCHEMA, named=named):
        if part is not None:
            keys, values = (column.to_pylist() for column in part.oks.columns)
            for key, value, diff in zip(keys, values, part.oks.diffs.tolist(), strict=True):
                rows[key, value] += diff
            for message, diff in zip(part.errs.columns[1].to_pylist(), part.errs.diffs.tolist(), strict=True):
                errors[message] += diff
    assert rows == {(1, "gone"): -1, (7, "same"): 1, (2, "new"): 1}
    reason = 'column "k": value "{}" is out of range for type smallint'
    assert +errors == ({'file "f", row 26: ' + reason.format(70_000): 1} if named else {})
    assert -errors == (
        {'file "f", row 46: ' + reason.format(70_000): 1, 'file "f", row 48: ' + reason.format(80_000): 1}
        if named
        else {reason.format(80_000): 1}
    )
