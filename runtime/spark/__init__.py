"""Any Spark job as a client of the persisted collections: the data source `ptvc`.

```python
import ptvc.spark

ptvc.spark.register(spark)
orders = spark.read.format("ptvc").options(path=".ptvc", relation="public.orders").load()
both = ptvc.spark.latest("orders", "customers", path=".ptvc")  # a time at which they can be read together
changes = spark.readStream.format("ptvc").options(path=".ptvc", relation="public.orders", starting="latest").load()
```

Nothing here asks a coordinator: the name is looked up in the durable catalog, and the rows are in the parts that
consensus names, whether a runtime serves the environment or not.

```
options ── relation (which shard) ── division (parts into partitions) ── reading (a task's rows) ── columns (Spark's types)
                                         └ pushed (filters)     lease (keeps the parts)
stream ── changelog (partitions of changes) ── following (the relation, and the hold that follows the query) ── offset (what is told, in the checkpoint)
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["latest", "register"]


def register(spark: SparkSession) -> None:
    """Makes the format `ptvc` known to the session, and lets it push filters to data sources that are in Python."""
    from .source import PtvcSource

    spark.dataSource.register(PtvcSource)
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")


def latest(*relations: str, **options: str | int) -> int:
    """The newest time at which all `relations` are complete, for the option `as_of`; in milliseconds since 1970.

    `options` are `path`, or `consensus` and `blob`, and `lease`: for so many seconds (600 unless named) the relations can be read as of that
    time.  ObjectNotReady, which says why, if there is no such time.
    """
    from .common_time import latest_time

    return latest_time(relations, options)
