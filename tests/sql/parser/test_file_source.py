"""CREATE SOURCE ... FROM FILE and FROM S3, and COPY ... TO 'place': text to tree."""

from __future__ import annotations

from typing import Any

import pytest
from ptvc.errors import PtvcError
from ptvc.sql.parser.parse import parse
from ptvc.sql.syntax.vocabulary import CopyFormat


def node(sql: str) -> Any:
    (statement,) = parse(sql)
    return statement.node


def test_all_that_may_stand_behind_s3() -> None:
    found = node(
        "CREATE SOURCE IF NOT EXISTS a.s (id int, v text) IN CLUSTER cl FROM S3 CONNECTION b.c (URI = 's3://bucket/p', PATTERN '*.csv', "
        "SCAN INTERVAL = '1s') FORMAT CSV WITHOUT HEADER WITH (DELIMITER ';') KEY (id) ENVELOPE UPSERT WITH (RETAIN HISTORY FOR '1h')"
    )
    assert found.lists_columns
    assert (found.path, found.format, found.envelope) == (None, "csv", "upsert")
    assert found.s3.connection.parts == ("b", "c")
    assert [(option.name, option.value) for option in found.s3.options] == [
        ("uri", "s3://bucket/p"),
        ("pattern", "*.csv"),
        ("scan_interval", "1s"),
    ]
    assert [(option.name, option.value) for option in found.options] == [
        ("header", False),
        ("delimiter", ";"),
    ]
    assert [name.parts for name in found.key] == [("id",)]
    assert found.retain_history_ms == 3_600_000


def test_a_file_is_as_it_was() -> None:
    found = node(
        "CREATE SOURCE s (id int) FROM FILE '/x' FORMAT JSON DEAD LETTERS AS l WITH (ON ERROR = DEAD LETTER)"
    )
    assert (found.path, found.s3, found.format, found.lists_columns) == ("/x", None, "json", True)
    assert found.dead_letters.name.parts == ("l",)


def test_copy_to_a_place() -> None:
    found = node(
        "COPY (SELECT 1) TO 's3://b/p' WITH (FORMAT = 'csv', AWS CONNECTION = a.c, MAX FILE SIZE '2MB', HEADER = true, DELIMITER '|')"
    )
    assert (found.place.place, found.place.max_file_size) == ("s3://b/p", "2MB")
    assert found.place.connection.parts == ("a", "c")
    options = found.options
    assert (options.format, options.header, options.delimiter) == (CopyFormat.CSV, True, "|")
    plain = node("COPY t (a, b) TO '/d' WITH (FORMAT PARQUET)")
    assert (plain.table.parts, plain.place.connection, plain.options.format) == (
        ("t",),
        None,
        CopyFormat.PARQUET,
    )
    assert node("COPY t TO STDOUT (FORMAT CSV)").place is None


@pytest.mark.parametrize(
    ("sql", "sqlstate"),
    [
        ("CREATE SOURCE s (a int) FROM S3 (URI 's3://b') FORMAT CSV", "42601"),
        ("CREATE SOURCE s (a int) FROM S3 CONNECTION c FORMAT CSV", "42601"),
        ("CREATE SOURCE s (a int) FROM S3 CONNECTION c (URI 's3://b')", "42601"),
        ("CREATE SOURCE s (a int) FROM GCS CONNECTION c (URI 'gs://b') FORMAT CSV", "0A000"),
        ("COPY t FROM 's3://b/p' WITH (FORMAT CSV, AWS CONNECTION = c)", "0A000"),
        ("COPY t TO '/d' WITH (FORMAT CSV, AWS CONNECTION = c, AWS CONNECTION = d)", "42601"),
        ("COPY t TO STDOUT (FORMAT = csv)", "42601"),
        ("COPY t TO PROGRAM 'x'", "0A000"),
    ],
)
def test_refused(sql: str, sqlstate: str) -> None:
    with pytest.raises(PtvcError) as refused:
        parse(sql)
    assert refused.value.sqlstate == sqlstate
