"""Messages of protocol 3 as bytes: what the server sends, and the parsing of what clients send.  No I/O.

Layouts are those of PostgreSQL's manual, "Message Formats".  Every malformed body is a `ProtocolViolation`
(08P01); text is UTF-8 without NUL, else 22021.
"""

from __future__ import annotations

import codecs
import enum
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..coord.results.results import Notice
from ..errors import DataError, PtvcError
from ..interrupt import check_interrupt
from ..repr.schema import Origin, Schema


class ProtocolViolation(PtvcError):
    sqlstate = "08P01"


class FrontendKind(enum.IntEnum):
    """Type bytes of clients' messages."""

    BIND = ord("B")
    CLOSE = ord("C")
    COPY_DATA = ord("d")
    COPY_DONE = ord("c")
    COPY_FAIL = ord("f")
    DESCRIBE = ord("D")
    EXECUTE = ord("E")
    FLUSH = ord("H")
    FUNCTION_CALL = ord("F")
    PARSE = ord("P")
    PASSWORD = ord("p")
    QUERY = ord("Q")
    SYNC = ord("S")
    TERMINATE = ord("X")


KNOWN_KINDS = frozenset(int(kind) for kind in FrontendKind)

SMALL_KINDS = frozenset(
    {
        FrontendKind.CLOSE,
        FrontendKind.COPY_DONE,
        FrontendKind.DESCRIBE,
        FrontendKind.EXECUTE,
        FrontendKind.FLUSH,
        FrontendKind.SYNC,
        FrontendKind.TERMINATE,
    }
)
"""Messages that have no reason to be long."""

STATEMENT_KINDS = frozenset({FrontendKind.QUERY, FrontendKind.PARSE})
"""Messages that bring the text of statements."""

LARGE_MESSAGE = 1 << 18
"""A message of more bytes is received in pieces, and decoded in another thread."""

Data = bytes | bytearray
SMALL_MESSAGE = 10_000
"""The longest of those, in bytes."""


# --- from the server ---------------------------------------------------------------------------------------------


def message(kind: bytes, body: bytes = b"") -> bytes:
    return kind + (len(body) + 4).to_bytes(4, "big") + body


def cstring(text: str) -> bytes:
    """UTF-8 and a NUL.  A NUL within, which no message can carry, is shown as U+FFFD."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace") + b"\0"


PARSE_COMPLETE = message(b"1")
BIND_COMPLETE = message(b"2")
CLOSE_COMPLETE = message(b"3")
NO_DATA = message(b"n")
PORTAL_SUSPENDED = message(b"s")
EMPTY_QUERY_RESPONSE = message(b"I")
COPY_DONE = message(b"c")
AUTHENTICATION_OK = message(b"R", (0).to_bytes(4, "big"))


AUTHENTICATION_CLEARTEXT_PASSWORD = message(b"R", (3).to_bytes(4, "big"))


def authentication_sasl(mechanisms: Sequence[str]) -> bytes:
    return message(b"R", (10).to_bytes(4, "big") + b"".join(map(cstring, mechanisms)) + b"\0")


def authentication_sasl_continue(data: bytes) -> bytes:
    return message(b"R", (11).to_bytes(4, "big") + data)


def authentication_sasl_final(data: bytes) -> bytes:
    return message(b"R", (12).to_bytes(4, "big") + data)


def parameter_status(name: str, value: str) -> bytes:
    return message(b"S", cstring(name) + cstring(value))


def backend_key_data(pid: int, secret: int) -> bytes:
    return message(b"K", struct.pack("!II", pid, secret))


def negotiate_protocol_version(newest: int, options: Sequence[str]) -> bytes:
    """`newest` is a whole version, `major << 16 | minor`, as PostgreSQL sends it, whatever its documentation says."""
    return message(b"v", struct.pack("!ii", newest, len(options)) + b"".join(map(cstring, options)))


def ready_for_query(status: str) -> bytes:
    return message(b"Z", status.encode("ascii"))


def command_complete(tag: str) -> bytes:
    return message(b"C", cstring(tag))


def row_description(schema: Schema, formats: Sequence[int]) -> bytes:
    """`formats` has one code per column: 0 text, 1 binary."""
    return _row_description(schema, tuple(column.origin for column in schema), tuple(formats))


@lru_cache(1_000)
def _row_description(schema: Schema, origins: tuple[Origin, ...], formats: tuple[int, ...]) -> bytes:
    """Statements of an application ask for the same again and again; equal schemas may differ in `origins`."""
    parts = [len(schema).to_bytes(2, "big")]
    for column, origin, format_ in zip(schema, origins, formats, strict=True):
        type_ = column.type
        parts.append(cstring(column.name))
        parts.append(struct.pack("!Ihihih", *origin, type_.oid, type_.typlen, type_.typmod, format_))
    return message(b"T", b"".join(parts))


def parameter_description(oids: Sequence[int]) -> bytes:
    return message(b"t", struct.pack(f"!h{len(oids)}I", len(oids), *oids))


def copy_response(kind: bytes, columns: int, binary: bool) -> bytes:
    """CopyInResponse (`G`) or CopyOutResponse (`H`)."""
    return message(kind, struct.pack(f"!bh{columns}h", int(binary), columns, *[int(binary)] * columns))


def error_response(error: PtvcError, *, severity: str = "ERROR") -> bytes:
    fields = [("S", severity), ("V", severity), ("C", error.sqlstate), ("M", error.message)]
    fields += [("D", error.detail), ("H", error.hint)]  # type: ignore[list-item]
    if error.position is not None:
        fields.append(("P", str(error.position)))
    if (about := error.about) is not None:
        fields += [("s", about.schema), ("t", about.table)]
        fields += [("c", about.column), ("n", about.constraint)]  # type: ignore[list-item]
    if isinstance(error, CopyDataError):
        fields.append(("W", error.context))
    fields.append(("R", error.routine))  # type: ignore[arg-type]
    return _fields(b"E", fields)


def notice_response(notice: Notice) -> bytes:
    fields = [("S", notice.severity), ("V", notice.severity), ("C", notice.sqlstate), ("M", notice.message)]
    if notice.hint is not None:
        fields.append(("H", notice.hint))
    return _fields(b"N", fields)


def _fields(kind: bytes, fields: Iterable[tuple[str, str | None]]) -> bytes:
    body = b"".join(code.encode("ascii") + cstring(text) for code, text in fields if text is not None)
    return message(kind, body + b"\0")


class CopyDataError(DataError):
    """Data that a client sent to COPY is wrong; `context` says where, as PostgreSQL does."""

    def __init__(
        self,
        message: str,
        *,
        context: str,
        sqlstate: str = "22P04",
        detail: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, sqlstate=sqlstate, detail=detail, hint=hint)
        self.context = context


# --- from the client ---------------------------------------------------------------------------------------------


_INT16, _COUNT, _INT32 = struct.Struct(">h"), struct.Struct(">H"), struct.Struct(">i")


class Body:
    """A cursor over the body of a message."""

    def __init__(self, data: Data) -> None:
        self._data = data
        self._at = 0

    def take(self, size: int) -> bytes:
        if size < 0 or self._at + size > len(self._data):
            raise ProtocolViolation("insufficient data left in message")
        self._at += size
        if isinstance(self._data, bytes):
            return self._data[self._at - size : self._at]
        with memoryview(self._data) as view:
            return bytes(view[self._at - size : self._at])

    def int16(self) -> int:
        return self._number(_INT16)

    def count(self) -> int:
        """An unsigned int16, such as a number of parameters."""
        return self._number(_COUNT)

    def int32(self) -> int:
        return self._number(_INT32)

    def _number(self, format_: struct.Struct) -> int:
        start, self._at = self._at, self._at + format_.size
        if self._at > len(self._data):
            raise ProtocolViolation("insufficient data left in message")
        number: int = format_.unpack_from(self._data, start)[0]
        return number

    def string(self) -> str:
        end = self._data.find(b"\0", self._at)
        if end < 0:
            raise ProtocolViolation("invalid string in message")
        start, self._at = self._at, end + 1
        if end - start <= LARGE_MESSAGE:
            return decode_text(self._data[start:end])
        with memoryview(self._data) as view:
            return decode_text(view[start:end])

    @property
    def exhausted(self) -> bool:
        return self._at == len(self._data)

    def end(self) -> None:
        if not self.exhausted:
            raise ProtocolViolation("invalid message format")


def decode_text(raw: Data | memoryview) -> str:
    """UTF-8 without NUL, else 22021.  In slices: other threads get the interpreter between two of them."""
    try:
        pieces = [str(raw, "utf-8")] if len(raw) <= LARGE_MESSAGE else _decoded_in_slices(raw)
    except UnicodeDecodeError as error:
        bad = " ".join(f"0x{byte:02x}" for byte in error.object[error.start : error.start + 4])
        raise DataError(f'invalid byte sequence for encoding "UTF8": {bad}', sqlstate="22021") from None
    if any("\0" in piece for piece in pieces):
        raise DataError('invalid byte sequence for encoding "UTF8": 0x00', sqlstate="22021")
    return pieces[0] if len(pieces) == 1 else "".join(pieces)


def _decoded_in_slices(raw: Data | memoryview) -> list[str]:
    pieces = []
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(raw), LARGE_MESSAGE):
        check_interrupt()
        end = start + LARGE_MESSAGE
        pieces.append(decoder.decode(raw[start:end], final=end >= len(raw)))
    return pieces


@dataclass(frozen=True, slots=True)
class Parse:
    name: str
    sql: str
    parameter_oids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Bind:
    """Format codes as sent: none, one for all, or one each."""

    portal: str
    statement: str
    parameter_formats: tuple[int, ...]
    parameters: tuple[bytes | None, ...]
    result_formats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """What Describe or Close names: `S` a statement, `P` a portal."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Execute:
    """`limit` 0 means all rows."""

    portal: str
    limit: int


def parse_query(data: Data) -> str:
    body = Body(data)
    sql = body.string()
    body.end()
    return sql


def parse_parse(data: Data) -> Parse:
    body = Body(data)
    name, sql = body.string(), body.string()
    oids = tuple(body.int32() & 0xFFFFFFFF for _ in range(body.count()))
    body.end()
    return Parse(name, sql, oids)


def parse_bind(data: Data) -> Bind:
    body = Body(data)
    portal, statement = body.string(), body.string()
    parameter_formats = tuple(body.int16() for _ in range(body.count()))
    parameters: list[bytes | None] = []
    for _ in range(body.count()):
        size = body.int32()
        parameters.append(None if size == -1 else body.take(size))
    result_formats = tuple(body.int16() for _ in range(body.count()))
    body.end()
    return Bind(portal, statement, parameter_formats, tuple(parameters), result_formats)


def parse_target(data: Data, what: str) -> Target:
    body = Body(data)
    kind = body.take(1).decode("latin-1")
    name = body.string()
    body.end()
    if kind not in ("S", "P"):
        raise ProtocolViolation(f"invalid {what} message subtype {ord(kind)}")
    return Target(kind, name)


def parse_execute(data: Data) -> Execute:
    body = Body(data)
    portal, limit = body.string(), body.int32()
    body.end()
    return Execute(portal, max(limit, 0))


def expand_formats(formats: Sequence[int], count: int, what: str) -> tuple[int, ...]:
    """One format code per column or parameter."""
    for code in formats:
        if code not in (0, 1):
            raise ProtocolViolation(f"unsupported format code: {code}", sqlstate="22023")
    if not formats:
        return (0,) * count
    if len(formats) == 1:
        return (formats[0],) * count
    if len(formats) != count:
        raise ProtocolViolation(
            f"bind message has {len(formats)} {what} formats but {what.removesuffix(' format')} has {count} "
            + ("columns" if what == "result" else "parameters")
        )
    return tuple(formats)
