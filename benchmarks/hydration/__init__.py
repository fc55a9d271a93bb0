"""Hydration of views as Spark jobs through the running system, beside full recomputations of the same queries.

```
ptvc serve        COPY in ── CREATE MATERIALIZED VIEW ── hydrated (a Spark job; its id is checked) ── answer checked
Spark SQL         the same rows from Parquet, the same query, in a session with the same settings, to Arrow
DuckDB            the same rows from Parquet, the same query, to Arrow
```

`views` says which views, over which rows; `jobs` hydrates them, `recomputations` is the others' part.
"""

from .jobs import JobHydration, await_hydrated, copy_in, run_hydration
from .recomputations import Recomputation
from .views import TPCH_NAMES, VIEWS, bases, five

__all__ = [
    "TPCH_NAMES",
    "VIEWS",
    "JobHydration",
    "Recomputation",
    "await_hydrated",
    "bases",
    "copy_in",
    "five",
    "run_hydration",
]
