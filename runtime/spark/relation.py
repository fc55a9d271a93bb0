"""A relation of an environment as a job finds it: its shard and its columns, looked up in the durable catalog."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ..clock import SystemClock
from ..coord.catalog.items import Item, LaidOut, Stored, Table
from ..coord.catalog.stored_layout import AS_CREATED
from ..coord.storage.catalog_store import find_item
from ..errors import ObjectNotReady, UndefinedObject, UndefinedTable, Unsupported, WrongObjectType
from ..persist.client import PersistClient, ShardId
from ..persist.stores import open_existing
from ..repr.schema import Schema
from .completeness import frontier_of
from .options import Options


@dataclass(frozen=True, slots=True)
class PersistedRelation:
    """`schema` is what it shows: of the shard's columns, those at `layout`.  `consensus` and `blobs` are URLs that any task can open."""

    persist: PersistClient
    item: Stored
    shard: ShardId
    schema: Schema
    layout: tuple[int, ...]
    is_table: bool
    consensus: str
    blobs: str


@contextmanager
def opened(options: Options) -> Iterator[PersistedRelation]:
    """The relation that the options name.  UndefinedTable if there is none; WrongObjectType or Unsupported if it is not
    stored as rows."""
    stores = open_existing(options.directory, options.location)
    try:
        persist = PersistClient(stores.consensus, stores.blob, SystemClock())
        item = stored_item(persist, options)
        if not len(item.schema):
            raise Unsupported(f'"{item.full_name}" has no columns: Spark cannot read it')
        layout = item.layout if isinstance(item, LaidOut) else AS_CREATED
        yield PersistedRelation(
            persist,
            item,
            item.shard,
            item.schema,
            layout.all_places(item.schema),
            isinstance(item, Table),
            stores.location.consensus,
            stores.location.blob,
        )
    finally:
        stores.consensus.close()


def resolve_time(relation: PersistedRelation, as_of: int | None) -> int | None:
    """The time to read at, which has the contents of `as_of`; None for a table to which nothing was ever written.

    ObjectNotReady, which names the range, unless the relation is readable then.
    """
    persist = relation.persist
    state = persist.state(relation.shard)
    if as_of is not None and as_of >= state.upper and as_of < frontier_of(persist, relation.item.id):
        state = persist.state(relation.shard)  # up to `as_of` nothing happened that it does not have
        as_of = min(as_of, state.upper - 1) if state.upper > state.since else None
    if state.upper <= state.since:
        if relation.is_table and as_of is None:
            return None
        raise ObjectNotReady(
            f'shard "{relation.shard}" holds nothing yet: it is known up to {state.upper}, exclusive',
            hint="Wait until it has been hydrated.",
        )
    if as_of is None:
        return state.upper - 1
    if not state.since <= as_of < state.upper:
        raise ObjectNotReady(
            f'shard "{relation.shard}" is not readable at {as_of}: it is from {state.since} to {state.upper - 1}',
            hint="Name a time in this range, or latest; RETAIN HISTORY keeps more of it.",
        )
    return as_of


def stored_item(persist: PersistClient, options: Options) -> Stored:
    """The relation that the options name.  UndefinedTable if there is none; WrongObjectType if it is not stored."""
    item = _find(persist, options)
    if not isinstance(item, Stored):
        raise WrongObjectType(
            f'"{item.full_name}" is a {item.kind.value.replace("-", " ")}, which stores no rows',
            hint="Read a table, a source or a materialized view.",
        )
    return item


def _find(persist: PersistClient, options: Options) -> Item:
    try:
        item = find_item(persist, options.schema, options.name)
    except UndefinedObject:
        item = None  # no coordinator has ever begun here
    if item is None:
        raise UndefinedTable(f'relation "{options.schema}.{options.name}" does not exist')
    return item
