"""One connection after the handshake: messages in, answers out, in order.

    idle -> message -> handler -> answers -> idle

An error in a handler becomes one ErrorResponse, and the session aborts its transaction; in the extended protocol all
messages up to the next Sync are then skipped.  Only framing errors, and a session that cannot even abort, end the
connection.  What is not a `PtvcError` is a defect of ours: the client sees XX000 and a reference, the log the rest.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from time import monotonic
from typing import TypeVar

from ..coord.results.results import Columns, Command, CopyIn, CopyOut, Empty, Result, Rows
from ..coord.thread_pool import EVALUATION, PLANNING
from ..errors import PtvcError, QueryCanceled
from ..repr.limits import as_limit
from ..sql.catalog.catalog_view import Prepared
from . import codec
from .codec import LARGE_MESSAGE, Data, FrontendKind
from .contract import SessionLike
from .copy import copy_in_chunks, copy_out
from .copy_export import export
from .extended import Portal, bind, close_chunks, missing_portal, missing_statement
from .rows import BYTES_PER_PIECE, SMALL_PIECE, data_rows, size, slices
from .wire import FLUSH_BYTES, ClientGone, FramingError, StatementTooLong, Terminated, Wire, unknown_kind

log = logging.getLogger("ptvc.pgwire")

T = TypeVar("T")

TURN_S = 0.005
"""So long one connection is served, however fast its client sends, before others get their turn."""

_COPY_KINDS = (FrontendKind.COPY_DATA, FrontendKind.COPY_DONE, FrontendKind.COPY_FAIL)


def internal_error(exception: BaseException) -> PtvcError:
    """What a client may know of a defect; the log gets the traceback under the same reference.  An answer that is too
    large is none."""
    if (limit := as_limit(exception)) is not None:
        return limit
    reference = secrets.token_hex(6)
    log.error("internal error %s", reference, exc_info=exception)
    return PtvcError(
        f"internal error (reference {reference})",
        hint="This is a defect of the server; its log has the details under this reference.",
    )


class Connection:
    """Runs `session` for the client at the other end of `wire`."""

    def __init__(self, wire: Wire, session: SessionLike) -> None:
        self._wire = wire
        self._session = session
        self._unnamed: Prepared | None = None
        self._portals: dict[str, Portal] = {}
        self._skipping = False
        self._busy = False
        self._canceled = False
        self._idle = True  # ReadyForQuery is the last that was sent: it is the client's turn
        self._turn_ends = 0.0
        self._handlers: dict[int, Callable[[Data], Awaitable[None]]] = {
            FrontendKind.PARSE: self._parse,
            FrontendKind.BIND: self._bind,
            FrontendKind.DESCRIBE: self._describe,
            FrontendKind.EXECUTE: self._execute,
            FrontendKind.CLOSE: self._close,
            FrontendKind.FLUSH: self._flush,
            FrontendKind.FUNCTION_CALL: self._function_call,
        }

    def cancel(self) -> None:
        """Cancel the running statement, if there is one.  From another task."""
        if self._busy:
            self._canceled = True
            self._session.cancel()

    async def run(self) -> None:
        """Until Terminate.  Raises `ClientGone`, `Terminated` and `FramingError`."""
        while True:
            refusal = None
            if self._idle:
                await self._wait_for_client()
            try:
                kind, body = self._wire.next_message() or await self._wire.read_message()
            except StatementTooLong as error:
                kind, body, refusal = error.kind, b"", error
            if kind == FrontendKind.TERMINATE:
                return
            self._busy, self._idle = True, False
            try:
                await self._handle(kind, body, refusal)
                if self._wire.unsent > FLUSH_BYTES:
                    await self._wire.flush()
            finally:
                self._busy = False
                self._canceled = False
            if monotonic() >= self._turn_ends:
                await self._take_turns()

    async def _wait_for_client(self) -> None:
        """Raises what ends the connection if the client stays idle for too long."""
        limit = self._session.idle_timeout
        if limit is None:
            return
        try:
            async with asyncio.timeout(limit.seconds):
                await self._wire.wait_for_input()
        except TimeoutError:
            raise limit.error from None

    async def _handle(self, kind: int, body: Data, refusal: PtvcError | None) -> None:
        """`refusal`: why the message was not read."""
        if kind == FrontendKind.PASSWORD:  # nobody has asked for one
            raise unknown_kind(kind)
        if kind == FrontendKind.SYNC:
            await self._sync()
        elif self._skipping or kind in _COPY_KINDS:
            return  # COPY messages here are what a client sent before it knew that its COPY had failed
        elif kind == FrontendKind.QUERY:
            await self._guarded(self._query(body) if refusal is None else _refuse(refusal))
            await self._ready()
        elif not await self._guarded(self._handlers[kind](body) if refusal is None else _refuse(refusal)):
            if kind == FrontendKind.FUNCTION_CALL:
                await self._ready()
            else:
                self._skipping = True

    async def _take_turns(self) -> None:
        """Between two statements, when this client has been at it for TURN_S: lets others go on.  What needs no thread and no
        replica never waits, so a client that sends much of it would keep the loop to itself."""
        await asyncio.sleep(0)
        self._turn_ends = monotonic() + TURN_S

    # --- errors --------------------------------------------------------------------------------------------------

    async def _guarded(self, work: Awaitable[None]) -> bool:
        """Whether `work` went well; its error has been sent if not."""
        try:
            await work
            return True
        except (ClientGone, Terminated, FramingError):
            raise
        except PtvcError as caught:
            if isinstance(caught, QueryCanceled) and self._wire.terminated:
                raise Terminated from None  # not the client's own cancel: it may send the statement again elsewhere
            error = caught
        except Exception as exception:
            error = internal_error(exception)
        self._notices()
        self._wire.send(codec.error_response(error))
        for portal in list(self._portals.values()):
            await self._quietly(portal.close())
        self._portals.clear()
        await self._session.fail()
        # At once: a client that asked with Flush rather than Sync waits for this before it sends anything more.
        await self._wire.flush()
        return False

    async def _quietly(self, work: Awaitable[None]) -> None:
        """Clean up after an error that the client knows already; a second one goes to the log."""
        try:
            await work
        except PtvcError as error:
            log.info("while closing a portal of a failed transaction: %s", error)

    async def _decoded(self, body: Data, decode: Callable[[], T]) -> T:
        """`decode()` of a message; of a large one, in another thread."""
        if len(body) <= LARGE_MESSAGE:
            return decode()
        result = await PLANNING.run(decode)
        self._check_cancel()
        return result

    def _check_cancel(self) -> None:
        if self._canceled:
            raise QueryCanceled("canceling statement due to user request")

    # --- ends of statements and of transactions ------------------------------------------------------------------

    def _notices(self) -> None:
        for notice in self._session.pop_notices():
            self._wire.send(codec.notice_response(notice))

    def _complete(self, tag: str) -> None:
        self._notices()
        self._wire.send(codec.command_complete(tag))

    async def _ready(self) -> None:
        status = self._session.transaction_status
        if status == "I" and self._portals:
            await self._guarded(self._drop_portals())
            status = self._session.transaction_status
        self._notices()
        for name, value in self._session.pop_parameter_changes():
            self._wire.send(codec.parameter_status(name, value))
        self._wire.send(codec.ready_for_query(status))
        await self._wire.flush()
        self._idle = True

    async def _drop_portals(self) -> None:
        """Portals end with their transaction."""
        portals = list(self._portals.values())
        self._portals.clear()
        for portal in portals:
            await portal.close()

    # --- simple protocol -----------------------------------------------------------------------------------------

    async def _query(self, body: Data) -> None:
        sql = await self._decoded(body, lambda: codec.parse_query(body))
        self._unnamed = None
        await self._drop_portal("")
        results = self._session.execute_simple(sql)
        try:
            async for result in results:
                await self._send_result(result)
                if self._wire.unsent > FLUSH_BYTES:
                    await self._wire.flush()
                if monotonic() >= self._turn_ends:
                    await self._take_turns()
        finally:
            await _aclose(results)

    async def _send_result(self, result: Result) -> None:
        match result:
            case Rows(schema=schema):
                portal = Portal("", Prepared("", (), schema), (), (1,) if result.binary else ())
                portal.open(result)
                self._wire.send(codec.row_description(schema, portal.formats))
                try:
                    await self._send_rows(portal, 0)
                finally:
                    await portal.close()
            case _:
                await self._send_other(result)

    async def _send_other(self, result: Command | Empty | CopyOut | CopyIn) -> None:
        """A result that is the same in both protocols."""
        match result:
            case Command(tag=tag):
                self._complete(tag)
            case Empty():
                self._wire.send(codec.EMPTY_QUERY_RESPONSE)
            case CopyOut():
                try:
                    if result.export is not None:
                        rows = await export(result, result.export, self._check_cancel)
                    else:
                        rows = await copy_out(self._wire, result, self._check_cancel)
                finally:
                    await close_chunks(result.chunks)
                self._complete(f"COPY {rows}")
            case CopyIn():
                chunks = copy_in_chunks(self._wire, result)
                try:
                    command = await self._session.copy_in(chunks)
                finally:
                    await close_chunks(chunks)
                self._complete(command.tag)

    async def _send_rows(self, portal: Portal, limit: int) -> None:
        """At most `limit` rows (0: all), then PortalSuspended or CommandComplete."""
        assert portal.rows is not None
        endless = portal.rows.endless
        if endless:  # the first row may take its time
            await self._wire.flush()
        sent = 0
        while not (limit and sent >= limit):
            chunk = await portal.next_chunk(limit - sent if limit else 0)
            if chunk is None:
                break
            for piece in slices(chunk):
                self._check_cancel()
                await self._send_piece(piece, portal.rows, portal.formats)
                if self._wire.unsent > FLUSH_BYTES:
                    await self._wire.flush()
                    await asyncio.sleep(0)
            sent += len(chunk[0])
            if endless:  # nobody is asked for more before the client has taken this
                await self._wire.flush()
            else:
                self._wire.flush_soon()
        if portal.finished:
            tag = portal.rows.tag
            self._complete(tag if portal.rows.fixed_tag else f"{tag} {sent}")
        else:
            self._notices()
            self._wire.send(codec.PORTAL_SUSPENDED)

    async def _send_piece(self, piece: Columns, rows: Rows, formats: Sequence[int]) -> None:
        if size(piece) <= SMALL_PIECE:
            self._wire.send(data_rows(piece, rows.schema, formats, rows.zone))
            return
        encoded = await EVALUATION.run(lambda: data_rows(piece, rows.schema, formats, rows.zone))
        if len(encoded) > BYTES_PER_PIECE:
            await self._wire.send_large(encoded)
        else:
            self._wire.send(encoded)

    # --- extended protocol ---------------------------------------------------------------------------------------

    async def _parse(self, body: Data) -> None:
        message = await self._decoded(body, lambda: codec.parse_parse(body))
        if message.name and message.name in self._session.statements:
            raise PtvcError(f'prepared statement "{message.name}" already exists', sqlstate="42P05")
        if not message.name:
            self._unnamed = None
        prepared = await self._session.prepare(message.sql, message.parameter_oids)
        if message.name:
            self._session.statements[message.name] = prepared
        else:
            self._unnamed = prepared
        self._wire.send(codec.PARSE_COMPLETE)

    def _statement(self, name: str) -> Prepared:
        prepared = self._session.statements.get(name) if name else self._unnamed
        if prepared is None:
            raise missing_statement(name)
        return prepared

    def _portal(self, name: str) -> Portal:
        portal = self._portals.get(name)
        if portal is None:
            raise missing_portal(name)
        return portal

    async def _bind(self, body: Data) -> None:
        message = await self._decoded(body, lambda: codec.parse_bind(body))
        prepared = self._statement(message.statement)
        if message.portal and (message.portal in self._portals or message.portal in self._session.cursors):
            raise PtvcError(f'cursor "{message.portal}" already exists', sqlstate="42P03")
        if prepared.late:
            prepared = await self._session.prepare(prepared.sql, ())
        zone = self._session.zone
        portal = await self._decoded(body, lambda: bind(message, prepared, zone))
        await self._drop_portal(message.portal)
        self._portals[message.portal] = portal
        self._wire.send(codec.BIND_COMPLETE)

    async def _drop_portal(self, name: str) -> None:
        portal = self._portals.pop(name, None)
        if portal is not None:
            await portal.close()

    async def _describe(self, body: Data) -> None:
        target = codec.parse_target(body, "DESCRIBE")
        if target.kind == "S":
            prepared = self._statement(target.name)
            oids = [type_.oid for type_ in prepared.parameter_types]
            self._wire.send(codec.parameter_description(oids))
            wanted: tuple[int, ...] = ()
        elif (cursor := self._session.cursors.get(target.name)) is not None:
            prepared = Prepared("", (), cursor.schema)
            wanted = ()
        else:
            portal = self._portal(target.name)
            prepared, wanted = portal.prepared, portal.result_formats
        if prepared.schema is None:
            self._wire.send(codec.NO_DATA)
        else:
            formats = codec.expand_formats(wanted, len(prepared.schema), "result")
            self._wire.send(codec.row_description(prepared.schema, formats))

    async def _execute(self, body: Data) -> None:
        message = codec.parse_execute(body)
        portal = self._portal(message.portal)
        if not portal.started:
            portal.started = True
            result = await self._session.execute(
                portal.prepared, portal.parameters, last=self._wire.sync_follows()
            )
            if not isinstance(result, Rows):
                await self._send_other(result)
                return
            portal.open(result)
        elif portal.rows is None:
            raise PtvcError(f'portal "{portal.name}" cannot be run', sqlstate="55000")
        await self._send_rows(portal, message.limit)

    async def _close(self, body: Data) -> None:
        target = codec.parse_target(body, "CLOSE")
        if target.kind == "P" and target.name in self._session.cursors:
            await self._session.close_cursor(target.name)
        elif target.kind == "P":
            await self._drop_portal(target.name)
        elif target.name:
            self._session.statements.pop(target.name, None)
        else:
            self._unnamed = None
        self._wire.send(codec.CLOSE_COMPLETE)

    async def _flush(self, body: Data) -> None:
        codec.Body(body).end()
        await self._wire.flush()

    async def _function_call(self, body: Data) -> None:
        raise PtvcError(
            "function calls by message are not supported", sqlstate="0A000", hint="Use SELECT function(...)."
        )

    async def _sync(self) -> None:
        failed, self._skipping = self._skipping, False
        if not failed:
            await self._guarded(self._session.sync())
        await self._ready()


async def _refuse(error: PtvcError) -> None:
    raise error


async def _aclose(results: AsyncIterator[Result]) -> None:
    aclose = getattr(results, "aclose", None)
    if aclose is not None:
        await aclose()
