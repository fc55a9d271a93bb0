"""A run's staging: what is staged so far, until all of it takes its place, or is dropped."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import psycopg
from dbt.adapters.events.logging import AdapterLogger
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ptvc.connections import is_lost
from dbt.adapters.ptvc.dependencies import Edge
from dbt.adapters.ptvc.relation import PtvcRelation
from dbt.adapters.ptvc.staging.literals import renamed_in_literals
from dbt.adapters.ptvc.staging.names import REFERENCES, Name, Reference
from dbt.adapters.ptvc.staging.placing import statements
from dbt.adapters.ptvc.staging.session import StagingSession
from dbt.adapters.ptvc.staging.staged import Staged, in_place, name_of, staging_schema

logger = AdapterLogger("ptvc")


@dataclass(frozen=True, slots=True)
class LaterSink:
    """A sink that can be made, or changed, only when what it reads has taken its place: a target takes no second one.  With `replaces` the
    one of that name which is there goes."""

    node: str
    sink: PtvcRelation
    statements: tuple[str, ...]
    replaces: bool = False


class Staging:
    """Threads of models share it.  Nothing is sent to the server before something is staged."""

    def __init__(self, open_session: Callable[[], StagingSession]) -> None:
        self._open_session = open_session
        self._guard = threading.RLock()
        self._session: StagingSession | None = None
        self._failure: str | None = None
        self._schemas: dict[str, PtvcRelation] = {}
        self._staged: dict[Name, tuple[Staged, Reference]] = {}
        """By the name of its place, with how queries name it: other threads find both or neither."""
        self.later_sinks: list[LaterSink] = []

    # -- what is staged --

    @property
    def is_empty(self) -> bool:
        return not self._staged and not self.later_sinks

    @property
    def has_begun(self) -> bool:
        return self._session is not None

    @property
    def all(self) -> list[Staged]:
        return [one for one, _ in list(self._staged.values())]

    @property
    def nodes(self) -> set[str]:
        """Whose objects they are, with the sinks that wait for them."""
        return {*(one.node for one in self.all), *(later.node for later in self.later_sinks)}

    @property
    def schemas(self) -> set[str]:
        return {staging_schema(schema) for schema in list(self._schemas)}

    def read_by(self, sql: str) -> list[Staged]:
        """What of it a query reads."""
        return [one for one, reference in list(self._staged.values()) if reference.is_in(sql)]

    def in_place(self, sql: str) -> str:
        """A query with all staged relations called what they will be called."""
        return in_place(sql, list(self._schemas))

    def literals_in_place(self, sql: str) -> str:
        """A query whose string literals call everything that is staged what it will be called."""
        return renamed_in_literals(sql, {staging_schema(schema): schema for schema in list(self._schemas)})

    def over_views(self, sql: str, chosen: Callable[[Staged], bool]) -> str:
        """A query that reads views where it names their replacements, if these are `chosen`."""
        for one, reference in list(self._staged.values()):
            if one.in_place and chosen(one):
                sql = reference.moved(sql, one.target.schema or "")
        return sql

    def schema_in_place(self, schema: str) -> str:
        return next((found for found in list(self._schemas) if staging_schema(found) == schema), schema)

    # -- staging --

    def begin(self, schemas: Iterable[str], look_anew: Callable[[], str | None]) -> bool:
        """Whether another run was waited for: then `look_anew` reads the catalog, and says what of this run is wrong now."""
        with self._guard:
            if self._failure is not None:
                raise DbtRuntimeError(self._failure)
            if self._session is not None:
                return False
            session = self._open_session()
            try:
                free = session.lock(sorted({staging_schema(one) for one in schemas}))
                if not free:
                    self._failure = look_anew()
                    if self._failure is not None:
                        raise DbtRuntimeError(self._failure)
            except BaseException:
                session.close()
                raise
            self._session = session
            return not free

    def relation(self, target: PtvcRelation, grants: Callable[[str, str], Iterable[str]]) -> PtvcRelation:
        """Where to build it.  `grants` are statements that give a new schema the default privileges of another."""
        schema = target.schema or ""
        staging = staging_schema(schema)
        relation = target.in_schema(staging)
        with self._guard:
            if self._session is None:
                raise DbtRuntimeError(
                    f"nothing can be staged for {target.render()} before a run has begun to."
                )
            if schema not in self._schemas:
                if staging in self.schemas:
                    raise DbtRuntimeError(
                        f"schemas {schema} and {self.schema_in_place(staging)} are too long to be told apart by their first "
                        "characters: run their models one after the other."
                    )
                self._session.make(relation.rendered_schema, grants(schema, relation.rendered_schema))
                self._schemas[schema] = relation
        return relation

    def add(self, staged: Staged) -> None:
        with self._guard:
            name = staged.relation.identifier or ""
            names = [name, f"{name}_dead_letters"] if staged.relation.is_source else [name]
            self._staged[name_of(staged.target)] = staged, Reference(staged.relation.schema or "", *names)
            REFERENCES.add(name_of(staged.target), staged.relation.schema or "")

    # -- the end --

    def place(self, taken: Sequence[Staged], edges: Sequence[Edge], reads: Mapping[Name, Name]) -> None:
        """All of `taken` take their places, and everything else that is staged is dropped, in one transaction."""
        assert self._session is not None
        left = [one for one in self.all if one not in taken]
        try:
            self._session.run(
                [
                    "begin",
                    *statements(taken, edges, self.schemas, reads),
                    *_undone(left),
                    *self._schemas_dropped(),
                    "commit",
                ]
            )
        except psycopg.Error as error:
            if not is_lost(error):
                self._session.leave_transaction()
            raise
        self._forget()

    def abandon(self) -> None:
        """Drops what is staged, if something is.  What cannot be dropped is left for the next run to drop."""
        with self._guard:
            session = self._session
            if session is None:
                return
            try:
                session.leave_transaction()
                # Who interrupts a commit does not know whether it has been: what is staged has its place then, and is kept.
                if session.there_are([relation.schema or "" for relation in self._schemas.values()]):
                    session.run([*_undone(self.all), *self._schemas_dropped()])
            except psycopg.Error as error:
                reason = "the connection to the runtime was lost" if is_lost(error) else error
                logger.warning(f"what was staged is left for the next run to drop: {reason}")
            finally:
                self._forget()
                self._failure = None
                self.later_sinks.clear()
                self.close()

    def close(self) -> None:
        """Lets the next run in."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def _schemas_dropped(self) -> list[str]:
        return [f"drop schema if exists {one.rendered_schema} cascade" for one in self._schemas.values()]

    def _forget(self) -> None:
        REFERENCES.remove([name_of(one.target) for one in self.all])
        self._staged.clear()
        self._schemas.clear()


def _undone(left: Iterable[Staged]) -> Iterator[str]:
    for one in left:
        for name in one.made_indexes:
            index: PtvcRelation = one.target.incorporate(path={"identifier": name}, type="index")  # type: ignore[no-untyped-call]
            yield f"drop index if exists {index.render()}"
