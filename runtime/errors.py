"""The one tree of errors that a user may see.

Every error names the object, the values and the remedy: a message (one sentence, no traceback), an SQLSTATE
(PostgreSQL's code, so that clients react as they do there), and optionally detail, hint and the 1-based
character position in the statement.  A lost race (`UpperMismatch`) is an outcome, not an error: see persist.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class About:
    """What an error is about, for clients that look at names rather than at the message."""

    schema: str
    table: str
    column: str | None = None
    constraint: str | None = None


class PtvcError(Exception):
    """Base of every error with a meaning to the user.  `sqlstate` is the class's code unless one is given."""

    sqlstate = "XX000"
    routine: str | None = None
    """The name of the function that raises it in PostgreSQL, where drivers look at that."""

    def __init__(
        self,
        message: str,
        *,
        sqlstate: str | None = None,
        detail: str | None = None,
        hint: str | None = None,
        position: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail
        self.hint = hint
        self.position = position
        self.about: About | None = None
        if sqlstate is not None:
            self.sqlstate = sqlstate

    def __str__(self) -> str:
        return self.message


class SqlSyntaxError(PtvcError):
    sqlstate = "42601"


class RedundantOption(SqlSyntaxError):
    """An option that a statement has more than once."""

    def __init__(self, name: str, *, position: int) -> None:
        shown = name.replace("_", " ").upper()
        super().__init__(
            "conflicting or redundant options",
            detail=f"Option {shown} is given more than once.",
            position=position,
        )


class Unsupported(PtvcError):
    """Valid in PostgreSQL or Materialize, refused here: never approximated."""

    sqlstate = "0A000"


class PlanChanged(Unsupported):
    """A prepared statement gives other columns now.  Drivers know it by the routine, and prepare it anew."""

    routine = "RevalidateCachedQuery"


class UndefinedTable(PtvcError):
    sqlstate = "42P01"


class DroppedMeanwhile(UndefinedTable):
    """What a planned query reads was dropped before it was read: by name, there may be a successor."""


class UndefinedColumn(PtvcError):
    sqlstate = "42703"


class UndefinedFunction(PtvcError):
    sqlstate = "42883"


class UndefinedObject(PtvcError):
    sqlstate = "42704"


class UndefinedSchema(PtvcError):
    sqlstate = "3F000"


class DuplicateObject(PtvcError):
    """42P07 for relations, 42710 for other objects, 42P06 for schemas: give `sqlstate`."""

    sqlstate = "42P07"


class AmbiguousColumn(PtvcError):
    sqlstate = "42702"


class DatatypeMismatch(PtvcError):
    sqlstate = "42804"


class GroupingError(PtvcError):
    sqlstate = "42803"


class WrongObjectType(PtvcError):
    sqlstate = "42809"


class PermissionDenied(PtvcError):
    sqlstate = "42501"


class ObjectInUse(PtvcError):
    sqlstate = "55006"


class DependentObjectsExist(PtvcError):
    sqlstate = "2BP01"


class InvalidParameter(PtvcError):
    sqlstate = "22023"


ROW_ERROR_HINT = (
    "The error comes from a row of what the query reads; it is gone once that row is corrected or deleted."
)

COLLECTION_ERROR_HINT = (
    f"{ROW_ERROR_HINT} "
    "A record whose key cannot be read, or of a source whose rows only come, stays in error until its source is dropped and "
    "created anew; a source WITH (ON ERROR = DEAD LETTER) sets such records aside."
)
"""For an error that is data: what a collection holds instead of a row."""


ENDED_TABLE = "55000"
"""SQLSTATE of an error that is data, and of no row: a table that takes nothing more from its source."""


class DataError(PtvcError):
    """A value that has no answer (division by zero, bad cast): the code comes with the value."""

    sqlstate = "22000"


class ConstraintViolation(PtvcError):
    """A row that a table may not have; `about` says which column's or constraint's rule it breaks."""

    def __init__(self, message: str, about: About, *, detail: str | None = None) -> None:
        super().__init__(message, detail=detail)
        self.about = about


class NotNullViolation(ConstraintViolation):
    sqlstate = "23502"


class UniqueViolation(ConstraintViolation):
    sqlstate = "23505"


class CheckViolation(ConstraintViolation):
    sqlstate = "23514"


class CardinalityViolation(PtvcError):
    """A statement would change a row twice."""

    sqlstate = "21000"


class SerializationFailure(PtvcError):
    """What a transaction read, or a key that it looked for, was written by somebody else meanwhile."""

    sqlstate = "40001"

    def __init__(self, hint: str = "Run the transaction again.", detail: str | None = None) -> None:
        super().__init__("could not serialize access due to concurrent update", detail=detail, hint=hint)


class AlteredMeanwhile(SerializationFailure):
    """What a statement was to write to was altered or dropped after it was planned."""


class QueryCanceled(PtvcError):
    sqlstate = "57014"


class InvalidTransactionState(PtvcError):
    sqlstate = "25000"


class ObjectNotReady(PtvcError):
    """A time outside `[since, upper)`, or a replica that is not there yet."""

    sqlstate = "55000"


class StorageError(PtvcError):
    """Bytes on disk that are not what was written: 58030, or XX001 for a failed checksum."""

    sqlstate = "58030"


class StoreAway(StorageError):
    """A store that cannot be reached now, or is too busy: the same may succeed later."""


class DiskFull(PtvcError):
    sqlstate = "53100"


class MemoryLimitExceeded(PtvcError):
    sqlstate = "53200"


class Fenced(PtvcError):
    """Another process has taken over (a newer epoch): this one must stop."""

    sqlstate = "57P02"


class ReplicaUnavailable(PtvcError):
    sqlstate = "57P03"


class ReplicaLost(ReplicaUnavailable):
    """It was there, and is being started again: what did nothing but read can be asked again."""


class UnexpectedRetraction(PtvcError):
    """A row goes from a collection that was taken to be append-only: what was computed on that ground cannot go on."""

    sqlstate = "XX000"


class InvalidUsage(PtvcError):
    """A caller broke a contract that a user can cause (an append beyond the upper, an unknown shard)."""

    sqlstate = "22023"
