"""Places that COPY ... TO writes files to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from ...directory import check_outside
from ...expr.tree.relation import GlobalId
from ...sql.plans.data_plans import CopyDestination
from ...storage.connections.values import Values
from ...storage.export.bucket import BucketPlace
from ...storage.export.directory import DirectoryPlace
from ..catalog.catalog import Catalog
from ..results.results import Export


class Exports:
    """`own` are the directories of the runtime, which no export touches; `spool` is where files are before they are sent."""

    def __init__(
        self,
        own: tuple[Path, ...],
        spool: Path,
        values: Callable[[Iterable[GlobalId], Catalog], Mapping[GlobalId, Values]],
    ) -> None:
        self._own = own
        self._spool = spool
        self._values = values

    def open(self, to: CopyDestination | None, catalog: Catalog) -> Export | None:
        """Nothing outside is touched yet.  Raises InvalidParameter for a directory of the runtime."""
        if to is None:
            return None
        if to.connection is None:
            check_outside(to.path, self._own, "COPY would write to")
            return Export(DirectoryPlace(to.path), to.max_file_bytes)
        values = self._values((to.connection,), catalog)[to.connection]
        return Export(BucketPlace(values, to.bucket, to.path, self._spool), to.max_file_bytes)
