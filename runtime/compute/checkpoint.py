"""A checkpoint: the whole state of one dataflow as of a cut, as names of run files, and the manifest that says so.

`cut` is the frontier of the dataflow when its state was taken: every update of its inputs below it is in, none at or
above it.  A dataflow that loads the state goes on with the inputs from the cut on, and writes what it would have written.

The manifest, `checkpoint.json` in the directory of the dataflow's state, is replaced as a whole: a crash leaves the old
one or the new one.  Names in it are relative to the directory, so an environment may be moved.  The `fingerprint` is that of everything
which gives state its meaning; a checkpoint of another fingerprint is none.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import StorageError
from ..repr.hash import HASH_VERSION
from .plan import DataflowPlan
from .run import Run, StoredRun
from .run_file import RUN_VERSION, sync_directory, sync_file
from .run_store import RunStore, StateId
from .shared_files import MACHINE, SharedFiles
from .spine import Spine

STATE_VERSION = 5
"""To be raised whenever an operator keeps other state than before for the same plan, or a plan is divided otherwise."""

SPLIT_KEYS = "split_keys"
"""The name of spines that say where rows of others are (`partitioned.split_keys`)."""

MANIFEST = "checkpoint.json"
MANIFEST_VERSION = 1

_HINT = "The state is computed again from its inputs."


StoredState = Mapping[StateId, tuple[StoredRun, ...]]
"""The runs of every spine, in their order; spines without runs may be left out."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """`state` is that of the dataflow, or, where it is divided among workers, of the first part; `others` are those of the others, in
    their order, each a range of hashes (`partitioned.part_state`).

    `layout` is that of all spines: the fingerprint says what state means, this how it is held.  `since` is the time
    from which on an index, as saved, can be read; None: only the last before the cut is known to be one.  Imports at the positions `few` may
    have been broadcast (`partitioned.broadcast`).
    """

    fingerprint: str
    cut: int
    state: StoredState
    layout: str
    since: int | None = None
    others: tuple[StoredState, ...] = ()
    few: tuple[int, ...] = ()

    @property
    def parts(self) -> tuple[StoredState, ...]:
        return self.state, *self.others

    def files(self) -> list[StoredRun]:
        return files_of(self.parts)


def files_of(parts: Iterable[StoredState]) -> list[StoredRun]:
    return [file for state in parts for files in state.values() for file in files]


def fingerprint(plan: DataflowPlan, engine: str, key: tuple[int, ...] | None) -> str:
    """Of a plan (its input schemas are part of it), as the version `engine` of this program runs it; `key` is that
    of the index that its output is kept in, if it is."""
    versions = (MANIFEST_VERSION, STATE_VERSION, HASH_VERSION, RUN_VERSION, engine)
    return hashlib.sha256(repr((versions, key, plan)).encode()).hexdigest()


def layout(spines: Mapping[StateId, Spine]) -> str:
    """Of spines: their names, columns, keys and sums.  Runs of another layout cannot be loaded into them.  SPLIT_KEYS are left out: without
    any, the state is that of an undivided dataflow, too."""
    held = sorted(
        (id_, repr((spine.schema, spine.key, spine.sums)))
        for id_, spine in spines.items()
        if id_[1] != SPLIT_KEYS
    )
    return hashlib.sha256(repr(held).encode()).hexdigest()


def save(
    store: RunStore, spines: Mapping[StateId, Spine], handles: Mapping[StateId, tuple[Run, ...]]
) -> dict[StateId, tuple[Run, ...]]:
    """Writes what of `handles` (the contents of `spines` at some time) is not on file yet; the same runs, on file.

    May run on any thread, beside steps and merges: handles do not change.  Where a spine still has a run that was
    written, it has it from its file afterwards, so that it need not be written again.  Raises OSError.
    """
    return _swapped(spines, handles, store.save(handles))


def _swapped(
    spines: Mapping[StateId, Spine],
    handles: Mapping[StateId, tuple[Run, ...]],
    saved: dict[StateId, tuple[Run, ...]],
) -> dict[StateId, tuple[Run, ...]]:
    for id_, runs in saved.items():
        swapped = {id(old): new for old, new in zip(handles[id_], runs, strict=True) if old is not new}
        if swapped:
            spines[id_].swap(swapped)
    return saved


def write(
    store: RunStore,
    fingerprint: str,
    cut: int,
    spines: Mapping[StateId, Spine],
    handles: Mapping[StateId, tuple[Run, ...]],
    since: int | None = None,
    *,
    pack: bool = False,
) -> Checkpoint:
    """Writes what of `handles` (the contents of `spines` at `cut`) is not on file yet, as `save` does; with `pack`, what is not packed
    yet is (`RunStore.pack`).  The files are published; that they are a checkpoint is to be.  Raises OSError and PtvcError.
    """
    saved = save(store, spines, handles)
    if pack:
        keys = {id_: spines[id_].key for id_ in saved}
        saved = _swapped(spines, saved, store.pack(saved, keys))
    files = {id_: [run.file for run in runs if run.file is not None] for id_, runs in saved.items() if runs}
    return Checkpoint(fingerprint, cut, store.stored(files), layout(spines), since)


def publish(
    directory: Path, checkpoint: Checkpoint, files: SharedFiles = MACHINE, manifest: str = MANIFEST
) -> None:
    """Makes `checkpoint`, of such files, the one of this directory, durably; they must be durable already.  Raises OSError."""
    body = json.dumps(_to_json(files.name(directory), checkpoint), separators=(",", ":"))
    text = json.dumps({"version": MANIFEST_VERSION, "checksum": zlib.crc32(body.encode()), "body": body})
    partial = directory / f"{manifest}.partial"
    partial.write_text(text)
    sync_file(partial)
    partial.replace(directory / manifest)
    sync_directory(directory)


def unpublish(directory: Path) -> None:
    """There is no checkpoint in this directory any more; its files stay."""
    (directory / MANIFEST).unlink(missing_ok=True)


def read(directory: Path, files: SharedFiles = MACHINE, manifest: str = MANIFEST) -> Checkpoint | None:
    """The checkpoint of this directory, or None.  Raises StorageError when its manifest cannot be understood."""
    path = directory / manifest
    try:
        found = json.loads(path.read_text())
        if found["version"] != MANIFEST_VERSION:
            raise StorageError(f'checkpoint "{path}" has version {found["version"]}', hint=_HINT)
        body = found["body"]
        if zlib.crc32(body.encode()) != found["checksum"]:
            raise StorageError(f'checkpoint "{path}" is damaged', sqlstate="XX001", hint=_HINT)
        return _from_json(files.name(directory), json.loads(body))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StorageError(f'cannot read checkpoint "{path}": {error!r}', hint=_HINT) from error


def _to_json(folder: str, checkpoint: Checkpoint) -> dict[str, Any]:
    return {
        "fingerprint": checkpoint.fingerprint,
        "cut": checkpoint.cut,
        "state": _state_to_json(folder, checkpoint.state),
        "others": [_state_to_json(folder, state) for state in checkpoint.others],
        "layout": checkpoint.layout,
        "since": checkpoint.since,
        "few": list(checkpoint.few),
    }


def _state_to_json(folder: str, state: StoredState) -> list[Any]:
    return [
        [
            node,
            name,
            [[f.name.removeprefix(f"{folder}/"), f.offset, f.length, f.checksum] for f in files],
        ]
        for (node, name), files in state.items()
        if files
    ]


def _from_json(folder: str, body: dict[str, Any]) -> Checkpoint:
    return Checkpoint(
        body["fingerprint"],
        body["cut"],
        _state_from_json(folder, body["state"]),
        body["layout"],
        body.get("since"),
        tuple(_state_from_json(folder, state) for state in body.get("others", ())),
        tuple(body.get("few", ())),
    )


def _state_from_json(folder: str, state: list[Any]) -> StoredState:
    return {
        (node, name): tuple(StoredRun(f"{folder}/{path}", *place) for path, *place in files)
        for node, name, files in state
    }
