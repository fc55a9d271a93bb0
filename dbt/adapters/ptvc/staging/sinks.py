"""Sinks: the part of the adapter that lets them go on over what is made anew."""

from __future__ import annotations

from collections.abc import Sequence

from dbt.adapters.base.meta import available
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ptvc.dependencies import read_by
from dbt.adapters.ptvc.relation import PtvcRelation
from dbt.adapters.ptvc.sink_definition import SinkChange, cluster_of, sink_change, upstream_of
from dbt.adapters.ptvc.staging.retired import is_retired, left_over, read_below, retired_below, stands_for
from dbt.adapters.ptvc.staging.staged import name_of
from dbt.adapters.ptvc.waiting import WaitingAdapter


class SinksAdapter(WaitingAdapter):
    """A sink goes on in its target as long as it is the same sink: see `retired`."""

    @available.parse(lambda *a, **k: False)
    def cut_over(self, sink: PtvcRelation, timeout: float) -> bool:
        """Let a sink read what has taken the place of what it reads, and drop that; False if nothing has."""
        edges = self._dependency_edges()
        retired = retired_below(sink, edges)
        left = self._gone_over(read_below(sink, edges))
        if not retired:
            self.drop_retired(left)
            return False
        if is_retired(old := self.reads_now(sink)):
            self.execute_macro(
                "ptvc__cut_over", kwargs={"sink": sink, "upstream": self._successor(sink, old)}
            )

        def is_done(status: str) -> bool:
            return not any(is_retired(found) for found in read_by(sink, self._dependency_edges()))

        doing = "still writes what it has read before"
        kept = ", ".join(relation.render() for relation in retired)
        remedy = (
            f". It goes over when that is mended, in the rows that it comes from or by another change of the models between; until then {kept} "
            "stays, and the next run of the sink's model drops that."
        )
        self._await_sink(sink, timeout, is_done, doing, doing, remedy)
        self.drop_retired([*retired, *left])
        return True

    def _gone_over(self, read: Sequence[PtvcRelation]) -> list[PtvcRelation]:
        """What relations that a sink reads have replaced, where the sink has gone over by itself after the run that waited for it."""
        names = {name_of(found) for found in read}
        places = {(found.database, found.schema or "") for found in read}
        return [
            found
            for database, schema in sorted(places, key=str)
            for found in self.list_relations(database, schema)
            if isinstance(found, PtvcRelation)
            and is_retired(found)
            and not found.is_index
            and name_of(found) not in names
            and any(one.schema == schema and stands_for(found.identifier, one.identifier) for one in read)
        ]

    @available.parse(lambda *a, **k: "nothing")
    def sink_change(self, sink: PtvcRelation, create_sql: str) -> str:
        """What of the sink that is there is another one in that statement: a value of `SinkChange`.

        What it reads and where it runs is what it does now, whichever it was made with.
        """
        written, _ = self._sink_definitions(sink)
        change = sink_change(written, create_sql)
        if change not in (SinkChange.TARGET, SinkChange.MANNER):
            change = SinkChange.ALTERED if self.sink_alterations(sink, create_sql) else SinkChange.NOTHING
        return change.value

    def reads_now(self, sink: PtvcRelation) -> PtvcRelation:
        """What it reads, not what it has read before and may not have written all of."""
        return upstream_of(self._sink_definitions(sink)[1])

    def _sink_definitions(self, sink: PtvcRelation) -> tuple[str, str]:
        """As it was written, and as it is now."""
        rows = self.execute_macro("ptvc__get_sink_definitions", kwargs={"relation": sink})
        if not rows:
            raise DbtRuntimeError(f"sink {sink.render()} is not there any more.")
        return rows[0][0], rows[0][1]

    @available.parse_list
    def sink_alterations(self, sink: PtvcRelation, create_sql: str) -> list[str]:
        """What has it run in the cluster that the statement names, if that names one, and read what it names."""
        _, as_it_is = self._sink_definitions(sink)
        found = []
        cluster = cluster_of(create_sql)
        if cluster not in (None, cluster_of(as_it_is)):
            found.append(f"alter sink {sink.render()} set cluster {self.quote(cluster)}")  # type: ignore[no-untyped-call]
        reads, named = upstream_of(as_it_is), upstream_of(create_sql)
        # What is retired makes way for its successor by itself.
        goes_on = is_retired(reads) or name_of(reads) == (named.schema or sink.schema, named.identifier)
        if not goes_on:
            found.append(f"alter sink {sink.render()} set from {named.render()}")
        return found

    def _successor(self, sink: PtvcRelation, old: PtvcRelation) -> PtvcRelation:
        for found in self.list_relations(old.database, old.schema or ""):
            assert isinstance(found, PtvcRelation)
            if not is_retired(found) and not found.is_index and stands_for(old.identifier, found.identifier):
                return found
        raise DbtRuntimeError(
            f"sink {sink.render()} reads {old.render()}, whose place nothing has taken: run the model that it reads, too."
        )

    @available.parse(lambda *a, **k: False)
    def is_retired(self, relation: PtvcRelation) -> bool:
        return is_retired(relation)

    @available.parse_list
    def retired_below(self, sink: PtvcRelation) -> list[PtvcRelation]:
        return retired_below(sink, self._dependency_edges())

    @available.parse_none
    def drop_retired(self, retired: Sequence[PtvcRelation]) -> None:
        """Those that no sink reads any more."""
        for relation in left_over(retired, self._dependency_edges() if retired else ()):
            self.drop_relation(relation)  # type: ignore[no-untyped-call]
