"""How far a sink has written: which interval of its collection comes next, and what a crash would leave.

```
open: the target says `durable_upper` ── write [upper, ...) ── durable ── upper goes on ── write ...
```
"""

from __future__ import annotations

from dataclasses import replace

from ...repr.schema import Schema
from .contract import SinkStatistics


class ResumedSink:
    """`_durable_upper` and `_written_generation` are what the target's progress says, which who writes there sees to; `_upper` goes ahead of it
    where nothing is written for a while."""

    def __init__(self, schema: Schema, generation: int) -> None:
        """`generation` is that of what the sink reads now."""
        self._schema = schema
        self._generation = generation
        self._upper = 0
        self._durable_upper = 0
        self._written_generation = 0
        self.statistics = SinkStatistics()

    @property
    def upper(self) -> int:
        return self._upper

    @property
    def durable_upper(self) -> int:
        return self._durable_upper

    @property
    def written_generation(self) -> int:
        return self._written_generation

    def _resume(self) -> int:
        """What `open` returns, once the progress is known."""
        self._upper = self.durable_upper
        return self._upper

    def _check_next(self, lower: int, upper: int) -> None:
        assert lower == self._upper < upper, f"[{lower}, {upper}) does not follow {self._upper}"

    def _generation_at(self, upper: int, switched_at: int) -> int:
        """Of changes up to there: from `switched_at` on they are those of the present one."""
        return self._generation if upper > switched_at else self.written_generation

    def _count(
        self,
        staged: int = 0,
        committed: int = 0,
        staged_bytes: int = 0,
        committed_bytes: int = 0,
        files: int = 0,
    ) -> None:
        so_far = self.statistics
        self.statistics = replace(
            so_far,
            messages_staged=so_far.messages_staged + staged,
            messages_committed=so_far.messages_committed + committed,
            bytes_staged=so_far.bytes_staged + staged_bytes,
            bytes_committed=so_far.bytes_committed + committed_bytes,
            files=so_far.files + files,
        )
