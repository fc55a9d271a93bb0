"""PySpark as an archive, which Spark puts on the path of its Python workers though it is installed."""

from __future__ import annotations

import re

_ARCHIVE = re.compile(r"/(pyspark|py4j-[^/]*)\.zip$")


def without_archives(path: list[str]) -> list[str]:
    """The path without PySpark and py4j as archives.

    A worker has the caches of all importers made anew for each task.  For an archive of PySpark that is its whole directory, several times:
    20 MB in each worker, and some tenths of a second.
    """
    return [entry for entry in path if not _ARCHIVE.search(entry)]
