"""What a text means: the trees of its statements without places and spellings."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from ...errors import PtvcError
from ...sql.parser.parse import parse
from ...sql.syntax.ast import Logical, Not
from ...sql.syntax.literal_rows import LiteralRows


def same(one: str, other: str) -> bool:
    """Whether both texts are read as the same statements."""
    try:
        return bool(structure(one) == structure(other))
    except PtvcError:
        return False


def structure(sql: str) -> Any:
    return [_plain(statement.node) for statement in parse(sql)]


def _plain(node: Any) -> Any:
    """The tree without its places in the text; AND in AND is one."""
    if isinstance(node, tuple | list):
        return tuple(_plain(one) for one in node)
    if isinstance(node, LiteralRows):
        return node.columns
    if not is_dataclass(node) or isinstance(node, type):
        return node
    name = type(node).__name__
    if isinstance(node, Logical):
        arguments: list[Any] = []
        for one in node.args:
            inner = _plain(one)
            nested = isinstance(inner, tuple) and inner[:2] == (name, node.word)
            arguments += inner[2] if nested else [inner]
        return (name, node.word, tuple(arguments))
    if isinstance(node, Not):
        return _denied(_plain(node.arg))
    values = ((one.name, getattr(node, one.name)) for one in fields(node))
    return (name, *(_plain(value) for field, value in values if not _is_place(field, value)))


_DENIED = {"~~": "!~~", "~~*": "!~~*", "~": "!~", "~*": "!~*"}


def _denied(arg: Any) -> Any:
    """NOT of a predicate that has a form of its own for that, which means the same: NOT (x IS NULL) is x IS NOT NULL."""
    match arg:
        case ("Is" | "InList" | "InQuery" | "DistinctFrom" as name, left, right, bool(negated), *rest):
            return (name, left, right, not negated, *rest)
        case ("Operator", str(symbol), arguments) if symbol in _DENIED:
            return ("Operator", _DENIED[symbol], arguments)
        case ("Logical", "and", (("Operator", ">=", (x, low)), ("Operator", "<=", (y, high)))) if x == y:
            return ("Logical", "or", (("Operator", "<", (x, low)), ("Operator", ">", (y, high))))
    return ("Not", arg)


def _is_place(field: str, value: Any) -> bool:
    """Bounds of a window's frame are called as a query's offsets are, which are numbers."""
    return field == "position" or (field in ("start", "end") and isinstance(value, int))
