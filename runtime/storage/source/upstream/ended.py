"""Tables that take nothing more from their source: each has an error for as long as it is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from ....errors import ENDED_TABLE
from ....repr.schema import ERROR_SCHEMA
from ...changes import NO_ERROR_CHANGES, Changes, together
from ...ingestion import Output, OutputChanges

AGAIN = "drop the table, and create it from the source again"


def an_error(message: str) -> Changes:
    columns = (pa.array([ENDED_TABLE]), pa.array([message]))
    return replace(NO_ERROR_CHANGES, columns=columns, diffs=np.ones(1, np.int64))


def joined(output: Output, changes: Sequence[OutputChanges]) -> OutputChanges:
    """All of the output's changes."""
    return OutputChanges(
        together(output.schema, [one.oks for one in changes]),
        together(ERROR_SCHEMA, [one.errs for one in changes]),
    )
