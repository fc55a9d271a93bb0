"""Errors of window functions where none may be."""

from __future__ import annotations

from ...errors import PtvcError
from ..syntax import ast


def windowing_error(message: str, position: int) -> PtvcError:
    return PtvcError(message, sqlstate="42P20", position=position)


def misplaced_window(clause: str, node: ast.Function) -> PtvcError:
    """The error of a call where no window functions may be."""
    if clause == "aggregate arguments":
        return PtvcError(
            "aggregate function calls cannot contain window function calls",
            sqlstate="42803",
            position=node.position,
        )
    clause = {"JOIN/ON": "JOIN conditions"}.get(clause, clause)
    return windowing_error(f"window functions are not allowed in {clause}", node.position)
