"""What clients do: statements drawn at random, each with its effect on the model."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from ptvc.coord.coordinator import Coordinator

from .clients import QUICKSTART, Client, Gone
from .model import ABSENT, Effect, Object, Outcome

Step = Callable[["Script"], Awaitable[None]]


@dataclass(slots=True)
class Block:
    """What a block is to have done when it commits; `tables` are those that it has made, under their names."""

    effects: list[Effect] = field(default_factory=list)
    tables: dict[Object, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Savepoint:
    name: str
    effects: int
    tables: dict[Object, str]


class Script:
    """A client's statements, `left` of them to come; goes on where it was when the process has died."""

    def __init__(self, client: Client, statements: int, *, quickstart: bool) -> None:
        self.client = client
        self.random = client.random
        self.left = statements
        self._quickstart = quickstart
        self._block: Block | None = None

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
            block.effects.append(effect)
        return answer.outcome is Outcome.DONE

    def _doubting(self, table: Object, keys: list[int], change: Effect) -> Effect:
        """As `change`; what is unknown may come to be while later statements run, so these rows are left alone."""

        def effect(outcome: Outcome) -> None:
            change(outcome)
            if outcome is Outcome.UNKNOWN:
                for key in keys:
                    self.client.doubt(table, key)

        return effect

    def _table(self) -> Object:
        """One that everybody sees."""
        return self.random.choice([*self.client.of("table"), self.client.shared])

    def _any_table(self) -> Object:
        """Its session's, or its block's, more often."""
        own = [*self.client.temporary, *(self._block.tables if self._block is not None else ())]
        return self.random.choice(own) if own and self.random.random() < 0.5 else self._table()

    def _shown(self, table: Object) -> str:
        made = self._block.tables.get(table) if self._block is not None else None
        return made or str(table.name)

    def _cluster(self) -> str:
        names = [QUICKSTART, *(made.name for made in self.client.of("cluster") if made.name is not None)]
        return self.random.choice(names)

    def _place(self, cluster: str) -> str:
        """Without a word of it, what is made is in the session's cluster, whether that is there or not."""
        return "" if cluster == QUICKSTART and self.random.random() < 0.5 else f" IN CLUSTER {cluster}"

    # -- rows --

    async def insert(self) -> None:
        table = self._any_table()
        rows = [self.client.new_row() for _ in range(self.random.choice((1, 1, 3)))]

        def effect(outcome: Outcome) -> None:
            for key, value in rows:
                table.insert(key, value, outcome)

        values = ", ".join(f"({key}, {value})" for key, value in rows)
        done = self._doubting(table, [key for key, _ in rows], effect)
        if self.random.random() < 0.2:
            await self._do(f"COPY {self._shown(table)} FROM STDIN", done, rows)
        else:
            await self._do(f"INSERT INTO {self._shown(table)} VALUES {values}", done)

    async def update(self) -> None:
        table = self._any_table()
        if self._block is not None or not (keys := self.client.known_keys(table)):
            return
        key, value = self.random.choice(keys), self.random.randrange(100, 200)

        def effect(outcome: Outcome) -> None:
            table.update(key, value, outcome)

        sql = f"UPDATE {self._shown(table)} SET v = {value} WHERE k = {key}"
        await self._do(sql, self._doubting(table, [key], effect))

    async def delete(self) -> None:
        table = self._any_table()
        if self._block is not None or not (keys := self.client.known_keys(table)):
            return
        key = self.random.choice(keys)

        def effect(outcome: Outcome) -> None:
            table.delete(key, outcome)

        await self._do(
            f"DELETE FROM {self._shown(table)} WHERE k = {key}", self._doubting(table, [key], effect)
        )

    async def select(self) -> None:
        """What it reads of its own keys is what was answered before."""
        table = self._any_table()
        if self._block is not None:
            return
        answer = await self.client.ask(f"SELECT k, v FROM {self._shown(table)}")
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
        done = await self._do(
            f"CREATE TABLE {name} (k int, v int)", lambda outcome: table.becomes(name, outcome)
        )
        if done and self._block is not None:
            self._block.tables[table] = name

    async def create_temporary(self) -> None:
        """A table of the session, or of the block."""
        table, name = Object("table"), self.client.new_name("tt")
        block = self._block
        drops = block is not None and self.random.random() < 0.3
        client, end = self.client, " ON COMMIT DROP" if drops else ""

        def effect(outcome: Outcome) -> None:
            if outcome is Outcome.DONE and not drops:
                table.becomes(name, outcome)
                client.temporary.append(table)

        if await self._do(f"CREATE TEMPORARY TABLE {name} (k int, v int){end}", effect) and block is not None:
            block.tables[table] = name

    async def discard(self) -> None:
        if self._block is not None:
            return
        what = self.random.choice(("ALL", "TEMP"))
        self.client.temporary, before = [], self.client.temporary
        if (await self.client.ask(f"DISCARD {what}")).outcome is not Outcome.DONE:
            return  # they may be there, or not, until the session ends
        if what == "ALL":
            self.client.timeout_ms = 0
        for table in before:
            if (await self.client.ask(f"SELECT k, v FROM {table.name}")).outcome is Outcome.DONE:
                self.client._broken(f"DISCARD {what} has left {table.name}")

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

    async def create_source(self) -> None:
        await self._create_in_cluster(
            "source",
            None,
            lambda name, cluster: f"CREATE SOURCE {name}{self._place(cluster)} FROM LOAD GENERATOR COUNTER",
        )

    async def create_sink(self) -> None:
        table = self._table()
        await self._create_in_cluster(
            "sink",
            table,
            lambda name, cluster: (
                f"CREATE SINK {name}{self._place(cluster)} FROM {_shown(table)}"
                f" INTO FILE '/simulated/{name}' FORMAT JSON ENVELOPE NONE"
            ),
        )

    async def alter_sink(self) -> None:
        """What it has read before may be an input for a while."""
        table = self._table()
        if self._block is not None or not (sinks := self.client.of("sink")):
            return
        sink = self.random.choice(sinks)

        def effect(outcome: Outcome) -> None:
            if outcome is Outcome.REFUSED or sink.on is table:
                return
            sink.perhaps_on |= {table} if sink.on is None else {table, sink.on}
            sink.on = None
            if outcome is Outcome.DONE:
                sink.perhaps_on.discard(table)
                sink.on = table

        await self._do(f"ALTER SINK {sink.name} SET FROM {_shown(table)}", effect)

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
        client, model = self.client, self.client.model
        found = [*client.of("table", "materialized view", "index", "source", "sink"), *client.temporary]
        if not found:
            return
        gone = self.random.choice(found)

        def effect(outcome: Outcome) -> None:
            model.drop_cascade(gone, outcome)
            if gone in client.temporary and outcome is not Outcome.REFUSED:
                client.temporary.remove(gone)

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
        options = self.random.choice(("", " (REPLICATION FACTOR 2)"))
        await self._do(f"CREATE CLUSTER {name}{options}", lambda outcome: cluster.becomes(name, outcome))

    async def alter_cluster(self) -> None:
        """More or fewer replicas."""
        if self._block is None:
            factor = self.random.choice((1, 2, 2, 3))
            await self._do(
                f"ALTER CLUSTER {self._cluster()} SET (REPLICATION FACTOR {factor})", lambda _: None
            )

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
        block = self._block = Block()
        savepoints: list[Savepoint] = []
        for _ in range(self.random.randrange(1, 6)):
            if self.random.random() < 0.35:
                await self._savepoint(block, savepoints)
                continue
            (step,) = self.random.choices(IN_BLOCK, IN_BLOCK_WEIGHTS)
            await step(self)
        self._block = None

        def effect(outcome: Outcome) -> None:
            for each in block.effects:
                each(outcome)

        if self.random.random() < 0.15:
            await self.client.ask("ROLLBACK")
            return
        if (await self.client.ask("COMMIT", effect)).outcome is not Outcome.DONE:
            await self.client.ask("ROLLBACK")

    async def _savepoint(self, block: Block, savepoints: list[Savepoint]) -> None:
        """Sets one, goes back to one, or forgets one; those behind it go with it."""
        word = self.random.choice(("SAVEPOINT", "ROLLBACK TO", "RELEASE")) if savepoints else "SAVEPOINT"
        if word == "SAVEPOINT":
            name = f"p{len(savepoints)}"
            if (await self.client.ask(f"SAVEPOINT {name}")).outcome is Outcome.DONE:
                savepoints.append(Savepoint(name, len(block.effects), dict(block.tables)))
            return
        place = self.random.randrange(len(savepoints))
        savepoint = savepoints[place]
        if (await self.client.ask(f"{word} {savepoint.name}")).outcome is not Outcome.DONE:
            return
        if word == "RELEASE":
            del savepoints[place:]
            return
        del savepoints[place + 1 :]
        del block.effects[savepoint.effects :]
        block.tables = dict(savepoint.tables)


def _shown(table: Object) -> str:
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
    Script.create_temporary,
    Script.discard,
    Script.alter_cluster,
    Script.create_source,
    Script.create_sink,
    Script.alter_sink,
]
WEIGHTS = [30, 6, 6, 6, 10, 3, 8, 4, 8, 4, 4, 5, 6, 14, 5, 2, 3, 2, 5, 4]
WEIGHTS_OF_CLUSTERS = [20, 3, 3, 6, 5, 2, 12, 6, 4, 2, 4, 28, 4, 40, 2, 1, 4, 1, 1, 1]
"""Of those whose clients drop the cluster that all are in."""

IN_BLOCK: list[Step] = [
    Script.insert,
    Script.create_table,
    Script.create_view,
    Script.create_index,
    Script.drop,
    Script.create_temporary,
]
IN_BLOCK_WEIGHTS = [10, 3, 4, 1, 2, 2]
