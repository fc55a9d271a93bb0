"""Random queries over two small tables, in SQL that PostgreSQL and the runtime both understand.

A query is grown from its inputs: each step wraps one or two smaller queries in an operator.  Whatever could have two
right answers is avoided, so that answers can be compared as they are.
"""

from .growth import Query
from .queries import Queries
from .tables import INDEXES, SCHEMA, changes

__all__ = ["INDEXES", "SCHEMA", "Queries", "Query", "changes"]
