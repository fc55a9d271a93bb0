"""Regular expressions against PostgreSQL: the same match and groups, the same errors, or a refusal."""

from __future__ import annotations

from random import Random

import psycopg
import pytest
from ptvc.expr.regex.agreement import deterministic, same_match
from ptvc.expr.regex.parse import parse
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree.scalar import ColumnRef, Literal
from ptvc.repr.types import INT4, TEXT
from support import agree, check, column, ours, product

TEXTS = [
    "", "a", "abc", "aaa", "2024-01-31", "key = value", "a@b.com", "foo.bar.baz", "  pad  ", "foobar", "line\nbreak",
    "héllo wörld", "x=1;y=22", "<b>bold</b><i>", "AbC", "a1b22c333", "日本語 text", None,
]  # fmt: skip
PATTERNS = [
    "", "a", "b*", "a+", r"\d+", r"(\d+)-(\d+)", r"^(\d{4})-(\d{2})-(\d{2})$", r"(\w+)\s*=\s*(.*)", "(.*?)=", "^(.*)=(.*)$",
    r"([a-z]+)@([a-z]+)\.com", r"^\s+|\s+$", r"\s+", "[^a-z]+", "(foo|bar)", "(foobar|foo)", "(a)|(b)", "<.*?>", "<[^>]+>",
    r"\mb\w*", r"\w+\M", r"\y", "a|b|c", "(b)?c", "(?i)abc", "(?n)^b.*$", ".", "[[:alpha:]]+", r"[\d.]+", "l{2}", "a{1,2}",
    "***=a.b", r"\u00e9", "^", "$", "(a*)+", "x|", "(", "[a", "a**", r"\q", "a{3,2}", "(?=a)", r"(a)\1", "[[:foo:]]", "[c-a]",
    "{", "a{", "a{x", ")", "(?x)a", "é", "[^\\n]+", r"\.([a-z]+)$", r"(\w)(\d)?", None,
]  # fmt: skip
FLAGS = ["", "i", "n", "g", "q", "z", None]


def call(name: str):  # type: ignore[no-untyped-def]
    return lambda *args: resolve_call(name, args)


@pytest.mark.parametrize(
    "name", ["regexp_match", "regexp_split_to_array", "regexp_count", "regexp_substr", "regexp_like"]
)
def test_on_texts(oracle: psycopg.Connection, name: str) -> None:
    rows = product(TEXTS, PATTERNS)
    check(oracle, f"{name}(c0, c1)", call(name), (TEXT, TEXT), rows, refusals=True)


@pytest.mark.parametrize("name", ["regexp_match", "regexp_split_to_array", "regexp_like"])
def test_flags(oracle: psycopg.Connection, name: str) -> None:
    rows = product(TEXTS[:8], ["a", "A+", "^b", "."], FLAGS)
    check(oracle, f"{name}(c0, c1, c2)", call(name), (TEXT, TEXT, TEXT), rows, refusals=True)


def test_operators(oracle: psycopg.Connection) -> None:
    rows = product(TEXTS, PATTERNS)
    for name, sign in {"regex_match": "~", "regex_imatch": "~*", "regex_not_match": "!~"}.items():
        check(oracle, f"c0 {sign} c1", call(name), (TEXT, TEXT), rows, refusals=True)
    check(oracle, "substring(c0 from c1)", call("substring"), (TEXT, TEXT), rows, refusals=True)


def test_replace(oracle: psycopg.Connection) -> None:
    rows = product(TEXTS, PATTERNS, ["", "<\\&>", "[\\1\\2]", "\\\\", "\\x", "é\\"])
    check(oracle, "regexp_replace(c0, c1, c2)", call("regexp_replace"), (TEXT,) * 3, rows, refusals=True)
    rows = product(TEXTS, PATTERNS, ["<\\&>", "\\1"], ["g", "gi", "z"])
    check(oracle, "regexp_replace(c0, c1, c2, c3)", call("regexp_replace"), (TEXT,) * 4, rows, refusals=True)


def test_positions(oracle: psycopg.Connection) -> None:
    starts = ["-1", "0", "1", "2", "4", "100", None]
    numbers = ["-1", "0", "1", "2", None]
    patterns = ["a", r"(\w)(\d)?", "b*", "^a"]
    rows = product(TEXTS[:6], patterns, starts)
    check(oracle, "regexp_count(c0, c1, c2)", call("regexp_count"), (TEXT, TEXT, INT4), rows)
    rows = product(TEXTS[:6], patterns, starts, numbers)
    check(oracle, "regexp_instr(c0, c1, c2, c3)", call("regexp_instr"), (TEXT, TEXT, INT4, INT4), rows)
    check(oracle, "regexp_substr(c0, c1, c2, c3)", call("regexp_substr"), (TEXT, TEXT, INT4, INT4), rows)
    check(
        oracle,
        "regexp_replace(c0, c1, '-', c2, c3)",
        lambda a, b, c, d: resolve_call("regexp_replace", (a, b, _text("-"), c, d)),
        (TEXT, TEXT, INT4, INT4),
        rows,
    )
    rows = product(TEXTS[:6], patterns, ["0", "1", "2"], ["", "i", "g"], ["-1", "0", "1", "2", "3"])
    check(
        oracle,
        "regexp_instr(c0, c1, 1, 1, c2, c3, c4)",
        lambda a, b, c, d, e: resolve_call("regexp_instr", (a, b, _one(), _one(), c, d, e)),
        (TEXT, TEXT, INT4, TEXT, INT4),
        rows,
    )
    check(
        oracle,
        "regexp_substr(c0, c1, 1, c2 + 1, c3, c4)",
        lambda a, b, c, d, e: resolve_call(
            "regexp_substr", (a, b, _one(), resolve_call("add", (c, _one())), d, e)
        ),
        (TEXT, TEXT, INT4, TEXT, INT4),
        rows,
    )


def _one() -> Literal:
    return Literal(1, INT4)


SIMILAR = [
    "abc",
    "%b%",
    "_bc",
    "a%",
    "(a|b)%",
    "[a-c]+",
    "a{1,3}",
    "%(x|c)",
    "a.c",
    "^abc",
    "\\%",
    "[^a]%",
    "",
    "a|abc",
    None,
]


def test_similar_to(oracle: psycopg.Connection) -> None:
    check(
        oracle,
        "c0 SIMILAR TO c1",
        lambda a, b: resolve_call("regex_match", (a, resolve_call("similar_to_escape", (b,)))),
        (TEXT, TEXT),
        product([*TEXTS, "%", "^abc"], SIMILAR),
        refusals=True,
    )


def random_pattern(rng: Random, depth: int = 0) -> str:
    """Patterns over a, b, c and -, of every construct."""
    parts = []
    groups = rng.random() < 0.6
    for _ in range(rng.choice((1, 2, 2, 3, 4))):
        kind = rng.random()
        if kind < 0.25 and depth < 2:
            inner = random_pattern(rng, depth + 1)
            if rng.random() < 0.4:
                inner += "|" + random_pattern(rng, depth + 1)
            atom = f"({inner})" if groups else f"(?:{inner})"
        else:
            atom = rng.choice(("a", "b", "c", "-", ".", "[ab]", "[^a]", "[^-]", "ab", "c"))
        if len(atom) != 2 and rng.random() < 0.5:
            atom += rng.choice(("*", "+", "?", "{2}", "{1,2}", "*?", "+?", "??"))
        parts.append(atom)
    text = "".join(parts)
    if depth == 0:
        text = ("^" if rng.random() < 0.3 else "") + text + ("$" if rng.random() < 0.3 else "")
    return text


def check_matches(oracle: psycopg.Connection, rows: list[tuple[str, str]]) -> None:
    """The match, what lies between matches, and what takes their place, of texts and patterns."""
    check(oracle, "regexp_match(c0, c1)", call("regexp_match"), (TEXT, TEXT), rows)
    check(oracle, "regexp_split_to_array(c0, c1)", call("regexp_split_to_array"), (TEXT, TEXT), rows)
    check(
        oracle,
        "regexp_replace(c0, c1, '<\\&>', 'g')",
        lambda a, b: resolve_call("regexp_replace", (a, b, _text("<\\&>"), _text("g"))),
        (TEXT, TEXT),
        rows,
    )


@pytest.mark.parametrize("seed", range(2))
def test_random_patterns(oracle: psycopg.Connection, seed: int) -> None:
    """Whatever is not refused has PostgreSQL's match and groups."""
    rng = Random(seed)
    patterns = [p for p in (random_pattern(rng) for _ in range(1200)) if same_match(parse(p)[0])][:300]
    assert len(patterns) > 150
    rows = [
        ("".join(rng.choice("aabbc-") for _ in range(rng.randint(0, 9))), pattern)
        for pattern in patterns
        for _ in range(6)
    ]
    check_matches(oracle, rows)


def pattern_of_one_varying_part(rng: Random) -> str:
    """A row of parts of one length, of which one, more or less, is repeated."""
    length = rng.choice((1, 2, 2, 3, 3, 4))
    varying = rng.randrange(length + 1)
    parts = []
    for place in range(length):
        parts.append(
            rng.choice(("a", "-", ".", "[ab]", "[^-]", "ab", ".{2}", "(.)", "(a|b)", "(?:ab|ba)", "(?:a|-)"))
        )
        if place == varying or rng.random() < 0.1:
            body = rng.choice((".", "[ab]", "[^-]", "(.)", "(?:ab)", "(ab)", "(a|b)", "(?:ab|-b)"))
            parts.append(body + rng.choice(("*", "*", "+", "?", "{1,2}", "{2,}", "*?", "+?", "??", "{1,3}?")))
    text = "".join(parts)
    return rng.choice(("{}", "{}", "^{}", "{}$", "{}(.*)", "^{}(.*)$", "({}).*")).format(text)


@pytest.mark.parametrize("seed", range(2))
def test_one_part_that_varies(oracle: psycopg.Connection, seed: int) -> None:
    """What is tried comes in the order of its length, so the first that matches is PostgreSQL's."""
    rng = Random(seed)
    trees = {pattern: parse(pattern)[0] for pattern in (pattern_of_one_varying_part(rng) for _ in range(900))}
    patterns = [p for p, tree in trees.items() if same_match(tree) and not deterministic(tree)][:300]
    assert len(patterns) > 200
    rows = [
        ("".join(rng.choice("aab-") for _ in range(rng.randint(0, 10))), pattern)
        for pattern in patterns
        for _ in range(8)
    ]
    check_matches(oracle, rows)


@pytest.mark.parametrize(
    "pattern",
    [".*/", "^.*/", ".*/(.*)", ".*/([^/]*)$", r".*\.", r"(.*)/[^/]", ".*(?:foo|bar)", "(.*) ", ".+,"],
)
def test_up_to_the_last_one(oracle: psycopg.Connection, pattern: str) -> None:
    texts = [
        "models/marts/core/x.sql",
        "a/b/",
        "/",
        "no",
        "",
        "a.b.c",
        "foo bar foo baz",
        "x,y,z",
        "a\nb/c",
        None,
    ]
    for function in ("regexp_match(c0, $p${}$p$)", "regexp_replace(c0, $p${}$p$, '')"):
        name = function.partition("(")[0]
        rest = (_text(""),) if name == "regexp_replace" else ()
        check(
            oracle,
            function.format(pattern),
            lambda a, name=name, rest=rest: resolve_call(name, (a, _text(pattern), *rest)),
            (TEXT,),
            product(texts),
        )


def _text(value: str) -> Literal:
    return Literal(value, TEXT)


def test_constant_patterns_go_by_whole_columns(oracle: psycopg.Connection) -> None:
    """The fast way gives what the slow one does."""
    rows = product(TEXTS)
    for pattern in (p for p in PATTERNS if p is not None):
        for flags in ("", "g"):
            check(
                oracle,
                f"regexp_replace(c0, $p${pattern}$p$, '<\\&\\\\>', '{flags}')",
                lambda a, p=pattern, f=flags: resolve_call(
                    "regexp_replace", (a, _text(p), _text("<\\&\\\\>"), _text(f))
                ),
                (TEXT,),
                rows,
                refusals=True,
            )


def test_what_is_refused() -> None:
    texts = column(["abab"], TEXT)
    for pattern in ("(a?)(ab)?", "(?=a)", r"(a)\1", "(.*?)b(.*)", "(foo|foobar)", "^(?:(a|b)(ab)??)(.*)$"):
        (answer,) = ours(resolve_call("regexp_match", (ColumnRef(0, TEXT), _text(pattern))), (texts,), 1)
        assert answer.sqlstate == "0A000"
        assert answer.message == f'regular expression not supported: "{pattern}"'
        assert not agree(answer, ours(ColumnRef(0, TEXT), (texts,), 1)[0], TEXT, refusals=False)


@pytest.mark.parametrize(
    "pattern",
    [
        "(a*)*b",
        "((a{255}){255}){255}",
        r"\m(a|a)*b",
        "a{99999999999999999999}",
        "a{1²}",
        "(" * 200,
        "[" * 200,
        "a|" * 500,
    ],
)
def test_hostile_patterns_end_soon(pattern: str) -> None:
    """An answer or an error, in no time that depends on the pattern."""
    texts = column(["a" * 5000], TEXT)
    for name in ("regex_match", "regexp_like", "regexp_match", "regexp_replace"):
        arguments = (_text(pattern), _text("x"))[: 2 if name == "regexp_replace" else 1]
        (answer,) = ours(resolve_call(name, (ColumnRef(0, TEXT), *arguments)), (texts,), 1)
        assert answer.sqlstate in (None, "0A000", "2201B")


def test_long_templates_are_refused() -> None:
    numbers = column(["1"], INT4)
    (answer,) = ours(resolve_call("to_char", (ColumnRef(0, INT4), _text("9" * 500))), (numbers,), 1)
    assert answer.sqlstate == "0A000"
