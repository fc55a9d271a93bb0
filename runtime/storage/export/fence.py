"""A fence round the tasks that write files of an export: once it is closed none of them writes any more.

```
export: Fence() ── a file ──> tasks: within(), a shared lock ── check() before each piece
close(): no file ── waits for the lock
```

A task whose job has failed, or was cancelled, may run on for a while, and so may one whose driver was killed.  The lock is the
kernel's: it goes with the process that held it, however that ends.  Tasks are on the machine of the coordinator, as their answers are.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ...errors import PtvcError, QueryCanceled


class Fence:
    """`path` is what tasks know of it."""

    def __init__(self, folder: Path) -> None:
        self._descriptor: int | None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._descriptor, self.path = tempfile.mkstemp(prefix="fence-", dir=folder)
        except OSError as error:
            raise PtvcError(
                f'cannot make a file in "{folder}": {error.strerror}', sqlstate="58030"
            ) from error

    def close(self) -> None:
        """Returns when no task is inside; none comes in from now on.  May wait as long as a task needs for one file."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        try:
            Path(self.path).unlink(missing_ok=True)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        finally:
            os.close(descriptor)


@contextmanager
def within(path: str) -> Iterator[Callable[[], None]]:
    """Work inside holds the fence open, and calls what it is given now and then: QueryCanceled once the fence is being closed."""

    def check() -> None:
        if not os.path.exists(path):
            raise QueryCanceled("the export has ended")

    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        raise QueryCanceled("the export has ended") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        check()  # it may have been closed before the lock was there
        yield check
    finally:
        os.close(descriptor)
