"""ALTER SINK: a sink goes on from where it is with something else to read, or in another cluster.

What it has read before stays an input of the sink until the target holds all of it, so that it is neither dropped nor
compacted:

```
ALTER SINK s SET FROM new     uses (new, old)          generation + 1, the old one shown up to the time of the change to the catalog
    ALTER SINK s SET FROM newer   uses (newer, old, new)   where the target may not have come to `new` yet, or has and has not said so
    the target says that it has come to the last generation, durably
maintenance, or a statement   uses (newer,)
```

The sink's replica goes over from what the target says it shows, and writes what lies between both (`replica.sink_switch`).  The columns are the
same; those of a lake's table, which follows, are what that takes (`storage.sink.lake.exchange`).
"""

from __future__ import annotations

from dataclasses import replace

from ...errors import PtvcError
from ...expr.tree.relation import GlobalId
from ...repr.schema import Schema
from ...sql.plans.definition_plans import AlterSink
from ...storage.sink.lake.exchange import kept_columns
from ...storage.sink.targets import check_sink, exchanged_key
from ..catalog.catalog import Catalog
from ..catalog.connectors import connector_options, connector_word
from ..catalog.entries import Change
from ..catalog.items import UNCOMMITTED, Former, Sink


def sink_changes(catalog: Catalog, plan: AlterSink) -> list[Change]:
    sink = catalog.get_as(plan.id, Sink)
    if plan.cluster is not None:
        return [Change(sink, replace(sink, cluster=plan.cluster))] if plan.cluster != sink.cluster else []
    assert plan.from_id is not None
    if plan.from_id == sink.on:
        return []
    try:
        new = over_columns(sink, catalog.item_by_id(plan.from_id).schema)
    except PtvcError as error:
        raise PtvcError(
            f'sink "{sink.name}" cannot read "{catalog.get(plan.from_id).name}": {error.message}',
            sqlstate=error.sqlstate,
            hint=error.hint,
        ) from None
    return [Change(sink, _exchanged(sink, new, plan.from_id))]


def _exchanged(sink: Sink, new: Sink, on: GlobalId) -> Sink:
    """`new`, which goes on from the sink over `on`."""
    if not sink.formers or sink.formers[-1].last != UNCOMMITTED:
        formers = (*sink.formers, Former(sink.on, sink.generation))
        return replace(new.reading(on, formers), generation=sink.generation + 1)
    *older, last = sink.formers  # a block gives it something else once more
    if on == last.id:
        return replace(new.reading(on, older), generation=last.generation)
    return new.reading(on, sink.formers)


def over_columns(sink: Sink, schema: Schema) -> Sink:
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
            *before, left = new.formers
            return Change(old, replace(new, formers=(*before, replace(left, last=now))))
        case _:
            return change


def settled(sink: Sink, generation: int) -> Change:
    """The target has come to that generation, and so holds all of those before."""
    formers = [former for former in sink.formers if former.generation >= generation]
    return Change(sink, sink.reading(sink.on, formers))
