"""SHOW lists objects of every kind; SHOW CREATE gives a text that makes an object of the same text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, rows, running
from slt.script import parse as parse_script

SLT = Path(__file__).parent.parent.parent / "slt"


Db = psycopg.Connection[tuple[Any, ...]]

_KINDS = {
    "table": "TABLE",
    "view": "VIEW",
    "materialized-view": "MATERIALIZED VIEW",
    "source": "SOURCE",
    "sink": "SINK",
    "index": "INDEX",
}


def objects(db: Db, schema: str) -> list[tuple[str, str]]:
    """Kind and quoted name of what is in the schema, in the order of creation."""
    found = rows(
        db,
        "SELECT o.type, quote_ident(o.schema_name) || '.' || quote_ident(o.name) FROM mz_catalog.mz_objects o"
        " WHERE o.schema_name = %s ORDER BY substr(o.id, 2)::int",
        (schema,),
    )
    return [(_KINDS[kind], name) for kind, name in found]


def shape(db: Db, name: str) -> list[tuple[Any, ...]]:
    """What of a relation clients see, but for OIDs."""
    return rows(
        db,
        "SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid)"
        " FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum"
        " WHERE a.attrelid = %s::regclass AND a.attnum > 0 ORDER BY a.attnum",
        (name,),
    ) + rows(
        db,
        "SELECT conname, contype, conkey, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE conrelid = %s::regclass ORDER BY conname",
        (name,),
    )


def round_trip(db: Db, schema: str) -> int:
    """Every object, the last one first: what SHOW CREATE says, run where it was dropped, makes the same; their number."""
    found = objects(db, schema)
    for kind, name in reversed(found):
        ((_, text),) = rows(db, f"SHOW CREATE {kind} {name}")
        seen = shape(db, name) if kind != "SINK" else []
        rows(db, f"DROP {kind} {name}")
        rows(db, text)
        assert rows(db, f"SHOW CREATE {kind} {name}") == [(_unquoted(db, kind, name), text)]
        assert (shape(db, name) if kind != "SINK" else []) == seen, text
        rows(db, f"DROP {kind} {name}")
    return len(found)


def _unquoted(db: Db, kind: str, name: str) -> str:
    ((shown, _),) = rows(db, f"SHOW CREATE {kind} {name}")
    assert '"' in name or shown == name
    return str(shown)


DEFINITIONS = r"""
CREATE TABLE a (a int PRIMARY KEY, b text NOT NULL DEFAULT 'it''s', c numeric(12,3) DEFAULT 1.50, d numeric DEFAULT -0.5);
CREATE TABLE b ("Mixed Case" int, "select" text, "a""b" date DEFAULT '2024-02-29', "order" bool DEFAULT true NOT NULL);
CREATE TABLE "T 1" (a int UNIQUE, b int CONSTRAINT positive CHECK (b > 0 AND (a + b) < 100), UNIQUE NULLS NOT DISTINCT (a, b));
CREATE TABLE c (a int DEFAULT 1 + 2 * 3, b text DEFAULT upper('x') || 'y', c float8 DEFAULT '1e300', d float4 DEFAULT 'NaN', e bigint DEFAULT -9223372036854775808, f text DEFAULT NULL);
CREATE TABLE d (a interval DEFAULT '1 mon 2 days', b interval day to second, c interval(3), d time DEFAULT '12:00', e timestamptz DEFAULT '2024-01-01 00:00+02', f timestamp DEFAULT 'infinity');
CREATE TABLE e (a bytea DEFAULT '\xdead', b uuid DEFAULT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', c jsonb DEFAULT '{"a": [1, 2]}', d text[] DEFAULT '{a,"b c",NULL}', e int[] DEFAULT ARRAY[1, 2], f varchar(7) DEFAULT 'abc', g varchar[], h name DEFAULT 'n', i oid DEFAULT 7, j smallint DEFAULT 3, k real);
CREATE TABLE f (a text DEFAULT E'back\\slash\nand line', b text CHECK (b <> 'quo''te' AND b ~ '^\w+$'), c int CHECK ((c) > (1)), d text DEFAULT '$1 %s {}');
CREATE TABLE g (a int, b int, PRIMARY KEY (b, a), CONSTRAINT "Odd Name" UNIQUE (a));
CREATE TABLE h ();
CREATE TABLE i (a date DEFAULT current_date, b timestamptz DEFAULT current_timestamp, c timestamptz(3) DEFAULT current_timestamp(3), d time DEFAULT localtime, e timestamp DEFAULT localtimestamp(0), f text DEFAULT current_user, g name DEFAULT session_user, h text DEFAULT current_schema, i timestamp DEFAULT now(), j date DEFAULT current_timestamp::date + 1, k timestamp DEFAULT current_date - 1, l text DEFAULT current_database() || user, m uuid DEFAULT gen_random_uuid(), n int DEFAULT random() * 6);
CREATE VIEW v1 AS SELECT a, b FROM a WHERE c > 1;
CREATE VIEW v2 (x, "Y y") AS SELECT a, count(*) FROM a GROUP BY a;
CREATE VIEW "V 3" AS SELECT "Mixed Case" AS "select", 'it''s' AS t, $$dollar$$ AS u FROM b -- why
;
CREATE VIEW v4 AS WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r;
CREATE VIEW v5 AS VALUES (1, 'a'), (2, 'b');
CREATE MATERIALIZED VIEW m1 AS SELECT a, b FROM a;
CREATE MATERIALIZED VIEW m2 (k, n) IN CLUSTER "Other One" WITH (ASSERT NOT NULL n, RETAIN HISTORY FOR '90 s', ASSERT NOT NULL k) AS SELECT b, sum(a) FROM a GROUP BY b;
CREATE MATERIALIZED VIEW "M 3" IN CLUSTER quickstart AS SELECT * FROM "T 1" WHERE mz_now() < a;
CREATE INDEX i1 ON a (b);
CREATE INDEX "I 2" IN CLUSTER "Other One" ON "M 3" (a, b);
CREATE INDEX i3 ON a (lower(b), (a + 1), b || 'x', CASE WHEN a > 1 THEN b ELSE 'no' END, (a)::text);
CREATE INDEX i4 ON b (("select" || '(' || "select" || ')'), (("Mixed Case" + 1) * (2)));
CREATE DEFAULT INDEX ON v2;
CREATE INDEX i5 ON v1 (a) WITH (RETAIN HISTORY FOR '1 min');
CREATE SOURCE s1 FROM LOAD GENERATOR COUNTER (TICK INTERVAL '1s', MAX CARDINALITY 3);
CREATE SOURCE s2 IN CLUSTER "Other One" FROM LOAD GENERATOR COUNTER;
CREATE SOURCE s6 IN CLUSTER "Other One" FROM LOAD GENERATOR TPCH (SCALE FACTOR 0.0002, SEED 3, TICK INTERVAL '2s', AS OF 3, UP TO 9);
CREATE TABLE "T 7" FROM SOURCE s6 (REFERENCE tpch.orders) WITH (RETAIN HISTORY FOR '1 min');
CREATE SOURCE s7 FROM LOAD GENERATOR AUCTION;
CREATE TABLE "T 8" FROM SOURCE s7 (REFERENCE mz_progress);
CREATE SOURCE s9 FROM LOAD GENERATOR KEY VALUE (KEYS 6, PARTITIONS 2, BATCH SIZE 3, VALUE SIZE 4, SNAPSHOT ROUNDS 2, TRANSACTIONAL SNAPSHOT false) WITH (RETAIN HISTORY FOR '2 s');
CREATE SOURCE s10 FROM LOAD GENERATOR CLOCK;
CREATE SOURCE "S 3" ("a b" int NOT NULL, b text, c jsonb) FROM FILE '/tmp/it''s nowhere' FORMAT JSON KEY ("a b") ENVELOPE UPSERT;
CREATE SOURCE s4 (a int, b numeric(5,2)) FROM FILE '/tmp/nowhere' FORMAT CSV WITH (DELIMITER ';', HEADER false, PATTERN '*.csv');
CREATE SOURCE s5 (a int, b text, PRIMARY KEY (a)) FROM FILE '/tmp/nowhere' FORMAT PARQUET ENVELOPE UPSERT;
CREATE SINK k1 FROM m1 INTO FILE '{sinks}/k 1' FORMAT JSON KEY (a) ENVELOPE UPSERT;
CREATE SINK "K 2" IN CLUSTER "Other One" FROM "M 3" INTO FILE '{sinks}/k2' FORMAT PARQUET ENVELOPE DEBEZIUM
"""


@pytest.fixture(scope="module")
def sinks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where sinks write."""
    return tmp_path_factory.mktemp("sinks")


@contextmanager
def every_kind(sinks: Path) -> Iterator[InProcess]:
    """A runtime with an object of every kind in a schema with a name that needs quotes."""
    with running() as runtime:
        runtime.query("CREATE CLUSTER \"Other One\" (JOB MIN ROWS 7, MEMORY LIMIT '512MB')")
        runtime.query('CREATE SCHEMA "Some Where"')
        with runtime.connect() as db:
            db.execute('SET search_path = "Some Where"')
            for text in DEFINITIONS.strip().split(";\n"):
                db.execute(text.replace("{sinks}", str(sinks)))  # type: ignore[arg-type]
        yield runtime


@pytest.fixture(scope="module")
def full(sinks: Path) -> Iterator[tuple[InProcess, str]]:
    with every_kind(sinks) as runtime:
        yield runtime, "Some Where"


def test_every_definition_comes_back(full: tuple[InProcess, str], sinks: Path) -> None:
    runtime, schema = full
    with runtime.connect() as db:
        before = {name: rows(db, f"SHOW CREATE {kind} {name}")[0][1] for kind, name in objects(db, schema)}
    lines = {text.split("AS SELECT")[0] for text in before.values()}
    q = '"Some Where"'
    assert (
        f"CREATE TABLE {q}.a (a integer NOT NULL, b text NOT NULL DEFAULT 'it''s'::text, c numeric(12,3) "
        "DEFAULT 1.5, d numeric DEFAULT '-0.5'::numeric, CONSTRAINT a_pkey PRIMARY KEY (a))" in lines
    )
    assert f'CREATE VIEW {q}.v2 (x, "Y y") ' in lines
    assert (
        f'CREATE MATERIALIZED VIEW {q}.m2 (k, n) IN CLUSTER "Other One" WITH (ASSERT NOT NULL n, ASSERT NOT NULL k, '
        "RETAIN HISTORY FOR '90000ms') " in lines
    )
    assert f"CREATE INDEX i1 IN CLUSTER quickstart ON {q}.a (b)" in lines
    assert (
        f"CREATE SINK {q}.k1 IN CLUSTER quickstart FROM {q}.m1 INTO FILE '{sinks}/k 1' "
        "FORMAT JSON KEY (a) ENVELOPE UPSERT" in lines
    )


def test_lists(full: tuple[InProcess, str]) -> None:
    runtime, _ = full
    with runtime.connect(options='-c search_path="Some\\ Where"') as db:
        db.execute("CREATE TEMPORARY TABLE mine (a int)")
        assert rows(db, "SHOW CREATE TABLE mine")[0][1] == "CREATE TEMPORARY TABLE mine (a integer)"
        assert [name for (name,) in rows(db, "SHOW TABLES")] == sorted(
            ["T 1", "T 7", "T 8", *"abcdefghi", "mine"]
        )
        assert rows(db, "SHOW TABLES LIKE 'T%'") == [("T 1",), ("T 7",), ("T 8",)]
        assert rows(db, "SHOW TABLES WHERE name > 'f' AND name < 'i'") == [("g",), ("h",)]
        assert rows(db, "SHOW TABLES FROM public") == []
        assert rows(db, "SHOW VIEWS IN \"Some Where\" LIKE 'v_'") == [(f"v{n}",) for n in (1, 2, 4, 5)]
        views = [("M 3", "quickstart"), ("m1", "quickstart"), ("m2", "Other One")]
        assert rows(db, "SHOW MATERIALIZED VIEWS") == views
        assert rows(db, 'SHOW MATERIALIZED VIEWS IN CLUSTER "Other One"') == views[2:]
        assert (
            rows(db, "SHOW MATERIALIZED VIEWS FROM \"Some Where\" IN CLUSTER quickstart WHERE name ~ '^m'")
            == views[1:2]
        )
        assert [name for name, _ in rows(db, "SHOW SOURCES")] == [
            "S 3",
            *sorted(f"s{number}" for number in (1, 2, 4, 5, 6, 7, 9, 10)),
        ]
        assert rows(db, "SHOW SINKS") == [("K 2", "Other One"), ("k1", "quickstart")]
        assert rows(db, "SHOW INDEXES ON a") == [("i1", "a", "quickstart"), ("i3", "a", "quickstart")]
        assert [name for name, *_ in rows(db, "SHOW INDEXES")] == [
            "I 2",
            "i1",
            "i3",
            "i4",
            "i5",
            "v2_primary_idx",
        ]
        assert rows(db, "SHOW INDEXES WHERE \"on\" = 'M 3'") == [("I 2", "M 3", "Other One")]
        assert rows(db, "SHOW COLUMNS FROM m2") == [("k", False, "text"), ("n", False, "bigint")]
        assert rows(db, "SHOW COLUMNS FROM a WHERE type = 'text'") == [("b", False, "text")]
        assert rows(db, "SHOW COLUMNS IN pg_am LIKE 'am%'")[0] == ("amname", True, "name")
        assert rows(db, "SHOW CLUSTERS") == [("Other One", "1"), ("quickstart", "1")]
        assert rows(db, "SHOW CLUSTER REPLICAS WHERE cluster = 'quickstart'") == [
            ("quickstart", "r1", "1", True)
        ]
        assert ("Some Where",) in rows(db, "SHOW SCHEMAS")
        assert rows(db, "SHOW SCHEMAS LIKE 'Some%'") == [("Some Where",)]
        assert rows(db, "SHOW DATABASES") == [("ptvc",)]
        assert rows(db, "SHOW ROLES") == [("ptvc",)]
        assert ("jsonb",) in rows(db, "SHOW TYPES")
        assert ("K 2", "sink") in rows(db, "SHOW OBJECTS")
        for nothing in ("CONNECTIONS", "SECRETS", "JOBS"):
            assert rows(db, f"SHOW {nothing}") == []
        assert rows(db, "SHOW cluster") == [("quickstart",)]


def test_schemas_and_clusters(full: tuple[InProcess, str]) -> None:
    runtime, _ = full
    with runtime.connect() as db:
        ((name, text),) = rows(db, 'SHOW CREATE CLUSTER "Other One"')
        assert (name, text) == (
            "Other One",
            "CREATE CLUSTER \"Other One\" (JOB MIN ROWS 7, MEMORY LIMIT '536870912B')",
        )
        rows(db, text.replace("Other One", "Third"))
        ((_, again),) = rows(db, 'SHOW CREATE CLUSTER "Third"')
        assert again == text.replace("Other One", "Third")
        rows(db, 'DROP CLUSTER "Third"')
        plain = "CREATE CLUSTER quickstart ()"
        assert rows(db, "SHOW CREATE CLUSTER quickstart") == [("quickstart", plain)]
        assert rows(db, 'SHOW CREATE SCHEMA "Some Where"') == [("Some Where", 'CREATE SCHEMA "Some Where"')]


def test_names_are_those_of_now(full: tuple[InProcess, str]) -> None:
    """Renamed columns and objects, swapped ones, and defaults that were changed."""
    with full[0].connect() as db:
        db.execute("CREATE SCHEMA late")
        db.execute("SET search_path = late")
        db.execute("CREATE TABLE t (a int, b int CHECK (a > b))")
        db.execute("CREATE VIEW v AS SELECT a, b FROM t")
        db.execute("CREATE INDEX i ON t ((a - b))")
        db.execute("ALTER TABLE t RENAME COLUMN a TO c")
        db.execute("ALTER TABLE t RENAME COLUMN b TO a")
        db.execute("ALTER TABLE t RENAME COLUMN c TO b")
        db.execute("ALTER TABLE t RENAME TO u")
        db.execute("ALTER TABLE u ALTER COLUMN a SET DEFAULT 5 % 3")
        db.execute('ALTER VIEW v RENAME COLUMN a TO "X"')
        assert (
            rows(db, "SHOW CREATE INDEX i")[0][1]
            == "CREATE INDEX i IN CLUSTER quickstart ON late.u ((b - a))"
        )
        assert rows(db, "SHOW CREATE TABLE u")[0][1] == (
            "CREATE TABLE late.u (b integer, a integer DEFAULT 2, CONSTRAINT t_check CHECK (b > a))"
        )
        assert rows(db, "SHOW CREATE VIEW v")[0][1] == 'CREATE VIEW late.v ("X", b) AS SELECT a, b FROM t'
        db.execute("DROP VIEW v")
        assert round_trip(db, "late") == 2


@pytest.mark.slow
def test_round_trip(tmp_path: Path) -> None:
    with every_kind(tmp_path) as runtime, runtime.connect() as db:
        db.execute('SET search_path = "Some Where"')
        assert round_trip(db, "Some Where") == DEFINITIONS.count(";\n") + 1


def test_definitions_keep_comments(db: Db) -> None:
    """dbt finds the hash of a model in the definition of its object."""
    db.execute("CREATE SOURCE s /* dbt:hash=1 */ FROM LOAD GENERATOR COUNTER (TICK INTERVAL '1s')")
    db.execute("CREATE VIEW v AS SELECT /* dbt:hash=2 */ 1 AS a")
    found = rows(
        db,
        "SELECT d.definition LIKE '%%/* dbt:hash=' || (CASE o.name WHEN 's' THEN 1 ELSE 2 END) || ' */%%'"
        " FROM mz_internal.mz_definitions d JOIN mz_catalog.mz_objects o ON o.oid = d.oid"
        " WHERE o.schema_name = current_schema()",
    )
    assert found == [(True,), (True,)]


TYPES = [
    "smallint", "integer", "bigint", "real", "double precision", "numeric", "numeric(9,4)", "boolean", "text", "varchar",
    "varchar(3)", "name", "date", "time", "timestamp", "timestamptz", "interval", "interval year to month", "bytea", "uuid",
    "jsonb", "oid", "int[]", "text[]", "numeric[]", "timestamptz[]", "varchar(5)[]", '"char"',
]  # fmt: skip
DEFAULTS = ["1", "-7", "0", "2 + 2", "'3'", "NULL", "'1'::text", "abs(-4)"]
NAMES = [
    "a",
    "B",
    "with space",
    'qu"ote',
    "select",
    "\u00fcml\u00e4ut",
    "_x1",
    "1st",
    "user",
    "semi;colon",
    "it's",
]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@pytest.mark.parametrize("seed", range(6))
def test_random_tables_round_trip(runtime: InProcess, schema: str, seed: int) -> None:
    random = Random(seed)
    with runtime.connect(options=f"-c search_path={schema}") as db:
        for number in range(8):
            names = random.sample(NAMES, random.randint(1, 6))
            parts = []
            for name in names:
                part = f"{quoted(name)} {random.choice(TYPES)}"
                if random.random() < 0.4:
                    part += " NOT NULL"
                if random.random() < 0.5:
                    part += f" DEFAULT {random.choice(DEFAULTS)}"
                parts.append(part)
            if random.random() < 0.5:
                parts.append(f"CHECK ({quoted(names[0])} IS NOT NULL OR ({quoted(names[-1])}) IS NULL)")
            if random.random() < 0.5:
                parts.append(f"{random.choice(['UNIQUE', 'PRIMARY KEY'])} ({quoted(names[0])})")
            table = quoted(f"{random.choice(NAMES)} {number}")
            try:
                db.execute(f"CREATE TABLE {table} ({', '.join(parts)})")  # type: ignore[arg-type]
            except psycopg.Error:
                continue  # a default that is not of its column's type
        assert round_trip(db, schema) > 0


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(SLT.rglob("*.slt")), ids=lambda path: path.stem)
def test_what_the_other_tests_define_round_trips(runtime: InProcess, schema: str, path: Path) -> None:
    with runtime.connect(options=f"-c search_path={schema}") as db:
        for record in parse_script(path.read_text()):
            words = record.sql.split(None, 2)
            if (
                record.is_query
                or record.error is not None
                or not words
                or words[0].upper() not in ("CREATE", "ALTER")
            ):
                continue
            if record.runs_on("ptvc"):
                try:
                    db.execute(record.sql)  # type: ignore[arg-type]
                except psycopg.Error:
                    continue  # over something that was dropped meanwhile
        round_trip(db, schema)
