"""An environment's directory, as other processes see it: who serves it, and where that one listens.

It is its owner's alone: it holds rows, password verifiers, and the socket between the processes.  `make_private` gives the
directory mode 0700 and what is in it none for others; processes that serve it make files under `PRIVATE_UMASK`.

A directory belongs to one process at a time: a lock file says so at once, and the epoch in consensus decides in the end.
`runtime.json` in the directory tells clients on this machine where the runtime listens.  Little is imported here, so that
a command that only asks is quick.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from secrets import token_bytes
from typing import IO
from urllib.parse import unquote, urlsplit

from .errors import InvalidParameter, PtvcError
from .retry import Backoff, retry

RUNTIME_FILE = "runtime.json"
LOCK_FILE = "lock"
KEY_FILE = "secrets.key"
"""Of the keys of secrets: one that others may read is refused, not tightened, for somebody may have read it."""
KEYS_VARIABLE = "PTVC_SECRETS_KEY"
"""Environment variable: such keys, as the lines of a file, or separated by commas.  No process that the runtime starts has it."""
LOGIN_KEY_FILE = "logins.key"
CONTROL_SOCKET = "control.sock"
CONSENSUS_FILE = "consensus.sqlite"
BLOB_DIRECTORY = "blobs"
STORES_FILE = "stores.json"
RESTORE_FILE = "restore.json"
"""While a backup is restored into the directory: of which one, to where, and the identity that was drawn for it."""
LOG_DIRECTORY = "log"
PRIVATE_UMASK = 0o077
LOCK_BACKOFF = Backoff(first_s=0.025, longest_s=0.025, deadline_s=0.5)
"""Who only asks whether the lock is taken holds it for a moment."""


SECRET_BYTES = 32


def new_secret() -> bytes:
    """What a process of the runtime shares with one that it starts, by which each knows the other."""
    return token_bytes(SECRET_BYTES)


@dataclass(frozen=True, slots=True)
class RuntimeInfo:
    """What `runtime.json` holds while a runtime serves the directory."""

    host: str
    port: int
    pid: int
    version: str
    http_port: int | None = None
    http_scheme: str = "http"

    @classmethod
    def read(cls, directory: Path) -> RuntimeInfo | None:
        """The runtime that serves the directory; None when there is none."""
        with usable(directory):
            try:
                info = cls(**json.loads((directory / RUNTIME_FILE).read_text()))
            except (FileNotFoundError, ValueError, TypeError):
                return None
            # A runtime that was killed has left its file behind, perhaps to a successor that is still starting.
            return info if is_locked(directory) and is_alive(info.pid) else None

    def write(self, directory: Path) -> None:
        path = directory / RUNTIME_FILE
        temporary = path.with_suffix(".tmp")
        temporary.write_text(json.dumps(asdict(self)))
        temporary.replace(path)


@contextmanager
def usable(directory: Path) -> Iterator[None]:
    """An OSError inside says that the directory cannot hold an environment, and what to do."""
    try:
        yield
    except OSError as error:
        is_file = isinstance(error, FileExistsError | NotADirectoryError)
        raise PtvcError(
            f'cannot use "{directory}" as the directory of an environment: '
            f"{'it is a file' if is_file and directory.is_file() else error.strerror}",
            sqlstate="58030",
            hint="Name a directory that you may write, with --path; one that is not there is made.",
        ) from error


def make_private(directory: Path) -> None:
    """Makes the directory, and takes from group and others what they may do with it and with what is in it.

    Raises PtvcError if it belongs to another user, as only that one can.
    """
    with usable(directory):
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        _tighten(directory)
        for entry in os.scandir(directory):
            if not entry.is_symlink() and entry.name != KEY_FILE:
                _tighten(Path(entry.path))


def _tighten(path: Path) -> None:
    with suppress(FileNotFoundError):  # a temporary file
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & PRIVATE_UMASK:
            path.chmod(mode & ~PRIVATE_UMASK)


def log_file(directory: Path) -> Path:
    """Where a runtime in the background writes its log; makes the directory."""
    make_private(directory)
    with usable(directory):
        (directory / LOG_DIRECTORY).mkdir(mode=0o700, exist_ok=True)
    return directory / LOG_DIRECTORY / "ptvc.log"


def login_key(directory: Path) -> bytes:
    """The key by which names that are no role's are given salts; of a directory that is locked.

    It is the same in every run, so that a restart does not tell such names from roles.  Nothing else rests on it: where there is none
    that is whole, it is made anew.
    """
    path = directory / LOGIN_KEY_FILE
    with usable(directory):
        with suppress(FileNotFoundError):
            found = path.read_bytes()
            if len(found) == SECRET_BYTES:
                return found
        key = new_secret()
        temporary = path.with_suffix(".tmp")
        temporary.unlink(missing_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(descriptor, "wb") as file:
            file.write(key)
            file.flush()
            os.fsync(descriptor)
        temporary.replace(path)
        return key


def own_directories(directory: Path, blobs: str) -> tuple[Path, ...]:
    """Where the runtime keeps its files, symbolic links resolved; `blobs` is their URL."""
    found = [directory.resolve()]
    url = urlsplit(blobs)
    if url.scheme == "file":
        found.append(Path(unquote(url.path)).resolve())
    return tuple(found)


def check_outside(path: str, own: Iterable[Path], what: str, hint: str | None = None) -> None:
    """Raises InvalidParameter if `path`, symbolic links and `..` resolved, is in one of the directories of the runtime."""
    place = Path(path).resolve()
    for directory in own:
        if place.is_relative_to(directory):
            raise InvalidParameter(
                f'{what} "{path}", which is in the runtime\'s own directory "{directory}"',
                hint=hint or "Name a directory of its own, outside of the environment's.",
            )


@cache
def installed_version() -> str:
    return version("dbt-ptvc")


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def is_locked(directory: Path) -> bool:
    """Whether a living process serves the directory."""
    try:
        with (directory / LOCK_FILE).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def lock(directory: Path) -> IO[bytes]:
    """Takes the directory for this process; the lock goes with the process."""
    log_file(directory)
    with usable(directory):
        file = (directory / LOCK_FILE).open("ab")
    try:
        retry(lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB), _is_held, LOCK_BACKOFF)
    except BlockingIOError:
        file.close()
        info = RuntimeInfo.read(directory)
        where = f" (process {info.pid}, port {info.port})" if info is not None else ""
        raise PtvcError(
            f"{directory} is served by another runtime already{where}",
            sqlstate="55006",
            hint=f"Stop it with: ptvc down --path {directory}",
        ) from None
    (directory / RUNTIME_FILE).unlink(missing_ok=True)
    return file


def _is_held(error: Exception) -> bool:
    return isinstance(error, BlockingIOError)
