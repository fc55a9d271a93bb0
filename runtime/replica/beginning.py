"""What a dataflow begins with: the contents of its inputs, what a job has made of them, or a checkpoint.

```
contents      state: none                                  waiting: snapshots, for the first step, and what came since
a job's       state: its run files, as of its time         waiting: what came since
checkpoint    state: its run files, as of its cut          waiting: what came since
```

What is divided among workers begins with the contents, or with a checkpoint, however many workers that is of.
"""

from __future__ import annotations

from ..compute.run_file import map_run
from ..compute.shared_files import SharedFiles
from .checkpoint import DurableState
from .index import INDEX_ERRS
from .installed import Installed
from .protocol import InstallDataflow


def begin(installed: Installed, command: InstallDataflow, writer: str, files: SharedFiles) -> None:
    """Loads it; `writer` names this attempt of the replica in files.  Raises PtvcError and OSError."""
    state: DurableState | None = None
    if command.durable is not None:
        state = installed.state = DurableState(
            command.id,
            command.durable,
            writer,
            files,
            may_be_packed=installed.index is None,  # that is there to be looked up in
        )
    sources = installed.inputs.values()
    if command.checkpoint is not None:
        assert state is not None
        checkpoint = command.checkpoint
        runs = state.load(checkpoint, installed.spines(), installed.divided)
        installed.load(runs, checkpoint.cut, checkpoint.since)
        installed.rows = sum(source.load_updates() for source in sources)
    elif command.state is not None:
        names = {(s.node, s.spine): s.files for s in command.state}
        if state is not None:
            runs = state.begin_with(names)
        else:
            files.fetch(name for some in names.values() for name in some)
            runs = {id_: tuple(map_run(files.path(name)) for name in some) for id_, some in names.items()}
        if installed.index is not None:  # its errors at the job's one time are those of the output
            number = len(command.plan.nodes)
            runs[number, INDEX_ERRS] = runs.get((number, "errs"), ())
        installed.load(runs, command.as_of + 1, command.as_of)
        installed.hydrated = True  # by a job, which has reported it
        for source in sources:
            source.load_updates()
    else:
        if state is not None:
            state.begin(installed.divided)
        installed.rows = sum(source.load() for source in sources)
        if installed.index is not None:
            installed.index.begin(command.as_of)
