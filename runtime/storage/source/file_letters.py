"""Lines of files as dead letters keep them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from ...repr.batch import Indices
from ..decode import Decoded, Decoder
from ..lines import split_lines
from .line_stream import Piece


def with_lines(decoder: Decoder, piece: Piece) -> Decoded:
    """The piece's records, which know their lines."""
    decoded = decoder.decode(piece.data, piece.file, piece.first_line)

    def letters_of(rows: Indices) -> tuple[pa.Array, ...]:
        """The columns of dead letters, but for the reason."""
        lines = split_lines(piece.data, piece.first_line)
        numbers = decoded.lines[rows]
        return (
            pa.array(np.full(len(rows), piece.file, object), pa.string()),
            pa.array(numbers),
            lines.payloads(np.searchsorted(lines.numbers, numbers)),
        )

    return replace(decoded, raw=letters_of)
