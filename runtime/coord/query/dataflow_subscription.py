"""The changes of a query, from a dataflow of its own in a replica of the session's cluster.

```
replica:  dataflow, from `as_of` on ─── PeekRows ...      here:  Answers (little in memory) ─── steps
                                    x goes away                 the next one begins where the last has come to
```

The dataflow ends with the subscription.  It computes the same history in any replica, so one that takes over goes on behind the
last frontier that was heard of; only while a snapshot is on its way the subscription ends with its replica.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from functools import partial

from ...compute.lower import lower as lower_plan
from ...errors import PtvcError, ReplicaLost, UndefinedTable
from ...expr.tree.relation import GlobalId, Relation
from ...expr.tree.relation_tree import dependencies
from ...replica.protocol import InstallDataflow, SubscriptionOutput, unpack_changes
from ...repr.batch import Delta
from ...repr.consolidate import consolidate
from ...retry import Backoff, Pauses
from ...transform.pipeline import optimize
from ..catalog.append_only import append_only
from ..catalog.catalog import Catalog
from ..controller import Controller
from ..controller.replicas import ReplicaClient
from ..storage.acceptance import see_exception
from ..storage.collections import Collections
from ..thread_pool import over_rows
from .subscription_rows import Step

MOST_WAITING = 256 << 20
"""So many bytes of changes may wait for a client; 32 MiB of them in memory, the rest in a file."""

ASK_AGAIN = Backoff(first_s=0.05, longest_s=2.0, attempts=5)


@dataclass(frozen=True, slots=True)
class DataflowSubscription:
    """`relation` reads stored collections only.  `check` raises when the definitions are not any more what they were."""

    id: GlobalId
    relation: Relation
    begin: int
    up_to: int | None
    snapshot: bool
    cluster: str
    check: Callable[[], None]
    controller: Controller
    collections: Collections
    catalog: Catalog

    async def steps(self) -> AsyncGenerator[Step, None]:
        as_of, first = self.begin, self.begin + (not self.snapshot)
        pauses = Pauses(ASK_AGAIN)
        while True:
            replica = await self.controller.clusters.serving(self.cluster)
            started = False
            try:
                async with aclosing(self._from(replica, as_of, first)) as heard:
                    async for step in heard:
                        started = step.upper is None
                        if step.upper is not None:
                            as_of, first = step.upper - 1, step.upper
                            pauses.reset()
                        yield step
                        if self.up_to is not None and first >= self.up_to:
                            return
            except ReplicaLost:
                pause = None if started else pauses.next()
                if pause is None:
                    raise
                await asyncio.sleep(pause)

    async def _from(self, replica: ReplicaClient, as_of: int, first: int) -> AsyncGenerator[Step, None]:
        """What the replica tells of changes at `first` and later, of a dataflow that begins at `as_of`."""
        ids = dependencies(self.relation)
        await self.collections.wait_until_readable(ids, as_of)
        self.check()
        relation = optimize(self.catalog.widened(self.relation))
        plan = lower_plan(relation, append_only=append_only(relation, self.catalog), indexes=())
        for id_ in plan.imports:
            self._check_there(id_)
        # From here to the end nothing waits, so no commit can come between the parts and the subscription.
        imports = tuple(self.collections.import_of(id_, as_of) for id_ in plan.imports)
        attempt = replica.attempt
        peek_id = replica.new_tail(self.id, MOST_WAITING)
        replica.subscribe(set(plan.imports))
        replica.send(InstallDataflow(self.id, plan, as_of, imports, SubscriptionOutput(peek_id, first)))
        gone = [asyncio.create_task(self._gone(id_)) for id_ in plan.imports]
        try:
            while True:
                payload = await self._next(replica, peek_id, gone)
                delta, upper = unpack_changes(payload)
                self.check()
                count = len(delta.oks) + len(delta.errs)
                yield await over_rows(count, partial(self._step, delta, upper))
        finally:
            for task in gone:
                task.cancel()
                task.add_done_callback(see_exception)
            replica.end_tail(self.id, peek_id)
            if replica.attempt == attempt and replica.connected.is_set():
                replica.unsubscribe(set(plan.imports))

    def _step(self, delta: Delta, upper: int | None) -> Step:
        oks, errs = delta.oks, delta.errs
        if self.up_to is not None and (upper is None or upper > self.up_to):
            oks = oks.filter(oks.times < self.up_to)
            errs = errs.filter(errs.times < self.up_to)
            upper = None if upper is None else self.up_to
        return Step(Delta(consolidate(oks), consolidate(errs)), upper)

    async def _next(self, replica: ReplicaClient, peek_id: int, gone: list[asyncio.Task[None]]) -> bytes:
        """The replica's next step; raises when an input is dropped, or is not maintained any more."""
        answer = asyncio.create_task(replica.tail_answer(peek_id))
        try:
            while not answer.done():
                waiting = {task for task in gone if not task.done()}
                done, _ = await asyncio.wait({answer, *waiting}, return_when=asyncio.FIRST_COMPLETED)
                for task in done - {answer}:
                    task.result()
        finally:
            answer.cancel()
            with suppress(asyncio.CancelledError, PtvcError):
                await answer
        return answer.result()

    async def _gone(self, id: GlobalId) -> None:
        await self.collections.wait_until_gone(id)
        self._check_there(id)  # if it is, it is complete for ever

    def _check_there(self, id: GlobalId) -> None:
        if id not in self.collections:
            raise UndefinedTable("a relation that the subscription reads was dropped")
