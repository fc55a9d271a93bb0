"""regexp_extract: what the groups of a pattern hold in a text, as a row; none of a text that does not match."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ...errors import InvalidParameter, Unsupported
from ...repr.types import TEXT
from ..regex.rust import Pattern, parse
from ..tree.function import Datum, as_array
from ..tree.relation import TableCall
from ..tree.scalar import Literal, Scalar

NAME = "regexp_extract"
COLUMN = f"{NAME}.column"
"""A column of it, as a table function."""


def _pattern(arg: Scalar) -> Pattern:
    """22023 unless it is a literal, and has groups; as `regex.rust.parse` if it is not supported."""
    text = arg.value if isinstance(arg, Literal) else None
    if not isinstance(text, str):
        raise InvalidParameter(f"{NAME} needs a literal text, the pattern, as its first argument")
    pattern = parse(text)
    if not pattern.groups:
        raise InvalidParameter(f"the pattern of {NAME} must have a group in parentheses")
    try:
        pc.extract_regex(pa.array([], pa.string()), pattern=pattern.capturing(1))
    except pa.ArrowInvalid as error:
        raise Unsupported(f'regular expression not supported: "{text}"', detail=str(error)) from None
    return pattern


def column_names(arg: Scalar) -> list[str]:
    """Of the columns of a call with that first argument: the groups' names, or their places."""
    groups = _pattern(arg).groups
    return [group.name or f"column{number}" for number, group in enumerate(groups, 1)]


def call(pattern: Scalar, text: Scalar, place: Scalar) -> TableCall:
    """The column at `place`, an int4 literal from 0 on."""
    groups = _pattern(pattern).groups
    assert isinstance(place, Literal)
    return TableCall(COLUMN, (pattern, text, place), TEXT, groups[place.value].skipped)


def column(args: Sequence[Datum], length: int) -> tuple[npt.NDArray[np.int64], pa.Array]:
    """Which texts match, as 0 and 1, and what the group holds in those that do."""
    pattern, place = parse(args[0].as_py()), args[2].as_py()
    found = pc.extract_regex(as_array(args[1], length), pattern=pattern.capturing(place + 1))
    matches = found.is_valid()
    values = found.filter(matches).field(0)
    if pattern.groups[place].skipped:  # it holds a character, if it is there
        values = pc.if_else(pc.equal(values, ""), pa.scalar(None, pa.string()), values)
    counts: npt.NDArray[np.int64] = matches.to_numpy(zero_copy_only=False).astype(np.int64)
    return counts, values
