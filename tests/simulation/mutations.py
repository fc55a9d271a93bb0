"""Defects that the control plane has had, put back one at a time: what the simulation is to find."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

from ptvc.coord.controller.sink_frontiers import SinkFrontiers
from ptvc.coord.ddl import catalog_changes
from ptvc.coord.ddl.ddl import Ddl
from ptvc.coord.query.subscription_rows import RowEncoder
from ptvc.coord.results.results import Columns
from ptvc.coord.storage import catalog_transactions, group_commit
from ptvc.coord.storage.commit_request import Defined
from ptvc.coord.storage.group_commit import GroupCommit
from ptvc.coord.transaction.transaction import Savepoint
from ptvc.coord.transaction.transaction import Transaction as Block
from ptvc.persist.consensus.base import Transaction
from ptvc.persist.machine import Machine
from ptvc.replica.protocol import SinkProgress
from ptvc.sql.catalog.catalog_view import PlanContext
from ptvc.sql.statement import definitions
from ptvc.sql.syntax.ast import Name
from ptvc.supervision import Supervisor


async def _given_up(work: asyncio.Future[Any], withdraw: Callable[[], bool] | None = None) -> Any:
    """In place of `coord.storage.acceptance.completed`: a cancel ends the wait, and not the work."""
    return await asyncio.shield(work)


@contextmanager
def cancelled_though_durable() -> Iterator[None]:
    """A commit that is under way is answered 57014 when it is cancelled, and becomes durable."""
    with (
        mock.patch.object(group_commit, "completed", _given_up),
        mock.patch.object(catalog_transactions, "completed", _given_up),
    ):
        yield


@contextmanager
def durable_but_not_in_memory() -> Iterator[None]:
    """The statement that defines something updates memory itself, when it hears that this is durable: if it still listens."""
    define = GroupCommit.define

    async def by_the_statement(self: GroupCommit, defined: Defined) -> None:
        silent = replace(defined, on_durable=lambda: None, on_committed=None)
        await asyncio.shield(asyncio.ensure_future(define(self, silent)))
        defined.on_durable()

    with mock.patch.object(GroupCommit, "define", by_the_statement):
        yield


@contextmanager
def not_validated() -> Iterator[None]:
    """A definition may name a cluster that was dropped, so that it fails when it is durable; supervision stops the process."""

    def unchecked(name: Name | None, context: PlanContext) -> str:
        return context.cluster if name is None else name.parts[-1]

    with (
        mock.patch.object(definitions, "check_cluster", unchecked),
        mock.patch.object(catalog_changes, "validate"),
    ):
        yield


@contextmanager
def ends_unseen() -> Iterator[None]:
    """As `not_validated`; and a task that fails just ends."""
    with ExitStack() as stack:
        stack.enter_context(not_validated())
        stack.enter_context(mock.patch.object(Supervisor, "fail"))
        stack.enter_context(mock.patch.object(GroupCommit, "_end"))
        yield


@contextmanager
def lost_reply_is_a_refusal() -> Iterator[None]:
    """What was found to be applied is followed by a look at the epoch, whose failure counts as that of the whole."""
    commit = Machine.commit

    def apart(self: Machine, propose: Callable[[], Transaction | None], epoch: int | None = None) -> bool:
        done = commit(self, propose)
        if not done:
            self.check_epoch(epoch)
        return done

    with mock.patch.object(Machine, "commit", apart):
        yield


@contextmanager
def open_progress() -> Iterator[None]:
    """A row of progress names a time of which nothing was told yet."""
    progress = RowEncoder._progress

    def ahead(self: RowEncoder, time: int) -> Columns:
        return progress(self, time + 1)

    with mock.patch.object(RowEncoder, "_progress", ahead):
        yield


@contextmanager
def left_behind() -> Iterator[None]:
    """What a session cannot drop as it ends stays until the next start."""

    async def nothing(self: Ddl, schemas: object) -> None:
        return

    with mock.patch.object(Ddl, "drop_left_behind", nothing):
        yield


@contextmanager
def sinks_ahead() -> Iterator[None]:
    """A sink is taken to be a second further than its target."""
    moved = SinkFrontiers.moved

    def ahead(self: SinkFrontiers, progress: SinkProgress) -> None:
        moved(self, replace(progress, upper=progress.upper + 1000))

    with mock.patch.object(SinkFrontiers, "moved", ahead):
        yield


@contextmanager
def rows_behind_a_savepoint() -> Iterator[None]:
    """ROLLBACK TO keeps what was written behind the savepoint, unless the block has failed there."""
    rollback_to = Block.rollback_to

    def kept(self: Block, name: str) -> Savepoint:
        writes, shapes = {id_: list(parts) for id_, parts in self.writes.items()}, dict(self.shapes)
        failed = self.failed
        savepoint = rollback_to(self, name)
        if not failed:
            self.writes, self.shapes = writes, shapes
        return savepoint

    with mock.patch.object(Block, "rollback_to", kept):
        yield
