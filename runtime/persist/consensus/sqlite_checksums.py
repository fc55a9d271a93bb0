"""Checksums of the pages of an SQLite file.

SQLite's own extension cksumvfs, which comes with apsw's wheels: it keeps eight bytes at the end of each page, written with
the page and compared when it is read from the file.  (The write-ahead log has checksums of its own.)  A file without
them, of an earlier release, gets them when it is opened.  A process without the extension can read the file.
"""

from __future__ import annotations

import functools

import apsw
import apsw.sqlite_extra

from ...errors import StorageError

_EXTENSION, _VFS = "cksumvfs", "cksmvfs"
_RESERVED = 8
"""Bytes of every page; what the extension looks for."""


@functools.cache
def vfs() -> str:
    """The name of the virtual file system that checks; registers it.  Raises StorageError without the extension."""
    try:
        if _VFS not in apsw.vfs_names():
            apsw.sqlite_extra.load(apsw.Connection(":memory:"), _EXTENSION)
    except apsw.sqlite_extra.NotAvailable as error:
        raise StorageError(
            f"SQLite cannot check pages: {error}",
            hint="Install apsw from the package index (pip install apsw).",
        ) from error
    return _VFS


def reserve(connection: apsw.Connection) -> None:
    """Of a file that is still empty: its pages will have checksums."""
    connection.reserve_bytes(reserve=_RESERVED)


def add(connection: apsw.Connection, *, had: bool) -> None:
    """Gives checksums to a file whose pages have none, once: rewrites it.  One that `had` them, and does not say so any
    more, is damaged where it would: StorageError (XX001)."""
    if connection.reserve_bytes() == _RESERVED:
        return
    if had:
        raise StorageError(
            f'could not open "{connection.filename}": its header is not what was written',
            sqlstate="XX001",
            hint="Restore the file from a backup.",
        )
    connection.reserve_bytes(reserve=_RESERVED)
    connection.execute("VACUUM")


def failed(error: apsw.Error) -> bool:
    """Whether a read failed because a page is not what was written."""
    return getattr(error, "extendedresult", None) == apsw.SQLITE_IOERR_DATA
