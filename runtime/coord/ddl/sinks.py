"""ALTER SINK: a sink goes on from where it is with something else to read, or in another cluster.

What it has read before stays an input of the sink until the target holds all of it, so that it is neither dropped nor
compacted:

```
ALTER SINK s SET FROM new   uses (new, old)   generation + 1, switched at the time of the change to the catalog
    the target says that it has come to that generation, durably
maintenance                 uses (new,)
```

The sink's replica writes what lies between both (`replica.sink_switch`).
"""

from __future__ import annotations

from dataclasses import replace

from ...errors import ObjectNotReady
from ...replica.egress import open_sink
from ...sql.catalog.catalog_view import ItemKind
from ...sql.plans.definition_plans import AlterSink
from ..catalog.catalog import Catalog
from ..catalog.entries import Change, Item


def sink_changes(catalog: Catalog, plan: AlterSink) -> list[Change]:
    """Raises 55000 as long as the last switch is not complete."""
    sink = catalog.get(plan.id)
    if plan.cluster is not None:
        return [Change(sink, replace(sink, cluster=plan.cluster))] if plan.cluster != sink.cluster else []
    assert plan.from_id is not None
    if plan.from_id == sink.on:
        return []
    if sink.former is not None:
        raise ObjectNotReady(
            f'sink "{sink.name}" still writes what it has read from "{catalog.get(sink.former).full_name}"',
            hint="Try again in a moment; mz_internal.mz_sink_statuses says what it waits for, if anything.",
        )
    schema = catalog.get(plan.from_id).schema
    connector, key = sink.options["connector_options"], tuple(sink.options["key"])
    open_sink("", connector, schema, sink.options["envelope"], key)
    options = {**sink.options, "generation": sink.generation + 1, "switched_at": 0}
    return [Change(sink, replace(sink, schema=schema, uses=(plan.from_id, sink.on), options=options))]


def switched(change: Change, now: int) -> Change:
    """The change, when it is made: up to `now` the sink shows what it has read before."""
    match change:
        case Change(Item(kind=ItemKind.SINK) as old, Item() as new) if new.generation != old.generation:
            return Change(old, replace(new, options={**new.options, "switched_at": now}))
        case _:
            return change


def settled(sink: Item) -> Change:
    """The target holds all of what the sink has read before."""
    options = {name: value for name, value in sink.options.items() if name != "switched_at"}
    return Change(sink, replace(sink, uses=sink.uses[:1], options=options))
