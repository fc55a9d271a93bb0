"""The state of a member's parts on file, as the leader says.

```
leader ── Keep, Save, Sweep ──> member, between two steps ── the rest of Save and Sweep ──> beside the steps, one after the other
                                  └── what its spines hold then                             └── Saved
```

A member that dies while it saves has written files that no checkpoint names.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol

from ...errors import PtvcError, StorageError
from ..run import Run
from ..run_store import RunStore, StateId
from ..shared_files import SharedFiles
from .messages import Keep, Kept, Press, Save, Saved, Sweep
from .part import Part
from .part_state import PartState

logger = logging.getLogger(__name__)

Handles = Mapping[StateId, tuple[Run, ...]]


class Beside(Protocol):
    """What runs beside the steps of a member, one after the other, and answers the leader."""

    @property
    def files(self) -> SharedFiles:
        """In which state is, with a store that is waited for while it is away."""

    @property
    def writer(self) -> str:
        """Names the replica's attempt in them."""

    @property
    def apart(self) -> bool:
        """Whether they are on another machine than the leader's, which removes those of its own."""

    def submit(self, work: Callable[[], None]) -> None: ...

    def answer(self, saved: Saved) -> None:
        """Called where the work runs."""


class MemberStates:
    """Those of worker number `here` of `workers`."""

    def __init__(self, here: int, workers: int, beside: Beside | None) -> None:
        self._here = here
        self._workers = workers
        self._given = beside
        self._states: dict[int, PartState] = {}
        self.beginning: int | None = None
        """The dataflow that is beginning."""

    @property
    def _beside(self) -> Beside:
        assert self._given is not None, "nothing runs beside the steps here"
        return self._given

    def keep(self, message: Keep, part: Part) -> Kept:
        number, files = message.dataflow, self._beside.files
        writer = f"{self._beside.writer}-{self._here}"
        self.beginning = number
        try:
            directory = files.path(message.directory)
            directory.mkdir(parents=True, exist_ok=True)
            state = PartState(part, RunStore(directory, writer, message.spill_rows, files))
            state.begin(message.beginning, self._here, self._workers)
        except (OSError, PtvcError) as error:
            return Kept(number, 0, 0, _told(error))
        finally:
            self.beginning = None
        self._states[number] = state
        return Kept(number, part.next_due(), part.held_nbytes)

    def press(self, message: Press, part: Part) -> Kept:
        state = self._states.get(message.dataflow)
        moving = state is not None and state.press()
        return Kept(message.dataflow, part.next_due(), part.held_nbytes, moving=moving)

    def save(self, message: Save, part: Part) -> None:
        self._beside.submit(partial(self._save, message, self._states[message.dataflow], part.handles()))

    def _save(self, message: Save, state: PartState, handles: Handles) -> None:
        """Beside the steps."""
        try:
            saved = Saved(message.dataflow, message.number, state.save(handles, pack=message.pack))
        except (OSError, PtvcError) as error:
            saved = Saved(message.dataflow, message.number, {}, _told(error))
        self._beside.answer(saved)

    def sweep(self, message: Sweep) -> None:
        if (state := self._states.get(message.dataflow)) is not None:
            self._beside.submit(partial(self._sweep, message, state))

    def _sweep(self, message: Sweep, state: PartState) -> None:
        try:
            state.sweep(message.kept)
        except PtvcError as error:
            logger.warning("files of a part that nobody needs are left: %s", error.message)

    def forget(self, dataflow: int) -> None:
        state = self._states.pop(dataflow, None)
        if state is not None and self._beside.apart:
            self._beside.submit(state.leave)


def _told(error: OSError | PtvcError) -> PtvcError:
    return error if isinstance(error, PtvcError) else StorageError(str(error))
