"""The values by which a unique constraint tells the rows of a table apart.

Two rows have one key if their values are equal as SQL's `=` says it, however they are written: intervals of one span,
documents whose numbers have other zeros at their end, the two zeros of floats.  The columns made here are hashed and
grouped by equality of keys (`repr/equality.py`), which knows all of these but documents: those become their keys.
"""

from __future__ import annotations

import pyarrow as pa

from ...expr.functions.comparison.comparison_keys import equality_keys
from ...repr.batch import Batch
from ...sql.syntax.constraints import Constraint
from ..catalog.items import Table


def key_values(item: Table, constraint: Constraint, rows: Batch) -> list[pa.Array]:
    """A column for each of the constraint's, of rows of the table as it shows them."""
    return [equality_keys(rows.columns[index], item.schema[index].type) for index in constraint.columns]
