"""Statements gone wrong: every one of the documents and of tests/slt cut at every token, its tokens doubled, dropped,
swapped and replaced.  Whatever comes of it is planned in bounded time or refused with a real SQLSTATE; typos are refused
with PostgreSQL's message at PostgreSQL's position."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from time import process_time

import psycopg
import pytest
from oracle import running_postgres
from ptvc.errors import PtvcError
from ptvc.sql.catalog.catalog_view import ItemKind, PlanContext
from ptvc.sql.parser import lexer
from ptvc.sql.parser.lexer import MAX_NAME, tokenize
from ptvc.sql.parser.parse import parse
from ptvc.sql.plan import describe, plan
from ptvc.sql.plans import definition_plans, query_plans
from slt.script import parse as parse_script

from .fake_catalog import CONTEXT, FakeCatalog, context_of, fake_catalog, planned

TESTS = Path(__file__).parent.parent
WORDS = ["select", "from", "where", "(", ")", ",", "*", "null", "1", "'x'", "1.5", "$1", "$2", "t", "a", "group", "by", "order", "limit", "as", "join", "on", "using", "union", "all", "values", "not", "in", "any", "array", "[", "]", "::", "int", "text", ".", ";", "-", "+", "=", "case", "when", "then", "else", "end", "over", "count(*)", "exists", "lateral", "with", "interval"]  # fmt: skip
LIMIT_S = 5.0
"""CPU time of one statement; the slowest takes some 0.1 s."""


def _scripts() -> list[Path]:
    return sorted((TESTS / "slt").rglob("*.slt"))


def _define(sql: str, catalog: FakeCatalog, context: PlanContext) -> None:
    """Adds the tables and views that a script creates."""
    try:
        made = [plan(statement, context) for statement in parse(sql)]
    except PtvcError:
        return
    for item in made:
        if not isinstance(item, definition_plans.CreateTable | definition_plans.CreateView):
            continue
        if catalog.item(item.name.schema, item.name.name) is not None:
            continue
        if isinstance(item, definition_plans.CreateView):
            catalog.add(item.name.schema, item.name.name, ItemKind.VIEW, item.schema, item.relation)
        else:
            id_ = catalog.add(item.name.schema, item.name.name, ItemKind.TABLE, item.schema)
            catalog.objects[id_] = replace(catalog.objects[id_], defaults=item.defaults)


def _of_script(path: Path) -> Iterator[tuple[str, PlanContext]]:
    catalog = fake_catalog()
    context = context_of(catalog)
    for record in parse_script(path.read_text()):
        _define(record.sql, catalog, context)
        yield record.sql, context


def _of_documents() -> Iterator[tuple[str, PlanContext]]:
    for path in sorted((TESTS.parent / "docs").rglob("*.md")):
        for language, block in re.findall(r"^```([^\n`]*)\n(.*?)^```$", path.read_text(), re.M | re.S):
            if language == "sql":
                yield from ((sql, CONTEXT) for sql in block.split(";"))
            elif "SUBSCRIBE" in block:
                yield from ((sql, CONTEXT) for sql in block.splitlines())


def _mutants(sql: str, random: Random) -> Iterator[str]:
    try:
        tokens = tokenize(sql, rows=False)[:-1]
    except PtvcError:
        return
    words = [sql[token.start : token.end] for token in tokens]
    for token, word in zip(tokens, words, strict=True):
        yield sql[: token.end]
        yield f"{sql[: token.end]} {word} {sql[token.end :]}"
        yield sql[: token.start] + sql[token.end :]
        yield sql[: token.start] + random.choice(WORDS) + sql[token.end :]
        at = random.randrange(len(words))
        swapped = [
            words[at] if other is token else other_word
            for other, other_word in zip(tokens, words, strict=True)
        ]
        swapped[at] = word
        yield " ".join(swapped)


def _refusal(sql: str, context: PlanContext) -> PtvcError | None:
    """Why it is not planned; any exception but a `PtvcError` is a defect and passes through."""
    begun = process_time()
    try:
        for statement in parse(sql):
            describe(statement, context, ())
            plan(statement, context)
    except PtvcError as error:
        return error
    finally:
        assert process_time() - begun < LIMIT_S, sql
    return None


def _check(sql: str, context: PlanContext) -> None:
    error = _refusal(sql, context)
    if error is not None:
        assert not error.sqlstate.startswith("XX"), (sql, error)
        assert error.position is None or 1 <= error.position <= len(sql) + 1, (sql, error, error.position)


def _torture(statements: Iterator[tuple[str, PlanContext]], seed: int, share: float) -> int:
    random = Random(seed)
    count = 0
    for sql, context in statements:
        for mutant in _mutants(sql, random):
            if random.random() < share:
                count += 1
                _check(mutant, context)
    return count


@pytest.mark.slow
@pytest.mark.parametrize("path", _scripts(), ids=lambda path: path.stem)
def test_mutants_of_scripts(path: Path) -> None:
    _torture(_of_script(path), 1, 0.004)


def test_mutants_of_documents() -> None:
    assert _torture(_of_documents(), 2, 0.1) > 100


@pytest.mark.slow
@pytest.mark.parametrize("path", _scripts(), ids=lambda path: path.stem)
def test_all_mutants_of_scripts(path: Path) -> None:
    assert _torture(_of_script(path), 3, 1.0) > 10


@pytest.mark.slow
def test_all_mutants_of_documents() -> None:
    assert _torture(_of_documents(), 4, 1.0) > 1_000


# --- what mutants and typos have found ---


@pytest.mark.parametrize(
    ("sql", "sqlstate", "position"),
    [
        ("select @> c from t", "42883", 8),
        ("show privileges where grantee", "42804", 23),
        ("show tables where names = 'x'", "42703", 19),
        ("show objects from public where (name = 'x' and", "42601", None),
        ("select generate_series(1, a) + +1 g from t group by generate_series(1, a) + 1", "42803", None),
        ("select a from t where a = (select $1)", "42883", 25),
        ("select a from t where a in (select '1')", "42883", 25),
        ("select a from t order by 'x'", "42601", 26),
        ("select a, b from t union (select a from t intersect select a from u)", "42601", 34),
        ("select  from t union (select a from t except select a from u)", "42601", 30),
        ("select a from t group by 1.5", "42601", 26),
        ("values (1) order by null", "42601", 21),
        ("with x as (select 1), x as (select 2) select 1", "42712", 23),
        ("select e'a\\000b'", "22021", 8),
        ("select e'\\xff'", "22021", 8),
        ("select e'\\ud800'", "42601", 8),
        ("select " + "a" * (MAX_NAME + 1), "42622", 8),
        ('select 1 as "' + "\u00e9" * MAX_NAME + '"', "42622", 13),
        ("select " + ", ".join(["1"] * 1665), "54011", 1),
        ("create table x (" + ", ".join(f"c{i} int" for i in range(1601)) + ")", "54011", 14),
        ("select 1 " + "+" * 50_000 + " 1", "54001", None),
        ("select a" + " + a" * 900 + " from t", "54001", None),
        ("(" * 50_000, "42601", None),
        ("select " + "a." * 50_000 + "a from t", "42601", 8),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else None,
)
def test_refused(sql: str, sqlstate: str, position: int | None) -> None:
    error = _refusal(sql, CONTEXT)
    assert error is not None
    assert error.sqlstate == sqlstate
    if position is not None:
        assert error.position == position


@pytest.mark.parametrize("sql", ["select " + "- " * 200 + "1", "select 1 " + "+" * 200, "(" * 200, ";" * 200])
def test_texts_of_too_many_words(sql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexer, "MAX_TOKENS", 100)
    with pytest.raises(PtvcError, match="more than 100 words") as caught:
        parse(sql)
    assert caught.value.sqlstate == "54000"


def test_escapes_are_bytes() -> None:
    for written, value in [
        ("\\xc3\\xa9", "é"),
        ("\\303\\251!", "é!"),
        ("\\uD83D\\uDE00", "😀"),
        ("\\x41\\'é", "A'é"),
    ]:
        select = planned(f"select e'{written}'")
        assert isinstance(select, query_plans.Select)
        assert value in repr(select.relation)


def test_columns_at_their_most() -> None:
    planned("select " + ", ".join(f"a + {i}" for i in range(1664)) + " from t")
    planned("create table x (" + ", ".join(f"c{i} int" for i in range(1600)) + ")")


# --- typos, against PostgreSQL ---


@pytest.fixture(scope="module")
def postgres() -> Iterator[psycopg.Connection[object]]:
    tables = ("t (a int, b int, c text)", "u (a int, d bigint, e text)", "v (b int, f numeric(10, 2), g bool)", "w (a int, h date)")  # fmt: skip
    with running_postgres() as uri, psycopg.connect(uri, autocommit=True) as connection:
        for table in tables:
            connection.execute(f"create table {table}")  # type: ignore[arg-type]
        yield connection


Refusal = tuple[str | None, str, int | None]


def _ours(sql: str) -> Refusal:
    try:
        for statement in parse(sql):
            plan(statement, CONTEXT)
    except PtvcError as error:
        return error.sqlstate, error.message, error.position
    return "00000", "", None


def _theirs(connection: psycopg.Connection[object], sql: str) -> Refusal:
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(sql)  # type: ignore[arg-type]
    except psycopg.Error as error:
        position = error.diag.statement_position
        message = error.diag.message_primary or ""
        return error.sqlstate, message, int(position) if position else None
    return "00000", "", None


def test_typos_are_refused_where_postgresql_refuses_them(postgres: psycopg.Connection[object]) -> None:
    """State and message are the same, and the position wherever PostgreSQL has one."""
    lines = (Path(__file__).parent / "testdata" / "typos.sql").read_text().splitlines()
    differing = []
    for sql in lines:
        ours, theirs = _ours(sql), _theirs(postgres, sql)
        if ours[:2] != theirs[:2] or theirs[2] not in (None, ours[2]):
            differing.append((sql, ours, theirs))
    assert differing == []
    assert len(lines) > 250
