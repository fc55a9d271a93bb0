"""Any Spark job as a client of the persisted collections: the data source `ptvc`.

```python
import ptvc.spark

ptvc.spark.register(spark)
orders = spark.read.format("ptvc").options(path=".ptvc", relation="public.orders").load()
changes = spark.readStream.format("ptvc").options(path=".ptvc", relation="public.orders").load()
```

Nothing here asks a coordinator: the name is looked up in the durable catalog, and the rows are in the parts that
consensus names, whether a runtime serves the environment or not.

```
options ── relation (which shard) ── division (parts into partitions) ── reading (a task's rows) ── columns (Spark's types)
                                         └ pushed (filters)     lease (keeps the parts)
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["register"]


def register(spark: SparkSession) -> None:
    """Makes the format `ptvc` known to the session, and lets it push filters to data sources that are in Python."""
    from .source import PtvcSource

    spark.dataSource.register(PtvcSource)
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
