"""A run store: the files of one dataflow's state, in a directory of its own, and of what others have of them (`shared_files`).

```
spine ── spill (large runs, by the merge thread) ──┐
                                                   ├── <writer>-<number>.run    one large run
spines at a cut ── save (all that are left) ───────┘   <writer>-<number>.pack   the small ones of one save
               └── pack (all) ───────────────────────> <writer>-<number>.packed all, compressed; large ones are opened when needed
```

A file is written once, under a name of its own, and is synced before `save` returns, and published before others are told its name (`stored`).
It is deleted by `sweep` when its `RunFile` is not referenced any more (no spine, no handle) and no checkpoint names it.  What was left by a
process that died goes by `collect` and `collect_published`.  A save writes only runs that are not on file yet: its cost follows what has changed since the
one before.

Threads: the merge thread spills while another one saves; a lock guards what they share.
"""

from __future__ import annotations

import logging
import shutil
import threading
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from time import monotonic
from typing import TypeVar
from weakref import WeakSet

import pyarrow as pa

from ..errors import PtvcError, StorageError
from .packed_file import SUFFIX, encode, size_of
from .packed_run import PackedRun
from .run import Run, RunFile, StoredRun
from .run_file import (
    checksum,
    encode_run,
    is_packed,
    map_run,
    packed_bytes,
    read_run,
    run_file,
    sync_directory,
    sync_file,
    verify,
    write_unsynced,
)
from .shared_files import MACHINE, SharedFiles

logger = logging.getLogger(__name__)

K = TypeVar("K")

StateId = tuple[int, str]
"""(node id, name within the node).  The output's errors are ("number of nodes", "errs"), its rows in an index ("number of nodes", INDEX_RUNS)."""

INDEX_RUNS = "index"
"""The rows of an index."""

PRESSED_ROWS = 512
"""When memory is short, runs of so many rows are mapped."""

SPILL_ROWS = 65_536
"""Runs of so many rows are mapped, smaller ones stay in memory."""

PACKED_BYTES = 1 << 28
"""Larger runs are not packed: who needs one would wait for more than a second, and the whole of it be in memory meanwhile."""

_ALIGNMENT = 64
_PATIENCE_S = 5.0
"""After a run could not be written, the next is tried so much later."""

_RELEASE_BYTES = 1 << 24

_SUFFIXES = (".run", ".pack", SUFFIX, ".partial")

_numbers = count(1)


class RunStore:
    """`writer` names this process's attempt: no two that are alive have the same.  The directory must exist."""

    def __init__(
        self, directory: Path, writer: str, spill_rows: int = SPILL_ROWS, files: SharedFiles = MACHINE
    ) -> None:
        self.directory = directory
        self.shared = files
        self.spill_rows = max(spill_rows, 1)
        self._writer = writer
        self._lock = threading.Lock()
        self._files: dict[Path, WeakSet[RunFile]] = {}
        self._synced: set[Path] = set()
        self._discarded: list[str] = []
        self._failed_at: float | None = None
        self._left = False

    # -- runs that are too large for memory --

    def wants(self, run: Run) -> bool:
        """Whether the run should be mapped, and is not."""
        if len(run) < self.spill_rows or run.mapped:
            return False
        return self._failed_at is None or monotonic() - self._failed_at > _PATIENCE_S

    def press(self) -> None:
        """Memory is short: from now on small runs are mapped too."""
        self.spill_rows = min(self.spill_rows, PRESSED_ROWS)

    def spill(self, run: Run) -> Run | None:
        """The same run, mapped.  None when it cannot be written: it stays in memory, the reason is in the log."""
        if run.file is not None and not is_packed(run.file):
            return self._track(read_run(run.file, mapped=True))
        try:
            mapped = self._track(self._written(run))
        except (OSError, PtvcError) as error:
            self._failed_at = monotonic()
            if self.needed:
                logger.warning("cannot write state to %s, it stays in memory: %s", self.directory, error)
            return None
        return mapped

    def released(self, nbytes: int) -> None:
        """A run of so many bytes has left memory: what the allocator keeps of it goes back to the system."""
        if nbytes >= _RELEASE_BYTES:
            pa.default_memory_pool().release_unused()

    # -- state as of a cut --

    def save(self, state: Mapping[StateId, Sequence[Run]]) -> dict[StateId, tuple[Run, ...]]:
        """The same runs, all of them on file, with checksums, durable.  Raises OSError when that cannot be."""
        with self._lock:
            before = set(self._synced)
        small = [
            run for runs in state.values() for run in runs if run.file is None and not self._is_large(run)
        ]
        packed = self._pack(small)
        saved = {
            id_: tuple(packed[id(run)] if id(run) in packed else self._saved(run) for run in runs)
            for id_, runs in state.items()
        }
        paths = {run.file.path for runs in saved.values() for run in runs if run.file is not None}
        unsynced = paths - before
        for path in unsynced:
            sync_file(path)
        for directory in {path.parent for path in unsynced}:
            sync_directory(directory)
        with self._lock:
            self._synced |= unsynced
        return saved

    def stored(self, files: Mapping[K, Sequence[RunFile]]) -> dict[K, tuple[StoredRun, ...]]:
        """How others find the runs, whosever they are: they are published.  Raises OSError and PtvcError."""
        self.shared.publish(file.path for some in files.values() for file in some)
        return {key: tuple(map(self._stored, some)) for key, some in files.items()}

    def _stored(self, file: RunFile) -> StoredRun:
        return StoredRun(self.shared.name(file.path), file.offset, file.length, file.checksum)

    def _is_large(self, run: Run) -> bool:
        return len(run) >= self.spill_rows

    def _saved(self, run: Run) -> Run:
        """The run with its own file."""
        if run.file is None:
            run = self._written(run)
        assert run.file is not None
        if run.file.checksum is None:
            run = replace(run, file=replace(run.file, checksum=checksum(run.file)))
        return self._track(run)

    def _written(self, run: Run) -> Run:
        """The run mapped from a new file."""
        path = self._path("run")
        with _whole_or_not(path):
            write_unsynced(path, run)
            return map_run(path)

    def _pack(self, runs: Sequence[Run]) -> dict[int, Run]:
        """Small runs, in one new file: each of them, by its id, with its place there.  They stay in memory."""
        if not runs:
            return {}
        path = self._path("pack")
        packed, offset = {}, 0
        with _whole_or_not(path), path.open("wb") as sink:
            for run in runs:
                data = encode_run(run)
                sink.write(data)
                place = RunFile(path, offset, data.size)
                packed[id(run)] = replace(run, file=place)
                offset += data.size + sink.write(b"\0" * (-data.size % _ALIGNMENT))
        return {id_: self._saved(run) for id_, run in packed.items()}

    def pack(
        self, state: Mapping[StateId, Sequence[Run]], keys: Mapping[StateId, tuple[int, ...]]
    ) -> dict[StateId, tuple[Run, ...]]:
        """The same runs, of spines with these keys, as far as possible in one new packed file, durable: large ones are to be
        opened when somebody needs them, small ones stay in memory as well.  Those that are packed already are closed.

        Raises OSError when they cannot be written.
        """
        path = self._path(SUFFIX[1:])
        packed: dict[StateId, list[Run]] = {}
        offset = 0
        with _whole_or_not(path), path.open("wb") as sink:
            for id_, runs in state.items():
                packed[id_] = []
                for run in runs:
                    if isinstance(run, PackedRun):
                        run.close()
                    data = None if _is_packed(run) or run.nbytes > PACKED_BYTES else encode(run, keys[id_])
                    if data is None:
                        packed[id_].append(run)
                        continue
                    place = RunFile(path, offset, data.size, zlib.crc32(data))
                    offset += sink.write(data)
                    packed[id_].append(self._closed(place, run) if run.mapped else replace(run, file=place))
        if offset:
            sync_file(path)
            sync_directory(self.directory)
            with self._lock:
                self._synced.add(path)
        else:
            path.unlink()
        return {id_: tuple(map(self._track_if_written, runs)) for id_, runs in packed.items()}

    def _closed(self, place: RunFile, run: Run) -> Run:
        return PackedRun(place, len(run), run.nbytes, self._expanded)

    def _expanded(self, file: RunFile) -> Run:
        """A packed run, mapped from a new file; in memory when none can be written."""
        run = read_run(file, mapped=False)
        try:
            return self._track(self._written(run))
        except (OSError, PtvcError) as error:
            if self.needed:
                logger.warning("cannot write state to %s, it is in memory: %s", self.directory, error)
            return run

    def load(
        self, state: Mapping[StateId, Sequence[StoredRun]], *, whole: bool = True, own: bool = True
    ) -> dict[StateId, tuple[Run, ...]]:
        """The runs at these places, which others have published: large ones mapped or packed, small ones in memory.  Of another replica's
        files this store has links of its own, as that one removes its own when it likes; if not `whole`, only shares of the runs
        are taken, and no file of another replica stays in use; if not `own`, copies of runs are, and whether the files go is another store's to say.

        Raises StorageError when one of them is not what was saved.
        """
        self.shared.fetch(run.name for runs in state.values() for run in runs)
        loaded = {
            id_: tuple(self._load(run_file(self.shared, run), whole, own) for run in runs)
            for id_, runs in state.items()
        }
        paths = {self.shared.path(run.name) for runs in state.values() for run in runs}
        with self._lock:
            self._synced |= {path for path in paths if not self._is_foreign(path)}
        return loaded

    def _load(self, file: RunFile, whole: bool, own: bool) -> Run:
        track = self._track if own else _untracked
        if self._is_foreign(file.path):
            if whole:
                file = replace(file, path=self._linked(file.path))
            else:
                track = _untracked
        verify(file)
        if is_packed(file):
            rows, nbytes = size_of(packed_bytes(file), file)
            large = rows >= self.spill_rows
            return track(
                PackedRun(file, rows, nbytes, self._expanded) if large else read_run(file, mapped=False)
            )
        run = track(read_run(file, mapped=True))
        return run if self._is_large(run) else read_run(file, mapped=False)

    def _is_foreign(self, path: Path) -> bool:
        """Whether it is another replica's.  Where files are copied, a replica has had other places beside this one."""
        return not path.is_relative_to(self.directory.parent if self.shared.copied else self.directory)

    def _linked(self, path: Path) -> Path:
        """Another replica's file, under the same name in this store's directory: its writer has called no other so.  Raises StorageError."""
        own = self.directory / path.name
        try:
            if not own.exists():
                _link(path, own)
        except OSError as error:
            raise StorageError(f'cannot have "{path}" as "{own}": {error}') from error
        return own

    def adopt(self, state: Mapping[StateId, Sequence[str]]) -> dict[StateId, tuple[Run, ...]]:
        """Runs that a job has left as durable files of these names below the directory: from now on they are this store's."""
        self.shared.fetch(name for names in state.values() for name in names)
        paths = {id_: [self.shared.path(name) for name in names] for id_, names in state.items()}
        adopted = {id_: tuple(self._track(map_run(path)) for path in some) for id_, some in paths.items()}
        with self._lock:
            self._synced.update(path for some in paths.values() for path in some)
        return adopted

    def new_directory(self) -> Path:
        """A directory of its own, below the store's, for what a job is to read and to leave.  Raises OSError."""
        path = self.directory / f"{self._writer}-{next(_numbers)}"
        path.mkdir()
        return path

    # -- files that are not needed --

    @property
    def needed(self) -> bool:
        """Whether what is written has a reader: not once the object was dropped, of which this process may hear later than of its files.
        What cannot be written then is no failure."""
        return not self._left and self.directory.exists()

    def leave(self) -> None:
        """This machine does not need the files any more."""
        self._left = True
        self.shared.leave(self.shared.name(self.directory))

    def leave_written(self) -> None:
        """As `leave`, of the files that this store has written: others have theirs beside them."""
        self._left = True
        with self._lock:
            written = [path for path in self._files if path.name.startswith(f"{self._writer}-")]
        for path in written:
            self.shared.leave(self.shared.name(path))

    def sweep(self, keep: Iterable[StoredRun]) -> None:
        """Deletes the files of this store that are not referenced; those that the last checkpoint names are to `keep`.

        Raises PtvcError when others have them still.
        """
        kept = {self.shared.path(run.name) for run in keep}
        with self._lock:
            dead = [path for path, files in self._files.items() if not files and path not in kept]
            for path in dead:
                del self._files[path]
            self._synced.difference_update(dead)
            discarded, self._discarded = self._discarded, []
        for path in dead:
            path.unlink(missing_ok=True)
            if path.parent != self.directory:
                with suppress(OSError):  # a job's directory goes with its last file
                    path.parent.rmdir()
        self.shared.unpublish([self.shared.name(path) for path in dead])
        for folder in discarded:
            self._unpublish_below(folder, kept)

    def discard(self, directory: Path) -> None:
        """What of a `new_directory` is published and no run of the state goes with the next sweep."""
        if self.shared.copied:
            with self._lock:
                self._discarded.append(self.shared.name(directory))

    def collect_published(self, keep: Iterable[StoredRun]) -> None:
        """As `collect`, of what earlier processes have published, but for the files that the last checkpoint names.  Raises PtvcError."""
        if self.shared.copied:
            kept = {self.shared.path(run.name) for run in keep}
            self._unpublish_below(self.shared.name(self.directory), kept, but=f"{self._writer}-")

    def _unpublish_below(self, folder: str, kept: Collection[Path], but: str | None = None) -> None:
        """But for names that begin with `but` there."""
        names = self.shared.published(folder)
        with self._lock:
            needed = {self.shared.name(path) for path in (*kept, *self._files)}
        others = [name for name in names if but is None or not name.startswith(f"{folder}/{but}")]
        self.shared.unpublish([name for name in others if name not in needed])

    def collect(self, keep: Iterable[StoredRun] = ()) -> None:
        """Deletes every run below the directory that is not this store's, nor to `keep`, and directories without one.  To be called when
        no other process writes here: those were left by earlier processes."""
        kept = {self.shared.path(run.name) for run in keep}
        with self._lock:
            kept.update(self._files)
        emptied: list[Path] = []
        for path in list(self.directory.rglob("*")):
            if path.suffix in _SUFFIXES and path not in kept:
                path.unlink(missing_ok=True)
            elif path.is_dir():
                emptied.append(path)
        for path in emptied:
            with suppress(OSError):  # what is not empty stays
                path.rmdir()

    def _path(self, suffix: str) -> Path:
        return self.directory / f"{self._writer}-{next(_numbers)}.{suffix}"

    def _track_if_written(self, run: Run) -> Run:
        return run if run.file is None else self._track(run)

    def _track(self, run: Run) -> Run:
        assert run.file is not None
        with self._lock:
            self._files.setdefault(run.file.path, WeakSet()).add(run.file)
        return run


def _untracked(run: Run) -> Run:
    return run


def _link(path: Path, own: Path) -> None:
    """One file by two names, or a copy of it where the file system has no links."""
    with suppress(FileExistsError):  # another worker of the replica was first
        try:
            own.hardlink_to(path)
        except FileNotFoundError:
            raise
        except OSError:
            partial = own.with_name(f"{own.name}.{next(_numbers)}.partial")
            with _whole_or_not(partial):
                shutil.copyfile(path, partial)
                partial.replace(own)


def _is_packed(run: Run) -> bool:
    return run.file is not None and is_packed(run.file)


@contextmanager
def _whole_or_not(path: Path) -> Iterator[None]:
    """A file that could not be written to its end is not left behind."""
    try:
        yield
    except BaseException:
        path.unlink(missing_ok=True)
        raise
