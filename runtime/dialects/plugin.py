"""Our SQL, for what reads SQL with sqlglot: the dialect `ptvc`, by the entry point `sqlglot.dialects`.

sqlglot itself imports this module, when a dialect of that name is asked for.  It reads as its PostgreSQL does.
"""

from __future__ import annotations

from sqlglot.dialects import Postgres


class Ptvc(Postgres):  # type: ignore[misc, unused-ignore]
    """A subclass of a dialect works with sqlglot in Python and compiled; one of its parser or generator does not."""
