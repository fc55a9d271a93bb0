"""The process that Spark's Python workers are forked from.

PySpark's own, with this package and what it stands on imported beforehand, and the modules that the application names: a new worker then
starts in milliseconds instead of a second, and workers share that memory.  What is imported stays: the garbage collector need not look at it again, which takes 40 ms each time and
would stop the step that it falls into.  Nothing here may start a thread, which would not survive the fork.
"""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module

from ...no_pandas import without_pandas
from ...plan_depth import allow_deep_plans
from .archives import without_archives

if __name__ == "__main__":
    sys.path[:] = without_archives(sys.path)
    sys.path_importer_cache.clear()
    without_pandas()  # before the imports below, as some modules make arrays

import numpy.ma
import pyspark.worker
from pyspark.daemon import manager

from . import level_task, resident, superstep
from .session import PRELOAD

PRELOADED = (numpy.ma, pyspark.worker, level_task, resident, superstep)
"""Named, so that the imports are seen to be used.  `numpy.ma` is what pyarrow asks for when it makes its first array of one of numpy's."""

if __name__ == "__main__":
    for name in filter(None, os.environ.get(PRELOAD, "").split(",")):
        import_module(name)
    allow_deep_plans()
    gc.collect()
    gc.freeze()
    manager()
