"""Files that whoever starts a runtime names: settings, keys, names.

They are regular, and of a bounded size: to read a device or a pipe may take for ever, or all memory.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

MOST_BYTES = 16 << 20
_IRREGULAR = "it is no regular file"


def read_given(path: Path) -> tuple[bytes, os.stat_result]:
    """What is in the file, and whose it is, at one moment.  Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a pipe is not waited for
    with open(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, _IRREGULAR)
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"it has more than {MOST_BYTES} bytes")
    return data, found


def check_regular(path: Path) -> None:
    """For what others read by its name.  Raises OSError."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, _IRREGULAR)
    if found.st_size > MOST_BYTES:
        raise OSError(errno.EFBIG, f"it has more than {MOST_BYTES} bytes")
