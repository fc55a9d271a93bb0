"""EXPLAIN: what the coordinator knows of a statement or an object, as lines of text or as a row that is a JSON document.

A plan is that of the statement, or the one by which an object is maintained.  ANALYZE says what was measured: of an
object what each operator of its dataflow has done and holds, of a query its rows and its time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...compute.lower import lower
from ...compute.partitioned.totals import PartStatistics
from ...compute.plan import DataflowPlan
from ...compute.plan_text import plan_json, plan_text
from ...errors import ObjectNotReady, Unsupported
from ...expr.temporal import at_time
from ...expr.tree.relation import Get, GlobalId, Relation
from ...expr.tree.relation_tree import dependencies, walk
from ...sql.plans.explain_plans import (
    Explain,
    ExplainAnalyze,
    ExplainPushdown,
    ExplainSource,
    ExplainTimestamp,
)
from ...sql.plans.explain_tree import explain, explain_json, finishing_line
from ...sql.syntax.vocabulary import ExplainFormat, ExplainStage
from ...transform.pipeline import optimize
from ..catalog.append_only import append_only
from ..catalog.catalog import Catalog
from ..catalog.items import Computed, Index, Maintained, Source, SourceTable, WebhookSource
from ..catalog.maintained_plan import maintained_plan
from ..catalog.shared_indexes import indexes_for
from ..catalog.system_items import is_system
from ..catalog.views import expand
from ..controller import Controller
from ..controller.replicas import ReplicaClient
from ..storage.part_choice import filtered_reads, part_conditions
from ..storage.parts import encoded_bytes
from ..storage.storage import Storage
from .changes_reads import changes_in
from .divisions import Divided, Undivided, maintained, of_query
from .index_choice import choose_index
from .read_times import shown_time
from .sources.offers import SourceOffers, source_offers
from .sources.readers import source_use
from .sources.report import SourceReport

MEASURES = ("cpu", "memory", "hydration")


class Explainer:
    def __init__(self, storage: Storage, catalog: Catalog, controller: Controller) -> None:
        self._storage = storage
        self._oracle = storage.oracle
        self._catalog = catalog
        self._collections = storage.collections
        self._controller = controller

    # -- plans --

    def plan(self, planned: Explain, cluster: str) -> list[str]:
        """EXPLAIN ... PLAN FOR a query or an object."""
        item = self._catalog.get(planned.object) if planned.object is not None else None
        relation = self._defined(planned)
        if planned.stage is ExplainStage.PHYSICAL:
            if isinstance(item, Maintained):
                access, (division, plan) = None, self._maintained(item)
            else:
                access, division, plan = self._physical(relation, cluster)
            if planned.format is ExplainFormat.JSON:
                return _document(self._plan_document(access, division, plan))
            return self._plan_lines(access, division, plan)
        if item is not None:
            relation = optimize(expand(relation, self._catalog))
        finishing = finishing_line(planned.finishing) if planned.finishing is not None else None
        if planned.format is ExplainFormat.JSON:
            return _document({"finish": finishing, "plan": explain_json(relation, self._names())})
        lines = explain(relation, self._names()).splitlines()
        return lines if finishing is None else [finishing, *(f"  {line}" for line in lines)]

    def _plan_lines(
        self, access: str | None, division: Divided | Undivided | None, plan: DataflowPlan
    ) -> list[str]:
        head = ([] if access is None else [access]) + ([] if division is None else division.lines())
        return [*head, *plan_text(plan, self._names()).splitlines()]

    def _plan_document(
        self, access: str | None, division: Divided | Undivided | None, plan: DataflowPlan
    ) -> dict[str, Any]:
        shown = {} if division is None else {"division": division.document()}
        return {"access": access, **shown, "nodes": plan_json(plan, self._names())}

    def _maintained(self, item: Maintained) -> tuple[Divided | Undivided | None, DataflowPlan]:
        """How an object is maintained: among whom its plan is divided, if there are several, and the plan."""
        plan = maintained_plan(item, self._catalog)
        workers = self._catalog.cluster_options(item.cluster).workers
        key = item.arranged_by if isinstance(item, Index) else None
        few = self._controller.few(item)
        return maintained(plan, workers, self._names(), index_key=key, few=few)

    def _physical(
        self, relation: Relation, cluster: str
    ) -> tuple[str | None, Undivided | None, DataflowPlan]:
        """How a one-off query is answered: where its rows come from, if not from a dataflow; why no workers divide it; and its plan."""
        reads = dependencies(relation)
        if all(map(is_system, reads)):
            access = f"Answered by the coordinator from {'catalogs' if reads else 'constants'}"
            return access, None, lower(relation)
        time = self._oracle.read_time
        clusters = self._controller.clusters
        read = choose_index(
            at_time(relation, time),
            self._catalog,
            cluster,
            lambda index: clusters.has_index(cluster, index.id, time),
        )
        if read is not None:
            how = "all rows" if read.keys is None else f"{len(read.keys[0])} keys looked up"
            return f"Answered from index {read.index.full_name}, {how}", None, lower(read.relation)
        expanded = expand(relation, self._catalog)
        chosen = indexes_for(self._catalog, dependencies(expanded), cluster)
        appended = append_only(expanded, self._catalog)
        division = of_query(self._catalog.cluster_options(cluster).workers)
        return None, division, lower(optimize(expanded), append_only=appended, indexes=chosen)

    def _names(self) -> dict[GlobalId, str]:
        return {id_: f"{item.name.schema}.{item.name.name}" for id_, item in self._catalog.items().items()}

    # -- times --

    def timestamp(self, planned: ExplainTimestamp, time: int | None) -> list[str]:
        """EXPLAIN TIMESTAMP: the time that the query would read at, and what of its inputs is readable."""
        read_time = self._oracle.read_time
        chosen = read_time if time is None else time
        ids = sorted(self._stored(planned.query.relation))
        sources: list[dict[str, Any]] = [
            {
                "object": self._catalog.get(id_).full_name,
                "id": id_,
                "read_frontier": self._collections.frontiers(self._collections[id_].shard).since,
                "write_frontier": self._collections.frontier(id_),
            }
            for id_ in ids
        ]
        upper = min((source["write_frontier"] for source in sources), default=None)
        since = max((source["read_frontier"] for source in sources), default=0)
        at_once = all(chosen < source["write_frontier"] for source in sources)
        if planned.format is ExplainFormat.JSON:
            return _document(
                {
                    "query_timestamp": chosen,
                    "oracle_read_timestamp": read_time,
                    "since": since,
                    "upper": upper,
                    "can_respond_immediately": at_once,
                    "sources": sources,
                }
            )
        lines = [
            f"          query timestamp: {shown_time(chosen)}",
            f"    oracle read timestamp: {shown_time(read_time)}",
            f"                    upper: [{shown_time(upper) if upper is not None else ''}]",
            f"                    since: [{shown_time(since)}]",
            f"  can respond immediately: {str(at_once).lower()}",
        ]
        for source in sources:
            lines += [
                "",
                f"source {source['object']} ({source['id']}):",
                f"            read frontier: [{shown_time(source['read_frontier'])}]",
                f"           write frontier: [{shown_time(source['write_frontier'])}]",
            ]
        return lines

    # -- parts --

    def pushdown(self, planned: ExplainPushdown) -> list[list[str]]:
        """EXPLAIN FILTER PUSHDOWN: for each stored collection its name, and the bytes and parts that there are and that
        the query would read now."""
        time = self._oracle.read_time
        relation = optimize(at_time(expand(self._defined(planned), self._catalog), time))
        conditions = part_conditions(filtered_reads(relation))
        found: list[list[str]] = []
        # Of CHANGES all parts of its interval are read.
        changed = changes_in(relation).keys()
        stored = {node.id for node in walk(relation) if isinstance(node, Get)} - changed
        for id_ in sorted(id_ for id_ in stored if not is_system(id_)):
            source = self._collections.import_of(
                id_, max(time, self._collections.frontiers(self._collections[id_].shard).since)
            )
            read = self._storage.snapshot(source, where=conditions.get(id_)).snapshot
            nbytes = [encoded_bytes(parts) for parts in (source.snapshot, read)]
            found.append(
                [self._catalog.get(id_).full_name, *map(str, (*nbytes, len(source.snapshot), len(read)))]
            )
        return found

    def source(self, planned: ExplainSource) -> SourceReport:
        """EXPLAIN SOURCE: what reads it, what it could leave out, and the bytes that are stored."""
        item = self._catalog.get(planned.source)
        since = self._collections.frontiers(self._collections[planned.source].shard).since
        time = max(self._oracle.read_time, since)
        nbytes = encoded_bytes(self._collections.import_of(item.id, time).snapshot)
        if isinstance(item, WebhookSource):  # nothing of it can be left out later
            use = source_use(item.id, item.schema, self._catalog)
            return SourceReport(item, use, SourceOffers(), nbytes, time)
        assert isinstance(item, Source | SourceTable)
        use = source_use(item.id, item.physical, self._catalog)
        offers = source_offers(item, use, self._catalog, planned.bind)
        return SourceReport(item, use, offers, nbytes, time)

    def _defined(self, planned: Explain | ExplainPushdown) -> Relation:
        if planned.object is not None:
            item = self._catalog.get(planned.object)
            assert isinstance(item, Computed)
            return item.relation
        assert planned.relation is not None
        return planned.relation

    def _stored(self, relation: Relation) -> set[GlobalId]:
        return {id_ for id_ in dependencies(expand(relation, self._catalog)) if not is_system(id_)}

    # -- what was measured --

    def analyze(self, planned: ExplainAnalyze, rows: int, seconds: float, cluster: str) -> list[str]:
        """EXPLAIN ANALYZE of a query that has run."""
        assert planned.query is not None
        explained = self._physical(planned.query.relation, cluster)
        if planned.format is ExplainFormat.JSON:
            measured = {"rows": rows, "execution_ms": round(seconds * 1000, 3)}
            return _document(self._plan_document(*explained) | measured)
        lines = self._plan_lines(*explained)
        return [*lines, f"Rows: {rows}", f"Execution Time: {seconds * 1000:.3f} ms"]

    def analyze_object(self, planned: ExplainAnalyze) -> list[str]:
        """EXPLAIN ANALYZE of what is maintained: each replica's operators."""
        assert planned.object is not None
        item = self._catalog.get(planned.object)
        assert isinstance(item, Maintained)
        _, plan = self._maintained(item)
        measures = planned.measures or MEASURES
        replicas = [
            _measured(replica, item, plan, measures)
            for replica in self._controller.clusters.of(item.cluster)
            if item.id in replica.installed
        ]
        if not replicas:
            raise ObjectNotReady(f'no replica runs "{item.full_name}" yet')
        nodes = plan_json(plan, self._names())
        if planned.format is ExplainFormat.JSON:
            return _document({"object": item.full_name, "nodes": nodes, "replicas": replicas})
        lines = []
        texts = plan_text(plan, self._names(), loops=False).splitlines()
        for replica in replicas:
            hydration = replica.get("hydration_seconds")
            shown = [f"replica {item.cluster}.{replica['replica']}"]
            if "hydration" in measures:
                shown.append("not hydrated yet" if hydration is None else f"hydrated in {hydration:.3f} s")
            if "memory" in measures:
                shown.append(f"{replica['memory_bytes']} bytes in memory, {replica['mapped_bytes']} mapped")
            lines.append(": ".join((shown[0], ", ".join(shown[1:]))) if len(shown) > 1 else shown[0])
            lines += [f"  {_values(worker)}" for worker in replica.get("workers", ())]
            for text, measured in zip(texts, replica["operators"], strict=True):
                values = _values({name: value for name, value in measured.items() if name != "node"})
                lines += [f"  {text}", *([f"         {values}"] if values else [])]
        return lines


def _measured(
    replica: ReplicaClient, item: Maintained, plan: DataflowPlan, measures: Sequence[str]
) -> dict[str, Any]:
    """The statistics that the replica has sent for the object's dataflow."""
    found = replica.statistics.get(item.id)
    if found is None:
        raise ObjectNotReady(
            f'replica {replica.cluster}.{replica.name} has not told yet what it did for "{item.full_name}"',
            hint="Ask again in a moment.",
        )
    if [operator.node for operator in found.operators] != [node.id for node in plan.nodes]:
        raise Unsupported(
            f'"{item.full_name}" runs by a plan that is older than the definitions of its inputs',
            hint="mz_internal.mz_dataflow_operators has what its operators did, by their numbers.",
        )
    operators: list[dict[str, Any]] = []
    for operator in found.operators:
        shown: dict[str, Any] = {"node": operator.node}
        if "cpu" in measures:
            shown |= {
                "steps": operator.steps,
                "rows_in": operator.rows_in,
                "rows_out": operator.rows_out,
                "ms": round(operator.seconds * 1000, 3),
            }
        if "memory" in measures:
            shown |= {
                "state_rows": operator.state_rows,
                "state_bytes": operator.state_bytes,
                "mapped_bytes": operator.mapped_bytes,
            }
        operators.append(shown)
    statistics: dict[str, Any] = {"replica": replica.name, "operators": operators}
    if len(found.workers) > 1 and ("cpu" in measures or "memory" in measures):
        statistics["workers"] = [
            {"worker": number} | _of_worker(worker, measures) for number, worker in enumerate(found.workers)
        ]
    if "memory" in measures:
        statistics |= {"memory_bytes": found.memory_bytes, "mapped_bytes": found.mapped_bytes}
    if "hydration" in measures:
        hydrated = replica.hydrated.get(item.id)
        statistics["hydration_seconds"] = round(hydrated.seconds, 6) if hydrated is not None else None
    return statistics


def _of_worker(worker: PartStatistics, measures: Sequence[str]) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    if "cpu" in measures:
        shown |= {
            "steps": worker.steps,
            "busy_ms": round(worker.busy_s * 1000, 3),
            "waiting_ms": round(worker.waiting_s * 1000, 3),
            "rows_received": worker.rows_received,
            "messages_sent": worker.messages_sent,
            "bytes_sent": worker.bytes_sent,
        }
    if "memory" in measures:
        shown |= {
            "state_rows": worker.state_rows,
            "memory_bytes": worker.memory_bytes,
            "mapped_bytes": worker.mapped_bytes,
        }
    return shown


def _values(shown: Mapping[str, Any]) -> str:
    return "  ".join(f"{name}={value}" for name, value in shown.items())


def _document(value: Any) -> list[str]:
    return [json.dumps(value, indent=2)]
