"""What a user gets wrong, and what the world does to files: a clear error that names the object and the remedy.

Nothing is lost, nothing stops beside what is wrong, and no traceback reaches a user.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from .conftest import running
from .runtime_process import Runtime

PROGRAMS = Path(sys.executable).parent
STATUS = "SELECT status, error FROM mz_internal.mz_{kind}_statuses WHERE name = '{name}'"


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with running() as runtime:
        yield runtime
        assert "Traceback" not in runtime.log()


def ptvc(*arguments: str | Path, text: str | None = None, code: int = 1) -> str:
    """What the command says, on both channels; it ends with `code`."""
    done = subprocess.run(
        [PROGRAMS / "ptvc", *map(str, arguments)],
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    said = done.stdout + done.stderr
    assert done.returncode == code, said
    assert "Traceback" not in said
    return said


def refused(runtime: Runtime, statement: str, sqlstate: str) -> str:
    """The error of a statement, as a client shows it."""
    with pytest.raises(psycopg.Error) as caught:
        runtime.run(statement)
    assert caught.value.sqlstate == sqlstate
    assert "Traceback" not in str(caught.value)
    return str(caught.value)


def wait_for_status(runtime: Runtime, kind: str, name: str, status: str) -> str:
    """The reason that is given for it."""
    query = STATUS.format(kind=kind, name=name)
    rows = runtime.eventually(lambda: [row for row in runtime.run(query) if row[0] == status])
    return str(rows[0][1])


def make_source(runtime: Runtime, name: str, options: str, columns: str = "id int NOT NULL, v int") -> None:
    runtime.run(f"CREATE SOURCE {name} ({columns}) FROM FILE {options}")


# -- files of a source --


@pytest.mark.slow
def test_a_malformed_line_names_file_and_line(runtime: Runtime, tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    file.write_text('{"id":1,"v":1}\n{"id":2,"v":\n{"id":3,"v":3}\n')
    make_source(runtime, "malformed", f"'{file}' FORMAT JSON")
    runtime.run("CREATE MATERIALIZED VIEW malformed_sum AS SELECT sum(v) AS total FROM malformed")
    runtime.eventually(lambda: runtime.run("SELECT records FROM mz_internal.mz_source_statistics") == [(3,)])
    for relation in ("malformed", "malformed_sum"):
        said = refused(runtime, f"SELECT * FROM {relation}", "22P02")
        assert 'source "malformed", file "lines.jsonl", line 2: invalid input syntax for type json' in said
        assert f'"public.{relation}"' in said
    runtime.run("DROP MATERIALIZED VIEW malformed_sum", "DROP SOURCE malformed")


@pytest.mark.slow
def test_a_wrong_type_is_gone_once_it_is_corrected(runtime: Runtime, tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    file.write_text('{"id":1,"v":1}\n{"id":2,"v":"two"}\n')
    make_source(runtime, "mistyped", f"'{file}' FORMAT JSON KEY (id) ENVELOPE UPSERT")
    statistics = "SELECT records FROM mz_internal.mz_source_statistics"
    runtime.eventually(lambda: runtime.run(statistics) == [(2,)])
    said = refused(runtime, "SELECT * FROM mistyped", "22P02")
    assert 'line 2: column "v": invalid input syntax for type integer: "two"' in said
    assert "corrected or deleted" in said
    assert "A record whose key" in said
    with file.open("a") as more:
        more.write('{"id":2,"v":2}\n')
    runtime.eventually(lambda: runtime.run(statistics) == [(3,)])
    assert runtime.rows("SELECT * FROM mistyped") == [(1, 1), (2, 2)]
    runtime.run("DROP SOURCE mistyped")


def test_a_file_that_vanishes_or_shrinks_stalls_its_source_alone(runtime: Runtime, tmp_path: Path) -> None:
    file = tmp_path / "lines.csv"
    content = "1,1\n2,2\n3,3\n"
    file.write_text(content)
    make_source(runtime, "fragile", f"'{tmp_path}' FORMAT CSV WITHOUT HEADER")
    rows = [(1, 1), (2, 2), (3, 3)]
    runtime.eventually(lambda: runtime.rows("SELECT * FROM fragile") == rows)

    file.rename(tmp_path / ".aside")
    said = wait_for_status(runtime, "source", "fragile", "stalled")
    assert 'file "lines.csv" has vanished' in said
    assert "Put it back" in said
    assert runtime.rows("SELECT * FROM fragile") == rows

    file.write_text(content[:6])
    runtime.eventually(
        lambda: "was truncated" in str(runtime.run(STATUS.format(kind="source", name="fragile")))
    )
    said = wait_for_status(runtime, "source", "fragile", "stalled")
    assert "12 bytes were read, 6 are there" in said
    assert "put the old content back" in said
    assert runtime.rows("SELECT * FROM fragile") == rows

    file.write_text(content + "4,4\n")
    runtime.eventually(lambda: runtime.rows("SELECT * FROM fragile") == [*rows, (4, 4)])
    wait_for_status(runtime, "source", "fragile", "running")
    runtime.run("DROP SOURCE fragile")


def test_a_path_that_is_not_there(runtime: Runtime, tmp_path: Path) -> None:
    make_source(runtime, "absent", f"'{tmp_path}/later.csv' FORMAT CSV WITHOUT HEADER")
    said = wait_for_status(runtime, "source", "absent", "stalled")
    assert f'"{tmp_path}/later.csv" does not exist' in said
    assert "Create it" in said
    (tmp_path / "later.csv").write_text("1,1\n")
    runtime.eventually(lambda: runtime.rows("SELECT * FROM absent") == [(1, 1)])
    runtime.run("DROP SOURCE absent")


def test_a_header_without_the_column(runtime: Runtime, tmp_path: Path) -> None:
    (tmp_path / "lines.csv").write_text("id,value\n1,1\n")
    make_source(runtime, "headed", f"'{tmp_path}' FORMAT CSV WITH HEADER")
    said = wait_for_status(runtime, "source", "headed", "stalled")
    assert 'file "lines.csv": the CSV header has no column "v"' in said
    assert "Correct the header" in said
    runtime.run("DROP SOURCE headed")


def test_a_sink_that_cannot_write(runtime: Runtime) -> None:
    runtime.run("CREATE TABLE written (a int)")
    runtime.run("CREATE SINK blocked FROM written INTO FILE '/proc/ptvc' FORMAT JSON ENVELOPE DEBEZIUM")
    said = wait_for_status(runtime, "sink", "blocked", "stalled")
    assert 'cannot write to "/proc/ptvc"' in said
    assert "directory that the server's user may write" in said
    runtime.run("INSERT INTO written VALUES (1)")
    assert runtime.run("SELECT * FROM written") == [(1,)]
    runtime.run("DROP SINK blocked", "DROP TABLE written")


# -- SQL --


@pytest.mark.parametrize(
    ("expression", "bad", "sqlstate", "message"),
    [
        ("a::int", "('zwei', 2)", "22P02", 'invalid input syntax for type integer: "zwei"'),
        ("10 / b", "('3', 0)", "22012", "division by zero"),
    ],
)
def test_an_error_in_a_view_lasts_as_long_as_its_row(
    runtime: Runtime, expression: str, bad: str, sqlstate: str, message: str
) -> None:
    runtime.run("CREATE TABLE fed (a text, b int)", "INSERT INTO fed VALUES ('1', 1), ('2', 2)")
    runtime.run(f"CREATE MATERIALIZED VIEW computed AS SELECT {expression} AS x FROM fed")
    runtime.run("CREATE MATERIALIZED VIEW beside AS SELECT count(*) AS n FROM fed")
    before = runtime.rows("SELECT x FROM computed")
    assert len(before) == 2
    runtime.run(f"INSERT INTO fed VALUES {bad}")
    said = refused(runtime, "SELECT x FROM computed", sqlstate)
    assert message in said
    assert 'The query reads "public.computed".' in said
    assert "corrected or deleted" in said
    assert "record" not in said
    assert runtime.run("SELECT n FROM beside") == [(3,)]
    runtime.run("DELETE FROM fed WHERE a = 'zwei' OR b = 0")
    assert runtime.rows("SELECT x FROM computed") == before
    runtime.run("DROP MATERIALIZED VIEW beside", "DROP MATERIALIZED VIEW computed", "DROP TABLE fed")


def test_the_sql_command_shows_where_an_error_is(runtime: Runtime) -> None:
    said = ptvc("sql", "--path", runtime.directory, "SELECT nope FROM (VALUES (1)) AS t (x)")
    assert 'error: column "nope" does not exist' in said
    assert "LINE 1: SELECT nope" in said
    assert "syntax error" in ptvc("sql", "--path", runtime.directory, "-", text="SELEC 1")


def test_the_sql_command_cuts_nothing(runtime: Runtime) -> None:
    long = "[bold]" + "x" * 300
    assert long in ptvc("sql", "--path", runtime.directory, f"SELECT '{long}' AS wide, 1 AS one", code=0)


# -- the command line --


@pytest.mark.slow
def test_a_port_in_use(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        for command in ("serve", "up"):
            said = ptvc(command, "--path", tmp_path / "environment", "--port", port)
            assert re.search(rf"error: .*{port}.*in use", said), said
            assert "hint: " in said


def test_a_directory_that_is_a_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("precious")
    for command in ("serve", "up", "down", "status"):
        said = ptvc(command, "--path", file)
        assert f'cannot use "{file}" as the directory of an environment: it is a file' in said
        assert "Name a directory" in said
    assert file.read_text() == "precious"


def test_a_directory_that_cannot_be_written() -> None:
    for command in ("serve", "up"):
        said = ptvc(command, "--path", "/proc/ptvc-environment")
        assert 'cannot use "/proc/ptvc-environment"' in said
        assert "Name a directory that you may write" in said


def test_a_second_runtime_on_one_directory(runtime: Runtime) -> None:
    said = ptvc("serve", "--path", runtime.directory, "--port", "0")
    assert "is served by another runtime already" in said
    assert f"port {runtime.port}" in said
    assert f"ptvc down --path {runtime.directory}" in said
    assert runtime.run("SELECT 1") == [(1,)]


@pytest.mark.slow
def test_a_store_that_cannot_be_read(tmp_path: Path) -> None:
    store = tmp_path / "consensus.sqlite"
    store.write_bytes(b"this is no database" * 500)
    for command in ("serve", "up"):
        said = ptvc(command, "--path", tmp_path)
        assert f'could not open "{store}": file is not a database' in said
        assert "Restore the file from a backup." in said
    assert store.read_bytes() == b"this is no database" * 500


@pytest.mark.slow(ordinary=4)
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["serve", "--pth", "x"], 2, "No such option: --pth"),
        (["srve"], 2, "No such command 'srve'"),
        (["serve", "--port", "abc"], 2, "Invalid value for '--port'"),
        (["up", "--set", "tick=3"], 1, 'unrecognized setting "tick=3"'),
        (["up", "--set", "tick_ms=soon"], 1, 'setting "tick_ms" takes a whole number'),
        (["up", "--port", "70000"], 2, "Invalid value for '--port'"),
        (["serve", "--host", "0.0.0.0"], 1, "refusing to listen on 0.0.0.0 without TLS"),
        (["sql", "SELECT 1"], 1, "Start it with: ptvc up"),
        (["status"], 1, "no runtime serves"),
        (["down"], 0, "no runtime serves"),
    ],
)
def test_what_is_typed_wrong(tmp_path: Path, arguments: list[str], code: int, said: str) -> None:
    path = [] if code == 2 else ["--path", str(tmp_path / "environment")]
    assert said in ptvc(*arguments, *path, code=code)


# -- dbt --


@pytest.mark.slow
@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("{type: ptvc, schema: public}", "this one names neither"),
        ("{type: ptvc, schema: public, path: ./a, host: localhost}", "not both"),
        ("{type: ptvc, schema: public, path: /proc/ptvc-environment}", "cannot use"),
        ("{type: ptvc, schema: public, path: ./dbt_project.yml}", "is a file"),
        ("{type: ptvc, schema: public, host: 127.0.0.1, port: 1}", "no ptvc runtime answers at 127.0.0.1:1"),
    ],
)
def test_a_broken_profile(tmp_path: Path, output: str, said: str) -> None:
    (tmp_path / "dbt_project.yml").write_text(
        "name: broken\nversion: '1.0'\nprofile: broken\nflags: {send_anonymous_usage_stats: false}\n"
    )
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "one.sql").write_text("select 1 as x")
    (tmp_path / "profiles.yml").write_text(f"broken: {{target: t, outputs: {{t: {output}}}}}\n")
    done = subprocess.run(
        [PROGRAMS / "dbt", "--no-use-colors", "run", "--profiles-dir", "."],
        cwd=tmp_path,
        env={**os.environ},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    answered = " ".join((done.stdout + done.stderr).split())
    assert done.returncode != 0, answered
    assert said in answered
    assert "Traceback" not in answered
    shutil.rmtree(tmp_path)
