"""COPY ... TO a directory or a prefix of S3: rows as files of the place, and at last the manifest, which names each of them once.

```
chunks ──> files ──────────────────────────┐
tasks of a Spark job ──> files of each ──> fence closed, what has no name in the manifest removed ──> manifest
```
"""

from __future__ import annotations

import asyncio
import json
import logging
import pickle
from collections.abc import Callable
from typing import TypeVar

from ..coord.results.results import CopyOut, Export
from ..errors import PtvcError
from ..storage.export.fence import Fence
from ..storage.export.tasks import WrittenFile
from .copy_files import Files, Layout, TaskWriter
from .rows import slices

logger = logging.getLogger(__name__)
T = TypeVar("T")


async def export(copy: CopyOut, to: Export, check_cancel: Callable[[], None]) -> int:
    """Writes all rows; how many they were.  Whatever ends it before, what it has written goes."""
    writing = _Writing(copy, to)
    await _in_thread(to.place.begin)
    try:
        await _in_thread(writing.begin)
        async for chunk in copy.chunks:
            for piece in slices(chunk):
                check_cancel()
                await _in_thread(lambda piece=piece: writing.files.add(piece))  # type: ignore[misc]
        check_cancel()
        return await _in_thread(writing.finish)
    except BaseException:
        try:
            await _in_thread(writing.undo)
        except PtvcError as error:  # the statement's own error is what is told
            logger.warning("what an export has written is left behind: %s", error.message)
        raise


async def _in_thread(work: Callable[[], T]) -> T:
    """A statement that is cancelled waits for it: what comes next must not run beside it."""
    future = asyncio.get_running_loop().run_in_executor(None, work)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        await asyncio.wait([future])
        raise


class _Writing:
    """An export on its way, in a place that it has taken: by `files`, unless tasks write."""

    def __init__(self, copy: CopyOut, to: Export) -> None:
        """Raises Unsupported for a column that the format cannot hold."""
        self._layout = Layout(copy.schema, copy.options, copy.zone, to.max_file_bytes)
        self._to = to
        self._fence: Fence | None = None
        self.files = Files(self._layout, to.place)

    def begin(self) -> None:
        """Before the first rows are asked for."""
        if (tasks := self._to.tasks) is not None and self._to.by_tasks:
            self._fence = Fence(self._to.directory)
            writer = TaskWriter(self._layout, self._to.place.for_tasks(), self._fence.path)
            tasks.writer = pickle.dumps(writer)

    def finish(self) -> int:
        """The number of rows, when the place says it."""
        tasks = self._to.tasks
        if tasks is None or tasks.written is None:
            written = self.files.finish()
        else:
            written = tasks.written
            self._settle(written)
        if self._fence is not None:
            self._fence.close()
        rows = sum(file.rows for file in written)
        files = [{"name": file.name, "rows": file.rows, "bytes": file.nbytes} for file in written]
        self._to.place.finish(json.dumps({"rows": rows, "files": files}, indent=1).encode() + b"\n")
        return rows

    def undo(self) -> None:
        self._settle(())
        self._to.place.undo()

    def _settle(self, kept: tuple[WrittenFile, ...]) -> None:
        """No task writes any more, and of what they have written only this is there."""
        if self._fence is not None:
            self._fence.close()
            self._to.place.keep_only({file.name for file in kept})
