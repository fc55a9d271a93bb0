"""A packed run: a large run that nobody has needed for a while, in a small file that cannot be searched.

```
packed file ── first look at hashes or rows ──> opened: decoded into a file that is mapped ── close ──> packed file only
```

How many rows it has, and how large it is, is known without that: merges that are not due, and reports, leave it closed.  Rows that somebody has
when it is closed stay theirs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from ..repr.batch import Batch
from ..repr.buffers import Words
from .run import Run, RunFile


class PackedRun(Run):
    """`rows` updates that take `nbytes` when they are not packed; `expand` makes a run of them that can be searched.  Thread-safe."""

    __slots__ = ("_expand", "_lock", "_nbytes", "_opened", "_packed", "_rows")

    def __init__(self, packed: RunFile, rows: int, nbytes: int, expand: Callable[[RunFile], Run]) -> None:
        self._packed = packed
        self._rows = rows
        self._nbytes = nbytes
        self._expand = expand
        self._lock = threading.Lock()
        self._opened: Run | None = None

    def __setattr__(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)  # unlike other runs, it changes: is opened, and closed

    def __repr__(self) -> str:
        return f"PackedRun({self._packed}, {self._rows} rows)"

    def opened(self) -> Run:
        """The same run, to be searched.  Raises StorageError when the packed file is damaged or gone."""
        with self._lock:
            if self._opened is None:
                self._opened = self._expand(self._packed)
            return self._opened

    def close(self) -> None:
        """Only the packed file is needed from now on, until somebody looks again."""
        with self._lock:
            self._opened = None

    @property
    def is_open(self) -> bool:
        return self._opened is not None

    def __len__(self) -> int:
        return self._rows

    @property
    def hashes(self) -> Words:
        return self.opened().hashes

    @property
    def batch(self) -> Batch:
        return self.opened().batch

    @property
    def samples(self) -> Words | None:
        return self.opened().samples

    @property
    def file(self) -> RunFile:
        """The packed file, which lasts; `searched_file` is the one that is mapped."""
        return self._packed

    @property
    def searched_file(self) -> RunFile | None:
        return self.opened().file

    @property
    def nbytes(self) -> int:
        return self._nbytes

    @property
    def mapped(self) -> bool:
        return True
