"""What the first statement of a process would wait for: what is made when it is first needed.

A server has it made in the background as soon as it listens.
"""

from __future__ import annotations

from ..expr.evaluate import fold
from ..expr.tree.scalar import Literal
from ..repr.types import INT4
from .parser.parse import parse
from .scalars import build


def warm_up() -> None:
    """Parses and computes something small; safe in any thread."""
    parse("SELECT 1 + 1 AS two FROM t WHERE x = 'y'")
    fold(build.call("add", Literal(1, INT4), Literal(1, INT4)))
