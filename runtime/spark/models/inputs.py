"""What a model refers to, as DataFrames as of one time.

| with the stores in reach | read |
|---|---|
| tables, sources, materialized views | from the stores: the small ones by this process, others by tasks, `spark.read.format("ptvc")` |
| views, and materialized views that follow the clock | by SQL, at the same time |

The time is one at which all of it, and what the views are over, is complete, and which is no earlier than what was committed when
the model began: dbt's run has made that.  Without the stores all is read by SQL, in one transaction.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession

from ...clock import SystemClock
from ...coord.catalog.catalog import Catalog
from ...coord.catalog.items import AnyView, Index, Item, Readable, SharedSource, Sink, Stored
from ...coord.catalog.views import expand, stored_inputs
from ...coord.storage.catalog_store import load_catalog
from ...errors import ObjectNotReady, UndefinedTable, WrongObjectType
from ...expr.temporal import reads_now
from ...expr.tree.relation_tree import scalars_of, walk
from ...persist.client import PersistClient, ShardId
from ...persist.stores import Stores, open_existing
from ...repr.schema import Schema
from ...retry import Backoff, retry
from .. import register
from ..completeness import Completeness, hold_latest
from ..options import parse_options
from ..source import small_table
from .channel import Channel
from .fetched import fetch

LEASE_S = 3_600
"""A model may begin to read this much later than it has asked for its inputs; reading goes on as long as it takes."""

SMALL_BYTES = 8 << 20
"""In memory.  Until the first row of a task is there, three kinds of Python workers have to start, which takes seconds of CPU time."""

FOLLOWS = Backoff(first_s=0.05, longest_s=0.5, deadline_s=60.0)


@dataclass
class _Plan:
    """`time` is None if nothing is read from the stores."""

    time: int | None = None
    stored: set[str] = field(default_factory=set)
    queried: dict[str, Schema] = field(default_factory=dict)


class Inputs:
    """`stores` are the options that name them, or None if they are out of reach.  Closed, it lets go of what it has held
    readable."""

    def __init__(
        self,
        session: SparkSession,
        channel: Channel,
        relations: Sequence[str],
        stores: Mapping[str, str] | None,
    ) -> None:
        self._session = session
        self._channel = channel
        self._relations = tuple(dict.fromkeys(relations))
        self._stores = stores
        self._reach = _Reach.of(stores, self._relations) if stores is not None and self._relations else None
        self._plan: _Plan | None = None
        self._frames: dict[str, DataFrame] = {}

    def close(self) -> None:
        if self._reach is not None:
            self._reach.close()

    def frame(self, relation: str) -> DataFrame:
        """UndefinedTable, WrongObjectType, ObjectNotReady, or what SQL has answered."""
        if self._plan is None:
            self._plan = _Plan() if self._reach is None else self._reach.plan()
            fetched = self._relations if self._reach is None else self._plan.queried
            self._fetch(list(fetched))
        if relation not in self._frames:
            if relation in self._plan.stored:
                self._frames[relation] = self._load(relation)
            else:
                self._fetch([relation])
        return self._frames[relation]

    def _fetch(self, relations: Sequence[str]) -> None:
        assert self._plan is not None
        found = fetch(self._channel, relations, self._plan.time, self._plan.queried)
        for name, (schema, table) in found.items():
            self._frames[name] = self._session.createDataFrame(table, schema)

    def _load(self, relation: str) -> DataFrame:
        assert self._plan is not None
        assert self._stores is not None
        options = {**self._stores, "relation": relation, "lease": str(LEASE_S)}
        if self._plan.time is not None:
            options["as_of"] = str(self._plan.time)
        small = small_table(parse_options(options), SMALL_BYTES)
        if small is not None:
            schema, table = small
            return self._session.createDataFrame(table, schema)
        register(self._session)  # asks a Python worker for all formats: not before it is needed
        return self._session.read.format("ptvc").options(**options).load()


class _Reach:
    """The stores, as long as a model runs."""

    def __init__(self, stores: Stores, names: Mapping[str, tuple[str, str]]) -> None:
        self._consensus = stores.consensus
        self._persist = PersistClient(stores.consensus, stores.blob, SystemClock())
        self._names = names
        self._holder = f"spark-model-{secrets.token_hex(8)}"
        self._held: set[ShardId] = set()

    @classmethod
    def of(cls, stores: Mapping[str, str], relations: Sequence[str]) -> _Reach:
        parsed = {name: parse_options({**stores, "relation": name}) for name in relations}
        first = next(iter(parsed.values()))
        names = {name: (options.schema, options.name) for name, options in parsed.items()}
        return cls(open_existing(first.directory, first.location), names)

    def close(self) -> None:
        for shard in self._held:
            self._persist.drop_hold(shard, self._holder)
        self._consensus.close()

    def plan(self) -> _Plan:
        committed = Completeness(self._persist, load_catalog(self._persist)[0]).closed - 1
        # Views follow in a moment.
        return retry(lambda: self._plan(committed), lambda error: isinstance(error, ObjectNotReady), FOLLOWS)

    def _plan(self, committed: int) -> _Plan:
        """ObjectNotReady unless all that is committed up to that time can be read."""
        catalog = load_catalog(self._persist)[0]
        items = {name: _item(catalog, *parts) for name, parts in self._names.items()}
        queried = {name: item.schema for name, item in items.items() if not _is_stored(item, catalog)}
        plan = _Plan(None, items.keys() - queried.keys(), queried)
        timed, following = _collections(items.values(), catalog)
        if not timed:
            return plan
        plan.time = hold_latest(self._persist, timed, LEASE_S * 1000, self._holder)
        self._held |= {item.shard for item in timed}
        if plan.time < committed:
            raise ObjectNotReady(
                "a materialized view that the model reads is behind the tables",
                detail=f"All is complete up to {plan.time}, and commits are known up to {committed}.",
                hint="See mz_internal.mz_hydration_statuses, and whether its replica runs.",
            )
        self._hold(following, plan.time)
        return plan

    def _hold(self, items: Sequence[Stored], time: int) -> None:
        """Keeps what follows the clock readable, too.  ObjectNotReady if it is not any more."""
        sinces = {}
        for item in items:
            sinces[item.shard] = max(min(time, self._persist.state(item.shard).upper - 1), 0)
        if sinces:
            self._persist.set_holds(self._holder, sinces, critical=False, lease_ms=LEASE_S * 1000)
            self._held |= sinces.keys()


def _item(catalog: Catalog, schema: str, name: str) -> Readable:
    item = next((i for i in catalog.user_items() if (i.schema_name, i.name) == (schema, name)), None)
    if item is None:
        raise UndefinedTable(
            f'relation "{schema}.{name}" does not exist in the stores that the profile names',
            hint="Are `consensus` and `blob` those of the runtime at `host`? Without them, everything is read by SQL.",
        )
    if isinstance(item, Sink | Index | SharedSource):
        noun = "an index" if isinstance(item, Index) else f"a {item.kind.value}"
        raise WrongObjectType(f'"{item.full_name}" is {noun}: it has no rows to read')
    return item


def _is_stored(item: Item, catalog: Catalog) -> bool:
    """Its time goes on in the stores: what follows the clock changes there when somebody looks, or later."""
    return isinstance(item, Stored) and not _follows_clock(item, catalog)


def _follows_clock(item: Item, catalog: Catalog) -> bool:
    if not isinstance(item, AnyView):
        return False
    definition = expand(item.relation, catalog)
    if any(reads_now(scalar) for node in walk(definition) for scalar in scalars_of(node)):
        return True
    below = (catalog.find_by_id(id_) for id_ in stored_inputs(item, catalog))
    return any(_follows_clock(each, catalog) for each in below if each is not None)


def _collections(items: Iterable[Readable], catalog: Catalog) -> tuple[list[Stored], list[Stored]]:
    """The stored collections that are read, or that views are computed from: those that have a time of their own, and those that
    follow the clock."""
    found: dict[str, Stored] = {}
    for item in items:
        if isinstance(item, Stored):
            found[item.id] = item
            continue
        for id_ in stored_inputs(item, catalog):
            below = catalog.find_by_id(id_)
            if isinstance(below, Stored):
                found[id_] = below
    timed = [item for item in found.values() if _is_stored(item, catalog)]
    return timed, [item for item in found.values() if not _is_stored(item, catalog)]
