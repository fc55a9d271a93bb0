"""CREATE SINK ... INTO ICEBERG CATALOG and INTO DELTA: text to tree."""

from __future__ import annotations

from typing import Any

import pytest
from ptvc.errors import PtvcError
from ptvc.sql.parser.parse import parse

ICEBERG = "CREATE SINK s FROM v INTO ICEBERG CATALOG CONNECTION c"
DELTA = "CREATE SINK s FROM v INTO DELTA"


def node(sql: str) -> Any:
    (statement,) = parse(sql)
    return statement.node


def test_all_that_may_stand_there() -> None:
    found = node(
        f"{ICEBERG} (NAMESPACE = 'a.b', TABLE 't', PARTITION BY (bucket(16, k), days(at), v)) USING AWS CONNECTION x.aws "
        "KEY (k, at) NOT ENFORCED MODE UPSERT WITH (COMMIT INTERVAL = '10s')"
    )
    clause = found.outside
    assert (clause.connection.parts, clause.files.parts) == (("c",), ("x", "aws"))
    assert [(option.name, option.value) for option in clause.options[:2]] == [
        ("NAMESPACE", "a.b"),
        ("TABLE", "t"),
    ]
    fields = clause.options[2].value
    assert [(field.transform, field.argument, field.column.parts) for field in fields] == [
        ("bucket", 16, ("k",)),
        ("day", None, ("at",)),
        (None, None, ("v",)),
    ]
    assert [name.parts for name in found.key] == [("k",), ("at",)]
    assert (found.envelope, clause.commit_interval_ms) == ("upsert", 10_000)


def test_the_least() -> None:
    found = node(f"{DELTA} (URI '/lake/t') MODE APPEND")
    clause = found.outside
    assert (found.key, found.envelope, clause.files, clause.commit_interval_ms) == ((), "none", None, None)
    assert [(option.name, option.value) for option in clause.options] == [("URI", "/lake/t")]


@pytest.mark.parametrize(
    ("sql", "sqlstate", "message"),
    [
        (f"{ICEBERG} (TABLE 't') KEY (k)", "42601", "MODE clause is required"),
        (f"{ICEBERG} (TABLE 't') KEY (k) ENVELOPE UPSERT", "42601", "MODE clause is required"),
        (f"{ICEBERG} (TABLE 't') MODE MERGE", "0A000", "MODE MERGE is not supported"),
        (f"{ICEBERG} (URI 't') MODE APPEND", "42601", "unrecognized option of an Iceberg sink: URI"),
        (f"{DELTA} (TABLE 't') MODE APPEND", "42601", "unrecognized option of a Delta sink: TABLE"),
        (
            f"{DELTA} (URI 't') MODE APPEND WITH (SNAPSHOT = false)",
            "0A000",
            'option "snapshot" is not supported',
        ),
        (
            f"{DELTA} (URI 't') MODE APPEND WITH (COMMIT INTERVAL = '1ms')",
            "42601",
            "between a second and a day",
        ),
        (f"{ICEBERG} (PARTITION BY (md5(k))) MODE APPEND", "0A000", "PARTITION BY cannot take md5"),
        (
            f"{ICEBERG} (PARTITION BY (bucket(0, k))) MODE APPEND",
            "42601",
            "bucket takes a number of at least 1",
        ),
        (f"{ICEBERG} (PARTITION BY (bucket(k))) MODE APPEND", "42601", "bucket takes a number of at least 1"),
    ],
)
def test_what_is_refused(sql: str, sqlstate: str, message: str) -> None:
    with pytest.raises(PtvcError) as raised:
        parse(sql)
    assert raised.value.sqlstate == sqlstate
    assert message in raised.value.message
