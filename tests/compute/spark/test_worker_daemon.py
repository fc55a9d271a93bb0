"""What Spark's Python workers share, and what they are spared."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from ptvc.compute.spark.application import Application
from ptvc.compute.spark.archives import without_archives


def test_archives_of_pyspark_and_py4j_are_left_out() -> None:
    path = [
        "",
        "/a/pyspark/python/lib/pyspark.zip",
        "/a/lib/py4j-0.10.9.9-src.zip",
        "/a/python311.zip",
        "/a/b.zip",
        "/a",
    ]
    assert without_archives(path) == ["", "/a/python311.zip", "/a/b.zip", "/a"]


def test_a_worker_has_no_archive_to_read_again(application: Application) -> None:
    def task(_: Iterable[int]) -> Iterable[str]:
        import pyspark

        yield str(pyspark.__file__)
        yield from sys.path_importer_cache

    file, *importers = application._context.parallelize([0], 1).mapPartitions(task).collect()
    assert ".zip" not in file
    assert not any("pyspark.zip" in place for place in importers)
