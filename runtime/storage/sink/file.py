"""FILE sink: a directory that receives one file per interval of changes, exactly once.

    <lower>-<upper>.jsonl      the changes of [lower, upper), complete as soon as it has its name
    manifest.json              {"upper": ..., "generation": ...}: everything below is in the files; written after them

A file is written under a temporary name, synced, renamed, and its directory synced; then the manifest, in the same
way.  After a crash `open` believes the manifest alone: it removes what lies beyond, and the sink goes on from there.
Since an interval's content depends on the changes only, a reader that saw a file just before a crash sees the same
bytes again unless the changes were cut at other times; one that reads no further than the manifest's upper never
sees a change twice.  The generation says how often what the sink reads had been exchanged when that was written.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import DiskFull, InvalidParameter, StorageError, Unsupported
from ...repr.batch import Batch
from ...repr.consolidate import consolidate
from ...repr.schema import Schema
from ...repr.types import NESTED, Kind
from .change_json import encode_json
from .change_parquet import encode_parquet
from .change_records import SinkEnvelope, change_records
from .contract import SinkStalled, nothing
from .resumed import ResumedSink

MANIFEST = "manifest.json"
MANIFEST_VERSION = 1
IDLE_PROGRESS_MS = 10_000
"""How far the manifest may stay behind while nothing changes: progress alone is not worth two syncs."""

FILE_MODE = 0o644
DIRECTORY_MODE = 0o755
"""As PostgreSQL's files of COPY: they are for others to read, whatever the server's own files are."""

_LOCK = ".lock"
_TEMPORARY = ".tmp"
_EXTENSIONS = {"json": "jsonl", "parquet": "parquet"}
_ENCODERS = {"json": encode_json, "parquet": encode_parquet}
_OURS = re.compile(r"^(\d{20})-(\d{20})\.(jsonl|parquet)(\.tmp)?$")
_RESERVED = {
    SinkEnvelope.NONE: {"mz_timestamp", "mz_diff"},
    SinkEnvelope.UPSERT: {"after", "ts"},
    SinkEnvelope.DEBEZIUM: set[str](),
}


class FileSink(ResumedSink):
    """One writer of one directory, which it holds locked from `open` to `close`.  Not thread-safe."""

    def __init__(
        self,
        sink_id: str,
        path: str | Path,
        format: str,
        schema: Schema,
        envelope: SinkEnvelope,
        key: Sequence[int] = (),
        generation: int = 0,
    ) -> None:
        """Raises InvalidParameter or Unsupported for options and columns that do not go together."""
        _check(format, schema, envelope, key)
        super().__init__(schema, generation)
        self._id = sink_id
        self._path = Path(path)
        self._format = format
        self._envelope = envelope
        self._key = tuple(key)
        self._lock: int | None = None

    @property
    def writes_net(self) -> bool:
        """Each time's records are of their own."""
        return False

    def open(self) -> int:
        """Takes the directory, removes what a crash left, and returns the time to go on from (0 at the start).

        Raises SinkStalled when the directory cannot be written, is another sink's or is in another process's
        hands (which ends with that process), StorageError when its manifest cannot be read.
        """
        with self._explained():
            self._make_directory()
            self._take_lock()
            try:
                manifest = self._read_manifest()
                if manifest is not None:
                    self._written_generation = manifest.get("generation", 0)
                self._durable_upper = manifest["upper"] if manifest is not None else 0
                self._remove_leftovers()
            except BaseException:
                self.close()
                raise
            if manifest is None:
                self._write_manifest(0, self._written_generation)
        return self._resume()

    def close(self) -> None:
        """Lets go of the directory."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def check_follows(self, acknowledged: int) -> None:
        """A directory that was emptied gets the contents again."""
        if 0 < self._durable_upper < acknowledged:
            raise StorageError(
                f"the target holds the changes below {self._durable_upper}, and had acknowledged those below {acknowledged}",
                hint="It was exchanged for an older one: restore it, or drop the sink and create it again "
                "with an empty directory.",
            )

    def write(
        self,
        changes: Batch,
        lower: int,
        upper: int,
        switched_at: int = 0,
        between: Callable[[], None] = nothing,
    ) -> None:
        """All of it is in one file, so the manifest has the generation of its end.

        Raises SinkStalled, DiskFull or KeyNotUnique; then nothing was handed over, and the call may be repeated.
        """
        assert self._lock is not None, "open the sink first"
        self._check_next(lower, upper)
        changes = consolidate(changes)
        if len(changes):
            assert lower <= int(changes.times.min()), "a change before the interval"
            assert int(changes.times.max()) < upper, "a change beyond the interval"
        elif upper - self._durable_upper < IDLE_PROGRESS_MS and self._written_generation == self._generation:
            self._upper = upper
            return
        with self._explained():
            if len(changes):
                self._write_changes(changes, upper)
            self._write_manifest(upper, self._generation)
        self._durable_upper = self._upper = upper
        self._written_generation = self._generation
        staged = self.statistics
        self.statistics = replace(
            staged, messages_committed=staged.messages_staged, bytes_committed=staged.bytes_staged
        )

    def _write_changes(self, changes: Batch, upper: int) -> None:
        records = change_records(self._schema, changes, self._envelope, self._key)
        pieces = _ENCODERS[self._format](self._schema, changes, records, self._envelope, self._key)
        # The intervals since the manifest's upper that held no changes belong to this file.
        name = f"{self._durable_upper:020d}-{upper:020d}.{_EXTENSIONS[self._format]}"
        self._write_durably(name, pieces)
        self._count(staged=len(records), staged_bytes=sum(map(len, pieces)), files=1)

    def _write_manifest(self, upper: int, generation: int) -> None:
        manifest = {
            "version": MANIFEST_VERSION,
            "sink": self._id,
            "format": self._format,
            "envelope": self._envelope.value,
            "key": [self._schema[index].name for index in self._key],
            "columns": self._schema.to_json(),
            "generation": generation,
            "upper": upper,
        }
        self._write_durably(MANIFEST, [json.dumps(manifest, indent=1).encode() + b"\n"])

    def _write_durably(self, name: str, pieces: Sequence[bytes]) -> None:
        temporary = self._path / (name + _TEMPORARY)
        with temporary.open("wb") as stream:
            os.fchmod(stream.fileno(), FILE_MODE)
            stream.writelines(pieces)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, self._path / name)
        self._sync_directory()

    def _make_directory(self) -> None:
        if not self._path.is_dir():
            self._path.mkdir(parents=True, exist_ok=True)
            self._path.chmod(DIRECTORY_MODE)

    def _sync_directory(self) -> None:
        descriptor = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _take_lock(self) -> None:
        assert self._lock is None, "the sink is open already"
        descriptor = os.open(self._path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(descriptor)
            raise SinkStalled(
                f'another process writes to "{self._path}"',
                sqlstate="55006",
                hint="It may be this sink's former process, and end soon; else give each sink its own directory.",
            ) from error
        self._lock = descriptor

    def _read_manifest(self) -> dict[str, Any] | None:
        path = self._path / MANIFEST
        try:
            manifest = json.loads(path.read_bytes())
            version, owner = manifest["version"], manifest["sink"]
            readable = isinstance(manifest["upper"], int) and manifest["upper"] >= 0
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError) as error:
            raise _unreadable(path) from error
        if not readable or version != MANIFEST_VERSION:
            raise _unreadable(path)
        if owner != self._id:
            raise SinkStalled(
                f'"{self._path}" belongs to another sink ({owner})',
                sqlstate="55006",
                hint="Give each sink a directory of its own, or remove what a dropped sink has left there.",
            )
        return dict(manifest)

    def _remove_leftovers(self) -> None:
        """Removes what was being written when a crash came.  Files that are not a sink's are left alone."""
        for entry in list(os.scandir(self._path)):
            match = _OURS.match(entry.name)
            unfinished = entry.name == MANIFEST + _TEMPORARY or (match is not None and match[4] is not None)
            if unfinished or (match is not None and int(match[2]) > self._durable_upper):
                os.unlink(entry.path)
        self._sync_directory()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """OSErrors as errors that name the directory and the remedy."""
        try:
            yield
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise DiskFull(
                    f'no space left for the sink\'s files in "{self._path}"', hint="Free some space."
                ) from error
            raise SinkStalled(
                f'cannot write to "{self._path}": {error.strerror}',
                hint="Make it a directory that the server's user may write.",
            ) from error


def _check(format: str, schema: Schema, envelope: SinkEnvelope, key: Sequence[int]) -> None:
    if format not in _EXTENSIONS:
        raise Unsupported(f'format "{format}" is not supported', hint="Formats are: json, parquet.")
    if envelope is SinkEnvelope.UPSERT and not key:
        raise InvalidParameter("ENVELOPE UPSERT needs a key", hint="Name its columns: KEY (a, b).")
    names = list(schema.names)
    for name in names:
        if names.count(name) > 1:
            raise InvalidParameter(
                f'column "{name}" occurs more than once in the sink', hint="Give the columns distinct names."
            )
    shared = _RESERVED[envelope] & {
        schema[index].name for index in (key if envelope is SinkEnvelope.UPSERT else range(len(schema)))
    }
    if shared:
        raise InvalidParameter(
            f'the sink writes a field "{min(shared)}" of its own, and so does a column',
            hint="Rename the column in a view.",
        )
    if format == "json" and (nested := [c for c in schema if c.type.kind in NESTED]):
        raise Unsupported(
            f'column "{nested[0].name}" is of type {nested[0].type}, which a JSON sink does not write',
            hint="Write column::text or to_jsonb(column) in a view.",
        )
    if format == "json" and (texts := [c.name for c in schema if c.type.kind is Kind.JSON]):
        raise Unsupported(
            f'column "{texts[0]}" is json, which may have line feeds', hint="Write column::jsonb in a view."
        )
    if format == "parquet" and (padded := [c.name for c in schema if c.type.leaf.kind is Kind.BPCHAR]):
        raise Unsupported(
            f'column "{padded[0]}" is of type char, which parquet has no type for',
            hint="Write column::text in a view.",
        )
    if format == "parquet" and (maps := [c for c in schema if "map[" in str(c.type)]):
        raise Unsupported(
            f'column "{maps[0].name}" is of type {maps[0].type}, which a parquet sink does not write',
            hint="Write column::text or to_jsonb(column) in a view.",
        )
    if format == "parquet" and (found := [c.name for c in schema if c.type.leaf.is_range]):
        raise Unsupported(
            f'column "{found[0]}" holds ranges, which parquet has no type for',
            hint="Write their bounds, lower(column) and upper(column), or column::text in a view.",
        )


def _unreadable(path: Path) -> StorageError:
    return StorageError(
        f'"{path}" is not a manifest that this version can read',
        hint="Restore it, or drop the sink and create it again with an empty directory.",
    )
