"""Session variables: the values of settings in one session, for SET, SHOW and RESET, and what is reported to the client.

What settings there are, and which values they take, is in `coord.settings`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from ..errors import InvalidParameter, UndefinedObject, Unsupported
from ..expr.datetimes.zones import UTC_NAMES, Zone, find_zone
from .settings import SETTINGS, duration_ms, find_setting

_DEFAULTS = {setting.name: setting.default for setting in SETTINGS}
_REPORTED = {setting.name for setting in SETTINGS if setting.reported}
_OF_TRANSACTIONS = ("transaction_isolation", "transaction_read_only")
"""They last as long as a transaction, and begin with it."""
_NAMING = ("search_path", "role", "session_authorization", "cluster", "TimeZone")
_OF_ROLES = ("role", "session_authorization", "is_superuser")
"""Not of those that RESET ALL takes back."""


@dataclass(frozen=True, slots=True)
class VariablesState:
    """Values for the session, those of the transaction alone, and those from before the transaction."""

    values: dict[str, str]
    local: dict[str, str]
    before: dict[str, str | None]


class Variables:
    """One session's values.  Names are case-insensitive; `prefix.name` is anybody's to invent."""

    def __init__(self, initial: Mapping[str, str]) -> None:
        self._values = dict(_DEFAULTS)
        self._local: dict[str, str] = {}
        self._before: dict[str, str | None] = {}  # what the transaction has changed
        self._changed: list[tuple[str, str]] = []
        for name, value in initial.items():
            self._values[_canonical(name)] = _checked(_canonical(name), value)
        self._start = dict(self._values)
        self._told = self.reported()

    def get(self, name: str) -> str:
        if name not in self._values:  # it is seldom spelled otherwise
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
        _check_not_fixed(name)
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
        return {name: self.get(name) for name in sorted(_REPORTED)}

    def pop_changes(self) -> list[tuple[str, str]]:
        changes, self._changed = self._changed, []
        return changes

    @property
    def naming(self) -> tuple[str, ...]:
        """The values that say what a statement means, apart from the catalog."""
        return tuple(map(self.get, _NAMING))

    @property
    def search_path(self) -> tuple[str, ...]:
        return _path(self.get("search_path"))

    @property
    def zone(self) -> Zone | None:
        """What text of instants is in; None: UTC."""
        name = self.get("TimeZone")
        return None if name in UTC_NAMES else find_zone(name)

    @property
    def statement_timeout_ms(self) -> int:
        return duration_ms(self.get("statement_timeout"))

    def _report(self, name: str) -> None:
        if name in _REPORTED and self.get(name) != self._told.get(name):
            self._told[name] = self.get(name)
            self._changed.append((name, self.get(name)))


@lru_cache(256)
def _path(text: str) -> tuple[str, ...]:
    return tuple(part for part in split_identifiers(text) if part)


def split_identifiers(text: str) -> list[str]:
    """`a, "B c"` as PostgreSQL reads a list of identifiers: unquoted ones in lower case."""
    parts = re.findall(r'"((?:[^"]|"")*)"|([^,"\s][^,"]*)', text)
    return [quoted.replace('""', '"') if quoted else plain.strip().lower() for quoted, plain in parts]


def _canonical(name: str) -> str:
    if (setting := find_setting(name)) is not None:
        return setting.name
    if "." in name:
        return name.lower()
    raise UndefinedObject(f'unrecognized configuration parameter "{name}"')


def _checked(name: str, value: str) -> str:
    setting = find_setting(name)
    return value if setting is None else setting.canonical(value)


def _check_not_fixed(name: str) -> None:
    setting = find_setting(name)
    if setting is not None and setting.fixed:
        raise InvalidParameter(f'parameter "{name}" cannot be changed', sqlstate="55P02")


def checked_setting(name: str, value: str | None) -> tuple[str, str]:
    """A setting's own spelling, and the value as sessions of a role may begin with; raises where SET would."""
    name = _canonical(name)
    _check_not_fixed(name)
    if name in _OF_ROLES:
        raise InvalidParameter(f'parameter "{name}" cannot be changed', sqlstate="55P02")
    return name, "" if value is None else _checked(name, value)
