"""Statements about secrets and connections: text to tree."""

from __future__ import annotations

from typing import Any

import pytest
from ptvc.errors import PtvcError, Unsupported
from ptvc.sql.parser.parse import parse
from ptvc.sql.syntax import ast
from ptvc.sql.syntax.connection_statements import (
    AlterConnectionStatement,
    AlterSecretStatement,
    CreateConnectionStatement,
    CreateSecretStatement,
    ValidateConnectionStatement,
)
from ptvc.sql.syntax.definition_statements import CommentStatement, DropStatement, RenameStatement
from ptvc.sql.syntax.privilege_statements import GrantStatement, OwnerStatement
from ptvc.sql.syntax.role_statements import DefaultPrivileges, Securable
from ptvc.sql.syntax.vocabulary import ObjectKind
from ptvc.storage.connections.options import ConnectionKind


def node(sql: str) -> Any:
    (statement,) = parse(sql)
    return statement.node


def options(text: str, kind: str = "KAFKA") -> list[tuple[str, Any]]:
    found = node(f"CREATE CONNECTION c TO {kind} ({text})")
    return [
        (option.name, option.value.parts if isinstance(option.value, ast.Name) else option.value)
        for option in found.options
    ]


def test_secrets() -> None:
    made = node("CREATE SECRET IF NOT EXISTS a.b AS 'x' || $1")
    assert isinstance(made, CreateSecretStatement)
    assert (made.name.parts, made.if_not_exists) == (("a", "b"), True)
    assert isinstance(made.value, ast.Operator)
    altered = node("ALTER SECRET IF EXISTS b AS decode('x', 'hex')")
    assert isinstance(altered, AlterSecretStatement)
    assert (altered.name.parts, altered.if_exists) == (("b",), True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("BROKER 'a:1'", [("BROKER", "a:1")]),
        ("brokers = ('a:1', 'b')", [("BROKERS", ("a:1", "b"))]),
        ("SECURITY PROTOCOL SASL_SSL", [("SECURITY PROTOCOL", "sasl_ssl")]),
        ("SASL MECHANISMS = SCRAM-SHA-256", [("SASL MECHANISMS", "scram-sha-256")]),
        ("SASL PASSWORD SECRET s", [("SASL PASSWORD", ("s",))]),
        ("SASL PASSWORD = SECRET a.s", [("SASL PASSWORD", ("a", "s"))]),
        ("SSL KEY SECRET k, SSL CERTIFICATE 'c'", [("SSL KEY", ("k",)), ("SSL CERTIFICATE", "c")]),
        ("SSL CERTIFICATE AUTHORITY SECRET x", [("SSL CERTIFICATE AUTHORITY", ("x",))]),
        ("SECRET ACCESS KEY SECRET s", [("SECRET ACCESS KEY", ("s",))]),
        ("SECRET ACCESS KEY = SECRET secret", [("SECRET ACCESS KEY", ("secret",))]),
        ("SESSION TOKEN SECRET t", [("SESSION TOKEN", ("t",))]),
        ("PORT 5432, USER u, USERNAME v", [("PORT", "5432"), ("USER", "u"), ("USERNAME", "v")]),
        ("SSL MODE", [("SSL MODE", None)]),
        ("NO SUCH THING = 'x'", [("NO SUCH THING", "x")]),
        ("NO SUCH THING SECRET x", [("NO SUCH THING", ("x",))]),
        ("PASSWORD secret", [("PASSWORD", "secret")]),
    ],
)
def test_options(text: str, expected: list[tuple[str, Any]]) -> None:
    assert options(text) == expected


def test_connections() -> None:
    made = node(
        "CREATE CONNECTION IF NOT EXISTS a.c FOR CONFLUENT SCHEMA REGISTRY (URL 'x') WITH (VALIDATE = false)"
    )
    assert isinstance(made, CreateConnectionStatement)
    assert (made.kind, made.validate, made.if_not_exists) == (
        ConnectionKind.CONFLUENT_SCHEMA_REGISTRY,
        False,
        True,
    )
    assert node("CREATE CONNECTION c TO AWS (REGION x)").validate is None
    assert node("CREATE CONNECTION c TO AWS (REGION x) WITH (VALIDATE)").validate is True
    altered = node(
        "ALTER CONNECTION c SET (HOST h, PORT 1), RESET (SSL KEY), DROP (SSL MODE) WITH (VALIDATE true)"
    )
    assert isinstance(altered, AlterConnectionStatement)
    assert [option.name for option in altered.set] == ["HOST", "PORT"]
    assert [option.name for option in altered.reset] == ["SSL KEY", "SSL MODE"]
    assert altered.validate is True
    assert node("VALIDATE CONNECTION a.c") == ValidateConnectionStatement(ast.Name(("a", "c"), 21))


def test_what_all_objects_have() -> None:
    for kind in (ObjectKind.SECRET, ObjectKind.CONNECTION):
        word = kind.value
        dropped = node(f"DROP {word} IF EXISTS a, b CASCADE")
        assert isinstance(dropped, DropStatement)
        assert (dropped.kind, dropped.cascade) == (kind, True)
        assert isinstance(node(f"ALTER {word} a RENAME TO b"), RenameStatement)
        assert isinstance(node(f"ALTER {word} a OWNER TO r"), OwnerStatement)
        assert isinstance(node(f"COMMENT ON {word} a IS 'x'"), CommentStatement)
        granted = node(f"GRANT USAGE ON {word} a, b TO r")
        assert isinstance(granted, GrantStatement)
        assert granted.kind is Securable(word.lower())
        everything = node(f"REVOKE ALL ON ALL {word}S IN SCHEMA s FROM r")
        assert (everything.kind, everything.in_schemas) == (Securable(word.lower()), True)
        later = node(f"ALTER DEFAULT PRIVILEGES IN SCHEMA s GRANT USAGE ON {word}S TO r")
        assert isinstance(later, DefaultPrivileges)
        assert later.kind is Securable(word.lower())


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE SECRET s",
        "CREATE CONNECTION c TO KAFKA",
        "CREATE CONNECTION c TO KAFKA ()",
        "CREATE CONNECTION c TO KAFKA (BROKER 'a' 'b')",
        "CREATE CONNECTION c TO KAFKA (BROKER =)",
        "CREATE CONNECTION c KAFKA (BROKER 'a')",
        "CREATE CONNECTION c TO KAFKA (BROKER 'a') WITH (SPEED = 1)",
        "CREATE CONNECTION c TO KAFKA (BROKER 'a') WITH (VALIDATE = 'x')",
        "ALTER CONNECTION c SET (A 1) RESET (B)",
        "VALIDATE SECRET s",
        "VALIDATE",
    ],
)
def test_what_is_misspelt(sql: str) -> None:
    with pytest.raises(PtvcError) as refused:
        parse(sql)
    assert refused.value.sqlstate == "42601"


def test_what_other_systems_connect_to() -> None:
    for kind in ("SSH TUNNEL", "SQL SERVER", "AWS PRIVATELINK", "GLUE"):
        with pytest.raises(Unsupported, match=f"connections to {kind} are not supported"):
            parse(f"CREATE CONNECTION c TO {kind} (HOST 'h')")
    with pytest.raises(PtvcError, match=r"^syntax error$"):
        parse("CREATE CONNECTION c TO NOWHERE (HOST 'h')")
