"""Opening subscriptions: when they begin, and where their changes come from.

| what is subscribed to | its changes |
|---|---|
| a stored collection, filtered and projected | are read from persist (`stored_subscription`) |
| any other query | are the output of a dataflow of its own in a replica (`dataflow_subscription`) |
| constants | there are none: it ends with the snapshot |
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from dataclasses import replace

from ...compute.row_chain import is_chain
from ...errors import DataError, InvalidTransactionState
from ...expr.temporal import reads_now
from ...expr.tree.relation import Filter, Get, Map, Project, Relation
from ...expr.tree.relation_tree import dependencies, scalars_of, walk
from ...repr.batch import NO_ERRORS, Batch, Delta
from ...sql.plans.query_plans import Subscribe
from ...sql.query.as_of import time_at
from ...transform.pipeline import optimize
from ..catalog.catalog import Catalog
from ..catalog.unaltered import unaltered
from ..catalog.views import expand
from ..controller import Controller
from ..controller.replicas import SUBSCRIPTION
from ..storage.storage import Storage
from .dataflow_subscription import DataflowSubscription
from .peeks import Peeks
from .read_context import ReadContext
from .stored_subscription import StoredSubscription
from .subscription import Subscription
from .subscription_rows import Step


class Subscriptions:
    """`numbers` are those of their dataflows."""

    def __init__(
        self,
        storage: Storage,
        catalog: Catalog,
        controller: Controller,
        peeks: Peeks,
        numbers: Iterator[int],
    ) -> None:
        self._storage = storage
        self._catalog = catalog
        self._controller = controller
        self._peeks = peeks
        self._numbers = numbers

    def open(self, plan: Subscribe, context: ReadContext) -> Subscription:
        """Raises what is wrong with its times; what it reads stays readable from now on."""
        if context.overlay:
            raise InvalidTransactionState(
                "SUBSCRIBE cannot be used in a transaction that has written before", sqlstate="25001"
            )
        now = self._storage.oracle.read_time
        begin = now if context.time is None else context.time
        if plan.as_of is not None:
            begin = self._peeks.times.chosen(plan.as_of, plan.relation, context)
        up_to = None if plan.up_to is None else time_at(plan.up_to, now, "UP TO")
        if up_to is not None and up_to < begin:
            raise DataError(
                f"the subscription would begin (AS OF {begin}) after its end (UP TO {up_to})",
                sqlstate="22023",
            )
        expanded = expand(plan.relation, self._catalog)
        relation = expanded if expanded is plan.relation else optimize(expanded)
        ids = dependencies(relation)
        self._peeks.times.check_readable(ids, begin)
        following = self._storage.reads.follow(ids, begin)
        context = replace(context, time=begin, as_of=True)
        steps = self._steps(plan, relation, begin, up_to, context)
        return Subscription(plan, begin, up_to, steps, following)

    def _steps(
        self, plan: Subscribe, relation: Relation, begin: int, up_to: int | None, context: ReadContext
    ) -> AsyncGenerator[Step, None]:
        temporal = any(reads_now(scalar) for node in walk(relation) for scalar in scalars_of(node))
        check = unaltered(plan.relation, self._catalog, "the subscription began", "Subscribe again.")
        if not temporal and not dependencies(relation):
            return self._constant(plan, begin, context)
        source = _leaf(relation)
        if not temporal and is_chain(relation) and isinstance(source, Get):
            snapshot = self._peeks.batches(plan.relation, context) if plan.snapshot else None
            stored = StoredSubscription(relation, source, begin, up_to, snapshot, check, self._storage)
            return stored.steps()
        return DataflowSubscription(
            f"{SUBSCRIPTION}{next(self._numbers)}",
            relation,
            begin,
            up_to,
            plan.snapshot,
            context.cluster,
            check,
            self._controller,
            self._storage.collections,
            self._catalog,
        ).steps()

    async def _constant(
        self, plan: Subscribe, begin: int, context: ReadContext
    ) -> AsyncGenerator[Step, None]:
        if not plan.snapshot:
            return
        batches: AsyncIterator[Batch] = self._peeks.batches(plan.relation, context)
        async for batch in batches:
            times = batch.times.copy()
            times[:] = begin
            yield Step(Delta(Batch(batch.columns, times, batch.diffs), NO_ERRORS), begin + 1)


def _leaf(relation: Relation) -> Relation:
    while isinstance(relation, Map | Filter | Project):
        relation = relation.input
    return relation
