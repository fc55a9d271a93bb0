"""Look-ups in text: statements that differ only in the values that columns are compared with.

```
SELECT * FROM points WHERE id = 17 AND name = 'a'   ──────────>   SELECT * FROM points WHERE id = $1 AND name = $2, 17, 'a'
```

A client that writes keys into its text sends ever new texts, of which each would be parsed and planned.  With
parameters in the places of its values such a text has the plan of the ones before it.  What a parameter of the literal's
type means is what the literal means; where that is not so (a string is of whatever type it is compared with; `GROUP BY a
= 1` names an expression of the select list), the statement with parameters is not used: see `literals` and `is_parameterizable`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...expr.coercion.literals import coerce_unknown
from ...expr.text.digits import whole
from ...expr.tree.scalar import Literal
from ...repr.types import INT4, INT8, TEXT, Kind, ScalarType
from ...transform.pipeline import is_chain
from ..plans.plans import PlannedStatement
from ..plans.query_plans import Select

MAX_TEXT = 1_000

_SELECT = re.compile(r"\s*select\b", re.IGNORECASE)
_PIECE = re.compile(
    r"""
      (?P<before>(?<![-+*/<>=~!@\#%^&|`?:])=\s*)
      (?:(?P<integer>[0-9]{1,18})(?![\w.]) | (?P<string>'(?:[^']|'')*')(?!\s*'))
    | (?P<strange>--|/\*|[$;]|\b[ebxn]'|\bu&['"])
    | '[^']*' | "[^"]*"
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""A value behind `=`, what makes a text too strange to be cut with so little, or a string or name that stays."""

_MAX_INT4 = 2**31 - 1
_KEYS = frozenset({Kind.TEXT, Kind.UUID, Kind.DATE})
"""Types whose text has one meaning, whatever the session."""


@dataclass(frozen=True, slots=True)
class Parameterized:
    """`text` with `$n` in place of `written[n - 1]`: an integer, or the text of a string."""

    text: str
    written: tuple[int | str, ...]

    @property
    def types(self) -> tuple[ScalarType | None, ...]:
        """Of the parameters, as far as they are known without the catalog."""
        return tuple(
            None if isinstance(value, str) else INT4 if value <= _MAX_INT4 else INT8 for value in self.written
        )

    def literals(self, types: Sequence[ScalarType]) -> tuple[Literal, ...] | None:
        """The values as those of parameters of `types`; None where a string may mean something else."""
        found = []
        for value, type_ in zip(self.written, types, strict=True):
            literal = Literal(value, type_)
            if isinstance(value, str) and type_ != TEXT:
                coerced = coerce_unknown(Literal(value, TEXT), type_) if type_.kind in _KEYS else None
                if not isinstance(coerced, Literal):
                    return None
                literal = coerced
            found.append(literal)
        return tuple(found)


def parameterize(text: str) -> Parameterized | None:
    """The text of one SELECT with its values parameterized; None if it has none, or is more than this knows to cut."""
    if len(text) > MAX_TEXT or _SELECT.match(text) is None:
        return None
    pieces: list[str] = []
    written: list[int | str] = []
    rest, position = text.rstrip("; \t\r\n"), 0
    for match in _PIECE.finditer(rest):
        before, integer, string, strange = match.group("before", "integer", "string", "strange")
        if strange is not None:
            return None
        if before is None:
            continue
        written.append(whole(integer) if string is None else string[1:-1].replace("''", "'"))
        pieces += (rest[position : match.start()], before, f"${len(written)}")
        position = match.end()
    if not written:
        return None
    return Parameterized("".join((*pieces, rest[position:])), tuple(written))


def is_parameterizable(planned: PlannedStatement | None) -> bool:
    """Whether a plan over parameters is as good as one over values: no more than one collection is read, so there is no
    order of joins, and nothing to be pushed anywhere, that a value would decide."""
    return isinstance(planned, Select) and is_chain(planned.relation)
