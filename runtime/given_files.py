"""Files that somebody names on a command line or in a setting: settings, keys, names, what dbt has written.

They are regular, and of a bounded size: to read a device or a pipe may take for ever, or all memory.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from pathlib import Path

MOST_BYTES = 16 << 20
_IRREGULAR = "it is no regular file"


def read_given(path: Path, most_bytes: int | None = None) -> tuple[bytes, os.stat_result]:
    """What is in the file, and whose it is, at one moment; `most_bytes` are `MOST_BYTES` unless given.  Raises OSError."""
    most = MOST_BYTES if most_bytes is None else most_bytes
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a pipe is not waited for
    with open(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, _IRREGULAR)
        if found.st_size > most:
            raise OSError(errno.EFBIG, f"it has more than {most} bytes")
        data = file.read(most + 1)
    if len(data) > most:  # it has grown, or has no size of its own, as in /proc
        raise OSError(errno.EFBIG, f"it has more than {most} bytes")
    return data, found


def read_text(path: Path) -> str:
    """A file of text that another file names, such as a dbt project's; lines end in LF.  Raises OSError and UnicodeDecodeError."""
    return io.StringIO(read_given(path)[0].decode("utf-8"), newline=None).read()


def check_regular(path: Path) -> None:
    """For what others read by its name.  Raises OSError."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, _IRREGULAR)
    if found.st_size > MOST_BYTES:
        raise OSError(errno.EFBIG, f"it has more than {MOST_BYTES} bytes")
