"""An option that is given twice is refused wherever options stand, as PostgreSQL refuses it where it does; it takes the last of EXPLAIN's."""

from __future__ import annotations

import psycopg
import pytest
from ptvc.errors import PtvcError
from ptvc.sql.parser.parse import parse

KAFKA = "CREATE SOURCE s FROM KAFKA CONNECTION c (TOPIC 't')"
UPSTREAM = "CREATE SOURCE s FROM POSTGRES CONNECTION c"
SINK = "CREATE SINK s FROM v INTO"
TWICE = {
    "CREATE CLUSTER c (SIZE 2, SIZE 3)": "SIZE",
    "CREATE CLUSTER c (WORKERS 2, WORKERS 3)": "WORKERS",
    "CREATE CLUSTER c SIZE 2, SIZE = 3": "SIZE",
    "ALTER CLUSTER c SET (REPLICATION FACTOR 2, MEMORY LIMIT 5, REPLICATION FACTOR 2)": "REPLICATION FACTOR",
    "CREATE TABLE t (a int) WITH (RETAIN HISTORY FOR '1h', RETAIN HISTORY = FOR '2h')": "RETAIN HISTORY",
    "CREATE MATERIALIZED VIEW m WITH (REFRESH ON COMMIT, REFRESH = ON COMMIT) AS SELECT 1": "REFRESH",
    "CREATE INDEX i ON t (a) WITH (RETAIN HISTORY FOR '1h', RETAIN HISTORY FOR '1h')": "RETAIN HISTORY",
    "CREATE TABLE t FROM SOURCE s (REFERENCE r) WITH (TEXT COLUMNS (a), TEXT COLUMNS (b))": "TEXT COLUMNS",
    "CREATE TABLE t FROM SOURCE s (REFERENCE r) WITH (RETAIN ROWS FOR '1d' BY a, RETAIN ROWS FOR '2d' BY a)": "RETAIN ROWS",
    "CREATE SOURCE s FROM FILE '/f' FORMAT CSV WITH (DELIMITER ';', DELIMITED BY ',')": "DELIMITER",
    "CREATE SOURCE s FROM FILE '/f' FORMAT CSV WITH HEADER WITHOUT HEADER": "HEADER",
    "CREATE SOURCE s FROM FILE '/f' FORMAT JSON WITH (RETAIN HISTORY FOR '1h') WITH (RETAIN HISTORY '2h')": "RETAIN HISTORY",
    "CREATE SOURCE s FROM FILE '/f' FORMAT JSON WITH (ON ERROR = DEAD LETTER, ON ERROR DEAD LETTER)": "ON ERROR",
    "CREATE SOURCE s FROM FILE '/f' FORMAT JSON WITH (EXCLUDE COLUMNS (a), EXCLUDE COLUMNS (b))": "EXCLUDE COLUMNS",
    "CREATE SOURCE s FROM S3 CONNECTION c (URI 's3://a/b', URI 's3://a/c') FORMAT JSON": "URI",
    "CREATE SOURCE s FROM DELTA (URI '/a', URI '/b')": "URI",
    "CREATE SOURCE s FROM LOAD GENERATOR COUNTER (TICK INTERVAL '1s', TICK INTERVAL '2s')": "TICK INTERVAL",
    "CREATE SOURCE s FROM WEBHOOK BODY FORMAT JSON WITH (RETAIN HISTORY FOR '1h', RETAIN HISTORY '2h')": "RETAIN HISTORY",
    "CREATE SOURCE s FROM KAFKA CONNECTION c (TOPIC 't', TOPIC 'u') FORMAT TEXT": "TOPIC",
    f"{KAFKA} FORMAT TEXT WITH (RETAIN ROWS FOR '1d' BY a, RETAIN ROWS FOR '1d' BY a)": "RETAIN ROWS",
    f"{UPSTREAM} (PUBLICATION 'p', PUBLICATION 'q')": "PUBLICATION",
    f"{UPSTREAM} (PUBLICATION 'p', SNAPSHOT CONNECTIONS 2, SNAPSHOT CONNECTIONS 3)": "SNAPSHOT CONNECTIONS",
    f"{SINK} KAFKA CONNECTION c (TOPIC 't', TOPIC 't') FORMAT JSON ENVELOPE DEBEZIUM": "TOPIC",
    f"{SINK} POSTGRES CONNECTION c (TABLE a, TABLE b) ENVELOPE NONE": "TABLE",
    f"{SINK} POSTGRES CONNECTION c (TABLE a) ENVELOPE NONE WITH (SNAPSHOT, SNAPSHOT = false)": "SNAPSHOT",
    f"{SINK} DELTA (URI '/a', URI '/b') MODE APPEND": "URI",
    f"{SINK} DELTA (URI '/a') MODE APPEND WITH (COMMIT INTERVAL '1s', COMMIT INTERVAL '2s')": "COMMIT INTERVAL",
    "CREATE CONNECTION c TO POSTGRES (HOST 'a', HOST 'b')": "HOST",
    "CREATE CONNECTION c TO POSTGRES (HOST 'a') WITH (VALIDATE, VALIDATE = false)": "VALIDATE",
    "CREATE TYPE l AS LIST (ELEMENT TYPE = int, ELEMENT TYPE = text)": "ELEMENT TYPE",
    "SUBSCRIBE t WITH (PROGRESS, PROGRESS = false)": "PROGRESS",
    "COPY t TO '/d' WITH (FORMAT PARQUET, MAX FILE SIZE '1MB', MAX FILE SIZE '2MB')": "MAX FILE SIZE",
    "COPY t TO 's3://b/p' WITH (FORMAT PARQUET, AWS CONNECTION a, AWS CONNECTION b)": "AWS CONNECTION",
    "EXPLAIN PLAN WITH (ARITY, ARITY = false) FOR SELECT 1": "ARITY",
    "ALTER SOURCE s APPLY (FILTER, FILTER)": "FILTER",
    "SELECT max(a) FROM t OPTIONS (LIMIT INPUT GROUP SIZE = 1, LIMIT INPUT GROUP SIZE = 2)": "LIMIT INPUT GROUP SIZE",
}  # fmt: skip
AS_POSTGRESQL = [
    "COPY t TO STDOUT (FORMAT CSV, FORMAT CSV)",
    "COPY t TO STDOUT CSV HEADER HEADER",
    "COPY t TO STDOUT CSV BINARY",
    "COPY t TO STDOUT DELIMITER ',' DELIMITER ';'",
    "COPY t TO STDOUT CSV FORCE QUOTE * FORCE QUOTE *",
    "ALTER ROLE r LOGIN NOLOGIN",
    "ALTER ROLE r LOGIN LOGIN",
    "ALTER ROLE r PASSWORD 'a' PASSWORD 'b'",
    "ALTER ROLE r CONNECTION LIMIT -1 CONNECTION LIMIT -1",
    "ALTER ROLE r VALID UNTIL 'infinity' VALID UNTIL 'infinity'",
    "CREATE ROLE q LOGIN NOLOGIN",
    "CREATE ROLE q ROLE r ROLE r",
    "CREATE ROLE q ROLE r USER r",
    "CREATE ROLE q IN ROLE r IN GROUP r",
    "CREATE ROLE q ADMIN r ADMIN r",
    "CREATE USER q NOLOGIN NOLOGIN",
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql LANGUAGE sql AS 'select 1'",
    "CREATE FUNCTION f() RETURNS int IMMUTABLE STABLE LANGUAGE sql AS 'select 1'",
]
LAST_COUNTS = [
    "EXPLAIN (ANALYZE, ANALYZE FALSE) SELECT 1",
    "EXPLAIN (FORMAT JSON, FORMAT TEXT) SELECT 1",
    "GRANT r TO s WITH ADMIN TRUE, ADMIN FALSE",
    "CREATE USER q LOGIN",
    "CREATE ROLE q SYSID 1 SYSID 2",
]


def refusal(sql: str) -> PtvcError:
    with pytest.raises(PtvcError) as caught:
        parse(sql)
    return caught.value


@pytest.mark.parametrize("sql", TWICE)
def test_is_refused_by_its_name(sql: str) -> None:
    error = refusal(sql)
    assert (error.sqlstate, error.message) == ("42601", "conflicting or redundant options")
    assert error.detail == f"Option {TWICE[sql]} is given more than once."
    assert error.position is not None
    assert error.position > sql.index(TWICE[sql].split()[0].removesuffix("R")) + 1  # the second one


@pytest.mark.parametrize("sql", AS_POSTGRESQL)
def test_is_refused_where_postgresql_refuses_it(sql: str, oracle: psycopg.Connection) -> None:
    oracle.execute("CREATE TEMPORARY TABLE t (a int)")
    with pytest.raises(psycopg.errors.SyntaxError) as theirs:
        oracle.execute(sql)  # type: ignore[call-overload]
    error, diag = refusal(sql), theirs.value.diag
    assert (error.sqlstate, error.message) == (diag.sqlstate, diag.message_primary)
    assert str(error.position) == diag.statement_position


@pytest.mark.parametrize("sql", LAST_COUNTS)
def test_the_last_counts_where_it_does_in_postgresql(sql: str, oracle: psycopg.Connection) -> None:
    oracle.execute("BEGIN")
    oracle.execute("CREATE ROLE r")
    oracle.execute("CREATE ROLE s")
    oracle.execute(sql)  # type: ignore[call-overload]
    oracle.execute("ROLLBACK")
    parse(sql)
