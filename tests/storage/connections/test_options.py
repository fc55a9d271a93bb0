"""Options: what each takes, which go together, and what is said of those that do not."""

from __future__ import annotations

import pytest
from ptvc.errors import PtvcError
from ptvc.storage.connections.options import (
    ALIASES,
    NAMES,
    OPTIONS,
    ConnectionKind,
    ConnectionOptions,
    SecretRef,
    Takes,
    Value,
    checked_value,
    host_and_port,
    known_option,
)
from servers.certificates import Authority

KAFKA, REGISTRY = ConnectionKind.KAFKA, ConnectionKind.CONFLUENT_SCHEMA_REGISTRY
POSTGRES, MYSQL, AWS = ConnectionKind.POSTGRES, ConnectionKind.MYSQL, ConnectionKind.AWS
CATALOG = ConnectionKind.ICEBERG_CATALOG
LOCAL: dict[str, Value] = {"CATALOG TYPE": "sql", "URL": "sqlite:////c.db", "WAREHOUSE": "file:///lake"}
SECRET = SecretRef("u1")


def checked(kind: ConnectionKind, name: str, value: Value | None) -> Value:
    return checked_value(known_option(kind, name, 1), value, 1)


@pytest.mark.parametrize(
    ("kind", "name", "given", "kept"),
    [
        (KAFKA, "BROKER", "a:1", ("a:1",)),
        (KAFKA, "BROKERS", ("a", "[::1]:2", "10.0.0.1:3"), ("a", "[::1]:2", "10.0.0.1:3")),
        (KAFKA, "SECURITY PROTOCOL", "sasl_ssl", "SASL_SSL"),
        (KAFKA, "SASL MECHANISMS", "scram_sha_512", "SCRAM-SHA-512"),
        (KAFKA, "SASL USERNAME", SECRET, SECRET),
        (KAFKA, "SSL KEY", SECRET, SECRET),
        (REGISTRY, "URL", "https://r.example:8081/api", "https://r.example:8081/api"),
        (POSTGRES, "HOST", "db.example", "db.example"),
        (POSTGRES, "HOST", "::1", "::1"),
        (POSTGRES, "SSL MODE", "verify_full", "verify-full"),
        (POSTGRES, "PORT", "6543", "6543"),
        (MYSQL, "SSL MODE", "VERIFY_IDENTITY", "verify-identity"),
        (AWS, "REGION", "eu-west-1", "eu-west-1"),
        (CATALOG, "CATALOG TYPE", "REST", "rest"),
        (CATALOG, "URL", "sqlite:////var/c.db", "sqlite:////var/c.db"),
        (CATALOG, "URL", "postgresql://ann@db:5433/c", "postgresql://ann@db:5433/c"),
    ],
)
def test_what_is_kept(kind: ConnectionKind, name: str, given: Value, kept: Value) -> None:
    assert checked(kind, name, given) == kept


@pytest.mark.parametrize(
    ("kind", "name", "given", "message"),
    [
        (KAFKA, "BROKERS", "a:1,b:2", 'BROKERS "a:1,b:2": it is not of the form host:port'),
        (KAFKA, "BROKER", "a:99999", "a port is a number from 1 to 65535"),
        (KAFKA, "BROKER", "a:", "a port is a number"),
        (KAFKA, "BROKER", "a\nsecurity.protocol=plaintext:1", "not of the form"),
        (KAFKA, "BROKER", SECRET, "takes a text, or several in parentheses, not a secret"),
        (CATALOG, "URL", "sqlite:///relative.db", "it is not of the form sqlite:////path"),
        (CATALOG, "URL", "postgresql://ann:pw@db/c", "the password does not stand in it"),
        (CATALOG, "URL", "postgresql://db/c", "it is not of the form postgresql://user@host/database"),
        (CATALOG, "URL", "thrift://hive", "it must begin with http:// or https://"),
        (CATALOG, "TOKEN", "text", "takes a secret, not a text"),
        (KAFKA, "SASL MECHANISMS", "GSSAPI", 'SASL MECHANISMS cannot be "GSSAPI"'),
        (KAFKA, "SASL USERNAME", ("a", "b"), "takes a text or a secret, not several"),
        (KAFKA, "SASL USERNAME", None, "takes a text or a secret"),
        (KAFKA, "SASL USERNAME", "", "it is empty"),
        (KAFKA, "SASL PASSWORD", "hunter2", "option SASL PASSWORD takes a secret, not a text"),
        (KAFKA, "SSL KEY", "hunter2", "option SSL KEY takes a secret, not a text"),
        (KAFKA, "SSL CERTIFICATE", "hunter2", "it is no certificate in PEM form"),
        (KAFKA, "PROGRESS TOPIC", "a b", "names of topics"),
        (KAFKA, "HOST", "a", "connections to KAFKA have no option HOST"),
        (REGISTRY, "URL", "ftp://x", "must begin with http"),
        (REGISTRY, "URL", "http://u:hunter2@x", "who one is does not stand in it"),
        (REGISTRY, "URL", "http://x/?a=b", "a query or a fragment"),
        (REGISTRY, "URL", "http://[::1", "it is no URL"),
        (REGISTRY, "URL", "http://", "it names no host"),
        (POSTGRES, "HOST", "/var/run", "it is no name of a host"),
        (POSTGRES, "HOST", "a,b", "it is no name of a host"),
        (POSTGRES, "PORT", "0", "a port is a number"),
        (POSTGRES, "DATABASE", "a\0b", "control characters"),
        (POSTGRES, "PASSWORD", "hunter2", "takes a secret, not a text"),
        (AWS, "SECRET ACCESS KEY", "hunter2", "takes a secret, not a text"),
        (AWS, "SESSION TOKEN", "hunter2", "takes a secret, not a text"),
    ],
)
def test_what_is_refused(kind: ConnectionKind, name: str, given: Value | None, message: str) -> None:
    with pytest.raises(PtvcError, match=name.split()[0]) as refused:
        checked(kind, name, given)
    assert message in refused.value.message
    if known := OPTIONS[kind].get(name):
        secret_belongs_there = known.takes in (Takes.SECRET, Takes.EITHER)
        assert not (secret_belongs_there and "hunter2" in f"{refused.value.message} {refused.value.hint}")


def test_every_key_and_password_takes_secrets_only() -> None:
    words = ("PASSWORD", "SSL KEY", "TOKEN", "SECRET ACCESS KEY")
    for options in OPTIONS.values():
        for name, option in options.items():
            if any(word in name for word in words):
                assert option.takes is Takes.SECRET, name


def test_longer_names_are_tried_first() -> None:
    assert list(NAMES) == sorted(NAMES, key=lambda name: (-len(name.split()), name))
    assert NAMES.index("SSL CERTIFICATE AUTHORITY") < NAMES.index("SSL CERTIFICATE")
    assert set(ALIASES) < set(NAMES)


BROKERS: dict[str, Value] = {"BROKERS": ("a:1",)}
SASL: dict[str, Value] = {
    "SASL MECHANISMS": "PLAIN",
    "SASL USERNAME": "u",
    "SASL PASSWORD": SECRET,
}
PG: dict[str, Value] = {"HOST": "h", "DATABASE": "d", "USER": "u"}
KEYS: dict[str, Value] = {"ACCESS KEY ID": "k", "SECRET ACCESS KEY": SECRET}
CERTIFICATE = Authority().certificate


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        (KAFKA, {}, "option BROKERS must be given"),
        (KAFKA, {**BROKERS, "SASL USERNAME": "u"}, "option SASL MECHANISMS must be given"),
        (KAFKA, {**BROKERS, **SASL, "SECURITY PROTOCOL": "SSL"}, "SASL MECHANISMS means nothing with"),
        (KAFKA, {**BROKERS, "SECURITY PROTOCOL": "SASL_SSL"}, "SASL MECHANISMS must be given"),
        (
            KAFKA,
            {**BROKERS, "SECURITY PROTOCOL": "PLAINTEXT", "SSL KEY": SECRET},
            "option SSL KEY means nothing with SECURITY PROTOCOL PLAINTEXT",
        ),
        (KAFKA, {**BROKERS, "SSL KEY": SECRET}, "option SSL KEY needs option SSL CERTIFICATE"),
        (KAFKA, {**BROKERS, "SSL CERTIFICATE": CERTIFICATE}, "SSL CERTIFICATE needs option SSL KEY"),
        (REGISTRY, {}, "option URL must be given"),
        (REGISTRY, {"URL": "http://x", "PASSWORD": SECRET}, "option USERNAME must be given"),
        (REGISTRY, {"URL": "http://x", "SSL CERTIFICATE AUTHORITY": CERTIFICATE}, "begins with http://"),
        (POSTGRES, {"HOST": "h", "USER": "u"}, "option DATABASE must be given"),
        (MYSQL, {"HOST": "h"}, "option USER must be given"),
        (
            MYSQL,
            {"HOST": "h", "USER": "u", "SSL MODE": "verify-ca"},
            "SSL CERTIFICATE AUTHORITY must be given",
        ),
        (
            MYSQL,
            {"HOST": "h", "USER": "u", "SSL CERTIFICATE": CERTIFICATE, "SSL KEY": SECRET},
            "SSL CERTIFICATE needs SSL MODE",
        ),
        (POSTGRES, {**PG, "SSL MODE": "verify-ca"}, "SSL CERTIFICATE AUTHORITY must be given"),
        (POSTGRES, {**PG, "SSL CERTIFICATE AUTHORITY": CERTIFICATE}, "needs SSL MODE verify-ca or"),
        (POSTGRES, {**PG, "SSL MODE": "disable", "SSL KEY": SECRET}, "SSL KEY means nothing with"),
        (AWS, {"ACCESS KEY ID": "k", "REGION": "r"}, "option SECRET ACCESS KEY must be given"),
        (AWS, KEYS, "option REGION must be given"),
        (CATALOG, {"URL": "http://x"}, "option CATALOG TYPE must be given"),
        (CATALOG, {"CATALOG TYPE": "rest", "URL": "sqlite:////x"}, "begins with http:// or https://"),
        (CATALOG, {"CATALOG TYPE": "sql", "URL": "http://x"}, "begins with sqlite:/// or postgresql://"),
        (CATALOG, {"CATALOG TYPE": "sql", "URL": "sqlite:////x"}, "option WAREHOUSE must be given"),
        (CATALOG, {**LOCAL, "WAREHOUSE": "/x"}, "begins with s3:// or file:///"),
        (
            CATALOG,
            {**LOCAL, "CREDENTIAL": SECRET},
            "CREDENTIAL means nothing with a URL that begins with sqlite:",
        ),
    ],
)
def test_what_does_not_go_together(kind: ConnectionKind, values: dict[str, Value], message: str) -> None:
    with pytest.raises(PtvcError) as refused:
        ConnectionOptions(kind, values).check()
    assert message in refused.value.message
    assert refused.value.sqlstate == "22023"


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (KAFKA, BROKERS),
        (KAFKA, {**BROKERS, **SASL}),
        (KAFKA, {**BROKERS, **SASL, "SECURITY PROTOCOL": "SASL_PLAINTEXT"}),
        (KAFKA, {**BROKERS, "SSL CERTIFICATE": CERTIFICATE, "SSL KEY": SECRET}),
        (REGISTRY, {"URL": "https://x", "USERNAME": "u", "PASSWORD": SECRET}),
        (POSTGRES, {**PG, "SSL MODE": "verify-full"}),
        (AWS, {**KEYS, "ENDPOINT": "http://127.0.0.1:1"}),
        (CATALOG, LOCAL),
        (CATALOG, {"CATALOG TYPE": "rest", "URL": "https://x", "CREDENTIAL": SECRET, "SCOPE": "s"}),
    ],
)
def test_what_goes_together(kind: ConnectionKind, values: dict[str, Value]) -> None:
    options = ConnectionOptions(kind, values)
    options.check()
    assert ConnectionOptions.from_json(options.to_json()) == options


def test_altered_options_are_checked_as_a_whole() -> None:
    options = ConnectionOptions(KAFKA, {**BROKERS, **SASL})
    assert options.secrets == ("u1",)
    again = options.altered({"SASL PASSWORD": SecretRef("u2"), "BROKERS": ("b:2",)}, ())
    assert again.secrets == ("u2",)
    assert again.values["BROKERS"] == ("b:2",)
    plain = options.altered({"SECURITY PROTOCOL": "SSL"}, tuple(SASL))
    assert plain.values == {"BROKERS": ("a:1",), "SECURITY PROTOCOL": "SSL"}
    with pytest.raises(PtvcError, match="SASL PASSWORD must be given"):
        options.altered({}, ("SASL PASSWORD",))


@pytest.mark.parametrize(
    ("broker", "expected"),
    [("a", ("a", 9092)), ("a:1", ("a", 1)), ("[::1]:2", ("::1", 2)), ("[::1]", ("::1", 9092))],
)
def test_hosts_and_ports(broker: str, expected: tuple[str, int]) -> None:
    assert host_and_port(broker) == expected
