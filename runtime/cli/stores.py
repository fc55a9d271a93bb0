"""`ptvc persist`: what looks into stores, whether or not a runtime serves them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.table import Table
from rich.text import Text

from .options import DEFAULT_PATH, BlobOption, ConsensusOption, PathOption
from .output import console, print_table

if TYPE_CHECKING:
    from ..persist.stores import DurableStores


def inspect_store(
    path: PathOption = DEFAULT_PATH, consensus: ConsensusOption = None, blob: BlobOption = None
) -> None:
    """List shards with their frontiers, batches, sizes and holds, and the blobs that belong to none."""
    from ..persist import inspect

    with existing_stores(path, consensus, blob) as stores:
        found = inspect.overview(stores.consensus, stores.blob)
    table = Table()
    for name in ("shard", "since", "upper", "batches", "parts", "rows", "errors", "inline", "blobs", "holds"):
        table.add_column(name, overflow="fold")
    for s in found.shards:
        sizes = (s.since, s.upper, s.batches, s.parts, s.rows, s.errors, s.inline_bytes, s.blob_bytes)
        holds = ", ".join(f"{hold.holder}: {hold.since}" for hold in s.holds)
        table.add_row(*(Text(str(value)) for value in (s.shard, *sizes, holds)))
    print_table(table)
    console.print(
        f"{found.blobs} blobs; {len(found.garbage)} replaced, to be deleted; "
        f"{len(found.unreferenced)} unreferenced (of writes under way, or of writers that died)"
    )
    for key in found.unreferenced:
        console.print(f"  {key}", markup=False, highlight=False)


def verify_store(
    path: PathOption = DEFAULT_PATH, consensus: ConsensusOption = None, blob: BlobOption = None
) -> None:
    """Read all that is stored, and say what is not as it was written; exits with 1 if anything is."""
    from ..persist import inspect

    with existing_stores(path, consensus, blob) as stores:
        count = len(stores.consensus.shard_ids())
        problems_found = 0
        for problem in inspect.verify(stores.consensus, stores.blob):
            problems_found += 1
            console.print(f'shard "{problem.shard}": {problem.message}', markup=False, highlight=False)
    if problems_found:
        raise typer.Exit(1)
    console.print(f"all parts of {count} shard{'' if count == 1 else 's'} are as they were written")


@contextmanager
def existing_stores(path: Path, consensus: str | None, blob: str | None) -> Iterator[DurableStores]:
    """The stores of an environment that is there."""
    from ..persist.stores import locate, open_existing

    stores = open_existing(path, locate(path, consensus, blob))
    try:
        yield stores
    finally:
        stores.consensus.close()
