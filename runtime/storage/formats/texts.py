"""Texts of payloads: what is UTF-8 may still be no text of SQL."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...expr.columns.arrays import with_nulls
from ...expr.columns.row_errors import Evaluated, same_error
from ...repr.buffers import truth

ZERO_BYTE = ("22021", 'invalid byte sequence for encoding "UTF8": 0x00')
"""What is wrong with a text that has one: SQLSTATE and reason."""


def without_zero_bytes(texts: pa.StringArray) -> Evaluated:
    data = texts.buffers()[2]
    if data is None or not (np.frombuffer(data, np.uint8) == 0).any():
        return Evaluated(texts)
    wrong = truth(pc.match_substring(texts, "\0"))
    errors = same_error(np.flatnonzero(wrong), *ZERO_BYTE)
    return Evaluated(texts if errors is None else with_nulls(texts, errors.indices), errors)
