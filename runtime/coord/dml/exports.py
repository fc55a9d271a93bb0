"""Places that COPY ... TO writes files to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from ...directory import check_outside
from ...expr.tree.relation import GlobalId
from ...sql.plans.data_plans import CopyDestination
from ...sql.plans.query_plans import Select
from ...storage.connections.values import Values
from ...storage.export.bucket import BucketPlace
from ...storage.export.directory import DirectoryPlace
from ..catalog.catalog import Catalog
from ..results.results import Export, TaskFiles


class Exports:
    """`own` are the directories of the runtime, which no export touches; `spool` is where files are before they are sent, and the fences of tasks.
    `by_tasks` is false where tasks are on other machines: no fence keeps them from writing once the statement has ended."""

    def __init__(
        self,
        own: tuple[Path, ...],
        spool: Path,
        values: Callable[[Iterable[GlobalId], Catalog], Mapping[GlobalId, Values]],
        *,
        by_tasks: bool,
    ) -> None:
        self._own = own
        self._spool = spool
        self._values = values
        self._by_tasks = by_tasks

    def open(self, to: CopyDestination | None, query: Select, catalog: Catalog) -> Export | None:
        """Nothing outside is touched yet.  Raises InvalidParameter for a directory of the runtime."""
        if to is None:
            return None
        finishing, tasks = query.finishing, None
        if not finishing.order and finishing.limit is None and not finishing.offset:
            tasks = TaskFiles(to.max_file_bytes, finishing.indices)
        if to.connection is None:
            check_outside(to.path, self._own, "COPY would write to")
            return Export(DirectoryPlace(to.path), to.max_file_bytes, self._spool, tasks, self._by_tasks)
        values = self._values((to.connection,), catalog)[to.connection]
        place = BucketPlace(values, to.bucket, to.path, self._spool)
        return Export(place, to.max_file_bytes, self._spool, tasks, self._by_tasks)
