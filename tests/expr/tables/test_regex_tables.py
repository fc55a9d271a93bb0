"""regexp_extract: what its groups hold, against another engine with the same matches; and what it refuses."""

from __future__ import annotations

import random
import re

import pyarrow as pa
import pytest
from ptvc.errors import InvalidParameter, PtvcError, Unsupported
from ptvc.expr.regex.rust import parse
from ptvc.expr.tables.regex_tables import COLUMN, column, column_names
from ptvc.expr.tables.table_functions import TABLE_FUNCTIONS
from ptvc.expr.tree.scalar import ColumnRef, Literal
from ptvc.repr.types import INT4, TEXT


def extracted(pattern: str, texts: list[str | None]) -> list[tuple[str | None, ...] | None]:
    """The row of each text, None if there is none."""
    columns = []
    for place in range(len(parse(pattern).groups)):
        counts, values = column([pa.scalar(pattern), pa.array(texts), pa.scalar(place)], len(texts))
        held = iter(values.to_pylist())
        columns.append([(next(held),) if count else None for count in counts])
    return [None if row[0] is None else tuple(cell[0] for cell in row) for row in zip(*columns, strict=True)]


@pytest.mark.parametrize(
    ("pattern", "text", "row"),
    [
        (r"(\d+)-(\w+)", "a 12-bé_ c", ("12", "bé_")),
        (r"(\d)(\D)(\s)(\S)(\W)", "٣x\u2003y!", ("٣", "x", "\u2003", "y", "!")),
        ("(a|ab)(c|bcd)", "abcd", ("a", "bcd")),
        ("(a)?(b)", "b", (None, "b")),
        ("(a*)(b)", "b", ("", "b")),
        ("(?:(a)|(b))+", "ab", ("a", "b")),
        ("^(.)$", "\n", None),
        ("(?s)^(.)$", "\n", ("\n",)),
        ("(?m)^(b)$", "a\nb\nc", ("b",)),
        ("(a)$", "a\n", None),
        ("(?i:(É))(x)", "éx", ("é", "x")),
        (r"([\[\]&-])([^\s\d])([]a]+)", "-x]a", ("-", "x", "]a")),
        (r"([[:alpha:][:^ascii:]]+)(\p{Lu}\x41\x{1F600})", "é!aÄA😀", ("a", "ÄA😀")),
        ("(a{2,3}?)(a)", "aaaa", ("aa", "a")),
        ("(x)", "y", None),
    ],
)
def test_rows(pattern: str, text: str, row: tuple[str | None, ...] | None) -> None:
    assert extracted(pattern, [text, None]) == [row, None]


def _piece(draw: random.Random, depth: int) -> str:
    atom = draw.choice(["a", "b", "[ab]", ".", "[^a]", r"\d", r"\w"])
    if depth and draw.random() < 0.5:
        inner = "|".join(_run(draw, depth - 1) for _ in range(draw.choice([1, 1, 2])))
        atom = f"({draw.choice(['', '', '?:'])}{inner})"
    return atom + draw.choice(["", "", "", "?", "*", "+", "{1,2}", "*?", "+?", "??"])


def _run(draw: random.Random, depth: int) -> str:
    return "".join(_piece(draw, depth) for _ in range(draw.randint(1, 3)))


def test_groups_are_those_of_another_engine() -> None:
    draw = random.Random(11)
    texts = ["".join(draw.choices("ab1 \n", k=draw.randrange(8))) for _ in range(30)]
    taken = 0
    for _ in range(100):
        pattern = f"({_run(draw, 1)}){_run(draw, 2)}"
        try:
            ours = extracted(pattern, list(texts))
        except Unsupported:
            continue
        taken += 1
        for text, row in zip(texts, ours, strict=True):
            match = re.search(pattern, text)
            assert row == (None if match is None else match.groups()), (pattern, text)
    assert taken > 30


def test_columns() -> None:
    assert column_names(Literal("(?P<year>a)(b)(?<m>c)", TEXT)) == ["year", "column2", "m"]
    args = (Literal("(a)?(b)", TEXT), ColumnRef(0, TEXT))
    calls = [TABLE_FUNCTIONS[COLUMN].resolve((*args, Literal(i, INT4)), (False,) * 3) for i in (0, 1)]
    assert [call.nullable for call in calls] == [True, False]


@pytest.mark.parametrize(
    ("pattern", "sqlstate"),
    [
        ("a", "22023"),
        (None, "22023"),
        ("(a", "2201B"),
        ("a)", "2201B"),
        ("(a)+*", "0A000"),
        ("*(a)", "2201B"),
        ("([b-a])", "2201B"),
        ("([a", "2201B"),
        ("(a\\", "2201B"),
        (r"([\w-.])", "2201B"),
        ("(?P<n>a)(?P<n>b)", "2201B"),
        (r"(a)\1", "0A000"),
        ("(?=a)(b)", "0A000"),
        ("(?<!a)(b)", "0A000"),
        ("(?>a)(b)", "0A000"),
        ("(?x)(a)", "0A000"),
        (r"\b(a)", "0A000"),
        (r"([a[b]])", "0A000"),
        ("([a&&b])", "0A000"),
        ("(a*)?", "0A000"),
        ("((?:a|)b)(?:(c*)|d)", "0A000"),
        ("(a){2000}", "0A000"),
        ("((a{900}){900})", "0A000"),
        ("(" * 60 + "a" + ")" * 60, "0A000"),
        (r"(\pX)", "0A000"),
        (r"(?i)(\p{Lu})", "0A000"),
    ],
)
def test_what_is_refused(pattern: str | None, sqlstate: str) -> None:
    with pytest.raises(PtvcError) as error:
        column_names(Literal(pattern, TEXT))
    assert error.value.sqlstate == sqlstate


def test_the_pattern_is_a_literal() -> None:
    with pytest.raises(InvalidParameter, match="literal"):
        column_names(ColumnRef(0, TEXT))
