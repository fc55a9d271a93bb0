"""What clients do: statements drawn at random, each with its effect on the model."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from ptvc.coord.coordinator import Coordinator

from .clients import QUICKSTART, Client, Gone
from .model import ABSENT, Effect, Object, Outcome

Step = Callable[["Script"], Awaitable[None]]


class Script:
    """A client's statements, `left` of them to come; goes on where it was when the process has died."""

    def __init__(self, client: Client, statements: int, *, quickstart: bool) -> None:
        self.client = client
        self.random = client.random
        self.left = statements
        self._quickstart = quickstart
        self._block: list[Effect] | None = None

    async def run(self, coordinator: Coordinator) -> None:
        """Until there are no more statements.  Raises Terminated when the process is stopping."""
        self._block = None
        try:
            await self.client.connect(coordinator)
            while self.left > 0:
                self.left -= 1
                await asyncio.sleep(self.random.random() * self.random.choice((0.001, 0.02, 0.3)))
                try:
                    await self._step()
                except Gone:
                    self._block = None
                    await self.client.connect(coordinator)
        finally:
            await self.client.close()

    async def _step(self) -> None:
        (step,) = self.random.choices(STEPS, WEIGHTS_OF_CLUSTERS if self._quickstart else WEIGHTS)
        await step(self)

    # -- effects --

    async def _do(self, sql: str, effect: Effect, rows: list[tuple[int, int]] | None = None) -> bool:
        """Whether it was done, or noted by the block."""
        block = self._block
        if block is None:
            return (await self.client.ask(sql, effect, rows or ())).outcome is Outcome.DONE
        answer = await self.client.ask(sql, None, rows or ())
        if answer.outcome is Outcome.DONE:
            block.append(effect)
        return answer.outcome is Outcome.DONE

    def _doubting(self, table: Object, keys: list[int], change: Effect) -> Effect:
        """As `change`; what is unknown may come to be while later statements run, so these rows are left alone."""

        def effect(outcome: Outcome) -> None:
            change(outcome)
            if outcome is Outcome.UNKNOWN:
                for key in keys:
                    self.client.doubt(table, key)

        return effect

    def _table(self) -> Object | None:
        tables = [*self.client.of("table"), self.client.shared]
        return self.random.choice(tables)

    def _cluster(self) -> str:
        names = [QUICKSTART, *(made.name for made in self.client.of("cluster") if made.name is not None)]
        return self.random.choice(names)

    def _place(self, cluster: str) -> str:
        """Without a word of it, what is made is in the session's cluster, whether that is there or not."""
        return "" if cluster == QUICKSTART and self.random.random() < 0.5 else f" IN CLUSTER {cluster}"

    # -- rows --

    async def insert(self) -> None:
        table = self._table()
        assert table is not None
        rows = [self.client.new_row() for _ in range(self.random.choice((1, 1, 3)))]

        def effect(outcome: Outcome) -> None:
            for key, value in rows:
                table.insert(key, value, outcome)

        values = ", ".join(f"({key}, {value})" for key, value in rows)
        done = self._doubting(table, [key for key, _ in rows], effect)
        if self.random.random() < 0.2:
            await self._do(f"COPY {_shown(table)} FROM STDIN", done, rows)
        else:
            await self._do(f"INSERT INTO {_shown(table)} VALUES {values}", done)

    async def update(self) -> None:
        table = self._table()
        assert table is not None
        if self._block is not None or not (keys := self.client.known_keys(table)):
            return
        key, value = self.random.choice(keys), self.random.randrange(100, 200)

        def effect(outcome: Outcome) -> None:
            table.update(key, value, outcome)

        sql = f"UPDATE {_shown(table)} SET v = {value} WHERE k = {key}"
        await self._do(sql, self._doubting(table, [key], effect))

    async def delete(self) -> None:
        table = self._table()
        assert table is not None
        if self._block is not None or not (keys := self.client.known_keys(table)):
            return
        key = self.random.choice(keys)

        def effect(outcome: Outcome) -> None:
            table.delete(key, outcome)

        await self._do(f"DELETE FROM {_shown(table)} WHERE k = {key}", self._doubting(table, [key], effect))

    async def select(self) -> None:
        """What it reads of its own keys is what was answered before."""
        table = self._table()
        assert table is not None
        if self._block is not None:
            return
        answer = await self.client.ask(f"SELECT k, v FROM {_shown(table)}")
        if answer.outcome is Outcome.DONE:
            found: dict[int, list[int]] = {}
            for key, value in answer.rows:
                found.setdefault(key, []).append(value)
            for wrong in table.wrong_rows(found, self.client.keys):
                self.client._broken(f"a read of {table.name} is wrong: {wrong}")

    # -- definitions --

    async def create_table(self) -> None:
        table = self.client.made(self.client.model.add("table"))
        name = self.client.new_name("t")
        await self._do(f"CREATE TABLE {name} (k int, v int)", lambda outcome: table.becomes(name, outcome))

    async def create_table_as(self) -> None:
        source = self.random.choice(self.client.of("table") or [None])
        if self._block is not None or source is None or any(len(v) > 1 for v in source.rows.values()):
            return
        table = self.client.made(self.client.model.add("table"))
        name = self.client.new_name("t")
        table.rows = {key: set(values) for key, values in source.rows.items()}
        await self._do(
            f"CREATE TABLE {name} AS SELECT k, v FROM {_shown(source)}",
            lambda outcome: table.becomes(name, outcome),
        )

    async def create_view(self) -> None:
        table = self._table()
        least = self.random.choice((0, 50))
        await self._create_in_cluster(
            "materialized view",
            table,
            lambda name, cluster: (
                f"CREATE MATERIALIZED VIEW {name}{self._place(cluster)}"
                f" AS SELECT k, v FROM {_shown(table)} WHERE v >= {least}"
            ),
        )

    async def create_index(self) -> None:
        table = self._table()
        await self._create_in_cluster(
            "index",
            table,
            lambda name, cluster: f"CREATE INDEX {name}{self._place(cluster)} ON {_shown(table)} (k)",
        )

    async def _create_in_cluster(
        self, kind: str, table: Object | None, sql: Callable[[str, str], str]
    ) -> None:
        model, cluster = self.client.model, self._cluster()
        made = self.client.made(model.add(kind, on=table, cluster=cluster))
        name = self.client.new_name(kind[0])
        before = model.drops_of(cluster)

        def effect(outcome: Outcome) -> None:
            made.becomes(name, outcome)
            # The cluster may have been dropped in between, and what it had gone along, before this was answered.
            if outcome is Outcome.DONE and (model.drops_of(cluster) != before or model.dropping(cluster)):
                made.names = made.names | {ABSENT}

        await self._do(sql(name, cluster), effect)

    async def drop(self) -> None:
        found = self.client.of("table", "materialized view", "index")
        if not found:
            return
        gone = self.random.choice(found)
        model = self.client.model

        def effect(outcome: Outcome) -> None:
            model.drop_cascade(gone, outcome)

        await self._do(f"DROP {gone.kind.upper()} {gone.name} CASCADE", effect)

    async def rename(self) -> None:
        found = self.client.of("table")
        if not found:
            return
        table = self.random.choice(found)
        name = self.client.new_name("t")
        await self._do(
            f"ALTER TABLE {table.name} RENAME TO {name}", lambda outcome: table.becomes(name, outcome)
        )

    # -- clusters --

    async def create_cluster(self) -> None:
        if self._block is not None or len(self.client.of("cluster")) > 1:
            return
        cluster = self.client.made(self.client.model.add("cluster"))
        name = self.client.new_name("c")
        await self._do(f"CREATE CLUSTER {name}", lambda outcome: cluster.becomes(name, outcome))

    async def drop_cluster(self) -> None:
        if self._block is not None:
            return
        model = self.client.model
        if self._quickstart and self.random.random() < 0.5:
            if self.random.random() < 0.5:
                await self._do(f"CREATE CLUSTER IF NOT EXISTS {QUICKSTART}", lambda _: None)
                return
            name, cluster = QUICKSTART, None
        else:
            found = self.client.of("cluster")
            if not found:
                return
            cluster = self.random.choice(found)
            name = str(cluster.name)
        model.begin_drop(name)

        def effect(outcome: Outcome) -> None:
            model.end_drop(name, outcome)
            if cluster is not None:
                cluster.becomes(ABSENT, outcome)

        await self._do(f"DROP CLUSTER {name} CASCADE", effect)

    # -- settings and blocks --

    async def set_timeout(self) -> None:
        if self._block is not None:
            return
        timeout = self.random.choice((0, 5, 20, 100, 1000, 5000))
        if (await self.client.ask(f"SET statement_timeout = {timeout}")).outcome is Outcome.DONE:
            self.client.timeout_ms = timeout

    async def block(self) -> None:
        """Statements that are done together or not at all."""
        if self._block is not None:
            return
        if (await self.client.ask("BEGIN")).outcome is not Outcome.DONE:
            await self.client.ask("ROLLBACK")
            return
        effects: list[Effect] = []
        self._block = effects
        count = self.random.randrange(1, 4)
        for _ in range(count):
            (step,) = self.random.choices(IN_BLOCK, IN_BLOCK_WEIGHTS)
            await step(self)
        self._block = None

        def effect(outcome: Outcome) -> None:
            for each in effects:
                each(outcome)

        if self.random.random() < 0.15:
            await self.client.ask("ROLLBACK")
            return
        if (await self.client.ask("COMMIT", effect)).outcome is not Outcome.DONE:
            await self.client.ask("ROLLBACK")


def _shown(table: Object | None) -> str:
    assert table is not None
    return str(table.name)


STEPS: list[Step] = [
    Script.insert,
    Script.update,
    Script.delete,
    Script.select,
    Script.create_table,
    Script.create_table_as,
    Script.create_view,
    Script.create_index,
    Script.drop,
    Script.rename,
    Script.create_cluster,
    Script.drop_cluster,
    Script.set_timeout,
    Script.block,
]
WEIGHTS = [30, 6, 6, 6, 10, 3, 8, 4, 8, 4, 4, 5, 6, 12]
WEIGHTS_OF_CLUSTERS = [20, 3, 3, 6, 5, 2, 8, 4, 4, 2, 4, 20, 4, 25]
"""Of those whose clients drop the cluster that all are in."""

IN_BLOCK: list[Step] = [
    Script.insert,
    Script.create_table,
    Script.create_view,
    Script.create_index,
    Script.drop,
]
IN_BLOCK_WEIGHTS = [10, 3, 4, 1, 2]
