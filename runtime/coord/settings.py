"""The settings that sessions have: their names, types, defaults, and which of their values mean something here.

A `Setting` reads a value as PostgreSQL does and gives its canonical text, which is what SHOW says.  A value that PostgreSQL
does not know is error 22023.  One that PostgreSQL would act on and this runtime would not is refused (0A000).  Settings
whose values change nothing but PostgreSQL's way to an answer (its planner, its memory) take all of them.

Names are those of PostgreSQL 18, which clients and tools set when they begin, and a few of this runtime's own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import Final

from ..config import DEFAULT_CLUSTER, DEFAULT_SCHEMA, POSTGRES_VERSION, Settings
from ..errors import InvalidParameter, Unsupported
from ..expr.datetimes.datetime_input import InputError
from ..expr.datetimes.zones import session_zone
from ..expr.text.boolean_words import boolean_word

INT_MAX: Final = 2_147_483_647


@dataclass(frozen=True, slots=True)
class Setting:
    """Any text.  `fixed` ones cannot be set; clients hear of `reported` ones when they change."""

    name: str
    default: str
    description: str = ""
    fixed: bool = False
    reported: bool = False

    vartype = "string"

    def canonical(self, text: str) -> str:
        """What SHOW says once `text` is set; InvalidParameter or Unsupported if it cannot be."""
        return text

    def _invalid(self, text: str, hint: str | None = None) -> InvalidParameter:
        return InvalidParameter(f'invalid value for parameter "{self.name}": "{text}"', hint=hint)

    def _unsupported(self, shown: str, hint: str) -> Unsupported:
        return Unsupported(f'"{shown}" is not supported as a value of "{self.name}"', hint=hint)


@dataclass(frozen=True, slots=True)
class Switch(Setting):
    """on or off; `only` the one of them that is supported."""

    only: str | None = None

    vartype = "bool"

    def canonical(self, text: str) -> str:
        found = _switched(text)
        if found is None:
            raise InvalidParameter(f'parameter "{self.name}" requires a Boolean value')
        if self.only is not None and found != self.only:
            raise self._unsupported(found, f'It is always "{self.only}".')
        return found


@dataclass(frozen=True, slots=True)
class Choice(Setting):
    """One of `values`; `supported` are those that can be set, by default all."""

    values: tuple[str, ...] = ()
    supported: tuple[str, ...] | None = None

    vartype = "enum"

    def canonical(self, text: str) -> str:
        found = text.lower()
        if found not in self.values:
            found = _switched(text) or ""
        if found not in self.values:
            raise self._invalid(text, f"Available values: {', '.join(self.values)}.")
        if self.supported is not None and found not in self.supported:
            raise self._unsupported(found, f"Supported: {', '.join(self.supported)}.")
        return found


@dataclass(frozen=True, slots=True)
class Number(Setting):
    """A whole number of `unit` (None: a bare one); texts may have a unit of their own.  Below `supported_from` it is refused, and
    beyond `supported_to`."""

    least: int = 0
    most: int = INT_MAX
    unit: str | None = None
    supported_from: int | None = None
    supported_to: int | None = None

    vartype = "integer"

    def canonical(self, text: str) -> str:
        count = self.count(text)
        if not self.least <= count <= self.most:
            shown, unit = f"{count}", f" {self.unit}" if self.unit else ""
            raise InvalidParameter(
                f'{shown}{unit} is outside the valid range for parameter "{self.name}" '
                f"({self.least}{unit} .. {self.most}{unit})"
            )
        if self.supported_from is not None and count < self.supported_from:
            raise self._unsupported(str(count), f"Values from {self.supported_from} on are supported.")
        if self.supported_to is not None and count > self.supported_to:
            raise self._unsupported(str(count), f"Values up to {self.supported_to} are supported.")
        return self.shown(count)

    def count(self, text: str) -> int:
        """How many of the setting's unit: `90s` of milliseconds is 90000."""
        match = _NUMBER.fullmatch(text)
        if match is None:
            raise self._invalid(text, self._units_hint if self.unit else None)
        value = float(match[1])
        if math.isinf(value):
            raise self._invalid(text, "Value exceeds integer range.")
        if (unit := match[2]) is None:
            return round(value)
        if self.unit is None or unit not in (known := _units_beside(self.unit)):
            raise self._invalid(text, self._units_hint if self.unit else None)
        return round(value * known[unit] / known[self.unit])

    def shown(self, count: int) -> str:
        """In the greatest unit that divides it."""
        if self.unit is None or count <= 0:
            return str(count)
        units = _units_beside(self.unit)
        whole = count * units[self.unit]
        found = max((unit for unit, size in units.items() if whole % size == 0), key=units.__getitem__)
        return f"{int(whole // units[found])}{found}"

    @property
    def _units_hint(self) -> str:
        assert self.unit is not None
        *others, last = (f'"{unit}"' for unit in _units_beside(self.unit))
        return f"Valid units for this parameter are {', '.join(others)}, and {last}."


@dataclass(frozen=True, slots=True)
class Real(Setting):
    least: float = 0.0
    most: float = 1.797e308

    vartype = "real"

    def canonical(self, text: str) -> str:
        try:
            value = float(text)
        except ValueError:
            raise self._invalid(text) from None
        if not self.least <= value <= self.most:
            raise InvalidParameter(
                f'{text} is outside the valid range for parameter "{self.name}" ({self.least:g} .. {self.most:g})'
            )
        return f"{value:g}"


@dataclass(frozen=True, slots=True)
class TimeZoneSetting(Setting):
    def canonical(self, text: str) -> str:
        if text.upper() in ("Z", "0", "DEFAULT"):
            return "UTC"
        try:
            return session_zone(text)
        except InputError as error:
            if error.sqlstate == "0A000":
                raise Unsupported(
                    f'time zone "{text}" is not supported', hint="Use a name such as Europe/Vienna."
                ) from None
            raise self._invalid(text) from None


@dataclass(frozen=True, slots=True)
class DateStyleSetting(Setting):
    """Dates are always written as ISO.  The order of fields is kept and shown: dates whose meaning depends on it are refused."""

    def canonical(self, text: str) -> str:
        order = "MDY"
        for word in re.findall(r"[^,\s]+", text.lower()):
            if word in _DATE_STYLES:
                raise Unsupported(f'DateStyle "{text}" is not supported', hint="Dates are in ISO format.")
            if word not in _DATE_ORDERS and word not in ("iso", "default"):
                raise self._invalid(text)
            order = _DATE_ORDERS.get(word, order)
        return f"ISO, {order}"


@dataclass(frozen=True, slots=True)
class EncodingSetting(Setting):
    def canonical(self, text: str) -> str:
        found = re.sub("[^a-z0-9]", "", text.lower())
        if found in ("utf8", "unicode"):
            return "UTF8"
        if found == "sqlascii":  # no conversion: what is stored, which is UTF-8
            return "SQL_ASCII"
        if _ENCODINGS.fullmatch(found):
            raise Unsupported(f'client encoding "{text}" is not supported', hint="Use UTF8.")
        raise self._invalid(text)


def _switched(text: str) -> str | None:
    """on or off as PostgreSQL reads it."""
    found = boolean_word(text.strip())
    return None if found is None else "on" if found else "off"


_NUMBER = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([A-Za-z]+)?\s*")
_TIME_UNITS = {"us": 0.001, "ms": 1.0, "s": 1_000.0, "min": 60_000.0, "h": 3_600_000.0, "d": 86_400_000.0}
_SIZE_UNITS = {"B": 1.0, "kB": 1024.0, "MB": 1024.0**2, "GB": 1024.0**3, "TB": 1024.0**4}
_DATE_STYLES = frozenset({"sql", "postgres", "german"})
_DATE_ORDERS = {
    **dict.fromkeys(("mdy", "us", "noneuro", "noneuropean"), "MDY"),
    **dict.fromkeys(("dmy", "euro", "european"), "DMY"),
    "ymd": "YMD",
}
_ENCODINGS = re.compile(
    "abc|alt|big5|euc(jp|cn|kr|tw|jis2004)|gbk|gb18030|iso8859[5-8]|johab|koi8[ru]?|latin([1-9]|10)|muleinternal|mskanji|"
    "shiftjis(2004)?|sjis|tcvn(5712)?|uhc|vscii|win((dows)?(866|874|9(32|36|49|50)|125[0-8]))?"
)
"""PostgreSQL's, in lower case and without punctuation."""


def _units_beside(unit: str) -> dict[str, float]:
    return _TIME_UNITS if unit in _TIME_UNITS else _SIZE_UNITS


@lru_cache(256)
def duration_ms(text: str) -> int:
    """Milliseconds of a timeout's value: `10`, `10s`, `5 min`."""
    return _TIMEOUT.count(text)


_TIMEOUT = Number("statement_timeout", "0", "How long a statement may run.", unit="ms")
SEVERITIES = ("debug5", "debug4", "debug3", "debug2", "debug1", "log", "notice", "warning", "error")
_ISOLATION = ("serializable", "repeatable read", "read committed", "read uncommitted", "strict serializable")
"""All are the last one here."""


def _timeout(name: str, description: str) -> Number:
    return Number(name, "0", description, unit="ms")


def _switches(names: Iterable[str], default: str, description: str) -> list[Setting]:
    return [Switch(name, default, description) for name in names]


_OWN = (
    Setting("application_name", "", "The name that a client gives itself.", reported=True),
    EncodingSetting("client_encoding", "UTF8", "The client's character set.", reported=True),
    Choice("client_min_messages", "notice", "The least level of notices that are sent.", values=SEVERITIES),
    Setting("cluster", DEFAULT_CLUSTER, "Where queries run and new views are maintained."),
    DateStyleSetting("DateStyle", "ISO, MDY", "How dates are written and read.", reported=True),
    Choice(
        "default_transaction_isolation",
        "serializable",
        "The isolation level of new transactions: all are as strict as the first.",
        values=_ISOLATION,
    ),
    Switch("default_transaction_read_only", "off", "Whether new transactions are read-only.", reported=True),
    Number(
        "extra_float_digits",
        "1",
        "How many digits floats are written with: from 1 on, as many as tell them apart.",
        least=-15,
        most=3,
        supported_from=1,
    ),
    _timeout("idle_in_transaction_session_timeout", "How long a session may be idle in a transaction."),
    _timeout("idle_session_timeout", "How long a session may be idle outside of a transaction."),
    Switch("in_hot_standby", "off", fixed=True, reported=True),
    Switch("integer_datetimes", "on", fixed=True, reported=True),
    Choice(
        "IntervalStyle",
        "postgres",
        "How intervals are written and read.",
        reported=True,
        values=("postgres", "postgres_verbose", "sql_standard", "iso_8601"),
        supported=("postgres",),
    ),
    Switch("is_superuser", "on", "Whether the current role is a superuser.", fixed=True, reported=True),
    Number("max_identifier_length", "63", "The longest name.", fixed=True),
    Setting("ptvc_version", version("dbt-ptvc"), "The version of the runtime.", fixed=True, reported=True),
    Setting("role", "none", "The current role."),
    Setting("search_path", DEFAULT_SCHEMA, "The schemas in which names are looked for."),
    Setting("server_encoding", "UTF8", fixed=True, reported=True),
    Setting("server_version", POSTGRES_VERSION, fixed=True, reported=True),
    Number("server_version_num", "160004", fixed=True),
    Setting("session_authorization", "", "The role that the session is of.", reported=True),
    Switch("standard_conforming_strings", "on", reported=True, only="on"),
    _TIMEOUT,
    TimeZoneSetting("TimeZone", "UTC", "The zone in which instants are written and read.", reported=True),
    Choice(
        "transaction_isolation",
        "serializable",
        "The isolation level of the transaction.",
        values=_ISOLATION,
    ),
    Switch("transaction_read_only", "off", "Whether the transaction is read-only."),
)
"""Those that the runtime acts on or tells of."""

_OF_SERVER: tuple[Setting, ...] = (
    Number(
        "authentication_timeout",
        "1min",
        "How long a client may take to begin a session.",
        unit="ms",
        fixed=True,
    ),
    Number("failed_login_delay", "500ms", "What wrong passwords cost, at first.", unit="ms", fixed=True),
    Number("http_max_connections", "500", "Connections to the HTTP port at once.", fixed=True),
    Number(
        "http_max_connections_per_address", "250", "Of these, of one address; 0 is any number.", fixed=True
    ),
    Number("max_connections", "500", "Client connections at once.", fixed=True),
    Number("max_connections_per_address", "0", "Of these, of one address; 0 is any number.", fixed=True),
    Number("max_opening_connections", "256", "Connections at once that have no session yet.", fixed=True),
    Number(
        "max_opening_connections_per_address", "128", "Of these, of one address; 0 is any number.", fixed=True
    ),
    Number(
        "superuser_reserved_connections", "3", "The last connections, which are for superusers.", fixed=True
    ),
    Setting("oidc_audience", "", "For whom tokens are to be.", fixed=True),
    Setting("oidc_authentication_claim", "sub", "What of a token names the role.", fixed=True),
    Setting("oidc_issuer", "", "The issuer of tokens that stand for passwords.", fixed=True),
)
"""Those of the environment that clients may want to know."""


def server_settings(settings: Settings) -> dict[str, str]:
    """The values of what sessions see of the environment's settings."""
    values: dict[str, str] = {}
    for setting in _OF_SERVER:
        given = getattr(settings, f"{setting.name}_ms", None)
        values[setting.name] = str(getattr(settings, setting.name) if given is None else given)
    return values


_REFUSED_IN_PART: tuple[Setting, ...] = (
    Switch("array_nulls", "on", only="on"),
    Choice("bytea_output", "hex", values=("escape", "hex"), supported=("hex",)),
    Switch("quote_all_identifiers", "off", only="off"),
    Switch("ssl", "off", fixed=True),
    Number("transaction_timeout", "0", unit="ms", supported_to=0),
    Switch("transform_null_equals", "off", only="off"),
    Choice("xmloption", "content", values=("content", "document")),
    *(Setting(name, "C") for name in ("lc_messages", "lc_monetary", "lc_numeric", "lc_time")),
)
"""Those of which some values would mean something."""

_WITHOUT_MEANING = (
    *_switches(
        (
            "check_function_bodies", "enable_async_append", "enable_bitmapscan", "enable_distinct_reordering",
            "enable_gathermerge", "enable_group_by_reordering", "enable_hashagg", "enable_hashjoin",
            "enable_incremental_sort", "enable_indexonlyscan", "enable_indexscan", "enable_material", "enable_memoize",
            "enable_mergejoin", "enable_nestloop", "enable_parallel_append", "enable_parallel_hash",
            "enable_partition_pruning", "enable_presorted_aggregate", "enable_self_join_elimination", "enable_seqscan",
            "enable_sort", "enable_tidscan", "escape_string_warning", "geqo", "jit", "jit_expressions",
            "jit_tuple_deforming", "parallel_leader_participation", "row_security", "synchronize_seqscans",
        ),
        "on",
        "Taken for compatibility; changes nothing.",
    ),
    *_switches(
        (
            "default_transaction_deferrable", "enable_partitionwise_aggregate", "enable_partitionwise_join",
            "exit_on_error", "lo_compat_privileges", "transaction_deferrable",
        ),
        "off",
        "Taken for compatibility; changes nothing.",
    ),
    Choice("backslash_quote", "safe_encoding", values=("safe_encoding", "on", "off")),
    Choice("constraint_exclusion", "partition", values=("partition", "on", "off")),
    Choice("debug_parallel_query", "off", values=("off", "on", "regress")),
    Choice("default_toast_compression", "pglz", values=("pglz", "lz4")),
    Choice("password_encryption", "scram-sha-256", values=("md5", "scram-sha-256"), supported=("scram-sha-256",)),
    Choice("plan_cache_mode", "auto", values=("auto", "force_generic_plan", "force_custom_plan")),
    Choice("session_replication_role", "origin", values=("origin", "replica", "local")),
    Choice("synchronous_commit", "on", values=("local", "remote_write", "remote_apply", "on", "off")),
    Choice("xmlbinary", "base64", values=("base64", "hex")),
    Number("block_size", "8192", fixed=True),
    Number("effective_cache_size", "4GB", least=1, unit="kB"),
    Number("effective_io_concurrency", "16", most=1000),
    Number("from_collapse_limit", "8", least=1),
    Number("geqo_threshold", "12", least=2),
    Number("gin_fuzzy_search_limit", "0"),
    Number("join_collapse_limit", "8", least=1),
    Number("log_min_duration_statement", "-1", least=-1, unit="ms"),
    Number("logical_decoding_work_mem", "64MB", least=64, unit="kB"),
    Number("maintenance_work_mem", "64MB", least=64, unit="kB"),
    Number("max_function_args", "100", fixed=True),
    Number("max_index_keys", "32", fixed=True),
    Number("max_parallel_maintenance_workers", "2", most=1024),
    Number("max_parallel_workers", "8", most=1024),
    Number("max_parallel_workers_per_gather", "2", most=1024),
    Number("max_stack_depth", "2MB", least=100, unit="kB"),
    Number("min_parallel_index_scan_size", "512kB", unit="kB"),
    Number("min_parallel_table_scan_size", "8MB", unit="kB"),
    Number("tcp_keepalives_count", "0"),
    Number("tcp_keepalives_idle", "0", unit="s"),
    Number("tcp_keepalives_interval", "0", unit="s"),
    Number("temp_buffers", "8MB", least=800, unit="kB"),
    Number("work_mem", "4MB", least=64, unit="kB"),
    Real("cpu_index_tuple_cost", "0.005"),
    Real("cpu_operator_cost", "0.0025"),
    Real("cpu_tuple_cost", "0.01"),
    Real("cursor_tuple_fraction", "0.1", most=1.0),
    Real("hash_mem_multiplier", "2", least=1.0, most=1000.0),
    Real("jit_above_cost", "100000", least=-1.0),
    Real("jit_inline_above_cost", "500000", least=-1.0),
    Real("jit_optimize_above_cost", "500000", least=-1.0),
    Real("parallel_setup_cost", "1000"),
    Real("parallel_tuple_cost", "0.1"),
    Real("random_page_cost", "4"),
    Real("recursive_worktable_factor", "10", least=0.001, most=1_000_000.0),
    Real("seq_page_cost", "1"),
    # Nothing here waits for another session's lock.
    _timeout("lock_timeout", "Taken for compatibility: no statement waits for a lock."),
    Setting("default_table_access_method", "heap"),
    Setting("default_tablespace", ""),
    Setting("default_text_search_config", "pg_catalog.simple"),
    Setting("temp_tablespaces", ""),
)  # fmt: skip
"""Those that change nothing of any answer."""

SETTINGS: Final = tuple(
    sorted(
        (*_OWN, *_OF_SERVER, *_REFUSED_IN_PART, *_WITHOUT_MEANING), key=lambda setting: setting.name.lower()
    )
)
_BY_NAME = {setting.name.lower(): setting for setting in SETTINGS}
_ALIASES = {
    "timezone": "TimeZone",
    "time zone": "TimeZone",
    "schema": "search_path",
    "names": "client_encoding",
}


def find_setting(name: str) -> Setting | None:
    """The setting of that name, whatever its case; None of one that clients may have made up (`prefix.name`)."""
    lower = name.lower()
    return _BY_NAME.get(_ALIASES.get(lower, lower).lower())
