"""The ingestion that a source's description asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...clock import SystemClock
from ...expr.tree.relation import GlobalId
from ...repr.batch import Batch
from ...storage.connections.values import Values
from ...storage.connectors import NO_CONNECTIONS, AskedOutput, Stored, open_ingestion, parsed_options
from ...storage.envelope import EnvelopeKind
from ...storage.ingestion import Ingestion
from ...storage.statistics import OutputId
from ...storage.upsert.scratch import Scratch
from ..protocol import SourceDescription, SourceOutput


def open_source(
    description: SourceDescription,
    outputs: Mapping[GlobalId, SourceOutput],
    position: str | None = None,
    stored: Stored | None = None,
    scratch: Scratch | None = None,
    connections: Mapping[GlobalId, Values] = NO_CONNECTIONS,
    recorded: Iterable[Batch] = (),
) -> Ingestion:
    """The ingestion that a source's description asks for; raises if its parts do not go together.  `connections` are what it reads
    through, which it needs as soon as it reads."""
    return open_ingestion(
        parsed_options(description.connector, description.options),
        asked(outputs),
        description.key,
        EnvelopeKind(description.envelope),
        SystemClock(),
        position=position,
        stored=stored,
        scratch=scratch,
        connections=connections,
        recorded=recorded,
        label=label_of(description.label),
    )


def label_of(name: str) -> str:
    """How errors name their source: by its first name, so that a retraction says the same after a renaming."""
    return f'source "{name}", '


def asked(outputs: Mapping[GlobalId, SourceOutput]) -> dict[OutputId, AskedOutput]:
    """The outputs as an ingestion is asked for them."""
    return {
        id_: AskedOutput(
            output.reference,
            output.schema,
            output.upstream,
            output.where,
            output.projection,
            output.retention,
        )
        for id_, output in outputs.items()
    }
