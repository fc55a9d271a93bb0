"""csv_extract: the records of a text of comma-separated values as rows.

A field in quotes may hold commas, line feeds and doubled quotes.  Lines end in LF, CR or CRLF; those without a character
are no records.  A record of another number of fields than is asked for has no row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...errors import InvalidParameter
from ...repr.types import TEXT
from ..tree.function import Datum, as_array
from ..tree.relation import TableCall
from ..tree.scalar import Literal, Scalar

NAME = "csv_extract"
COLUMN = f"{NAME}.column"
"""A column of it, as a table function."""
MAX_COLUMNS = 1_600

# A quoted field goes on to its closing quote, or to the end of the text; what stands behind the quote belongs to it.
_FIELD = re.compile(r'(?:"([^"]*(?:""[^"]*)*)(?:"|\Z))?([^,\r\n]*)(,|\r\n|\r|\n|\Z)')


def records(text: str) -> Iterator[list[str]]:
    """The fields of each record."""
    record: list[str] = []
    at = 0
    while at < len(text) or record:
        found = _FIELD.match(text, at)
        assert found is not None, "any text is fields"
        quoted, plain, end = found.groups()
        at = found.end()
        if not record and found[0] == end != ",":
            continue  # a line without a character
        record.append(plain if quoted is None else quoted.replace('""', '"') + plain)
        if end != ",":
            yield record
            record = []


def column_count(arg: Scalar) -> int:
    """How many columns a call's first argument asks for; 22023 unless it is a literal of that many."""
    count = arg.value if isinstance(arg, Literal) else None
    if not isinstance(count, int) or not 1 <= count <= MAX_COLUMNS:
        raise InvalidParameter(
            f"{NAME} needs a literal number of columns, from 1 to {MAX_COLUMNS}, as its first argument"
        )
    return count


def call(count: Scalar, text: Scalar, place: Scalar) -> TableCall:
    """The column at `place`, an int4 literal from 0 on, of the records of `count` fields."""
    column_count(count)
    return TableCall(COLUMN, (count, text, place), TEXT, False)


def column(args: Sequence[Datum], length: int) -> tuple[npt.NDArray[np.int64], pa.Array]:
    """How many records each text has, and the field of all of them; a text is read once, however many rows have it."""
    count, texts, place = args[0].as_py(), as_array(args[1], length).dictionary_encode(), args[2].as_py()
    fields = [
        [record[place] for record in records(text) if len(record) == count]
        for text in texts.dictionary.to_pylist()
    ]
    lists = pa.array(fields, pa.list_(pa.string())).take(texts.indices)
    counts: npt.NDArray[np.int64] = lists.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    return counts.astype(np.int64), lists.flatten()
