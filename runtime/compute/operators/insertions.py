"""Insertions: what an operator over an append-only input is given, and nothing else.

Such an operator has forgotten whatever can never matter again, so a retraction would make its answer wrong: it is an
error at once.  What comes and goes within one time has never been there.
"""

from __future__ import annotations

from ...errors import UnexpectedRetraction
from ...expr.tree.relation import GlobalId
from ...repr.batch import Batch, Diffs, concat_batches
from ...repr.consolidate import consolidate
from ...repr.schema import Schema


def insertions(schema: Schema, batch: Batch, origins: tuple[GlobalId, ...]) -> Batch:
    """A batch of `schema` without retractions: itself, if it has none; else with the updates of a row at a time added up.

    Updates of diff zero stay.  Raises UnexpectedRetraction, naming the collections `origins`, when something that was
    inserted at another time is taken back.
    """
    if not len(batch) or int(batch.diffs.min()) >= 0:
        return batch
    noted = batch.diffs == 0
    net = consolidate(batch.filter(~noted))
    only_insertions(net.diffs, origins)
    return concat_batches(schema, [net, batch.filter(noted)]) if noted.any() else net


def only_insertions(diffs: Diffs, origins: tuple[GlobalId, ...]) -> None:
    """Raises UnexpectedRetraction when one of the net `diffs` of a step is negative."""
    if len(diffs) and int(diffs.min()) < 0:
        some = "collection" if len(origins) == 1 else "one of the collections"
        raise UnexpectedRetraction(
            f"{some} {', '.join(origins)} retracts rows, although it is append-only",
            hint="This is a defect of the runtime: please report it, with the definitions of these objects.",
        )
