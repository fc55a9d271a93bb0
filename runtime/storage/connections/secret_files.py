"""Files for clients that take keys and certificates from files only: in memory where the system has such files.

They have the rights that clients ask for (0600), and are gone with the block.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path


@contextmanager
def secret_files() -> Iterator[SecretFiles]:
    with ExitStack() as stack:
        yield SecretFiles(stack)


class SecretFiles:
    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack

    def path(self, content: bytes) -> str:
        """Of a file with that content."""
        if hasattr(os, "memfd_create"):
            descriptor = os.memfd_create("secret", os.MFD_CLOEXEC)
            self._stack.callback(os.close, descriptor)
            os.fchmod(descriptor, 0o600)
            view = memoryview(content)
            while view:
                view = view[os.write(descriptor, view) :]
            os.lseek(descriptor, 0, os.SEEK_SET)
            return f"/proc/self/fd/{descriptor}"
        descriptor, name = tempfile.mkstemp()  # 0600
        self._stack.callback(Path(name).unlink)
        with open(descriptor, "wb") as file:
            file.write(content)
        return name
