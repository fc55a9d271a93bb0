"""The wire: one connection's bytes, framed into messages, with back-pressure both ways.

A message is one type byte, an int32 length that counts itself, and a body.  Lengths are checked before a body is
awaited, so a client can make us hold at most `max_message` bytes, and of a statement `max_statement`; reading from the
socket pauses while more than `READ_HIGH_WATER` bytes are waiting.  A large body is filled piece by piece as it arrives.  Output is collected, and handed to the socket by `flush`, which waits while the
client does not read.  With TLS, which `begin_tls` begins, messages are what is inside of it.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from contextlib import suppress

from ..errors import PtvcError
from ..network.tls import TlsConnection
from .codec import (
    KNOWN_KINDS,
    LARGE_MESSAGE,
    SMALL_KINDS,
    SMALL_MESSAGE,
    STATEMENT_KINDS,
    Data,
    FrontendKind,
    ProtocolViolation,
)

READ_HIGH_WATER = 1 << 18
WRITE_HIGH_WATER = 1 << 18
FLUSH_BYTES = 1 << 16
"""More output than this is handed over between messages, results and pieces of results."""
LINGER_SECONDS = 0.005
"""How long output of a slow result may wait for more before it is sent anyway."""


class ClientGone(Exception):
    """The client closed the connection, or it broke."""


class Terminated(Exception):
    """The connection is to end, as the server stops or by `pg_terminate_backend`: raised where the next message is awaited."""


class FramingError(ProtocolViolation):
    """The stream of bytes is not a stream of messages (any more): the connection must end."""


def unknown_kind(kind: int) -> FramingError:
    return FramingError(f"invalid frontend message type {kind}")


class StatementTooLong(PtvcError):
    """A message with the text of a statement, of type `kind`, is longer than allowed; it was not kept."""

    sqlstate = "54000"

    def __init__(self, kind: int, length: int, most: int) -> None:
        super().__init__(
            f"a statement of {length} bytes is longer than {most} bytes",
            hint="Load data with COPY, or pass it in parameters; the limit is the setting max_statement_bytes.",
        )
        self.kind = kind


class Wire(asyncio.Protocol):
    def __init__(
        self, on_connect: Callable[[Wire], None], max_message: int, max_statement: int | None = None
    ) -> None:
        self._on_connect = on_connect
        self._max_message = max_message
        self._max_statement = max_message if max_statement is None else max_statement
        self._small = min(SMALL_MESSAGE, self._max_message, self._max_statement)
        self._in = bytearray()
        self._out = bytearray()
        self._waiting: asyncio.Future[None] | None = None
        self._drained: asyncio.Future[None] | None = None
        self._linger: asyncio.TimerHandle | None = None
        self._gone = False
        self.terminated = False
        """The connection ends; so does a statement that runs."""
        self._read_paused = False
        self._write_paused = False
        self._held_back = False
        self._transport: asyncio.Transport | None = None
        self.tls: TlsConnection | None = None
        self.on_gone: Callable[[], None] = lambda: None
        self.allowance: int | None = None
        """Bytes that the client may still send; who sends more is cut off.  None: any number."""

    # --- called by the event loop --------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=WRITE_HIGH_WATER)
        self._on_connect(self)

    def data_received(self, data: bytes) -> None:
        if self.allowance is not None:
            self.allowance -= len(data)
            if self.allowance < 0:
                self.abort()
                return
        if self.tls is not None:
            data = self._unsealed(self.tls, data)
        self._in += data
        if self._waiting is None and len(self._in) > READ_HIGH_WATER and not self._read_paused:
            self._read_paused = True
            self.transport.pause_reading()
        self._wake()

    def _unsealed(self, tls: TlsConnection, data: bytes) -> bytes:
        """What is inside; a peer that breaks the protocol is cut off."""
        try:
            plain = tls.received(data)
        except ssl.SSLError:
            self.transport.write(tls.to_send())  # what it is told of that
            self.transport.close()
            self._lose()
            return b""
        if answer := tls.to_send():
            self.transport.write(answer)
        if tls.ended:
            self._lose()
        return plain

    def eof_received(self) -> bool:
        """Returning True keeps the socket open for answers to what came before the end."""
        self._lose()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        self._write_paused = False
        self._out.clear()
        if self._drained is not None and not self._drained.done():
            self._drained.set_result(None)
        self._lose()

    def pause_writing(self) -> None:
        self._write_paused = True

    def resume_writing(self) -> None:
        self._write_paused = False
        if self._held_back:
            self._push()
        if self._drained is not None and not self._drained.done():
            self._drained.set_result(None)

    def _lose(self) -> None:
        if not self._gone:
            self._gone = True
            self._wake()
            self.on_gone()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    # --- reading -------------------------------------------------------------------------------------------------

    @property
    def transport(self) -> asyncio.Transport:
        assert self._transport is not None
        return self._transport

    @property
    def peer(self) -> tuple[str, int] | None:
        """The client's address and port; None of one that has no address."""
        name = self.transport.get_extra_info("peername")
        return (str(name[0]), int(name[1])) if isinstance(name, tuple) and len(name) >= 2 else None

    def terminate(self) -> None:
        """Make the next wait for a message raise `Terminated`."""
        self.terminated = True
        self._wake()

    async def read_startup(self, limit: int) -> bytes:
        """The body of a message without a type, of at most `limit` bytes, itself included."""
        await self._fill(4)
        length = int.from_bytes(self._in[:4], "big")
        if not 8 <= length <= limit:
            raise FramingError("invalid length of startup packet")
        await self._fill(length)
        body = bytes(self._in[4:length])
        del self._in[:length]
        return body

    async def first_byte(self) -> int:
        """Which stays to be read."""
        await self._fill(1)
        return self._in[0]

    async def begin_tls(self, context: ssl.SSLContext) -> TlsConnection:
        """What comes from here on is TLS, and so is what has come and was not read; returns behind its handshake."""
        received, self._in = bytes(self._in), bytearray()
        self.tls = tls = TlsConnection(context)
        if received:
            if self.allowance is not None:  # they come a second time
                self.allowance += len(received)
            self.data_received(received)
        while not tls.established:
            await self._more()
        return tls

    async def wait_for_input(self) -> None:
        """Until the client has sent something."""
        await self._fill(1)

    async def pause(self, seconds: float) -> None:
        """Until the time is over, or the connection."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while True:
                    await self._more()

    def next_message(self) -> tuple[int, Data] | None:
        """As `read_message`, of a small one that is here already and as it should be; else None, and nothing is taken.

        Most messages are like that: their client sends several at once, and waits for the answer.
        """
        waiting = len(self._in)
        if waiting < 5 or self.terminated:
            return None
        kind = self._in[0]
        length = int.from_bytes(self._in[1:5], "big")
        if not 4 <= length <= self._small or waiting <= length or kind not in KNOWN_KINDS:
            return None
        body = bytes(self._in[5 : length + 1])
        del self._in[: length + 1]
        return kind, body

    async def read_message(self, limit: int | None = None) -> tuple[int, Data]:
        """The type byte and the body of the next message, of `limit` bytes at most (default `max_message`).

        Raises StatementTooLong for one that was skipped: the next one may be read.
        """
        await self._fill(5)
        kind = self._in[0]
        length = int.from_bytes(self._in[1:5], "big")
        if kind not in KNOWN_KINDS:
            raise unknown_kind(kind)
        most = SMALL_MESSAGE if kind in SMALL_KINDS else limit or self._max_message
        if not 4 <= length <= most:
            raise FramingError(f"invalid message length {length}", hint=f"The limit is {most} bytes.")
        if kind in STATEMENT_KINDS and length - 4 > self._max_statement:
            await self._skip(length + 1)
            raise StatementTooLong(kind, length - 4, self._max_statement)
        if length > LARGE_MESSAGE:
            del self._in[:5]
            return kind, await self._large(length - 4)
        await self._fill(length + 1)
        body = bytes(self._in[5 : length + 1])
        del self._in[: length + 1]
        return kind, body

    async def _large(self, size: int) -> bytearray:
        """The next `size` bytes, in memory that is touched as they come."""
        body = bytearray(size)
        filled = 0
        while filled < size:
            await self._fill(1)
            count = min(len(self._in), size - filled)
            body[filled : filled + count] = self._in[:count]
            del self._in[:count]
            filled += count
        return body

    async def _skip(self, size: int) -> None:
        """Drops the next `size` bytes as they come."""
        while size:
            await self._fill(1)
            count = min(len(self._in), size)
            del self._in[:count]
            size -= count

    def has_input(self) -> bool:
        """Whether bytes wait that no one has read: before authentication there must be none."""
        return bool(self._in)

    def sync_follows(self) -> bool:
        """Whether a Sync is here already, behind nothing that could run another statement."""
        at = 0
        while len(self._in) >= at + 5:
            kind = self._in[at]
            if kind not in (FrontendKind.CLOSE, FrontendKind.FLUSH):
                return kind == FrontendKind.SYNC
            at += 1 + int.from_bytes(self._in[at + 1 : at + 5], "big")
        return False

    async def _fill(self, size: int) -> None:
        while len(self._in) < size:
            await self._more()
        if self.terminated:
            raise Terminated

    async def _more(self) -> None:
        """Until something has come."""
        if self.terminated:
            raise Terminated
        if self._gone:
            raise ClientGone
        if self._read_paused:
            self._read_paused = False
            self.transport.resume_reading()
        self._waiting = asyncio.get_running_loop().create_future()
        try:
            await self._waiting
        finally:
            self._waiting = None

    # --- writing -------------------------------------------------------------------------------------------------

    def send(self, data: bytes | bytearray | memoryview) -> None:
        """Collect output; `flush` hands it over."""
        self._out += data

    async def send_large(self, data: bytes | bytearray | memoryview) -> None:
        """As `send` and `flush`, in pieces, each of which waits until the socket has taken the last one."""
        view = memoryview(data)
        for start in range(0, len(view), WRITE_HIGH_WATER):
            self.send(view[start : start + WRITE_HIGH_WATER])
            await self.flush()

    @property
    def unsent(self) -> int:
        return len(self._out)

    async def flush(self) -> None:
        """Hand collected output to the socket; wait until it has taken enough of it."""
        self._push()
        while self._write_paused and not self.transport.is_closing():
            self._drained = asyncio.get_running_loop().create_future()
            try:
                await self._drained
            finally:
                self._drained = None
        if self.transport.is_closing():
            raise ClientGone

    def flush_soon(self) -> None:
        """Hand output over within `LINGER_SECONDS`, unless `flush` comes first."""
        if self._linger is None:
            self._linger = asyncio.get_running_loop().call_later(LINGER_SECONDS, self._push_late)

    def _push_late(self) -> None:
        """Not while the client does not read: what is collected then makes `flush` wait."""
        self._linger = None
        if self._write_paused:
            self._held_back = True
        else:
            self._push()

    def _push(self) -> None:
        if self._linger is not None:
            self._linger.cancel()
            self._linger = None
        self._held_back = False
        if self._out and not self.transport.is_closing():
            data = bytes(self._out)
            self.transport.write(data if self.tls is None else self.tls.sealed(data))
        self._out.clear()

    def close(self) -> None:
        """Send what was collected, then close."""
        self._push()
        if self.tls is not None and not self.transport.is_closing():
            self.transport.write(self.tls.farewell())
        self.transport.close()

    def abort(self) -> None:
        """Close at once; unsent output is lost."""
        self._out.clear()
        self.transport.abort()
