"""Definitions: CREATE, DROP, ALTER, COMMENT.

`ddl` has a statement executed under one lock: it becomes changes of the catalog (`definitions`, without doing anything;
`alterations` of names and texts; `alter_table` and `drop_column`; what goes along: `dependents`; `clusters`;
`connectors`), which `catalog_changes` makes durable, and then so.  Those of a block wait in it until it commits.
"""

from .alter_table import Rows as RowsToFit
from .ddl import Ddl, Definition, temporary_dropped
from .definitions import dropped_on_commit, refused_in_block

__all__ = ["Ddl", "Definition", "RowsToFit", "dropped_on_commit", "refused_in_block", "temporary_dropped"]
