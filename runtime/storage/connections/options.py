"""The options of connections: which there are of each kind, what they take, which go together.

A password, a key or a token is a secret always; a value is a text, several, or refers to a secret by its id.
"""

from __future__ import annotations

import enum
import re
import ssl
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from ...errors import InvalidParameter, PtvcError, SqlSyntaxError


class ConnectionKind(enum.Enum):
    """Under Materialize's names of them."""

    KAFKA = "kafka"
    CONFLUENT_SCHEMA_REGISTRY = "confluent-schema-registry"
    POSTGRES = "postgres"
    MYSQL = "mysql"
    AWS = "aws"
    ICEBERG_CATALOG = "iceberg-catalog"

    @property
    def words(self) -> str:
        """As a statement has it, behind TO."""
        return self.value.replace("-", " ").upper()

    @property
    def validated(self) -> bool:
        """Whether CREATE and ALTER CONNECTION connect unless they are told not to.  Keys of AWS can be good for one bucket only, and of
        that a connection knows nothing."""
        return self is not ConnectionKind.AWS


@dataclass(frozen=True, slots=True)
class SecretRef:
    """A value that is in a secret."""

    id: str


Value = str | tuple[str, ...] | SecretRef


class Takes(enum.Enum):
    TEXT = "a text"
    LIST = "a text, or several in parentheses"
    SECRET = "a secret"
    EITHER = "a text or a secret"


@dataclass(frozen=True, slots=True)
class Option:
    """`refuse` says what is wrong with a text, if anything is; `choices` are all that it may be, where they are few."""

    name: str
    takes: Takes
    choices: tuple[str, ...] = ()
    refuse: Callable[[str], str | None] = lambda text: None if text else "it is empty"


@dataclass(frozen=True, slots=True)
class ConnectionOptions:
    """`values` by the options' names."""

    kind: ConnectionKind
    values: Mapping[str, Value]

    @property
    def secrets(self) -> tuple[str, ...]:
        """The ids of the secrets, each once."""
        return self.secrets_of(self.values)

    @staticmethod
    def secrets_of(values: Mapping[str, Value]) -> tuple[str, ...]:
        return tuple(sorted({value.id for value in values.values() if isinstance(value, SecretRef)}))

    def altered(self, values: Mapping[str, Value], reset: Iterable[str]) -> ConnectionOptions:
        """With other values, and without those of `reset`; raises where they do not go together."""
        gone = set(reset)
        kept = {name: value for name, value in self.values.items() if name not in gone}
        altered = replace(self, values={**kept, **values})
        altered.check()
        return altered

    def check(self) -> None:
        """InvalidParameter for options that do not go together."""
        _CHECKS[self.kind](self.values)

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind.value,
            "values": {name: _value_to_json(value) for name, value in self.values.items()},
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ConnectionOptions:
        return cls(
            ConnectionKind(value["kind"]),
            {name: _value_from_json(found) for name, found in value["values"].items()},
        )


def _value_to_json(value: Value) -> Any:
    match value:
        case SecretRef(id=id_):
            return {"secret": id_}
        case tuple():
            return list(value)
        case str():
            return value


def _value_from_json(value: Any) -> Value:
    match value:
        case {"secret": id_}:
            return SecretRef(id_)
        case list():
            return tuple(value)
        case _:
            return str(value)


_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?"
_HOST = re.compile(rf"{_LABEL}(?:\.{_LABEL})*\.?|\[[0-9A-Fa-f:.]+\]")
_BARE_IPV6 = re.compile(r"[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
KAFKA_PORT, POSTGRES_PORT, MYSQL_PORT = 9092, 5432, 3306


def host_and_port(broker: str) -> tuple[str, int]:
    """Of `host`, `host:port` or `[address]:port`, that were checked."""
    host, separator, port = broker.rpartition(":")
    if not separator or "]" in port:
        host, port = broker, str(KAFKA_PORT)
    return host.strip("[]"), int(port)


def _broker(text: str) -> str | None:
    host, separator, port = text.rpartition(":")
    if not separator or "]" in port:
        host, port = text, str(KAFKA_PORT)
    if not _HOST.fullmatch(host):
        return "it is not of the form host:port"
    return _port(port)


def _host(text: str) -> str | None:
    if _HOST.fullmatch(text) or _BARE_IPV6.fullmatch(text):
        return None
    return "it is no name of a host, and no address"


def _port(text: str) -> str | None:
    if not text.isascii() or not text.isdecimal() or not 0 < int(text) < 65_536:
        return "a port is a number from 1 to 65535"
    return None


def _line(text: str) -> str | None:
    if not text:
        return "it is empty"
    return "it has control characters" if _CONTROL.search(text) else None


def topic_fault(text: str) -> str | None:
    """What is wrong with the text as the name of a topic."""
    if not re.fullmatch(r"[A-Za-z0-9._-]{1,249}", text) or text in (".", ".."):
        return "names of topics have letters, digits, dots, underscores and hyphens, 249 at most"
    return None


def _url(text: str) -> str | None:
    try:
        url = urlsplit(text)
        port = url.port
    except ValueError:
        return "it is no URL"
    if url.scheme not in ("http", "https"):
        return "it must begin with http:// or https://"
    if url.username is not None or url.password is not None:
        return "who one is does not stand in it: there are options for that"
    if not url.hostname or _host(url.hostname) is not None or port == 0 or _line(text) is not None:
        return "it names no host"
    if url.query or url.fragment:
        return "it has a query or a fragment"
    return None


def _catalog_url(text: str) -> str | None:
    """Of a server, or of a database: `sqlite:////path`, `postgresql://user@host/database`."""
    if text.startswith("sqlite:"):
        path = text.removeprefix("sqlite:///")
        return (
            None if path.startswith("/") and _line(text) is None else "it is not of the form sqlite:////path"
        )
    if not text.startswith("postgresql:"):
        return _url(text)
    try:
        url = urlsplit(text)
        if url.password is not None:
            return "the password does not stand in it: CREDENTIAL is a secret with it"
        fits = url.username and url.hostname and len(url.path) > 1 and not url.query and url.port != 0
    except ValueError:
        fits = False
    return None if fits and _line(text) is None else "it is not of the form postgresql://user@host/database"


def _certificates(text: str) -> str | None:
    """PEM, one or several."""
    blocks = re.findall(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", text, re.DOTALL)
    try:
        for block in blocks:
            ssl.PEM_cert_to_DER_cert(block)
    except ValueError:
        blocks = []
    return None if blocks else "it is no certificate in PEM form (-----BEGIN CERTIFICATE-----)"


_TLS = (
    Option("SSL CERTIFICATE AUTHORITY", Takes.EITHER, refuse=_certificates),
    Option("SSL CERTIFICATE", Takes.EITHER, refuse=_certificates),
    Option("SSL KEY", Takes.SECRET),
)

OPTIONS: Mapping[ConnectionKind, Mapping[str, Option]] = {
    kind: {option.name: option for option in options}
    for kind, options in {
        ConnectionKind.KAFKA: (
            Option("BROKERS", Takes.LIST, refuse=_broker),
            Option(
                "SECURITY PROTOCOL", Takes.TEXT, choices=("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
            ),
            Option("SASL MECHANISMS", Takes.TEXT, choices=("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")),
            Option("SASL USERNAME", Takes.EITHER, refuse=_line),
            Option("SASL PASSWORD", Takes.SECRET),
            *_TLS,
            Option("PROGRESS TOPIC", Takes.TEXT, refuse=topic_fault),
        ),
        ConnectionKind.CONFLUENT_SCHEMA_REGISTRY: (
            Option("URL", Takes.TEXT, refuse=_url),
            Option("USERNAME", Takes.EITHER, refuse=_line),
            Option("PASSWORD", Takes.SECRET),
            *_TLS,
        ),
        ConnectionKind.POSTGRES: (
            Option("HOST", Takes.TEXT, refuse=_host),
            Option("PORT", Takes.TEXT, refuse=_port),
            Option("DATABASE", Takes.TEXT, refuse=_line),
            Option("USER", Takes.EITHER, refuse=_line),
            Option("PASSWORD", Takes.SECRET),
            Option(
                "SSL MODE",
                Takes.TEXT,
                choices=("disable", "prefer", "require", "verify-ca", "verify-full"),
            ),
            *_TLS,
        ),
        ConnectionKind.MYSQL: (
            Option("HOST", Takes.TEXT, refuse=_host),
            Option("PORT", Takes.TEXT, refuse=_port),
            Option("USER", Takes.EITHER, refuse=_line),
            Option("PASSWORD", Takes.SECRET),
            Option(
                "SSL MODE",
                Takes.TEXT,
                choices=("disabled", "preferred", "required", "verify-ca", "verify-identity"),
            ),
            *_TLS,
        ),
        ConnectionKind.AWS: (
            Option("ENDPOINT", Takes.TEXT, refuse=_url),
            Option("REGION", Takes.TEXT, refuse=_host),
            Option("ACCESS KEY ID", Takes.EITHER, refuse=_line),
            Option("SECRET ACCESS KEY", Takes.SECRET),
            Option("SESSION TOKEN", Takes.SECRET),
        ),
        ConnectionKind.ICEBERG_CATALOG: (
            Option("CATALOG TYPE", Takes.TEXT, choices=("rest", "sql")),
            Option("URL", Takes.TEXT, refuse=_catalog_url),
            Option("WAREHOUSE", Takes.TEXT, refuse=_line),
            Option("CREDENTIAL", Takes.SECRET),
            Option("TOKEN", Takes.SECRET),
            Option("SCOPE", Takes.TEXT, refuse=_line),
        ),
    }.items()
}

ALIASES = {"BROKER": "BROKERS"}
"""Other names of options."""

NAMES: tuple[str, ...] = tuple(
    sorted(
        {*ALIASES, *(name for options in OPTIONS.values() for name in options)},
        key=lambda name: (-len(name.split()), name),
    )
)
"""Of all options of all kinds, those of more words first: `SSL CERTIFICATE AUTHORITY` is not `SSL CERTIFICATE`."""


def known_option(kind: ConnectionKind, name: str, position: int) -> Option:
    """42601 where connections of the kind have no such option."""
    option = OPTIONS[kind].get(ALIASES.get(name, name))
    if option is None:
        raise SqlSyntaxError(
            f"connections to {kind.words} have no option {name}",
            hint=f"Options are {', '.join(OPTIONS[kind])}.",
            position=position,
        )
    return option


def checked_value(option: Option, value: Value | None, position: int) -> Value:
    """The value as it is kept; an error names the option, and shows no text where a secret belongs."""
    name = option.name
    if value is None:
        raise SqlSyntaxError(f"option {name} takes {option.takes.value}", position=position)
    if isinstance(value, SecretRef):
        if option.takes not in (Takes.SECRET, Takes.EITHER):
            raise PtvcError(
                f"option {name} takes {option.takes.value}, not a secret", sqlstate="22023", position=position
            )
        return value
    if option.takes is Takes.SECRET:
        raise PtvcError(
            f"option {name} takes a secret, not a text",
            sqlstate="22023",
            hint=f"CREATE SECRET name AS '...' keeps it encrypted; then write {name} = SECRET name.",
            position=position,
        )
    texts = (value,) if isinstance(value, str) else value
    if option.takes is not Takes.LIST and not isinstance(value, str):
        raise PtvcError(
            f"option {name} takes {option.takes.value}, not several", sqlstate="22023", position=position
        )
    checked = tuple(_checked_text(option, text, position) for text in texts)
    return checked if option.takes is Takes.LIST else checked[0]


def _checked_text(option: Option, text: str, position: int) -> str:
    if option.choices:
        found = next((choice for choice in option.choices if _alike(choice, text)), None)
        if found is not None:
            return found
        raise PtvcError(
            f'option {option.name} cannot be "{text[:40]}"',
            sqlstate="22023",
            hint=f"It is one of {', '.join(option.choices)}.",
            position=position,
        )
    if (reason := option.refuse(text)) is not None:
        shown = "" if option.takes is Takes.EITHER else f' "{text[:200]}"'
        raise PtvcError(f"option {option.name}{shown}: {reason}", sqlstate="22023", position=position)
    return text


def _alike(choice: str, text: str) -> bool:
    return choice.lower().replace("_", "-") == text.lower().replace("_", "-")


# -- which go together --


def _required(values: Mapping[str, Value], *names: str) -> None:
    for name in names:
        if name not in values:
            raise InvalidParameter(f"option {name} must be given")


def _both(values: Mapping[str, Value], first: str, second: str) -> None:
    for given, other in ((first, second), (second, first)):
        if given in values and other not in values:
            raise InvalidParameter(f"option {given} needs option {other}")


def _without(values: Mapping[str, Value], prefix: str, why: str) -> None:
    for name in values:
        if name.startswith(prefix):
            raise InvalidParameter(f"option {name} means nothing {why}")


def security_protocol(values: Mapping[str, Value]) -> str:
    """That of a connection to Kafka: encrypted unless it says otherwise."""
    usual = "SASL_SSL" if any(name.startswith("SASL ") for name in values) else "SSL"
    return str(values.get("SECURITY PROTOCOL", usual))


def _check_kafka(values: Mapping[str, Value]) -> None:
    _required(values, "BROKERS")
    protocol = security_protocol(values)
    if protocol.startswith("SASL"):
        _required(values, "SASL MECHANISMS", "SASL USERNAME", "SASL PASSWORD")
    else:
        _without(values, "SASL ", f"with SECURITY PROTOCOL {protocol}")
    if protocol.endswith("PLAINTEXT"):
        _without(values, "SSL ", f"with SECURITY PROTOCOL {protocol}")
    _both(values, "SSL CERTIFICATE", "SSL KEY")


def _check_registry(values: Mapping[str, Value]) -> None:
    _required(values, "URL")
    if "PASSWORD" in values:
        _required(values, "USERNAME")
    if urlsplit(str(values["URL"])).scheme == "http":
        _without(values, "SSL ", "with a URL that begins with http://")
    _both(values, "SSL CERTIFICATE", "SSL KEY")


def _check_postgres(values: Mapping[str, Value]) -> None:
    _required(values, "HOST", "DATABASE", "USER")
    _check_ssl_mode(values, "prefer", "disable", ("verify-ca", "verify-full"))


def _check_mysql(values: Mapping[str, Value]) -> None:
    _required(values, "HOST", "USER")
    _check_ssl_mode(values, "preferred", "disabled", ("verify-ca", "verify-identity"))
    if "SSL CERTIFICATE" in values and values.get("SSL MODE", "preferred") == "preferred":
        raise InvalidParameter("option SSL CERTIFICATE needs SSL MODE required, verify-ca or verify-identity")


def _check_ssl_mode(values: Mapping[str, Value], usual: str, without: str, verified: tuple[str, str]) -> None:
    """`verified` are the modes in which certificates are looked at: against the authority that is named, and the system's, too."""
    mode = values.get("SSL MODE", usual)
    if mode == without:
        _without(
            {name: value for name, value in values.items() if name != "SSL MODE"},
            "SSL ",
            f"with SSL MODE {without}",
        )
    if mode == verified[0]:
        _required(values, "SSL CERTIFICATE AUTHORITY")
    if "SSL CERTIFICATE AUTHORITY" in values and mode not in verified:
        raise InvalidParameter(
            f"option SSL CERTIFICATE AUTHORITY needs SSL MODE {' or '.join(verified)}, not {mode}"
        )
    _both(values, "SSL CERTIFICATE", "SSL KEY")


def _check_aws(values: Mapping[str, Value]) -> None:
    _required(values, "ACCESS KEY ID", "SECRET ACCESS KEY")
    if "ENDPOINT" not in values:
        _required(values, "REGION")


def _check_catalog(values: Mapping[str, Value]) -> None:
    _required(values, "CATALOG TYPE", "URL")
    scheme = urlsplit(str(values["URL"])).scheme
    if values["CATALOG TYPE"] == "rest":
        if scheme not in ("http", "https"):
            raise InvalidParameter("a catalog of type rest has a URL that begins with http:// or https://")
        if "CREDENTIAL" in values and "TOKEN" in values:
            raise InvalidParameter("option CREDENTIAL means nothing with option TOKEN")
        return
    if scheme not in ("sqlite", "postgresql"):
        raise InvalidParameter("a catalog of type sql has a URL that begins with sqlite:/// or postgresql://")
    _required(values, "WAREHOUSE")
    if not re.match(r"file:///.|s3://.", str(values["WAREHOUSE"])):
        raise InvalidParameter(
            "a catalog of type sql has its tables in a WAREHOUSE that begins with s3:// or file:///"
        )
    for name in ("TOKEN", "SCOPE", *(("CREDENTIAL",) if scheme == "sqlite" else ())):
        _without(values, name, f"with a URL that begins with {scheme}:")


_CHECKS: Mapping[ConnectionKind, Callable[[Mapping[str, Value]], None]] = {
    ConnectionKind.KAFKA: _check_kafka,
    ConnectionKind.CONFLUENT_SCHEMA_REGISTRY: _check_registry,
    ConnectionKind.POSTGRES: _check_postgres,
    ConnectionKind.MYSQL: _check_mysql,
    ConnectionKind.AWS: _check_aws,
    ConnectionKind.ICEBERG_CATALOG: _check_catalog,
}
