"""Character sets of columns: their bytes in the log, as UTF-8."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ....repr import buffers

UTF8 = frozenset(("utf8mb4", "utf8mb3", "utf8", "ascii"))
SINGLE_BYTE = frozenset(
    [
        "latin1",
        "latin2",
        "latin5",
        "latin7",
        "cp1250",
        "cp1251",
        "cp1256",
        "cp1257",
        "cp850",
        "cp852",
        "cp866",
        "dec8",
        "geostd8",
        "greek",
        "hebrew",
        "hp8",
        "keybcs2",
        "koi8r",
        "koi8u",
        "macce",
        "macroman",
        "tis620",
        "armscii8",
    ]
)
"""Those whose characters are bytes: what each is, a server says itself."""
_MOST_BYTES = 4


class Charset:
    """`characters`: what each of the 256 bytes is, in UTF-8; None: bytes are UTF-8."""

    def __init__(self, characters: Sequence[bytes] | None = None) -> None:
        self._characters: np.ndarray[tuple[int, int], np.dtype[np.uint8]] | None = None
        if characters is not None:
            padded = b"".join(one.ljust(_MOST_BYTES, b"\0") for one in characters)
            self._characters = np.frombuffer(padded, np.uint8).reshape(256, _MOST_BYTES)
            self._is_ascii = all(one == bytes((byte,)) for byte, one in enumerate(characters[:128]))
            self._sizes = np.array([len(one) for one in characters], np.int64)

    def decoded(self, raw: pa.Array) -> pa.Array:
        """`raw` are binaries; of the texts it is not known yet that they are UTF-8."""
        if self._characters is None or not len(raw):
            return raw
        offsets = buffers.text_offsets(raw)
        data = buffers.text_data(raw)[offsets[0] : offsets[-1]]
        if self._is_ascii and not (data & 0x80).any():
            return raw
        sizes = self._sizes[data]
        spread = self._characters[data]
        kept = np.arange(_MOST_BYTES) < sizes[:, None]
        ends = np.r_[0, np.cumsum(sizes)]
        moved = ends[offsets - offsets[0]].astype(np.int32)
        return pa.Array.from_buffers(
            pa.binary(),
            len(raw),
            [_validity(raw), pa.py_buffer(moved), pa.py_buffer(np.ascontiguousarray(spread[kept]))],
        )


def _validity(raw: pa.Array) -> pa.Buffer | None:
    if not raw.null_count:
        return None
    return pa.array(buffers.validity(raw)).buffers()[1]
