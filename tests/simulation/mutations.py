"""Defects that the control plane has had, put back one at a time: what the simulation is to find."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

from ptvc.coord.ddl import catalog_changes
from ptvc.coord.storage import catalog_transactions, group_commit
from ptvc.coord.storage.group_commit import Defined, GroupCommit
from ptvc.persist.consensus.base import Transaction
from ptvc.persist.machine import Machine
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
