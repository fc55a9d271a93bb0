"""What a member hands over of its rows of an index: those of some keys, or all of them.

What is in mapped files stays there: who reads it maps the files, too, which are kept meanwhile, whatever merges and checkpoints do.  What is
read on another machine is sent.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from ...repr.batch import concat_batches, from_record
from ...repr.hash import hash_columns
from ..run import RunFile
from ..spine import Spine, probe_runs
from .messages import IndexRows
from .row_format import to_buffer


class IndexReads:
    """Those of one member; `far`: of a leader on another machine."""

    def __init__(self, *, far: bool = False) -> None:
        self._far = far
        self._files: dict[int, RunFile] = {}
        self._numbers = count(1)

    def rows(self, index: Spine, keys: bytes | None) -> IndexRows:
        """As `ReadIndex` asks for them."""
        schema, runs = index.schema, index.handle()
        if keys is not None:
            wanted = from_record(schema.project(index.key), keys)
            hashes = hash_columns(wanted, len(wanted[0]))
            found = [matches.rows for matches in probe_runs(runs, index.key, wanted, hashes)]
            return IndexRows((to_buffer(schema, concat_batches(schema, found)),) if found else ())
        files, file_rows = [], 0
        for run in runs:
            if not self._far and run.mapped and run.file is not None:
                files.append((next(self._numbers), run.file))
                file_rows += len(run)
        self._files.update(files)
        rest = [run.batch for run in runs if self._far or not run.mapped or run.file is None]
        return IndexRows(tuple(to_buffer(schema, batch) for batch in rest), tuple(files), file_rows)

    def release(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            del self._files[number]
