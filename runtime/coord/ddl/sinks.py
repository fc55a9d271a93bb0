"""ALTER SINK: a sink goes on from where it is with something else to read, or in another cluster.

What it has read before stays an input of the sink until the target holds all of it, so that it is neither dropped nor
compacted:

```
ALTER SINK s SET FROM new   uses (new, old)   generation + 1, switched at the time of the change to the catalog
    the target says that it has come to that generation, durably
maintenance                 uses (new,)
```

The sink's replica writes what lies between both (`replica.sink_switch`).  The columns are the same; those of a lake's table, which follows,
are what that takes (`storage.sink.lake.exchange`).
"""

from __future__ import annotations

from dataclasses import replace

from ...errors import ObjectNotReady, PtvcError
from ...repr.schema import Schema
from ...sql.plans.definition_plans import AlterSink
from ...storage.sink.lake.exchange import kept_columns
from ...storage.sink.targets import check_sink, exchanged_key
from ..catalog.catalog import Catalog
from ..catalog.connectors import connector_options, connector_word
from ..catalog.entries import Change
from ..catalog.items import Sink


def sink_changes(catalog: Catalog, plan: AlterSink) -> list[Change]:
    """Raises 55000 as long as the last switch is not complete."""
    sink = catalog.get_as(plan.id, Sink)
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
    try:
        new = _reading(sink, catalog.item_by_id(plan.from_id).schema)
    except PtvcError as error:
        raise PtvcError(
            f'sink "{sink.name}" cannot read "{catalog.get(plan.from_id).name}": {error.message}',
            sqlstate=error.sqlstate,
            hint=error.hint,
        ) from None
    uses = (plan.from_id, sink.on, *sink.connections)
    return [Change(sink, replace(new, uses=uses, generation=sink.generation + 1))]


def _reading(sink: Sink, schema: Schema) -> Sink:
    """The sink, which reads such columns from now on.  Raises PtvcError where its target does not take them."""
    connector, options = connector_word(sink.connector), connector_options(sink.connector)
    key = exchanged_key(connector, options, sink.envelope.value, sink.key, sink.schema, schema, sink.kept)
    check_sink(connector, options, schema, sink.envelope.value, key)
    kept = kept_columns(sink.kept, sink.schema, schema)
    return replace(sink, schema=schema, key=key, kept=kept)


def switched(change: Change, now: int) -> Change:
    """The change, when it is made: up to `now` the sink shows what it has read before."""
    match change:
        case Change(Sink() as old, Sink() as new) if new.generation != old.generation:
            return Change(old, replace(new, switched_at=now))
        case _:
            return change


def settled(sink: Sink) -> Change:
    """The target holds all of what the sink has read before."""
    return Change(sink, replace(sink, uses=(sink.on, *sink.connections), switched_at=0))
