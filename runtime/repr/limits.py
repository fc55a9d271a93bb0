"""Limits of the machine and of Arrow as errors that a client understands: no defects, but answers that are too large."""

from __future__ import annotations

import pyarrow as pa

from ..errors import MemoryLimitExceeded, PtvcError


def as_limit(error: BaseException) -> PtvcError | None:
    """53200 for memory that was not there, 54000 for texts that do not fit a column; None for any other error."""
    if isinstance(error, MemoryError):
        return MemoryLimitExceeded("out of memory", hint="The statement needs more memory than there is.")
    if isinstance(error, pa.ArrowCapacityError) or (
        isinstance(error, pa.ArrowInvalid) and "offset overflow" in str(error)
    ):
        return PtvcError(
            "a column of an intermediate result holds more than 2 GB",
            sqlstate="54000",
            hint="Filter or aggregate earlier, so that fewer or shorter values are held at once.",
        )
    return None
