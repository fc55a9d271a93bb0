"""Names that functions of the system have, by which none can be created."""

from __future__ import annotations

from ...expr.functions.aggregates import AGGREGATES, HYPOTHETICAL
from ...expr.registry import FUNCTIONS, KNOWN_ELSEWHERE
from ...expr.tables.table_functions import NAMES as TABLE_FUNCTIONS
from ...expr.tree.windows import WINDOW_FUNCTIONS
from .session_functions import NAMES as SESSION_FUNCTIONS

_OF_SYNTAX = frozenset(
    (
        "coalesce", "extract", "greatest", "grouping", "least", "normalize", "nullif", "overlay", "position", "row",
        "substring", "trim", "values", "xmlelement",
    )
)  # fmt: skip


def is_builtin(name: str) -> bool:
    """Whether a call of that name may be one of the system's.  Operators have names here too, by which they cannot be called."""
    function = FUNCTIONS.get(name)
    return (
        (function is not None and function.operator is None)
        or name in _OF_SYNTAX
        or name in SESSION_FUNCTIONS
        or name in AGGREGATES
        or name in HYPOTHETICAL
        or name in TABLE_FUNCTIONS
        or name in WINDOW_FUNCTIONS
        or name in KNOWN_ELSEWHERE
    )
