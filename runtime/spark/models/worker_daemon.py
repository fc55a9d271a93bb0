"""The process that the Python workers of models' jobs are forked from.

PySpark's own, with what writes results and reads relations imported beforehand, which takes a second or two: once, and not in
every worker.  Nothing here may start a thread, which would not survive the fork.
"""

from __future__ import annotations

import gc

import pyspark.worker
from pyspark.daemon import manager

from .. import source
from . import result

PRELOADED = (pyspark.worker, source, result)
"""Named, so that the imports are seen to be used."""

if __name__ == "__main__":
    gc.collect()
    gc.freeze()
    manager()
