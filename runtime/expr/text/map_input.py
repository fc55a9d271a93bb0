"""Text input of maps: `{a=>1, "b c"=>NULL}`; maps and lists within maps stand in braces of their own, without quotes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from ...repr.types import NESTED, ScalarType
from ..columns.lists import list_array
from ..columns.maps import keyed
from ..columns.row_errors import Evaluated, RowErrors, listed_errors, merge_errors
from ..datetimes.datetime_input import InputError

_SPACE = " \t\n\r\v\f"


def parse_maps(
    array: pa.Array, type_: ScalarType, from_text: Callable[[pa.Array, ScalarType], Evaluated]
) -> Evaluated:
    """Maps of the type from their literals; of a key that repeats the last value counts.  `from_text` parses the values,
    all rows' at once."""
    assert type_.element is not None
    nested = type_.element.kind in NESTED
    keys: list[str] = []
    texts: list[str | None] = []
    counts = np.zeros(len(array), np.int64)
    valid = np.zeros(len(array), np.bool_)
    failures: list[tuple[int, str, str]] = []
    for row, text in enumerate(array.to_pylist()):
        if text is None:
            continue
        try:
            pairs = _Scanner(text, nested).pairs()
        except InputError as error:
            failures.append((row, error.sqlstate, error.message))
            continue
        valid[row] = True
        counts[row] = len(pairs)
        keys += [key for key, _ in pairs]
        texts += [value for _, value in pairs]
    parsed = from_text(pa.array(texts, pa.string()), type_.element)
    errors = [listed_errors(failures)]
    if parsed.errors is not None:
        owners = np.repeat(np.arange(len(array)), counts)[parsed.errors.indices]
        rows, first = np.unique(owners, return_index=True)
        chosen = pa.array(first)
        errors.append(
            RowErrors(rows, parsed.errors.sqlstates.take(chosen), parsed.errors.messages.take(chosen))
        )
        valid[rows] = False
    entries = pa.StructArray.from_arrays(
        [pa.array(keys, pa.string()), parsed.values], fields=list(type_.entry.arrow)
    )
    whole = list_array(entries, counts)
    if not valid.all():
        kept = np.where(valid, counts, 0)
        whole = list_array(entries.filter(pa.array(np.repeat(valid, counts))), kept, valid)
    return Evaluated(keyed(whole), merge_errors(errors))


class _Scanner:
    """One literal, from the left."""

    def __init__(self, text: str, nested: bool) -> None:
        self._text = text
        self._nested = nested
        self._at = 0

    def pairs(self) -> list[tuple[str, str | None]]:
        """Keys and the texts of values; an unquoted NULL is None.  Raises InputError for what is no map."""
        self._expect("{")
        found: list[tuple[str, str | None]] = []
        if not self._accept("}"):
            while True:
                key = self._item("=")
                if key is None:
                    raise InputError("22P02", f'a key of a map is NULL: "{self._text}"')
                self._expect("=>")
                found.append((key, self._value()))
                if not self._accept(","):
                    break
            self._expect("}")
        self._spaces()
        if self._at != len(self._text):
            raise self._malformed()
        return found

    def _value(self) -> str | None:
        self._spaces()
        if self._nested and self._text.startswith("{", self._at):
            return self._braced()
        return self._item("")

    def _item(self, more_ends: str) -> str | None:
        """A key or a value, quoted or up to what ends it."""
        self._spaces()
        if self._text.startswith('"', self._at):
            self._at += 1
            out: list[str] = []
            while not self._text.startswith('"', self._at):
                out.append(self._character())
            self._at += 1
            return "".join(out)
        plain: list[str] = []
        escaped = False
        ends = '{},"' + more_ends
        while self._at < len(self._text) and self._text[self._at] not in ends:
            escaped |= self._text[self._at] == "\\"
            plain.append(self._character())
        item = "".join(plain) if escaped else "".join(plain).rstrip(_SPACE)
        if not item:
            raise self._malformed()
        return None if item.upper() == "NULL" and not escaped else item

    def _character(self) -> str:
        if self._text.startswith("\\", self._at):
            self._at += 1
        if self._at >= len(self._text):
            raise self._malformed()
        self._at += 1
        return self._text[self._at - 1]

    def _braced(self) -> str:
        start, depth, quoted = self._at, 0, False
        while True:
            escaped = self._text.startswith("\\", self._at)
            char = self._character()
            if escaped:
                continue
            if char == '"':
                quoted = not quoted
            elif not quoted and char in "{}":
                depth += 1 if char == "{" else -1
                if depth == 0:
                    return self._text[start : self._at]

    def _spaces(self) -> None:
        while self._at < len(self._text) and self._text[self._at] in _SPACE:
            self._at += 1

    def _accept(self, sign: str) -> bool:
        self._spaces()
        found = self._text.startswith(sign, self._at)
        self._at += len(sign) if found else 0
        return found

    def _expect(self, sign: str) -> None:
        if not self._accept(sign):
            raise self._malformed()

    def _malformed(self) -> InputError:
        return InputError("22P02", f'malformed map literal: "{self._text}"')
