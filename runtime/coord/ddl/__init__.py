"""Definitions: CREATE, DROP, ALTER, COMMENT.

`ddl` has a statement planned and executed under one lock: it becomes changes of the catalog (`alterations` of names and
texts; `alter_table` and `drop_column`; what goes along: `dependents`; `clusters`; `connectors`), which
`catalog_changes` makes durable, and then so.
"""

from .ddl import Ddl, Definition

__all__ = ["Ddl", "Definition"]
