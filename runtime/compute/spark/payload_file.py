"""What travels between levels, in files: a task writes its large payloads once, and the tasks they are for map them.

```
small:  (pid, (port, payload))     through Spark and the driver
large:  (pid, (port, reference))   likewise; the payload is in the sender's file
```

Spark copies what it moves from process to process, some eight times in all.  A task is on the driver's
machine, as its permit and the state that it leaves are; so a mapped file saves that.  A file bears the attempt's own name, and is
complete before a task of a later level runs.  The folder goes with the job.
"""

from __future__ import annotations

import shutil
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

INLINE_BYTES = 32 << 10
"""A payload below this size, divided by the partitions, goes through Spark: so what all tasks of a level send each other that way is this
much for each of them, and not the square."""

_REFERENCE = b"f"
"""The first byte of a reference; no payload begins with it."""
_PLACE = struct.Struct("<cQQ")
"""That byte, the offset and the length; the file's name follows."""
_ALIGNMENT = 64


@contextmanager
def payload_folder(folder: Path) -> Iterator[None]:
    """The folder is there inside."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        remove_payloads(folder)


def remove_payloads(folder: Path) -> None:
    """A task of a cancelled job may be writing there: it fails, or leaves a file that goes with the driver's next start."""
    shutil.rmtree(folder, ignore_errors=True)


class PayloadWriter:
    """Writes to `path`, which is made when the first large payload comes; without a path, everything goes through Spark.  A large
    one has `least` bytes at least."""

    def __init__(self, path: Path | None, least: int = INLINE_BYTES) -> None:
        self._path = path
        self._least = least
        self._file: BinaryIO | None = None
        self._offset = 0

    def put(self, payload: pa.Buffer) -> bytes:
        """What is to be sent in place of the payload."""
        if self._path is None or payload.size < self._least:
            return payload.to_pybytes()  # type: ignore[no-any-return]
        if self._file is None:
            self._file = self._path.open("wb")
        offset = self._offset
        self._file.write(payload)
        self._file.write(bytes(-payload.size % _ALIGNMENT))
        self._offset += payload.size + -payload.size % _ALIGNMENT
        return _PLACE.pack(_REFERENCE, offset, payload.size) + str(self._path).encode()

    def close(self) -> None:
        """All is in the file."""
        if self._file is not None:
            self._file.close()


def payload_size(sent: bytes) -> int:
    """Of the payload that was put, in bytes."""
    if sent[:1] != _REFERENCE:
        return len(sent)
    _, _, size = _PLACE.unpack_from(sent)
    return int(size)


class PayloadReader:
    """Maps each file once."""

    def __init__(self) -> None:
        self._files: dict[str, pa.Buffer] = {}

    def get(self, sent: bytes) -> pa.Buffer:
        """The payload that was put."""
        if sent[:1] != _REFERENCE:
            return pa.py_buffer(sent)
        _, offset, size = _PLACE.unpack_from(sent)
        path = sent[_PLACE.size :].decode()
        if path not in self._files:
            self._files[path] = pa.memory_map(path).read_buffer()
        return self._files[path].slice(offset, size)
