"""The functions that act on the server: their signatures, and where they may be called (`sql.statement.server_calls`)."""

from __future__ import annotations

from typing import Final

from ...errors import Unsupported

_KEYS = (("int8",), ("int4", "int4"))
_LOCKS = tuple(
    f"pg_{kind}lock{shared}" for kind in ("advisory_", "advisory_xact_") for shared in ("", "_shared")
)

SIGNATURES: Final[dict[str, tuple[tuple[tuple[str, ...], ...], str]]] = {
    "set_config": ((("text", "text", "bool"),), "text"),
    "pg_sleep": ((("float8",),), "text"),
    "pg_cancel_backend": ((("int4",),), "bool"),
    "pg_terminate_backend": ((("int4",), ("int4", "int8")), "bool"),
    **dict.fromkeys(_LOCKS, (_KEYS, "text")),
    **{name.replace("pg_", "pg_try_"): (_KEYS, "bool") for name in _LOCKS},
    "pg_advisory_unlock": (_KEYS, "bool"),
    "pg_advisory_unlock_shared": (_KEYS, "bool"),
    "pg_advisory_unlock_all": (((),), "text"),
}
"""By name: the types of the arguments, for each number of them, and of the result (PostgreSQL's void is an empty text)."""


def misplaced(name: str, position: int) -> Unsupported:
    return Unsupported(
        f"{name} is supported as an item of the select list of a SELECT statement only",
        hint=f"Run SELECT {name}(...) by itself.",
        position=position,
    )
