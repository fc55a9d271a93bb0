"""COPY data in text and csv, split into fields for a whole block of rows at once.

Where rows and fields end is a question of single bytes (a newline, a delimiter) that are not escaped (text) or not
within quotes (csv); both are found with numpy over the block.  What is left after the separators are dropped is one
Arrow array of all fields, row by row, and a column is every n-th of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import Unsupported
from ..sql.syntax.vocabulary import CopyFormat, CopyOptions
from .codec import CopyDataError

Bytes = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Positions = npt.NDArray[np.int64]

LF, CR, BACKSLASH = 10, 13, 92
SHOWN_BYTES = 100
"""Bytes of a value or line that a message shows."""


@dataclass(frozen=True, slots=True)
class Block:
    """Whole rows.  `fields` are all of their fields, row by row, as binary; `nulls` says which are NULL.

    `widths` is the number of fields per row, `lines` the number of the line on which each row ends; `used` how many
    bytes of the input the rows took, `ended` whether the end-of-data mark came.  `data`, `starts` and `ends` give
    the text of each row for messages.
    """

    fields: pa.Array
    nulls: Mask
    widths: Positions
    lines: Positions
    used: int
    ended: bool
    data: bytes
    starts: Positions
    ends: Positions

    def row_text(self, row: int) -> str:
        return self.data[self.starts[row] : self.ends[row]].decode("utf-8", "replace")


class Splitter:
    """Splits blocks of one COPY.  Keeps what a block must know of those before: line numbers, kind of newline."""

    def __init__(self, options: CopyOptions, context: str) -> None:
        self._csv = options.format is CopyFormat.CSV
        if self._csv and options.escape != options.quote:
            raise Unsupported(
                "COPY FROM with an ESCAPE that differs from QUOTE is not supported",
                hint="Double the quotes within quoted values.",
            )
        self._delimiter = ord(options.delimiter)
        self._quote = ord(options.quote)
        self._null = options.null.encode()
        self._context = context
        self._newline: bytes | None = None
        self._line = 0

    def split(self, data: bytes, final: bool) -> Block | None:
        """The rows that `data` begins with; None when it holds no whole row yet.  With `final`, all of it is rows."""
        if final and data:
            data = self._closed(data)
        raw = np.frombuffer(data, np.uint8)
        plain = self._plain(data, raw)
        if self._newline is None and not self._detect_newline(raw, plain, final):
            return None
        ends, drop = self._row_ends(data, raw, plain)
        if not len(ends):
            if not final or not data:
                return None
            raise self._unterminated(data, raw, ends)
        if final and self._csv and ends[-1] + 1 < len(data):
            raise self._unterminated(data, raw, ends)
        return self._block(data, raw, plain, ends, drop, final)

    def _closed(self, data: bytes) -> bytes:
        """The last of the data, with the newline that its last row may lack."""
        if not self._csv:
            tail = data[len(data.rstrip(b"\\")) :]
            if len(tail) % 2:
                data = data[:-1]  # nothing follows for it to escape: PostgreSQL drops it
            elif data.endswith((b"\n", b"\r")):
                before = data[:-1]
                if (len(before) - len(before.rstrip(b"\\"))) % 2 == 0:
                    return data
        elif data.endswith((b"\n", b"\r")):
            return data
        return data + (self._newline or b"\n")

    # --- where things are ----------------------------------------------------------------------------------------

    def _plain(self, data: bytes, raw: Bytes) -> Mask | None:
        """Which bytes may separate: not escaped, not quoted.  None: all may."""
        if self._csv:
            if self._quote not in data:
                return None
            return np.asarray((np.cumsum(raw == self._quote) & 1) == 0, np.bool_)
        if BACKSLASH not in data:
            return None
        plain = np.ones(len(raw), np.bool_)
        escaped = active_backslashes(raw) + 1
        plain[escaped[escaped < len(raw)]] = False
        return plain

    def _detect_newline(self, raw: Bytes, plain: Mask | None, final: bool) -> bool:
        """The first newline says what all must be, as in PostgreSQL.  False when it has not come yet."""
        found = (raw == LF) | (raw == CR)
        positions = np.flatnonzero(found if plain is None else found & plain)
        if not len(positions):
            return final
        first = int(positions[0])
        if raw[first] == LF:
            self._newline = b"\n"
        elif first + 1 < len(raw):
            self._newline = b"\r\n" if raw[first + 1] == LF else b"\r"
        elif final:
            self._newline = b"\r"
        else:
            return False
        return True

    def _row_ends(self, data: bytes, raw: Bytes, plain: Mask | None) -> tuple[Positions, Positions]:
        """Positions of the bytes that end rows; and of those that go with them (the CR of a CRLF)."""
        last = CR if self._newline == b"\r" else LF
        ends = np.flatnonzero(raw == last if plain is None else (raw == last) & plain)
        none = np.empty(0, np.int64)
        if CR not in data and last == LF and self._newline != b"\r\n":
            return ends, none
        other = LF if last == CR else CR
        stray = np.flatnonzero(raw == other if plain is None else (raw == other) & plain)
        if self._newline == b"\r\n":
            paired = ends[(ends > 0) & (raw[ends - 1] == CR)] - 1
            if len(paired) != len(ends):
                bare = np.setdiff1d(ends, paired + 1)
                raise self._stray(data, ends, int(bare[0]), LF)
            stray = np.setdiff1d(stray, paired)
            stray = stray[stray + 1 < len(raw)]  # the last byte may be the first half of a newline
            drop = paired
        else:
            drop = none
        if len(stray):
            raise self._stray(data, ends, int(stray[0]), other)
        return ends, drop

    def _stray(self, data: bytes, ends: Positions, at: int, byte: int) -> CopyDataError:
        name = "newline" if byte == LF else "carriage return"
        line = self._line + 1 + int(np.searchsorted(ends, at))
        if self._csv:
            return self._error(
                f"unquoted {name} found in data", line, f"Use quoted CSV field to represent {name}."
            )
        shown = "\\n" if byte == LF else "\\r"
        return self._error(f"literal {name} found in data", line, f'Use "{shown}" to represent {name}.')

    def _error(self, message: str, line: int, hint: str | None = None) -> CopyDataError:
        return CopyDataError(message, context=f"{self._context}, line {line}", hint=hint)

    def _unterminated(self, data: bytes, raw: Bytes, ends: Positions) -> CopyDataError:
        self._lines(raw, ends)
        rest = data[int(ends[-1]) + 1 if len(ends) else 0 :]
        line = self._line + 1 + (rest.count(b"\n") if self._line else 0)
        text = rest[:SHOWN_BYTES].decode("utf-8", "ignore") + ("..." if len(rest) > SHOWN_BYTES else "")
        context = f'{self._context}, line {line}: "{text}"'
        return CopyDataError("unterminated CSV quoted field", context=context)

    # --- fields --------------------------------------------------------------------------------------------------

    def _block(
        self, data: bytes, raw: Bytes, plain: Mask | None, ends: Positions, drop: Positions, final: bool
    ) -> Block:
        used = int(ends[-1]) + 1
        starts = np.concatenate([[0], ends[:-1] + 1])
        stops = ends.copy()
        if self._newline == b"\r\n":
            stops -= 1
        mark = starts[(stops - starts == 2) & (raw[starts] == BACKSLASH)]
        mark = mark[raw[mark + 1] == ord(".")]
        if self._csv:
            # Data, as since PostgreSQL 18, but for the last row: older clients send the mark there.
            mark = mark[mark == starts[-1]] if used == len(raw) else mark[:0]
        size = int(mark[0]) if len(mark) else used
        ended = len(mark) > 0 and (final or not self._csv)
        if self._csv and not final:
            used = size
        rows = int(np.searchsorted(starts, size))
        ends, starts, stops, raw = ends[:rows], starts[:rows], stops[:rows], raw[:size]
        if not self._csv and plain is not None and b"\\." in data:
            after = active_backslashes(raw) + 1
            after = after[after < size]
            dots = after[raw[after] == ord(".")]
            if len(dots):
                line = self._line + 1 + int(np.searchsorted(ends, dots[0]))
                raise self._error("end-of-copy marker is not alone on its line", line)
        separator = raw == self._delimiter
        if plain is not None:
            separator &= plain[:size]
        separator[ends] = True
        positions = np.flatnonzero(separator)
        last = np.searchsorted(positions, ends)
        widths = np.diff(np.concatenate([[-1], last]))
        keep = ~separator
        keep[drop[drop < size]] = False
        quoted = np.zeros(len(positions), np.bool_)
        if self._csv and plain is not None:
            quotes = np.flatnonzero(raw == self._quote)
            quoted = np.diff(np.searchsorted(quotes, positions), prepend=0) > 0
            keep[quotes] = False
            # A quote that opens again where one has just closed was a doubled one: it stands for itself.
            opening = quotes[2::2]
            keep[opening[opening == quotes[1 : 2 * len(opening) : 2] + 1]] = True
        offsets = np.zeros(len(positions) + 1, np.int32)
        offsets[1:] = np.cumsum(keep)[positions] if len(positions) else 0
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(raw[keep])]
        fields = pa.Array.from_buffers(pa.binary(), len(positions), buffers)
        nulls = np.asarray(pc.equal(fields, self._null).to_numpy(zero_copy_only=False), np.bool_) & ~quoted
        lines = self._lines(raw, ends)
        return Block(fields, nulls, widths, lines, used, ended, data, starts, stops)

    def _lines(self, raw: Bytes, ends: Positions) -> Positions:
        """Lines of a csv file include those within quotes; not within its first row, as in PostgreSQL, which
        does not know yet what its newlines are."""
        if not len(ends):
            return ends
        if self._csv:
            newlines = np.flatnonzero(raw == (LF if self._newline == b"\n" else CR))
            own = ends - 1 if self._newline == b"\r\n" else ends
            lines = self._line + 1 + np.searchsorted(newlines, own)
            if self._line == 0 and self._newline == b"\n":
                lines -= int(lines[0]) - 1
        else:
            lines = self._line + 1 + np.arange(len(ends))
        self._line = int(lines[-1])
        return lines


def active_backslashes(raw: Bytes) -> Positions:
    """Positions of the backslashes that escape what follows: every other one of a run, from its first."""
    positions = np.flatnonzero(raw == BACKSLASH)
    begins = np.diff(positions, prepend=-2) != 1
    run_start = np.maximum.accumulate(np.where(begins, np.arange(len(positions)), 0))
    return np.asarray(positions[(np.arange(len(positions)) - run_start) % 2 == 0], np.int64)
