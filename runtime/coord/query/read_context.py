"""Who reads, and when."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass

from ...expr.tree.relation import GlobalId
from ..catalog.catalog import Catalog
from ..storage.parts import WrittenPart
from .system_reads import SystemRows

Overlay = Mapping[GlobalId, tuple[WrittenPart, ...]]


@dataclass(frozen=True, slots=True)
class ReadContext:
    """Who reads: `cluster` computes, `time` is fixed inside a transaction (None: now).  `check` raises when the plan, which
    may be old, does not suit the catalog any more.  `as_of`: the statement itself has named the time.  `catalog` is what
    the query was planned over: everybody's, or that of a block; `redefined` says of which of its versions."""

    cluster: str
    time: int | None
    overlay: Overlay
    system_rows: SystemRows
    catalog: Catalog
    redefined: int
    prepare: Callable[[Collection[GlobalId]], Awaitable[None]]
    check: Callable[[], None] = lambda: None
    as_of: bool = False
