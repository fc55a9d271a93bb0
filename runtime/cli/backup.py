"""`ptvc backup`, `ptvc restore` and `ptvc backups`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from ..directory import KEY_FILE, KEYS_VARIABLE, PRIVATE_UMASK, lock, own_directories
from ..errors import InvalidParameter
from ..given_files import read_given
from .options import DEFAULT_PATH, BlobOption, ConsensusOption, KeyFileOption, PathOption
from .output import console, print_table
from .stores import existing_stores

if TYPE_CHECKING:
    from ..backup.manifest import Manifest
    from ..backup.place import Place
    from ..backup.prune import Pruned

PlaceArgument = Annotated[
    str, typer.Argument(metavar="PLACE", help="Where backups are: a directory, or s3://bucket/prefix.")
]


def backup(
    context: typer.Context,
    place: PlaceArgument,
    path: PathOption = DEFAULT_PATH,
    consensus: ConsensusOption = None,
    blob: BlobOption = None,
    with_keys: Annotated[
        bool,
        typer.Option(
            "--with-keys", help="Put the key file of secrets into it; whoever reads the backup reads them."
        ),
    ] = False,
    secrets_key_file: KeyFileOption = None,
    keep: Annotated[
        int | None,
        typer.Option(
            "--keep",
            min=1,
            help="Then remove all but so many of the newest backups; all stay unless given.",
        ),
    ] = None,
) -> None:
    """Back an environment up, whether or not a runtime serves it."""
    os.umask(PRIVATE_UMASK)
    from ..backup.place import check_apart, open_place, place_url
    from ..backup.prune import prune
    from ..backup.take import take
    from ..clock import SystemClock

    source = context.get_parameter_source("secrets_key_file")
    if not with_keys and source is not None and source.name == "COMMANDLINE":
        raise InvalidParameter(
            "--secrets-key-file names what --with-keys puts into a backup", hint="Give both, or neither."
        )
    url = place_url(place)
    keys = _keys(secrets_key_file or path / KEY_FILE) if with_keys else None
    with existing_stores(path, consensus, blob) as stores:
        check_apart(url, own_directories(path, stores.location.blob), "backups cannot be kept in")
        target = open_place(url)
        with target.used():
            taken = take(stores, target, SystemClock(), keys)
    console.print(
        f"backup {taken.manifest.name}: {taken.manifest.shards} shards, {taken.manifest.blobs} blobs "
        f"({taken.manifest.blob_bytes} bytes), of which {taken.copied} ({taken.copied_bytes} bytes) were copied"
    )
    if keep is not None:
        pruned = prune(target, keep, SystemClock())
        console.print(
            f"removed {pruned.backups} older backups, and {pruned.blobs} blobs that none needs any more"
        )
        for line in _what_kept_more(pruned, target):
            console.print(line, highlight=False, markup=False)


def restore(
    place: PlaceArgument,
    path: PathOption = DEFAULT_PATH,
    name: Annotated[str | None, typer.Option("--backup", help="Which one; the newest unless named.")] = None,
    consensus: ConsensusOption = None,
    blob: BlobOption = None,
) -> None:
    """Restore a backup into a new directory, and into stores where nothing is."""
    os.umask(PRIVATE_UMASK)
    from ..backup.place import check_apart, open_existing_place, place_url
    from ..backup.restore import restore as restore_into
    from ..persist.location import Location, blob_url, consensus_url

    known = Location()
    location = Location(
        known.consensus if consensus is None else consensus_url(consensus),
        known.blob if blob is None else blob_url(blob, os.environ),
    )
    url = place_url(place)
    own = own_directories(path, location.under(path).blob)
    check_apart(url, own, "cannot restore from", hint="Restore into another directory, with --path.")
    source = open_existing_place(url)
    manifest = source.manifest(name)
    with closing(lock(path)), source.used():
        restore_into(source, manifest, path, location)
    console.print(
        f"restored backup {manifest.name}, taken {_when(manifest)}; start it with: ptvc up --path {path}"
    )
    if not manifest.keys and not (path / KEY_FILE).exists():
        console.print(
            f"The keys of secrets are not in it: put the key file at {path / KEY_FILE} if there are secrets."
        )


def backups(place: PlaceArgument) -> None:
    """List the backups that are whole, oldest first."""
    from ..backup.place import open_existing_place, place_url

    source = open_existing_place(place_url(place))
    table = Table()
    for column in ("backup", "taken", "shards", "blobs", "bytes", "keys"):
        table.add_column(column, overflow="fold")
    for name in source.complete():
        manifest = source.manifest(name)
        nbytes = manifest.nbytes + manifest.blob_bytes
        values = (
            name,
            _when(manifest),
            manifest.shards,
            manifest.blobs,
            nbytes,
            "yes" if manifest.keys else "no",
        )
        table.add_row(*(Text(str(value)) for value in values))
    print_table(table)


def _what_kept_more(pruned: Pruned, place: Place) -> Iterator[str]:
    """Why there may be more to remove, and when it will be."""
    unfinished = {one.name for one in pruned.unfinished}
    if passing := [name for name in pruned.others if name not in unfinished]:
        yield f"Others are at it: {', '.join(passing)}; the next backup removes what they have kept."
    for one in pruned.unfinished:
        yield (
            f"Backup {one.name} has not ended, and said so last at {_time(one.said_ms)}: until it has, older ones are not removed before "
            f"{_time(one.killed_ms)}. If it was killed, and runs nowhere any more, they are removed by the next backup with --keep once "
            f"this is deleted: {', '.join(map(place.file_url, one.marks))}"
        )


def _when(manifest: Manifest) -> str:
    return _time(manifest.taken_ms)


def _time(at_ms: int) -> str:
    return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _keys(path: Path) -> bytes:
    """The contents of the key file, which is one."""
    from ..coord.secrets.key_ring import KeyRing

    if os.environ.get(KEYS_VARIABLE):
        raise InvalidParameter(
            f"the keys of secrets are in {KEYS_VARIABLE}, which no backup holds",
            hint="Leave --with-keys out, and keep the variable's value apart.",
        )
    KeyRing.open(path, made=False)
    return read_given(path)[0]
