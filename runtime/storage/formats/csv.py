"""FORMAT CSV: a payload is one line of CSV, its fields are columns by position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...repr.schema import Schema
from ..decode import WHOLE_RECORD
from ..decode_csv import CsvDecoder
from .contract import DecodedPayloads
from .payload_lines import Reasons, decoded_payloads, lines_of, nullable

_LINE_END = r"\r?\n\z"


class Csv:
    """Quoted as in COPY's csv; an empty field is NULL.  A line end at the end of a payload is none of its contents; elsewhere it is
    an error."""

    def __init__(
        self, schema: Schema, settings: Mapping[str, Any], fields: Sequence[str] | None = None
    ) -> None:
        """`fields` are those of a payload, in order, where these are not the columns of `schema`."""
        self.schema = nullable(schema)
        self._width = len(schema) if fields is None else len(fields)
        self._decoder = CsvDecoder(self.schema, delimiter=settings.get("delimiter", ","), fields=fields)

    def decode(self, payloads: pa.LargeBinaryArray) -> DecodedPayloads:
        broken = pc.match_substring(payloads, b"\n")
        inner = np.zeros(len(payloads), np.bool_)
        if pc.any(broken, min_count=0).as_py():
            payloads = pc.replace_substring_regex(payloads, _LINE_END, "")
            inner = pc.match_substring(payloads, b"\n").to_numpy(zero_copy_only=False)
            # What the parser sees has one line for each payload.
            payloads = pc.if_else(pa.array(inner), pa.scalar(b"", payloads.type), payloads)
        lines = lines_of(payloads)
        errors = Reasons(self.schema, lines)
        for row in np.flatnonzero(inner).tolist():
            errors.add(row, WHOLE_RECORD, "22P04", "a line break within a record")
        if (width := self._width) > 1:  # of one column an empty line is NULL
            for row in np.flatnonzero((lines.ends == lines.starts) & ~inner).tolist():
                errors.add(row, WHOLE_RECORD, "22P04", f"missing data: {width} fields expected, 0 found")
        return decoded_payloads(self._decoder.read(lines, errors))
