"""What a process and its worker say to each other: frames over pipes.

A frame is a header (JSON) and a payload (an Arrow IPC stream, or nothing), each preceded by its length:

| direction | header                                                          | payload                                  |
|-----------|-----------------------------------------------------------------|------------------------------------------|
| request   | `function`: a key; `rows`: how many; `define`: what it is, once | the arguments of `rows` rows             |
| response  | `errors`: [row, SQLSTATE, message] in order of rows             | one column, as values.py's `transport`   |
| response  | `failed`: [SQLSTATE, message]: the source cannot be called      | nothing                                  |

Beside them is a file that both have mapped: two counters of 8 bytes, the row that the worker is at and how many inputs of
its group an aggregate has taken.  The worker counts, and what it counted is there whatever becomes of it.
"""

from __future__ import annotations

import struct

import pyarrow as pa

LENGTHS = struct.Struct("<QQ")

PROGRESS_BYTES = 16

STARTING, LOADING = -2, -1
"""The rows that a worker is at when it calls nothing: until it has taken a request, and while it loads a source or converts
values."""


def frame(header: bytes, columns: list[pa.Array]) -> bytes:
    payload = b""
    if columns:
        batch = pa.record_batch(columns, names=[str(number) for number in range(len(columns))])
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as stream:
            stream.write_batch(batch)
        payload = sink.getvalue().to_pybytes()
    return b"".join((LENGTHS.pack(len(header), len(payload)), header, payload))


def columns_of(payload: bytes | memoryview) -> list[pa.Array]:
    if not len(payload):
        return []
    with pa.ipc.open_stream(pa.py_buffer(payload)) as stream:
        columns: list[pa.Array] = stream.read_next_batch().columns
    return columns
