"""Session variables: SET, SHOW, RESET, and what is reported to the client.

Clients set many that mean nothing here (`extra_float_digits`); those are kept and shown, as long as PostgreSQL knows them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version

from ..config import DEFAULT_CLUSTER, DEFAULT_SCHEMA, POSTGRES_VERSION
from ..errors import InvalidParameter, UndefinedObject, Unsupported
from ..expr.datetimes.datetime_input import InputError
from ..expr.datetimes.zones import UTC_NAMES, Zone, find_zone, session_zone

DEFAULTS: dict[str, str] = {
    "application_name": "",
    "client_encoding": "UTF8",
    "client_min_messages": "notice",
    "cluster": DEFAULT_CLUSTER,
    "DateStyle": "ISO, MDY",
    "default_transaction_isolation": "serializable",
    "default_transaction_read_only": "off",
    "extra_float_digits": "1",
    "idle_in_transaction_session_timeout": "0",
    "in_hot_standby": "off",
    "integer_datetimes": "on",
    "IntervalStyle": "postgres",
    "is_superuser": "on",
    "lock_timeout": "0",
    "max_identifier_length": "63",
    "ptvc_version": version("dbt-ptvc"),
    "role": "none",
    "row_security": "on",
    "search_path": DEFAULT_SCHEMA,
    "server_encoding": "UTF8",
    "server_version": POSTGRES_VERSION,
    "server_version_num": "160004",
    "session_authorization": "",
    "standard_conforming_strings": "on",
    "statement_timeout": "0",
    "synchronous_commit": "on",
    "TimeZone": "UTC",
    "transaction_isolation": "serializable",
    "transaction_read_only": "off",
}
REPORTED = (
    "application_name",
    "client_encoding",
    "DateStyle",
    "default_transaction_read_only",
    "in_hot_standby",
    "integer_datetimes",
    "IntervalStyle",
    "is_superuser",
    "ptvc_version",
    "server_encoding",
    "server_version",
    "session_authorization",
    "standard_conforming_strings",
    "TimeZone",
)
READ_ONLY = {
    "in_hot_standby",
    "integer_datetimes",
    "is_superuser",
    "max_identifier_length",
    "ptvc_version",
    "server_encoding",
    "server_version",
    "server_version_num",
}
BOOLEANS = {"default_transaction_read_only", "row_security", "transaction_read_only"}
_OF_TRANSACTIONS = ("transaction_isolation", "transaction_read_only")
"""They last as long as a transaction, and begin with it."""
_OF_ROLES = ("role", "session_authorization", "is_superuser")
"""Not of those that RESET ALL takes back."""
_BY_LOWER = {name.lower(): name for name in DEFAULTS}
_ALIASES = {"timezone": "TimeZone", "schema": "search_path", "names": "client_encoding"}
_DURATION = re.compile(r"\s*(\d+)\s*(us|ms|s|min|h|d)?\s*$")
_UNIT_MS = {"us": 0.001, "ms": 1, "s": 1_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}


@dataclass(frozen=True, slots=True)
class VariablesState:
    """Values for the session, those of the transaction alone, and those from before the transaction."""

    values: dict[str, str]
    local: dict[str, str]
    before: dict[str, str | None]


class Variables:
    """One session's values.  Names are case-insensitive; `prefix.name` is anybody's to invent."""

    def __init__(self, initial: Mapping[str, str]) -> None:
        self._values = dict(DEFAULTS)
        self._local: dict[str, str] = {}
        self._before: dict[str, str | None] = {}  # what the transaction has changed
        self._changed: list[tuple[str, str]] = []
        for name, value in initial.items():
            self._values[_canonical(name)] = _checked(_canonical(name), value)
        self._start = dict(self._values)

    def get(self, name: str) -> str:
        name = _canonical(name)
        if name in self._local:
            return self._local[name]
        try:
            return self._values[name]
        except KeyError:
            raise UndefinedObject(f'unrecognized configuration parameter "{name}"') from None

    def set(self, name: str, value: str | None, *, local: bool) -> None:
        """`value` None goes back to what the session began with; `local` lasts until the transaction ends."""
        name = _canonical(name)
        if name in READ_ONLY:
            raise InvalidParameter(f'parameter "{name}" cannot be changed', sqlstate="55P02")
        if name in _OF_TRANSACTIONS:
            if value is None:
                raise Unsupported(f'parameter "{name}" cannot be reset')
            local = True
        self._assign(name, value, local=local)

    @property
    def read_only(self) -> bool:
        """Whether the transaction is."""
        return self.get("transaction_read_only") == "on"

    def begin_transaction(self) -> None:
        """It is read-only if the session says that all are."""
        if self.get("default_transaction_read_only") == "on":
            self._assign("transaction_read_only", "on", local=True)

    def show_superuser(self, superuser: bool, *, local: bool) -> None:
        """Lets `is_superuser` say what the current role is."""
        self._assign("is_superuser", "on" if superuser else "off", local=local)

    def _assign(self, name: str, value: str | None, *, local: bool) -> None:
        if value is None:
            value = self._start.get(name, "")
        value = _checked(name, value)
        if not local:
            self._before.setdefault(name, self._values.get(name))
        (self._local if local else self._values)[name] = value
        if not local:
            self._local.pop(name, None)
        self._report(name)

    def state(self) -> VariablesState:
        """What a savepoint keeps."""
        return VariablesState(dict(self._values), dict(self._local), dict(self._before))

    def restore(self, state: VariablesState) -> None:
        """Everything as it was; what that changes is reported."""
        before = self.all()
        self._values, self._local, self._before = dict(state.values), dict(state.local), dict(state.before)
        now = self.all()
        for name in sorted(before.keys() | now.keys()):
            if before.get(name) != now.get(name):
                self._report(name)

    def end_transaction(self, *, committed: bool) -> None:
        """Local values go; without a commit, the others that were set are what they were before."""
        names = set(self._local)
        self._local = {}
        if not committed:
            names |= self._before.keys()
            for name, value in self._before.items():
                if value is None:
                    self._values.pop(name, None)
                else:
                    self._values[name] = value
        self._before = {}
        for name in sorted(names):
            self._report(name)

    def reset_all(self) -> None:
        self._local = {name: self._local[name] for name in _OF_TRANSACTIONS if name in self._local}
        for name in [n for n in self._values if self._values[n] != self._start.get(n)]:
            if name in _OF_ROLES:
                continue
            self._values[name] = self._start.get(name, "")
            self._report(name)

    def all(self) -> dict[str, str]:
        return {**self._values, **self._local}

    def reported(self) -> dict[str, str]:
        return {name: self.get(name) for name in REPORTED}

    def pop_changes(self) -> list[tuple[str, str]]:
        changes, self._changed = self._changed, []
        return changes

    @property
    def search_path(self) -> tuple[str, ...]:
        return _path(self.get("search_path"))

    @property
    def zone(self) -> Zone | None:
        """What text of instants is in; None: UTC."""
        name = self.get("TimeZone")
        return None if name in UTC_NAMES else find_zone(name)

    @property
    def statement_timeout_ms(self) -> float:
        return duration_ms(self.get("statement_timeout"))

    def _report(self, name: str) -> None:
        if name in REPORTED:
            self._changed.append((name, self.get(name)))


@lru_cache(256)
def _path(text: str) -> tuple[str, ...]:
    return tuple(part for part in split_identifiers(text) if part)


def split_identifiers(text: str) -> list[str]:
    """`a, "B c"` as PostgreSQL reads a list of identifiers: unquoted ones in lower case."""
    parts = re.findall(r'"((?:[^"]|"")*)"|([^,"\s][^,"]*)', text)
    return [quoted.replace('""', '"') if quoted else plain.strip().lower() for quoted, plain in parts]


@lru_cache(256)
def duration_ms(text: str) -> float:
    """`10`, `10s`, `5 min`; a bare number is milliseconds."""
    match = _DURATION.match(text)
    if match is None:
        raise InvalidParameter(
            f'invalid value for a duration: "{text}"',
            hint='Valid units are "us", "ms", "s", "min", "h", "d".',
        )
    return int(match[1]) * _UNIT_MS[match[2] or "ms"]


def _canonical(name: str) -> str:
    lower = name.lower()
    if lower in _ALIASES:
        return _ALIASES[lower]
    if lower in _BY_LOWER:
        return _BY_LOWER[lower]
    if "." in lower:
        return lower
    raise UndefinedObject(f'unrecognized configuration parameter "{name}"')


def checked_setting(name: str, value: str | None) -> tuple[str, str]:
    """A setting's own spelling, and the value as sessions of a role may begin with; raises where SET would."""
    name = _canonical(name)
    if name in READ_ONLY or name in _OF_ROLES:
        raise InvalidParameter(f'parameter "{name}" cannot be changed', sqlstate="55P02")
    return name, "" if value is None else _checked(name, value)


def _boolean(name: str, value: str) -> bool:
    """As PostgreSQL reads it: `on`, `off`, `1`, `0`, and what `true`, `false`, `yes` and `no` begin with."""
    word = value.lower()
    if word in ("on", "1") or (word and ("true".startswith(word) or "yes".startswith(word))):
        return True
    if word in ("of", "off", "0") or (word and ("false".startswith(word) or "no".startswith(word))):
        return False
    raise InvalidParameter(f'parameter "{name}" requires a Boolean value')


def _zone(value: str) -> str:
    try:
        return session_zone(value)
    except InputError as error:
        if error.sqlstate == "0A000":
            raise Unsupported(
                f'time zone "{value}" is not supported', hint="Use a name such as Europe/Vienna."
            ) from None
        raise InvalidParameter(f'invalid value for parameter "TimeZone": "{value}"') from None


def _checked(name: str, value: str) -> str:
    match name:
        case "TimeZone":
            return "UTC" if value.upper() in ("Z", "0", "DEFAULT") else _zone(value)
        case "client_encoding" if value.upper().replace("-", "") not in ("UTF8", "UNICODE", "SQL_ASCII"):
            raise Unsupported(f'client encoding "{value}" is not supported', hint="Use UTF8.")
        case "client_encoding":
            return "UTF8"
        case "DateStyle" if not value.upper().startswith("ISO"):
            raise Unsupported(f'DateStyle "{value}" is not supported', hint="Dates are in ISO format.")
        case "DateStyle":
            return DEFAULTS["DateStyle"]
        case "standard_conforming_strings" if value.lower() not in ("on", "true", "1", "yes"):
            raise Unsupported("standard_conforming_strings cannot be off")
        case _ if name in BOOLEANS:
            return "on" if _boolean(name, value) else "off"
        case "statement_timeout" | "lock_timeout" | "idle_in_transaction_session_timeout":
            duration_ms(value)
            return value
        case _:
            return value
