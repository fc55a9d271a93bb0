"""Sinks: the part of the adapter that waits for them, and lets them go on over what is made anew."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from dbt.adapters.base.meta import available
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ptvc.dependencies import read_by
from dbt.adapters.ptvc.relation import PtvcRelation
from dbt.adapters.ptvc.relations import RelationsAdapter
from dbt.adapters.ptvc.staging.retired import is_retired, left_over, retired_below, stands_for

_POLL_FIRST_S = 0.02
_POLL_MAX_S = 0.5
_STALLED_S = 8.0
"""Longer than the pause between two attempts of a sink: what has been mended meanwhile is found to be so."""


class SinksAdapter(RelationsAdapter):
    """A sink goes on in its target as long as it is the same sink: see `retired`."""

    @available.parse(lambda *a, **k: False)
    def cut_over(self, sink: PtvcRelation, timeout: float) -> bool:
        """Let a sink read what has taken the place of what it reads, and drop that; False if nothing has."""
        edges = self._dependency_edges()
        retired = retired_below(sink, edges)
        if not retired:
            return False
        old = [relation for relation in read_by(sink, edges) if is_retired(relation)]
        if old and len(read_by(sink, edges)) == 1:
            self.execute_macro(
                "ptvc__cut_over", kwargs={"sink": sink, "upstream": self._successor(sink, old[0])}
            )

        def is_done() -> bool:
            return not any(is_retired(found) for found in read_by(sink, self._dependency_edges()))

        self._await_sink(sink, timeout, is_done, "still writes what it has read before")
        self.drop_retired(retired)
        return True

    def _successor(self, sink: PtvcRelation, old: PtvcRelation) -> PtvcRelation:
        for found in self.list_relations(old.database, old.schema or ""):
            assert isinstance(found, PtvcRelation)
            if not is_retired(found) and not found.is_index and stands_for(old.identifier, found.identifier):
                return found
        raise DbtRuntimeError(
            f"sink {sink.render()} reads {old.render()}, whose place nothing has taken: run the model that it reads, too."
        )

    @available.parse_list
    def retired_below(self, sink: PtvcRelation) -> list[PtvcRelation]:
        return retired_below(sink, self._dependency_edges())

    @available.parse_none
    def drop_retired(self, retired: Sequence[PtvcRelation]) -> None:
        """Those that no sink reads any more."""
        for relation in left_over(retired, self._dependency_edges() if retired else ()):
            self.drop_relation(relation)  # type: ignore[no-untyped-call]

    @available.parse_none
    def wait_until_running(self, sink: PtvcRelation, timeout: float) -> None:
        """Return when the sink writes; a sink that is stalled, and stays so, is an error, and is left as it is."""
        stalled: float | None = None

        def is_running() -> bool:
            nonlocal stalled
            status, error = self._sink_status(sink)
            now = time.monotonic()
            stalled = None if status != "stalled" else now if stalled is None else stalled
            if stalled is not None and now - stalled > _STALLED_S:
                raise DbtRuntimeError(f"sink {sink.render()} is stalled, and writes nothing: {error}")
            return status == "running"

        self._await_sink(sink, timeout, is_running, "does not run")

    def _await_sink(
        self, sink: PtvcRelation, timeout: float, condition: Callable[[], bool], otherwise: str
    ) -> None:
        start, pause = time.monotonic(), _POLL_FIRST_S
        while not condition():
            if time.monotonic() - start > timeout:
                status, error = self._sink_status(sink)
                raise DbtRuntimeError(
                    f"sink {sink.render()} {otherwise} after {timeout:g} s ({status}{f': {error}' if error else ''})."
                )
            if self.connections.interrupted.wait(pause):
                raise DbtRuntimeError(f"stopped waiting for sink {sink.render()}.")
            pause = min(pause * 1.5, _POLL_MAX_S)

    def _sink_status(self, sink: PtvcRelation) -> tuple[str, str | None]:
        rows = list(self.execute_macro("ptvc__get_sink_status", kwargs={"relation": sink}))
        if not rows:
            raise DbtRuntimeError(f"sink {sink.render()} is not there any more.")
        return rows[0][0], rows[0][1]
