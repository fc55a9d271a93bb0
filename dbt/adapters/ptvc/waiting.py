"""Waiting: the part of the adapter that says when a relation is of use, as its model ends then and not before."""

from __future__ import annotations

import time
from collections.abc import Callable

import psycopg
from dbt.adapters.base.meta import available
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ptvc.hydration import HydrationStatus, IngestionStatus, way_out
from dbt.adapters.ptvc.relation import PtvcRelation
from dbt.adapters.ptvc.relations import RelationsAdapter

_PROGRESS_EVERY_S = 5.0
_WORTH_SAYING_S = 2.0
_POLL_FIRST_S = 0.02
_POLL_MAX_S = 0.5
_OF_THE_QUERY = ("08", "42", "53", "57", "58", "XX")
"""Classes of SQLSTATEs that say nothing of the rows: of connections, names and privileges, resources, cancellation, defects."""

_STALLED_S = 8.0
"""Longer than the pause between two attempts of a source or sink: what has been mended meanwhile is found to be so."""


_GOES_ON = ". It stays, and goes on by itself when that is mended: the next run looks at it again."
"""Of a source or sink that is stalled, made in this run or before: its status says how it is, not whether it is there."""


class WaitingAdapter(RelationsAdapter):
    """Timeouts are in seconds; beyond them the relation stays and the wait ends with an error.  An interrupt ends it too."""

    @available.parse_none
    def wait_until_hydrated(self, relation: PtvcRelation, timeout: float) -> None:
        """Return when some replica has caught up with the inputs of `relation`; say every few seconds that it waits."""
        state = ""

        def hydrated() -> str | None:
            nonlocal state
            rows = self.execute_macro("ptvc__get_hydration_statuses", kwargs={"relation": relation})
            statuses = [HydrationStatus(*row) for row in rows]
            state = "; ".join(status.progress() for status in statuses) or "no replica works on it"
            return next((status.summary() for status in statuses if status.hydrated), None)

        start = time.monotonic()
        summary = self._wait(
            hydrated,
            timeout,
            waits=lambda: f"hydrating {relation.render()}: {time.monotonic() - start:.0f} s so far, {state}",
            late=lambda: (
                f"{relation.render()} was not hydrated after {timeout:g} s ({state}). Raise `hydration_timeout`, "
                "set `wait_for_hydration: false`, or see mz_internal.mz_hydration_statuses."
            ),
            stopped=f"stopped waiting for {relation.render()} to be hydrated.",
        )
        if time.monotonic() - start > _WORTH_SAYING_S:
            self._say(f"hydrated {relation.render()} {summary}")

    @available.parse_none
    def wait_until_ingested(self, relation: PtvcRelation, timeout: float) -> None:
        """Return when what was there for a source, or one of its tables, has been read.

        One that is stalled, and stays so, is an error before that, and a warning from then on.  What cannot be read for an error of
        its own, as of a row, or since the table upstream is another, is an error in any case: nothing over it can be read either.
        """
        start = time.monotonic()
        status = IngestionStatus("unknown")
        is_stalled = _Stalled()

        def ingested() -> str | None:
            nonlocal status
            status = self._ingestion_status(relation)
            if not status.is_complete and (status.status == "failed" or is_stalled(status.status)):
                raise DbtRuntimeError(nothing_comes())
            return status.summary() if status.is_complete else None

        def nothing_comes() -> str:
            said = f"{relation.render()} is {status.status}, and nothing comes in: {status.error}"
            return said + _GOES_ON if status.status == "stalled" else said

        summary = self._wait(
            ingested,
            timeout,
            waits=lambda: (
                f"reading {relation.render()}: {time.monotonic() - start:.0f} s so far, {status.progress()}"
            ),
            late=lambda: (
                f"{relation.render()} has not read what was there after {timeout:g} s ({status.progress()}). Raise "
                "`hydration_timeout`, set `wait_for_hydration: false`, or see mz_internal.mz_source_statistics."
            ),
            stopped=f"stopped waiting for {relation.render()} to read what is there.",
        )
        if status.status in ("failed", "stalled"):
            self._warn(nothing_comes())
        elif time.monotonic() - start > _WORTH_SAYING_S:
            self._say(f"{relation.render()} has read what was there{summary}")
        for written in self._written_by(relation):
            self._assert_no_error(relation, written)

    def _written_by(self, relation: PtvcRelation) -> list[PtvcRelation]:
        """The relations that a source, or one of its tables, has rows in: a source that offers tables has none itself."""
        own_tables = self.own_tables(relation) if relation.is_source else []
        has_columns = bool(self.get_columns_in_relation(relation))  # type: ignore[no-untyped-call]
        return [*own_tables, *([relation] if has_columns else [])]

    def _assert_no_error(self, model: PtvcRelation, relation: PtvcRelation) -> None:
        """Raises the error of what `relation` holds, which any read of it ends with, and how that is mended."""
        sql = f"select count(*) from {relation.render()}"  # which takes no time at any size, unless there are errors
        handle = self.connections.get_thread_connection().handle
        with self.connections.exception_handler(sql):
            try:
                handle.execute(self.connections._add_query_comment(sql))
            except psycopg.Error as error:
                if error.sqlstate is None or error.sqlstate[:2] in _OF_THE_QUERY:
                    raise
                raise DbtRuntimeError(
                    f"{relation.render()} is in error, and so is all that reads it: {error.diag.message_primary}. "
                    + way_out(error.sqlstate, model.identifier or "")
                ) from error

    @available.parse_none
    def wait_until_running(self, sink: PtvcRelation, timeout: float) -> None:
        """Return when the sink writes; a sink that is stalled, and stays so, is an error, and is left as it is."""
        self._await_sink(
            sink, timeout, lambda status: status == "running", "does not run", "writes nothing", _GOES_ON
        )

    def _await_sink(
        self,
        sink: PtvcRelation,
        timeout: float,
        condition: Callable[[str], bool],
        otherwise: str,
        stalled: str,
        remedy: str = "",
    ) -> None:
        """Return when `condition` holds, which is given the sink's status; say every few seconds that it waits.  A sink that is stalled,
        and stays so, is an error: `otherwise` and `stalled` are what it does meanwhile and then, `remedy` what mends that."""
        start = time.monotonic()
        is_stalled = _Stalled()
        known = ""

        def is_met() -> str | None:
            nonlocal known
            status, error = self._sink_status(sink)
            known = f"{status}: {error}" if error else status
            if condition(status):
                return ""
            if is_stalled(status):
                raise DbtRuntimeError(f"sink {sink.render()} is stalled, and {stalled}: {error}{remedy}")
            return None

        self._wait(
            is_met,
            timeout,
            waits=lambda: (
                f"sink {sink.render()} {otherwise}: {time.monotonic() - start:.0f} s so far, {known}"
            ),
            late=lambda: f"sink {sink.render()} {otherwise} after {timeout:g} s ({known}).",
            stopped=f"stopped waiting for sink {sink.render()}.",
        )

    def _sink_status(self, sink: PtvcRelation) -> tuple[str, str | None]:
        rows = list(self.execute_macro("ptvc__get_sink_status", kwargs={"relation": sink}))
        if not rows:
            raise DbtRuntimeError(f"sink {sink.render()} is not there any more.")
        return rows[0][0], rows[0][1]

    def _ingestion_status(self, relation: PtvcRelation) -> IngestionStatus:
        rows = list(self.execute_macro("ptvc__get_ingestion_status", kwargs={"relation": relation}))
        if not rows:
            raise DbtRuntimeError(f"{relation.render()} is not there any more.")
        return IngestionStatus(*rows[0])

    def _wait(
        self,
        condition: Callable[[], str | None],
        timeout: float,
        *,
        waits: Callable[[], str] | None,
        late: Callable[[], str],
        stopped: str,
    ) -> str:
        """What `condition` says when it is met; None says that it is not.  `waits` is said every few seconds."""
        start = said = time.monotonic()
        pause = _POLL_FIRST_S
        while (met := condition()) is None:
            now = time.monotonic()
            if now - start > timeout:
                raise DbtRuntimeError(late())
            if waits is not None and now - said > _PROGRESS_EVERY_S:
                said = now
                self._say(waits())
            if self.connections.interrupted.wait(pause):
                raise DbtRuntimeError(stopped)
            pause = min(pause * 1.5, _POLL_MAX_S)
        return met


class _Stalled:
    """Whether something has been stalled for longer than its next attempt takes to come."""

    def __init__(self) -> None:
        self._since: float | None = None

    def __call__(self, status: str) -> bool:
        now = time.monotonic()
        if status != "stalled":
            self._since = None
        elif self._since is None:
            self._since = now
        return self._since is not None and now - self._since > _STALLED_S
