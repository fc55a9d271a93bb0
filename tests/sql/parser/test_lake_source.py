"""CREATE SOURCE ... FROM ICEBERG CATALOG and FROM DELTA: text to tree."""

from __future__ import annotations

from typing import Any

import pytest
from ptvc.errors import PtvcError
from ptvc.sql.parser.parse import parse


def node(sql: str) -> Any:
    (statement,) = parse(sql)
    return statement.node


def test_all_that_may_stand_there() -> None:
    found = node(
        "CREATE SOURCE IF NOT EXISTS a.s (k int, v text) IN CLUSTER cl FROM ICEBERG CATALOG CONNECTION b.c (NAMESPACE = 'n', TABLE 't', "
        "SCAN INTERVAL '5s') USING AWS CONNECTION x.aws WHERE (k > 0) WITH (EXCLUDE COLUMNS (k), RETAIN HISTORY FOR '1h')"
    )
    clause = found.lake
    assert (clause.connection.parts, clause.files.parts) == (("b", "c"), ("x", "aws"))
    given = [(option.name, option.value) for option in clause.options]
    assert given == [("namespace", "n"), ("table", "t"), ("scan_interval", "5s")]
    assert [name.parts for name in found.excluded] == [("k",)]
    assert (found.where.text, found.retain_history_ms, found.envelope) == ("k > 0", 3_600_000, "none")
    delta = node("CREATE SOURCE s (k int) FROM DELTA (URI '/lake/t')").lake
    assert (delta.connection, delta.files) == (None, None)


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE SOURCE s (a int) FROM ICEBERG CATALOG (NAMESPACE 'n', TABLE 't')",
        "CREATE SOURCE s (a int) FROM ICEBERG CATALOG CONNECTION c",
        "CREATE SOURCE s (a int) FROM DELTA",
        "CREATE SOURCE s (a int) FROM DELTA (URI '/t') FORMAT PARQUET",
        "CREATE SOURCE s (a int) FROM DELTA (URI '/t') KEY (a) ENVELOPE UPSERT",
    ],
)
def test_what_is_no_statement(sql: str) -> None:
    with pytest.raises(PtvcError) as raised:
        parse(sql)
    assert raised.value.sqlstate == "42601"
