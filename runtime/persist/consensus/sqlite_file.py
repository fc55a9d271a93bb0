"""The file of an SQLite database, looked at from outside: whether its end is there.

A database is whole pages.  SQLite takes a file whose last page is cut off for one that ends in zeros, and finds the
damage when it reads that page, perhaps never; so it is looked for when the file is opened.  Only a log beside it may
still hold that page: of a crash while it was copied from there.
"""

from __future__ import annotations

from pathlib import Path

import apsw

from ...errors import StorageError

_MAGIC = b"SQLite format 3\x00"
_LOGS = ("-wal", "-journal")


def check_whole(path: str) -> None:
    """Before the file is opened.  Raises StorageError (XX001) if it is cut off, and no log can hold the rest."""
    if _rest(path)[0] and not any(_size(path + suffix) for suffix in _LOGS):
        raise _cut_off(path)


def check_recovered(connection: apsw.Connection, path: str) -> None:
    """Before anything else is done with a connection, as copying the log would put zeros where the file's end was: of a
    file that is cut off, all pages are read.  Raises StorageError (XX001) if the log does not hold what is missing."""
    if _rest(path)[0]:
        try:
            whole = connection.execute("PRAGMA quick_check(1)").get == "ok"
        except apsw.IOError as error:
            raise _cut_off(path) from error
        if not whole:
            raise _cut_off(path)


def _cut_off(path: str) -> StorageError:
    _, size, page = _rest(path)
    return StorageError(
        f'"{path}" is cut off: its size of {size} bytes is no multiple of its pages\', {page}',
        sqlstate="XX001",
        hint="Restore the file from a backup.",
    )


def _rest(path: str) -> tuple[int, int, int]:
    """The bytes after the last whole page, the file's size, and that of its pages; 0 for what is no database."""
    try:
        with Path(path).open("rb") as file:
            header = file.read(18)
    except OSError:
        header = b""
    if len(header) < 18 or not header.startswith(_MAGIC):
        return 0, 0, 0  # SQLite says what is wrong with it
    page = int.from_bytes(header[16:18], "big")
    page = 65_536 if page == 1 else page
    size = _size(path)
    return (size % page if page else size), size, page


def _size(path: str) -> int:
    return Path(path).stat().st_size if Path(path).exists() else 0
