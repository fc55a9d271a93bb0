"""Catalogs of Iceberg in a database: one that is new is made once, whoever begins with it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from time import monotonic

import pytest
from ptvc.storage.lake.catalogs import make_namespace, open_catalog

from ..sink.iceberg.support import catalog_values


@pytest.mark.parametrize("repeat", range(3))
def test_several_that_begin_with_an_empty_database(tmp_path: Path, repeat: int) -> None:
    values, together = catalog_values(tmp_path), Barrier(4)

    def begin(_: int) -> list[tuple[str, ...]]:
        together.wait(10)
        catalog = open_catalog(values, None, monotonic() + 10)
        try:
            make_namespace(catalog, ("n",))
            return list(catalog.list_namespaces())
        finally:
            catalog.close()

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(begin, range(4))) == [[("n",)]] * 4
