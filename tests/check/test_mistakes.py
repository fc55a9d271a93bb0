"""Each mistake of a project that is full of them is found, at its place, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest
from ptvc.check.checker import Result
from ptvc.check.findings import Finding, NotParsed
from ptvc.check.run import of_project

from .mistakes import FILES, IN_DECLARATIONS, MISTAKES, Mistake, write, write_mistakes


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Result:
    root = tmp_path_factory.mktemp("mistakes")
    write_mistakes(root)
    with of_project(root, ["--profiles-dir", str(root)]) as subject:
        return subject.check().result


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_found_where_it_is(found: Result, mistake: Mistake) -> None:
    (finding,) = [f for f in found.findings if f.place.file == f"models/wrong/{mistake.name}.sql"]
    assert (finding.place.line, finding.place.column) == (mistake.line, mistake.column)
    assert mistake.message in finding.message
    assert finding.place.text == (mistake.sql.splitlines()[mistake.line - 1])


@pytest.mark.parametrize(("file", "line", "message"), IN_DECLARATIONS, ids=lambda value: str(value)[:40])
def test_found_in_a_declaration_or_a_test(found: Result, file: str, line: int, message: str) -> None:
    there = [f for f in found.findings if (f.place.file, f.place.line) == (file, line)]
    assert any(message in finding.message for finding in there), there


def test_nothing_else_is_found(found: Result) -> None:
    assert len(found.findings) == len(MISTAKES) + len(IN_DECLARATIONS)
    assert found.not_checked == []
    assert {"model.shop.orders", "model.shop.totals", "unit_test.shop.totals.adds_up"} <= found.checked.keys()


PARSED = {
    "undefined": (
        "select id\nfrom {{ ref('orders') }}\nwhere amount > {{ least + 1 }}",
        3,
        "'least' is undefined",
    ),
    "no_model": ("select *\nfrom {{ ref('ordres') }}", 2, "named 'ordres' which was not found"),
    "no_source": ("select *\nfrom {{ source('raw', 'ordres') }}", 2, "ordres' which was not found"),
    "no_end": ("select\n{% if true %}\n    id\nfrom {{ ref('orders') }}", 4, "Unexpected end of template"),
}


@pytest.mark.parametrize("name", PARSED)
def test_what_dbt_does_not_parse_has_a_place_too(tmp_path: Path, name: str) -> None:
    sql, line, message = PARSED[name]
    write(tmp_path, FILES | {"models/wrong.sql": sql})
    finding = _parse_failure(tmp_path)
    assert message in finding.message
    assert (finding.place.file, finding.place.line) == ("models/wrong.sql", line)


def _parse_failure(root: Path) -> Finding:
    with pytest.raises(NotParsed) as raised, of_project(root, ["--profiles-dir", str(root)]):
        pass
    return raised.value.finding
