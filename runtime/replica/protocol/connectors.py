"""Sources and sinks: what a replica is to run, and what they have read and written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...expr.tree.relation import GlobalId
from ...persist.client import PartRef, ShardId
from ...repr.schema import Schema
from ...storage.connections.values import Values
from ...storage.projection import Projection
from ...storage.row_filter import RowFilter
from ...storage.row_retention import RowRetention
from .commits import Import


@dataclass(frozen=True, slots=True)
class SourceDescription:
    """A source for the replica to run.  `options` are the connector's, plain values; `label` names it in errors."""

    label: str
    connector: str
    options: dict[str, Any]
    key: tuple[int, ...]
    envelope: str


@dataclass(frozen=True, slots=True)
class SourceOutput:
    """A collection that a source writes: `reference` is what it is upstream, "" of a source that is its only output; `upstream` what was known
    of that when the collection was made, "" where the reference says all.  Of its rows those are written that `where` keeps, and
    of their columns those of the `projection`."""

    shard: ShardId
    reference: str
    schema: Schema
    upstream: str = ""
    where: RowFilter | None = None
    projection: Projection | None = None
    retention: RowRetention | None = None


@dataclass(frozen=True, slots=True)
class UpsertState:
    """`stored` is what the only output of the source holds.  From `spill_rows` rows on a run of the state is a file."""

    stored: Import
    spill_rows: int


@dataclass(frozen=True, slots=True)
class InstallSource:
    """`position` is where the durable outputs end upstream; `upsert` is what a source with such state goes on from, `connections` what
    the source reads through, by id, and `recorded` the shard of its positions, of a source that goes on from what stands beside them.  `installation` is a number of its own: what another one has read is not committed any more.
    What is to be read at once is read by a Spark job from `job_min_bytes` on."""

    id: GlobalId
    name: str
    description: SourceDescription
    position: str | None
    outputs: Mapping[GlobalId, SourceOutput]
    upsert: UpsertState | None = None
    connections: Mapping[GlobalId, Values] = field(default_factory=dict)
    installation: int = 0
    recorded: Import | None = None
    job_min_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class SetOutputs:
    """The source has these outputs from now on; it goes on where it is."""

    id: GlobalId
    outputs: Mapping[GlobalId, SourceOutput]


SourceStatistics = Mapping[GlobalId, Mapping[str, int | float | None]]
"""By name, of a source and of each of its outputs."""


@dataclass(frozen=True, slots=True)
class Ingest:
    """New data of a source, times still open: `parts` go to the shards of its outputs, `position` to its remap shard, and
    `recorded` beside it.

    `statistics` are as they are when that is committed.  The parts may be those of a Spark job."""

    id: GlobalId
    parts: Mapping[GlobalId, tuple[PartRef, ...]]
    position: str
    statistics: SourceStatistics
    recorded: tuple[PartRef, ...] = ()
    installation: int = 0
    job_id: int | None = None


@dataclass(frozen=True, slots=True)
class IngestProgress:
    """How far a source has come with a transaction that is not complete yet."""

    id: GlobalId
    statistics: SourceStatistics


@dataclass(frozen=True, slots=True)
class Ingested:
    """The answer to `Ingest`: committed at `time`, or not (None) when the source is being dropped, or is installed anew."""

    id: GlobalId
    time: int | None
    installation: int = 0


@dataclass(frozen=True, slots=True)
class SinkDescription:
    """`as_of` is the time of the contents that the sink begins with, when it begins."""

    connector: str
    options: dict[str, Any]
    envelope: str
    key: tuple[int, ...]
    generation: int = 0
    as_of: int = 0


@dataclass(frozen=True, slots=True)
class FormerInput:
    """What a sink has read in a generation, which its target may show; it shows that up to `last`, or up to where it is further already.  It
    is imported from where the target is known to end, or from where that generation begins."""

    input: Import
    generation: int
    last: int


@dataclass(frozen=True, slots=True)
class InstallSink:
    """With former inputs, the oldest first, `input` begins at the last time of the last one; the target shows one of them, or has come to
    `input` already.  `connections` are what the sink writes through, by id.  `term` is higher with each installation, whichever coordinator or
    replica it is of.
    `restored_upper`: the environment was restored from a backup of what was committed before that time; 0: it was not."""

    id: GlobalId
    name: str
    description: SinkDescription
    input: Import
    term: int
    formers: tuple[FormerInput, ...] = ()
    connections: Mapping[GlobalId, Values] = field(default_factory=dict)
    restored_upper: int = 0


@dataclass(frozen=True, slots=True)
class SinkProgress:
    """Everything below `upper` is in the target, which has come to that generation of the sink's input.  `statistics` are since
    the sink began here, by name."""

    id: GlobalId
    upper: int
    generation: int = 0
    statistics: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SinkBehind:
    """The sink has ended: it held too little of its input to go on, and is to be installed anew."""

    id: GlobalId
