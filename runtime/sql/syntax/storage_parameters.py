"""Storage parameters: `WITH (fillfactor = 70)`, which dumps, ORMs and pgbench write.

They say how PostgreSQL lays out a table's pages and when it vacuums them, never what a query answers.  There are no such
pages here, so they are read, checked as PostgreSQL 18 does, and forgotten.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TypeAlias

from ...errors import InvalidParameter, PtvcError, Unsupported
from ...expr.text.boolean_words import boolean_word

_INT_MAX = 2_147_483_647
_INTEGER = re.compile(r"[ \t\n\v\f\r]*([-+]?)(0[xX][0-9a-fA-F]+|[0-9]+)[ \t\n\v\f\r]*")
_NUMBER = re.compile(r"[ \t\n\v\f\r]*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?[ \t\n\v\f\r]*")
_INFINITE = re.compile(r"[ \t\n\v\f\r]*[-+]?inf(inity)?[ \t\n\v\f\r]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Switch:
    def check(self, name: str, text: str) -> None:
        if boolean_word(text) is None:
            raise InvalidParameter(f'invalid value for boolean option "{name}": {text}')


@dataclass(frozen=True, slots=True)
class _Choice:
    values: tuple[str, ...]

    def check(self, name: str, text: str) -> None:
        if text.lower() not in self.values:
            raise InvalidParameter(
                f'invalid value for enum option "{name}": {text}',
                detail='Valid values are "on", "off", and "auto".',
            )


@dataclass(frozen=True, slots=True)
class _Whole:
    least: int
    most: int = _INT_MAX

    def check(self, name: str, text: str) -> None:
        value = _whole_number(text)
        if value is None:
            raise InvalidParameter(f'invalid value for integer option "{name}": {text}')
        if not self.least <= value <= self.most:
            raise _out_of_bounds(name, text, f"{self.least}", f"{self.most}")


@dataclass(frozen=True, slots=True)
class _Real:
    most: float

    def check(self, name: str, text: str) -> None:
        if _NUMBER.fullmatch(text) is None and _INFINITE.fullmatch(text) is None:
            raise InvalidParameter(f'invalid value for floating point option "{name}": {text}')
        if not 0 <= float(text) <= self.most:
            raise _out_of_bounds(name, text, f"{0:f}", f"{self.most:f}")


def _whole_number(text: str) -> int | None:
    """As C reads it, with a leading 0 for octal; a fraction is rounded to the nearest, to even between two."""
    match = _INTEGER.fullmatch(text)
    if match is None:
        if _NUMBER.fullmatch(text) is None or not math.isfinite(value := float(text)):
            return None
        whole = round(value)
    else:
        sign, digits = match.groups()
        octal = len(digits) > 1 and digits[0] == "0" and digits[1] not in "xX"
        try:
            whole = int(digits, 8) if octal else int(digits, 0)
        except ValueError:  # an 8 or a 9 in an octal number
            return None
        whole = -whole if sign == "-" else whole
    return whole if -_INT_MAX - 1 <= whole <= _INT_MAX else None


def _out_of_bounds(name: str, text: str, least: str, most: str) -> InvalidParameter:
    return InvalidParameter(
        f'value {text} out of bounds for option "{name}"',
        detail=f'Valid values are between "{least}" and "{most}".',
    )


_Parameter: TypeAlias = _Switch | _Choice | _Whole | _Real

_AUTO = ("auto", "on", "off")
_VACUUM: dict[str, _Parameter] = {
    "autovacuum_enabled": _Switch(),
    "autovacuum_freeze_max_age": _Whole(100_000, 2_000_000_000),
    "autovacuum_freeze_min_age": _Whole(0, 1_000_000_000),
    "autovacuum_freeze_table_age": _Whole(0, 2_000_000_000),
    "autovacuum_multixact_freeze_max_age": _Whole(10_000, 2_000_000_000),
    "autovacuum_multixact_freeze_min_age": _Whole(0, 1_000_000_000),
    "autovacuum_multixact_freeze_table_age": _Whole(0, 2_000_000_000),
    "autovacuum_vacuum_cost_delay": _Real(100),
    "autovacuum_vacuum_cost_limit": _Whole(1, 10_000),
    "autovacuum_vacuum_insert_scale_factor": _Real(100),
    "autovacuum_vacuum_insert_threshold": _Whole(-1),
    "autovacuum_vacuum_max_threshold": _Whole(-1),
    "autovacuum_vacuum_scale_factor": _Real(100),
    "autovacuum_vacuum_threshold": _Whole(0),
    "log_autovacuum_min_duration": _Whole(-1),
    "vacuum_index_cleanup": _Choice((*_AUTO, "true", "false", "yes", "no", "1", "0")),
    "vacuum_max_eager_freeze_failure_rate": _Real(1),
    "vacuum_truncate": _Switch(),
}
"""Of a table and, as `toast.NAME`, of what PostgreSQL stores beside it."""

_FILL: dict[str, _Parameter] = {"fillfactor": _Whole(10, 100)}
_TABLE: dict[str, _Parameter] = {
    **_FILL,
    **_VACUUM,
    "autovacuum_analyze_scale_factor": _Real(100),
    "autovacuum_analyze_threshold": _Whole(0),
    "parallel_workers": _Whole(0, 1024),
    "toast_tuple_target": _Whole(128, 8160),
    "user_catalog_table": _Switch(),
}
_INDEX: dict[str, dict[str, _Parameter]] = {
    "arrangement": {},
    "brin": {"autosummarize": _Switch(), "pages_per_range": _Whole(1, 131_072)},
    "btree": {**_FILL, "deduplicate_items": _Switch()},
    "gin": {"fastupdate": _Switch(), "gin_pending_list_limit": _Whole(64)},
    "gist": {**_FILL, "buffering": _Choice(_AUTO)},
    "hash": _FILL,
    "spgist": _FILL,
}
"""By access method: PostgreSQL's, which are read and forgotten as well, and Materialize's only one."""


_HINT = "Options are RETAIN HISTORY FOR, and PostgreSQL's storage parameters, which change nothing here."


class StorageParameters:
    """Those of one definition, as they are read: `add` raises what PostgreSQL would."""

    def __init__(self, known: dict[str, _Parameter], toast: dict[str, _Parameter] | None = None) -> None:
        self._known = {"": known, **({} if toast is None else {"toast": toast})}
        self._toasted = toast is not None
        self._seen: set[tuple[str, str]] = set()

    @classmethod
    def of_table(cls) -> StorageParameters:
        """Materialized views have them too."""
        return cls(_TABLE, _VACUUM)

    @classmethod
    def of_index(cls, method: str) -> StorageParameters:
        if method not in _INDEX:
            raise PtvcError(f'access method "{method}" does not exist', sqlstate="42704")
        return cls(_INDEX[method])

    def add(self, namespace: str, name: str, value: str | None) -> None:
        """`value`: as written; of None, which is no value at all, PostgreSQL makes `true`."""
        text = "true" if value is None else value
        if namespace not in self._known:
            raise InvalidParameter(f'unrecognized parameter namespace "{namespace}"')
        if name == "oids" and not namespace and self._toasted:
            if boolean_word(text) is not False:
                raise Unsupported("tables declared WITH OIDS are not supported")
            return
        parameter = self._known[namespace].get(name)
        if parameter is None:
            raise InvalidParameter(f'unrecognized parameter "{name}"', hint=_HINT)
        if (namespace, name) in self._seen:
            raise InvalidParameter(f'parameter "{name}" specified more than once')
        self._seen.add((namespace, name))
        parameter.check(name, text)
