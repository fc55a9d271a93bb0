"""The connector of sources over a lake's table: its rows as of one commit, then each later commit, whole.

```
no position ── the contents as of the newest commit ── pieces ──┐
position ── the next commit ── its files ── what differs ───────┴── Polled
```

A commit of the lake is one transaction here, in pieces if it is large: it becomes visible at one time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from time import monotonic
from typing import Any

from ....errors import PtvcError
from ....repr.schema import ERROR_SCHEMA, Schema
from ...changes import together
from ...connections.failures import scrubbed
from ...connections.values import Values
from ...ingestion import OutputChanges, Outputs, Pending, Polled
from ..directory import SourceStalled
from .differences import changes, rows_bytes
from .table import ERRORS, Commit, LakeTable, expired
from .values import check_columns

WORK_S = 0.5
"""So long is worked for one answer, if there is nothing to be handed out."""


class LakeConnector(ABC):
    def __init__(self, schema: Schema, connections: Sequence[Values], scan_ms: int) -> None:
        """`schema` has the columns that are read.  Raises Unsupported for one that no lake has values of."""
        check_columns(schema)
        self._schema = schema
        self._scan_s = scan_ms / 1000
        self._secrets = [secret for values in connections for secret in values.secrets.values()]
        self._table: LakeTable | None = None
        self._commit: Commit | None = None
        self._rest: Iterator[OutputChanges | None] = iter(())
        self._piece = self._staged = 0
        self._in_error: int | None = None
        """Rows of the table, after what was handed out; None: their errors have no names, as in positions of former versions."""
        self._expected: Mapping[str, Any] | None = None
        self._scan_at = 0.0
        self._failure: PtvcError | None = None

    @property
    @abstractmethod
    def _what(self) -> str:
        """The table, in messages."""

    @abstractmethod
    def _opened(self) -> LakeTable: ...

    @abstractmethod
    def _errors(self) -> tuple[type[Exception], ...]:
        """What the library raises for what is outside."""

    def close(self) -> None:
        if self._table is not None:
            self._table.close()
        self._table = None
        self._forget()

    def _forget(self) -> None:
        self._commit, self._rest = None, iter(())
        self._piece = self._staged = 0

    def poll(
        self, position: Mapping[str, Any] | None, outputs: Outputs, max_bytes: int
    ) -> Polled | Pending | None:
        if position != self._expected:  # what was handed out was given up
            self._forget()
            self._expected, self._scan_at = position, 0.0
        if monotonic() < self._scan_at and self._commit is None:
            if self._failure is not None:
                raise self._failure
            return None
        try:
            polled = self._polled(position, outputs, max_bytes)
        except Exception as error:
            self.close()
            self._scan_at = monotonic() + self._scan_s
            self._failure = self._explained(error)
            if self._failure is error:
                raise
            raise self._failure from None
        self._failure = None
        if isinstance(polled, Polled):
            self._expected = polled.position
        return polled

    def _explained(self, error: Exception) -> PtvcError:
        if isinstance(error, PtvcError):
            return error
        if isinstance(error, FileNotFoundError):
            return expired(self._what, f'a file ("{scrubbed(str(error), self._secrets)}")')
        if not isinstance(error, self._errors()):
            raise error
        text = scrubbed(str(error), self._secrets) or type(error).__name__
        return SourceStalled(f"cannot read {self._what}: {text}", hint="It is tried again by and by.")

    def _polled(
        self, position: Mapping[str, Any] | None, outputs: Outputs, max_bytes: int
    ) -> Polled | Pending | None:
        if self._commit is None:
            if self._table is None:
                self._table = self._opened()
            self._commit = self._table.next(position)
            if self._commit is None:
                self._scan_at = monotonic() + self._scan_s
                return None
            self._in_error = 0 if position is None else position.get(ERRORS)
            named = self._in_error is not None
            self._rest = changes(self._commit.removed, self._commit.added, self._schema, named=named)
        return self._part(self._commit, outputs, max_bytes)

    def _part(self, commit: Commit, outputs: Outputs, max_bytes: int) -> Polled | Pending:
        found: list[OutputChanges] = []
        nbytes, until = 0, monotonic() + WORK_S
        for part in self._rest:
            if part is not None:
                found.append(part)
                nbytes += rows_bytes(part.oks) + rows_bytes(part.errs)
            if nbytes >= max_bytes:
                return self._answer(commit, outputs, found, nbytes, complete=False)
            if monotonic() > until and not found:
                return Pending.PENDING
        return self._answer(commit, outputs, found, nbytes, complete=True)

    def _answer(
        self, commit: Commit, outputs: Outputs, found: list[OutputChanges], nbytes: int, *, complete: bool
    ) -> Polled:
        (id_,) = (id_ for id_, output in outputs.items() if not output.reference)
        self._staged += sum(len(part.oks) + len(part.errs) for part in found)
        self._piece += 1
        after = dict(commit.position)
        if self._in_error is not None:
            self._in_error += sum(int(part.errs.diffs.sum()) for part in found)
            after[ERRORS] = self._in_error
        known = {}
        if commit.contents:
            counts = [file.count or 0 for file in commit.added]
            known = {id_: self._staged if complete else max(sum(counts), self._staged + 1)}
        polled = Polled(
            {id_: self._joined(found)},
            after if complete else {**after, "piece": self._piece},
            at_end=complete and commit.at_end,
            lag_bytes=0 if complete and commit.at_end else None,
            nbytes=nbytes,
            complete=complete,
            snapshot=known,
            snapshot_staged={id_: self._staged} if known else {},
            offset_known=commit.offset_known,
            offset_committed=commit.offset_committed if complete else None,
        )
        if complete:
            self._forget()
        return polled

    def _joined(self, parts: Sequence[OutputChanges]) -> OutputChanges:
        return OutputChanges(
            together(self._schema, [part.oks for part in parts]),
            together(ERROR_SCHEMA, [part.errs for part in parts]),
        )
