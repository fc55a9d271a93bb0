"""What must hold of the coordinator and of its stores, whatever has happened."""

from __future__ import annotations

from collections import Counter

from ptvc.compute.oneshot import evaluate_once
from ptvc.coord.catalog.catalog import Catalog
from ptvc.coord.catalog.entries import entry_from_json, entry_to_json
from ptvc.coord.catalog.items import Item, Maintained, MaterializedView, Sink, Source, Stored
from ptvc.coord.catalog.views import expand
from ptvc.coord.coordinator import Coordinator
from ptvc.coord.storage.catalog_store import CATALOG_SHARD
from ptvc.expr.tree.relation_tree import dependencies
from ptvc.persist.client import PersistClient, ShardId
from ptvc.persist.read import read_snapshot
from ptvc.repr.batch import Delta, empty_delta
from ptvc.repr.consolidate import consolidate

from .clients import QUICKSTART
from .connectors import Outside
from .loop import SimulatedLoop
from .model import Model, Object


def persist_of(coordinator: Coordinator) -> PersistClient:
    """The client by which the coordinator sees its stores: nobody in `coord` has it but storage."""
    return coordinator.storage._persist


def durable_catalog(persist: PersistClient) -> tuple[dict[str, str], list[str]]:
    """The rows of the catalog by key, and what is wrong with them."""
    state = persist.state(CATALOG_SHARD)
    found = read_snapshot(persist.blob, persist.snapshot(CATALOG_SHARD, state.upper - 1)).oks
    keys, values = (column.to_pylist() for column in found.columns)
    wrong = []
    rows: dict[str, str] = {}
    for key, value, diff in zip(keys, values, found.diffs.tolist(), strict=True):
        if diff != 1:
            wrong.append(f"the catalog has {diff} times {key}: {value[:60]}")
        elif key in rows:
            wrong.append(f"the catalog has two rows of {key}")
        rows[key] = value
    return rows, wrong


def memory_is_durable(coordinator: Coordinator) -> list[str]:
    """The catalog in memory, the frontiers and the stores agree."""
    rows, wrong = durable_catalog(persist_of(coordinator))
    memory = {
        key: entry_to_json(entry)
        for key, entry in coordinator.catalog.entries().items()
        if not (isinstance(entry, Item) and entry.temporary)
    }
    for key in sorted(memory.keys() | rows.keys()):
        if key in memory and key in rows and memory[key] != rows[key]:
            wrong.append(f"memory has another {key} than the catalog on disk")
        elif key in memory and key not in rows:
            wrong.append(f"memory has {key}, which the catalog on disk has not")
        elif key in rows and key not in memory and entry_from_json(key, rows[key]) and key != "ids":
            wrong.append(f"the catalog on disk has {key}, which memory has not")
    for item in coordinator.catalog.user_items():
        if not isinstance(item, Stored):
            continue
        if item.id not in coordinator.storage.collections:
            wrong.append(f"{item.name} has no collection")
            continue
        upper = persist_of(coordinator).state(item.shard).upper
        known = coordinator.storage.collections[item.id].durable_upper
        if upper != known:
            wrong.append(f"{item.name} is durable up to {upper}, and memory has {known}")
    known_ids = {item.id for item in coordinator.catalog.user_items()}
    wrong += [
        f"a collection {collection.id} is left of what does not exist"
        for collection in coordinator.storage.collections.all()
        if collection.id not in known_ids
    ]
    return wrong


def contents(persist: PersistClient, item: Stored, as_of: int | None = None) -> Delta:
    """What is stored of it, by default at the last durable time."""
    return _contents(persist, item.shard, as_of)


def _contents(persist: PersistClient, shard: ShardId, as_of: int | None) -> Delta:
    state = persist.state(shard)
    if state.upper == state.since:  # nothing was ever written
        return empty_delta(state.schema)
    if as_of is None:
        as_of = state.upper - 1
    found = read_snapshot(persist.blob, persist.snapshot(shard, min(as_of, state.upper - 1)))
    return Delta(consolidate(found.oks), found.errs)


def rows_at(persist: PersistClient, shard: ShardId, time: int | None) -> Counter[tuple[object, ...]]:
    return _counted(_contents(persist, shard, time))


def as_promised(persist: PersistClient, catalog: Catalog, model: Model) -> list[str]:
    """The objects and the rows of tables are what clients were answered."""
    found = {item.name: item.kind.value.replace("-", " ") for item in catalog.user_items() if item.name} | {
        entry.name: "cluster" for entry in catalog.cluster_entries() if entry.name != QUICKSTART
    }
    wrong = model.wrong_names(found)
    items = {item.name: item for item in catalog.user_items() if isinstance(item, Stored)}
    for table in model.objects:
        if table.kind != "table":
            continue
        item = next((items[name] for name in table.names if name in items), None)
        if item is not None:
            wrong += [f"{item.name}: {row}" for row in wrong_rows(persist, item, table)]
    return wrong


def wrong_rows(persist: PersistClient, item: Stored, table: Object) -> list[str]:
    state = persist.state(item.shard)
    if state.upper == state.since:
        return table.wrong_rows({})
    oks = contents(persist, item).oks
    rows: dict[int, list[int]] = {}
    keys, values = (column.to_pylist() for column in oks.columns)
    for key, value, diff in zip(keys, values, oks.diffs.tolist(), strict=True):
        rows.setdefault(key, []).extend([value] * diff)
    return table.wrong_rows(rows)


def behind(coordinator: Coordinator, time: int) -> list[Item]:
    """Views that are not complete at `time`."""
    return [
        item
        for item in coordinator.catalog.user_items()
        if isinstance(item, Maintained)
        and coordinator.catalog.cluster(item.cluster) is not None
        and (_unknown(coordinator, item) or coordinator.storage.collections.frontier(item.id) <= time)
    ]


def sinks_behind(coordinator: Coordinator, outside: Outside, time: int) -> list[str]:
    """Sinks whose target does not show what they read now, or not up to `time`."""
    return [
        item.name
        for item in coordinator.catalog.user_items()
        if isinstance(item, Sink)
        and (
            (target := outside.targets.get(item.id)) is None
            or item.formers
            or target.generation != item.generation
            or target.upper <= time
        )
    ]


def sinks_are_exact(coordinator: Coordinator, outside: Outside) -> list[str]:
    """What a sink has written is, folded, what it reads holds at that time."""
    wrong = []
    for item in coordinator.catalog.user_items():
        if isinstance(item, Sink) and (target := outside.targets.get(item.id)) is not None:
            source = coordinator.catalog.get(item.on)
            if persist_of(coordinator).state(source.shard or "").since >= target.upper:
                wrong.append(f"{source.name} is not held readable at {target.upper} for {item.name}")
                continue
            expected = _counted(contents(persist_of(coordinator), source, target.upper - 1))
            if target.rows != expected:
                more, less = target.rows - expected, expected - target.rows
                wrong.append(f"{item.name} has written {dict(more)} too many, and lacks {dict(less)}")
    return wrong


def sources_are_exact(coordinator: Coordinator) -> list[str]:
    """A source has counted up to the position that is durable with its rows."""
    wrong = []
    for item in coordinator.catalog.user_items():
        if isinstance(item, Source):
            positions = [row[0] for row in rows_at(persist_of(coordinator), ShardId(item.remap), None)]
            end = int(str(positions[0])) if positions else 0
            found = _counted(contents(persist_of(coordinator), item))
            if len(positions) > 1 or found != Counter((n,) for n in range(1, end + 1)):
                wrong.append(f"{item.name} is at {positions}, and holds {sorted(found.items(), key=str)}")
    return wrong


def left_behind(coordinator: Coordinator) -> list[str]:
    """Temporary objects, though no session is left that has made some."""
    return [item.name for item in coordinator.catalog.user_items() if item.temporary]


def _unknown(coordinator: Coordinator, item: Item) -> bool:
    """Whether the coordinator has forgotten, or never known, that it maintains the object."""
    return isinstance(item, MaterializedView) and item.id not in coordinator.storage.collections


def views_are_exact(coordinator: Coordinator) -> list[str]:
    """What is stored of views is what recomputation gives at the same time."""
    wrong = []
    for item in coordinator.catalog.user_items():
        if not isinstance(item, MaterializedView):
            continue
        persist = persist_of(coordinator)
        state = persist.state(item.shard)
        if state.upper == state.since:
            continue
        as_of = state.upper - 1
        relation = expand(item.relation, coordinator.catalog)
        inputs = {}
        for id_ in dependencies(relation):
            source = coordinator.catalog.find_by_id(id_)
            if not isinstance(source, Stored):
                wrong.append(f"{item.name} reads {id_}, which does not exist")
                break
            if persist.state(source.shard).since > as_of:
                break  # not readable there any more
            inputs[id_] = contents(persist, source, as_of)
        else:
            expected = _counted(evaluate_once(relation, inputs, as_of))
            if (found := _counted(contents(persist, item))) != expected:
                wrong.append(f"{item.name} holds {found - expected}, and lacks {expected - found}")
    return wrong


def _counted(delta: Delta) -> Counter[tuple[object, ...]]:
    columns = [column.to_pylist() for column in delta.oks.columns]
    counted: Counter[tuple[object, ...]] = Counter()
    for row, diff in zip(zip(*columns, strict=True), delta.oks.diffs.tolist(), strict=True):
        counted[row] += diff
    return counted


def ended_tasks(loop: SimulatedLoop) -> list[str]:
    """Tasks that failed without anybody who heard of it, and callbacks that did."""
    wrong = []
    for task in loop.tasks:
        if task.done() and not task.cancelled() and task._log_traceback:  # type: ignore[attr-defined]
            error = task._exception  # type: ignore[attr-defined]
            task._log_traceback = False  # type: ignore[attr-defined]
            wrong.append(f'the task "{_name(task)}" has ended unseen: {error!r}')
    for context in loop.errors:
        wrong.append(f"a callback failed: {context.get('message')}: {context.get('exception')!r}")
    return wrong


def _name(task: object) -> str:
    coro = task.get_coro()  # type: ignore[attr-defined]
    return str(getattr(coro, "__qualname__", coro))
