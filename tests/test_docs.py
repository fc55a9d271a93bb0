"""The documents against the code: what they name exists, what they list is complete, what they show parses.

`python tests/test_docs.py` rewrites the tables that are generated.
"""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from textwrap import fill

import psycopg
import pytest
from dbt.adapters.base.impl import AdapterConfig
from inprocess import eventually, running
from ptvc.config import Settings
from ptvc.expr.functions.aggregates import AGGREGATES
from ptvc.expr.registry import FUNCTIONS
from ptvc.sql.catalog.system_relations import SYSTEM_RELATIONS
from ptvc.sql.parser.parse import parse

from dbt.adapters.ptvc.credentials import PtvcCredentials
from dbt.adapters.ptvc.impl import PtvcConfig

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")]
)
NAMES = [str(path.relative_to(ROOT)) for path in DOCUMENTS]
OPERATIONS = ROOT / "docs" / "operations.md"
DEPENDENCIES = ROOT / "docs" / "dependencies.md"
DBT = ROOT / "docs" / "dbt.md"
SQL = ROOT / "docs" / "sql"
FUNCTION_LIST = SQL / "functions.md"
REFUSALS = SQL / "refusals.md"

_FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
_CODE = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(r"^[\w.-]+(/[\w.*-]+)*/?$")
_TOP_LEVEL = ("runtime/", "dbt/", "tests/", "docs/", "scripts/", "benchmarks/", ".ci/")
_ENDINGS = (".py", ".md", ".toml")

MOST_WORDS = 1_500
MOST_CELL = 450

# What an operator, a predicate or a piece of syntax becomes: nobody calls these by name.
_OPERATORS = re.compile(
    r"(all|any)_\w+|is_.*|not_.*|regex_.*|add|subtract|multiply|divide|modulo|negate|plus|concat_op|eq|ne|lt|le|gt|ge"
    r"|in|not|like|ilike|array_(of|subscript|slice|contains|contained|overlaps)|bits_.*|shift_.*|square_root|similar_to_escape"
    r"|range_(?!merge).*|elem_contained_by_range"
)


def prose(text: str) -> str:
    """The text without fenced blocks."""
    return _FENCE.sub("", text)


def blocks(text: str, language: str) -> Iterator[str]:
    for match in _FENCE.finditer(text):
        if match[1] == language:
            yield match[2]


def between(text: str, name: str) -> str:
    """What stands between `<!-- name -->` and `<!-- /name -->`."""
    found = re.search(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", text, re.DOTALL)
    assert found is not None, f"no block {name}"
    return found[1]


def anchors(text: str) -> set[str]:
    """The anchors of the headings, as the usual renderers make them."""
    headings = re.findall(r"^#+ (.+)$", prose(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_links_lead_somewhere(path: Path) -> None:
    text = path.read_text()
    for link in _LINK.findall(prose(text)):
        if re.match(r"https?:", link):
            continue
        target, _, anchor = link.partition("#")
        found = path if not target else path.parent / target
        assert found.exists(), f"{link} in {path.name} leads nowhere"
        if anchor:
            assert anchor in anchors(found.read_text()), f"{link} in {path.name}: no such heading"


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_files_that_are_named_exist(path: Path) -> None:
    for code in _CODE.findall(prose(path.read_text())):
        if not _PATH.match(code) or not (
            code.startswith(_TOP_LEVEL) or ("/" in code and code.endswith(_ENDINGS))
        ):
            continue
        # Within runtime/ the folder is left out: `coord/storage/oracle.py`.
        places = [ROOT, ROOT / "runtime"]
        assert any(list(place.glob(code.rstrip("/"))) for place in places), f"{path.name} names {code}"


def linked(path: Path) -> set[Path]:
    """The documents that the document links to."""
    targets = (link.partition("#")[0] for link in _LINK.findall(path.read_text()))
    return {(path.parent / target).resolve() for target in targets if target.endswith(".md")}


def test_every_document_is_reached_from_the_readme() -> None:
    """Directly, or by the index of its folder: `docs/sql.md` of `docs/sql/`."""
    reached = linked(ROOT / "README.md")
    for path in DOCUMENTS:
        if path.with_suffix("").is_dir():
            pages = {page for page in DOCUMENTS if page.parent == path.with_suffix("")}
            missing = pages - linked(path)
            assert not missing, f"{path.name} does not link to {sorted(p.name for p in missing)}"
            reached |= pages
    missing = set(DOCUMENTS) - reached - {ROOT / "README.md"}
    assert not missing, f"README.md does not link to {sorted(p.name for p in missing)}"


@pytest.mark.parametrize(
    "path", sorted((ROOT / "docs" / "architecture").glob("*.md")), ids=lambda path: path.stem
)
def test_pages_of_the_architecture_are_short_and_have_a_picture(path: Path) -> None:
    text = path.read_text()
    assert len(text.split()) < MOST_WORDS
    assert "```\n" in text, "no picture"


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_cells_of_tables_are_short(path: Path) -> None:
    rows = [line for line in prose(path.read_text()).splitlines() if line.startswith("|")]
    cells = [cell for row in rows for cell in re.split(r"(?<!\\)\|", row)]
    assert max(map(len, cells), default=0) <= MOST_CELL


def settings_table() -> str:
    lines = ["| setting | default | meaning |", "|---|---|---|"]
    for field in fields(Settings):
        default = field.default if field.default != "" else "(empty)"
        lines.append(f"| `{field.name}` | {default} | {field.metadata['help']} |")
    return "\n".join(lines) + "\n"


def test_the_table_of_settings_is_complete() -> None:
    assert between(OPERATIONS.read_text(), "settings") == settings_table(), "run: python tests/test_docs.py"


def functions_list() -> str:
    named = sorted(name for name in FUNCTIONS if not _OPERATORS.fullmatch(name) and " " not in name)
    lists = (("Functions", named), ("Aggregates", sorted(AGGREGATES)))
    return "\n\n".join(fill(f"{kind}: {', '.join(names)}.", 118) for kind, names in lists) + "\n"


def test_the_list_of_functions_is_complete() -> None:
    assert between(FUNCTION_LIST.read_text(), "functions") == functions_list(), (
        "run: python tests/test_docs.py"
    )


def declared_dependencies() -> set[tuple[str, str]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [entry for group in project["optional-dependencies"].values() for entry in group]
    found = set()
    for entry in [*project["dependencies"], *extras]:
        name = re.match(r"[\w.-]+(\[\w+\])?", entry)
        assert name is not None, entry
        found.add((name[0], entry[name.end() :]))
    return found


def test_every_dependency_has_its_reason() -> None:
    rows = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \| (.+) \|$", DEPENDENCIES.read_text(), re.MULTILINE)
    assert {(name, versions) for name, versions, _ in rows} == declared_dependencies()
    assert all(len(reason) > 20 for *_, reason in rows)


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_system_relations_that_are_named_exist(path: Path) -> None:
    for name in re.findall(r"\b(mz_(?:internal|catalog)\.\w+)", path.read_text()):
        assert name in SYSTEM_RELATIONS, f"{path.name} names {name}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_sql_that_is_shown_parses(path: Path) -> None:
    for block in blocks(path.read_text(), "sql"):
        assert parse(block), "a block without a statement"


def test_the_tour_works(tmp_path: Path) -> None:
    """Every statement as the reader types it; the rows that a comment promises after it come about."""
    text = (ROOT / "README.md").read_text().replace("/tmp/", f"{tmp_path}/")
    tour = text[text.index("**A table and a view") : text.index("**With dbt")]
    kinds = set()
    with running() as runtime, runtime.connect() as connection:
        for match in _FENCE.finditer(tour):
            if match[1] == "sh":
                subprocess.run(["/bin/sh", "-ec", match[2]], check=True, timeout=20)
                continue
            after = match[2]
            for statement in parse(match[2]):
                kinds.add(type(statement.node).__name__.removesuffix("Statement"))
                after = after.partition(statement.sql)[2]
                promised = re.match(r"; *-- ([^;\n]+)", after)
                _run(connection, statement.sql, promised[1] if promised else None)
        eventually(lambda: runtime.query("SELECT units FROM units") == [(40,)])
        eventually(
            lambda: any(b'"units":40' in path.read_bytes() for path in tmp_path.glob("units_feed/*.jsonl"))
        )
    assert {"CreateTable", "CreateMaterializedView", "CreateIndex", "CreateSource", "CreateSink"} <= kinds


@pytest.mark.slow
def test_the_tour_of_load_generators_works() -> None:
    text = (ROOT / "docs" / "sources-and-sinks.md").read_text()
    (tour,) = blocks(text[text.index("### A tour") : text.index("## FILE sinks")], "sql")
    promises = 0
    with running() as runtime, runtime.connect() as connection:
        after = tour
        for statement in parse(tour):
            after = after.partition(statement.sql)[2]
            promised = re.match(r"; *-- ([^;\n]+)", after)
            promises += promised is not None
            _run(connection, statement.sql, promised[1].strip() if promised else None)
    assert promises == 7


def _run(connection: psycopg.Connection, sql: str, promised: str | None) -> None:
    def shown() -> str:
        return ", ".join(" ".join(map(str, row)) for row in connection.execute(sql))  # type: ignore[call-overload]

    if promised is None:
        connection.execute(sql)  # type: ignore[call-overload]
    else:
        eventually(lambda: shown() == promised)


def test_every_key_of_a_profile_and_of_a_model_is_explained() -> None:
    first_cells = [row.split("|")[1] for row in DBT.read_text().splitlines() if row.startswith("| `")]
    explained = {name for cell in first_cells for name in _CODE.findall(cell)}
    keys = {field.name for field in fields(PtvcCredentials)} | {field.name for field in fields(PtvcConfig)}
    assert sorted(keys - explained - {field.name for field in fields(AdapterConfig)}) == []


def refused_statements() -> list[str]:
    (block,) = blocks(between(REFUSALS.read_text(), "refused"), "text")
    return [line for line in block.splitlines() if line]


def test_what_is_said_to_be_refused_is_refused() -> None:
    accepted = []
    with running() as runtime:
        for name in "ts":
            runtime.query(f"CREATE TABLE {name} (a int, b text)")
        for statement in refused_statements():
            try:
                runtime.query(statement)
            except psycopg.errors.FeatureNotSupported:
                continue
            except psycopg.Error as error:
                accepted.append(f"{statement}: {error.sqlstate} {error}")
            else:
                accepted.append(statement)
    assert accepted == [], "not refused (any more): docs/sql/refusals.md is to be corrected"


def _rewrite(path: Path, name: str, content: str) -> None:
    head, found, rest = path.read_text().partition(f"<!-- {name} -->\n")
    assert found, f"no block {name} in {path.name}"
    path.write_text(f"{head}{found}{content}{rest[rest.index(f'<!-- /{name} -->') :]}")


if __name__ == "__main__":
    _rewrite(OPERATIONS, "settings", settings_table())
    _rewrite(FUNCTION_LIST, "functions", functions_list())
