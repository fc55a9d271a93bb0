"""What travels between levels, in files: a task writes its large payloads once, and the tasks they are for map or read them.

```
small:  (pid, (port, payload))     through Spark and the driver
large:  (pid, (port, reference))   likewise; the payload is in the sender's file
```

Spark copies what it moves from process to process, some eight times in all.  A file that all machines see, or that was written on this
one, is mapped, which saves that; of one that is elsewhere (`shared_files`) each task reads the payloads that are for it, some at once and ahead.
A file bears the attempt's own name, and is complete before a task of a later level runs.  The folder goes with the job.
"""

from __future__ import annotations

import logging
import shutil
import struct
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import BinaryIO

import pyarrow as pa

from ...errors import PtvcError
from ...interrupt import Interrupt, current_interrupt, interruptible
from ..shared_files import AT_ONCE, SharedFiles

logger = logging.getLogger(__name__)

INLINE_BYTES = 32 << 10
"""A payload below this size, divided by the partitions, goes through Spark: so what all tasks of a level send each other that way is this
much for each of them, and not the square."""

COPIED_INLINE_BYTES = 1 << 20
"""Likewise where a file is to be sent to the store and read from there, which takes longer than Spark's copies of so little."""

_REFERENCE = b"f"
"""The first byte of a reference; no payload begins with it."""
_PLACE = struct.Struct("<cQQ")
"""That byte, the offset and the length; the file's name follows."""
_ALIGNMENT = 64


def least_bytes(files: SharedFiles, partitions: int) -> int:
    """From how many bytes on a payload is a large one."""
    return (COPIED_INLINE_BYTES if files.copied else INLINE_BYTES) // partitions


@contextmanager
def payload_folder(files: SharedFiles, folder: str) -> Iterator[None]:
    """The folder of that name is there inside."""
    files.path(folder).mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        remove_payloads(files, folder)


def remove_payloads(files: SharedFiles, folder: str) -> None:
    """A task of a cancelled job may be writing there: it fails, or leaves a file that goes with the driver's next start, or, if it is
    published, when the coordinator looks what no job needs."""
    shutil.rmtree(files.path(folder), ignore_errors=True)
    try:
        files.unpublish(files.published(folder))
    except PtvcError as error:
        logger.warning("payloads are removed later: %s", error.message)


class PayloadWriter:
    """Writes to the file `name`, which is made when the first large payload comes; without a name, everything goes through Spark.  A large
    one has `least` bytes at least."""

    def __init__(self, files: SharedFiles, name: str | None, least: int = INLINE_BYTES) -> None:
        self._files = files
        self._name = name
        self._least = least
        self._file: BinaryIO | None = None
        self._offset = 0

    def put(self, payload: pa.Buffer) -> bytes:
        """What is to be sent in place of the payload."""
        if self._name is None or payload.size < self._least:
            return payload.to_pybytes()  # type: ignore[no-any-return]
        if self._file is None:
            self._file = self._files.new(self._name).open("wb")
        offset = self._offset
        self._file.write(payload)
        self._file.write(bytes(-payload.size % _ALIGNMENT))
        self._offset += payload.size + -payload.size % _ALIGNMENT
        return _PLACE.pack(_REFERENCE, offset, payload.size) + self._name.encode()

    def close(self) -> None:
        """All is in the file, and others can read it."""
        if self._file is not None and self._name is not None:
            self._file.close()
            self._files.publish((self._files.path(self._name),))


def payload_size(sent: bytes) -> int:
    """Of the payload that was put, in bytes."""
    if sent[:1] != _REFERENCE:
        return len(sent)
    _, _, size = _PLACE.unpack_from(sent)
    return int(size)


class PayloadReader:
    """Maps each file that is here once; pieces of others are read ahead by some threads, until it is closed."""

    def __init__(self, files: SharedFiles) -> None:
        self._shared = files
        self._files: dict[str, pa.Buffer] = {}
        self._pool: ThreadPoolExecutor | None = None
        self._coming: dict[bytes, Future[bytes]] = {}

    def expect(self, sent: Iterable[bytes]) -> None:
        """These will be asked for, in this order."""
        if not self._shared.copied:
            return
        for one in sent:
            if one[:1] == _REFERENCE and one not in self._coming and not self._is_here(_place(one)[0]):
                if self._pool is None:
                    self._pool = ThreadPoolExecutor(AT_ONCE, "payloads")
                self._coming[one] = self._pool.submit(self._read, current_interrupt(), one)

    def _read(self, interrupt: Interrupt | None, sent: bytes) -> bytes:
        with interruptible(interrupt):
            return self._shared.read(*_place(sent))

    def get(self, sent: bytes) -> pa.Buffer:
        """The payload that was put.  Raises StorageError, and OSError."""
        if sent[:1] != _REFERENCE:
            return pa.py_buffer(sent)
        if (coming := self._coming.pop(sent, None)) is not None:
            return pa.py_buffer(coming.result())
        name, offset, size = _place(sent)
        if name not in self._files:
            if self._shared.copied and not self._is_here(name):
                return pa.py_buffer(self._shared.read(name, offset, size))
            self._files[name] = pa.memory_map(str(self._shared.path(name))).read_buffer()
        return self._files[name].slice(offset, size)

    def _is_here(self, name: str) -> bool:
        return name in self._files or self._shared.path(name).exists()

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


def _place(sent: bytes) -> tuple[str, int, int]:
    """Of a reference: the file's name, offset and length."""
    _, offset, size = _PLACE.unpack_from(sent)
    return sent[_PLACE.size :].decode(), offset, size
