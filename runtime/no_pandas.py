"""Arrow without pandas, for processes that have no use for it.

pyarrow looks for pandas when it makes its first array, and imports it where it is installed: 30 MB in every process, and most of half a
second.  Nothing in the runtime has values of pandas.  Whoever imports it by name later, as code of users may, gets it; in the driver, where there is
none, nobody does: PySpark would, to see whether it is there.
"""

from __future__ import annotations

import sys

import pyarrow as pa


class _NoPandas:
    """An importer that has no pandas."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name)


def without_pandas(*, at_all: bool = False) -> None:
    """To be called before the process makes an array: some modules do while they are imported.  With `at_all`, an import fails later, too."""
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        pa.array([None])
    finally:
        if not at_all:
            sys.meta_path.remove(finder)
