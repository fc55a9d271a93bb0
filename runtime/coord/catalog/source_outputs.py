"""Collections that sources write, as replicas are told of them."""

from __future__ import annotations

from ...replica.protocol import SourceOutput
from .items import Source, SourceTable


def source_output(item: Source | SourceTable) -> SourceOutput:
    """A source that is its own only output, or a table that is made from one."""
    reference, upstream = (item.reference, item.upstream) if isinstance(item, SourceTable) else ("", None)
    return SourceOutput(
        item.shard, reference, item.physical, upstream or "", item.where, item.projection, item.retention
    )
