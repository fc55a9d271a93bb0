"""A text of another dialect made PostgreSQL's by as few edits as that takes: what means the same stays as it was written.

```
text ──── tokens ──┐
                   ├─ what differs ── what may stay, since the tree is the same ── edits
translated ─ tokens┘
```

The criterion is the tree that our own parser makes, without positions: the edited text has that of the translated one.  So layout, comments,
letters' case and spellings such as `::` or `JOIN` are kept, and nothing rests on how the differences were found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from ..errors import PtvcError, Unsupported
from ..sql.parser.lexer import TokenKind, tokenize
from ..sql.parser.parse import parse
from ..sql.syntax.ast import Logical, Not
from ..sql.syntax.literal_rows import LiteralRows
from .reading import DIALECTS


class Edit(NamedTuple):
    """What takes the place of `text[start:end]`."""

    start: int
    end: int
    text: str


def applied(text: str, edits: Iterable[Edit]) -> str:
    """Those at one place in the order that they come in."""
    parts, at = [], 0
    for edit in sorted(edits, key=lambda one: (one.start, one.end)):
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join((*parts, text[at:]))


def same(one: str, other: str) -> bool:
    """Whether both texts are read as the same statements."""
    try:
        return bool(_structure(one) == _structure(other))
    except PtvcError:
        return False


def edits(text: str, dialect: str, translated: str) -> list[Edit]:
    """Those that make of `text` what `translated` means.  Raises Unsupported where that cannot be shown."""
    found = _edits(text, dialect, translated)
    if not same(applied(text, found), translated):
        raise _unlike()
    return found


def _edits(text: str, dialect: str, translated: str) -> list[Edit]:
    """Query by query of a WITH: what is tried out is parsed, so short texts are tried."""
    old, new = _original(text, dialect), _translated(translated)
    bodies, their = _bodies(old), _bodies(new)
    if len(bodies) != len(their):
        bodies = their = []
    found: list[Edit] = []
    outer, theirs = text, translated
    for (start, end), (begin, stop) in zip(bodies, their, strict=True):
        if min(end - start, stop - begin) < len(_STUB):
            continue
        inner = _edits(text[start:end], dialect, translated[begin:stop])
        found += [Edit(start + edit.start, start + edit.end, edit.text) for edit in inner]
        outer = outer[:start] + _STUB.ljust(end - start) + outer[end:]
        theirs = theirs[:begin] + _STUB.ljust(stop - begin) + theirs[stop:]
    found += _edits_of_query(outer, dialect, theirs)
    return sorted(found, key=lambda one: (one.start, one.end))


_STUB = "select 1"
_ITEM = "1"


def _edits_of_query(text: str, dialect: str, translated: str) -> list[Edit]:
    """Item by item of its select list, then the rest."""
    old, new = _original(text, dialect), _translated(translated)
    items, their = _items(old), _items(new)
    if len(items) != len(their):
        items = their = []
    found: list[Edit] = []
    outer, theirs = text, translated
    for (start, end), (begin, stop) in zip(items, their, strict=True):
        head = "SELECT " if "SELECT" in (token.raw for token in old) else "select "
        inner = _edits_of_one(head + text[start:end], dialect, head + translated[begin:stop])
        shift = start - len(head)
        found += [Edit(shift + edit.start, shift + edit.end, edit.text) for edit in inner]
        outer = outer[:start] + _ITEM.ljust(end - start) + outer[end:]
        theirs = theirs[:begin] + _ITEM.ljust(stop - begin) + theirs[stop:]
    return [*found, *_edits_of_one(outer, dialect, theirs)]


_BEHIND_ITEMS = frozenset(
    [
        "from",
        "where",
        "group",
        "having",
        "qualify",
        "order",
        "limit",
        "offset",
        "union",
        "intersect",
        "except",
    ]
)


def _items(tokens: Sequence[_Token]) -> list[tuple[int, int]]:
    """Where the items of the select lists are that stand in no parentheses."""
    found: list[tuple[int, int]] = []
    depth, first, listing = 0, None, False
    for at, token in enumerate(tokens):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(token.key, 0)
        outside = depth == 0 and token.key not in (")", "]")
        ends = token.key == "," or (token.key in _BEHIND_ITEMS and tokens[at - 1].key != "*")
        if outside and listing and ends:
            if first is not None:
                found.append((first.start, tokens[at - 1].end))
            first, listing = None, token.key == ","
        elif outside and token.key == "select":
            first, listing = None, True
        elif listing and first is None and not (outside and token.key in ("distinct", "all")):
            first = token
    if listing and first is not None:
        found.append((first.start, tokens[-1].end))
    return found


def _bodies(tokens: Sequence[_Token]) -> list[tuple[int, int]]:
    """Where the queries of the WITH that the text begins with are, without their parentheses."""
    if not tokens or tokens[0].key != "with":
        return []
    found: list[tuple[int, int]] = []
    depth, start = 0, 0
    for at, token in enumerate(tokens):
        if token.key == "(":
            depth += 1
            if depth == 1 and tokens[at - 1].key == "as":
                start = token.end
        elif token.key == ")":
            depth -= 1
            if depth == 0 and start:
                found.append((start, token.start))
                start = 0
                if at + 1 < len(tokens) and tokens[at + 1].key != ",":
                    break
    return found


def _edits_of_one(text: str, dialect: str, translated: str) -> list[Edit]:
    comments = _comments(text, dialect)
    wanted = _structure(translated)

    def holds(candidate: str) -> bool:
        try:
            return bool(_structure(candidate) == wanted)
        except PtvcError:
            return False

    old = _original(text, dialect)
    new = _without_parentheses(translated, old, holds)
    changes = _changes(old, new)
    rewriting = _Rewriting(text, old, new, comments)
    kept = _kept(changes, old, new, lambda chosen: holds(rewriting.text(chosen)))
    found = rewriting.edits([change for change in changes if change not in kept])
    if not holds(applied(text, found)):
        raise _unlike()
    return found


def _unlike() -> Unsupported:
    return Unsupported("the translation cannot be put into the text", hint="Write it by hand.")


# --- trees ---


def _structure(sql: str) -> Any:
    return [_plain(statement.node) for statement in parse(sql)]


def _plain(node: Any) -> Any:
    """The tree without its places in the text; AND in AND is one."""
    if isinstance(node, tuple | list):
        return tuple(_plain(one) for one in node)
    if isinstance(node, LiteralRows):
        return node.columns
    if not is_dataclass(node) or isinstance(node, type):
        return node
    name = type(node).__name__
    if isinstance(node, Logical):
        arguments: list[Any] = []
        for one in node.args:
            inner = _plain(one)
            nested = isinstance(inner, tuple) and inner[:2] == (name, node.word)
            arguments += inner[2] if nested else [inner]
        return (name, node.word, tuple(arguments))
    if isinstance(node, Not):
        return _denied(_plain(node.arg))
    values = ((one.name, getattr(node, one.name)) for one in fields(node))
    return (name, *(_plain(value) for field, value in values if not _is_place(field, value)))


_DENIED = {"~~": "!~~", "~~*": "!~~*", "~": "!~", "~*": "!~*"}


def _denied(arg: Any) -> Any:
    """NOT of a predicate that has a form of its own for that, which means the same: NOT (x IS NULL) is x IS NOT NULL."""
    match arg:
        case ("Is" | "InList" | "InQuery" | "DistinctFrom" as name, left, right, bool(negated), *rest):
            return (name, left, right, not negated, *rest)
        case ("Operator", str(symbol), arguments) if symbol in _DENIED:
            return ("Operator", _DENIED[symbol], arguments)
        case ("Logical", "and", (("Operator", ">=", (x, low)), ("Operator", "<=", (y, high)))) if x == y:
            return ("Logical", "or", (("Operator", "<", (x, low)), ("Operator", ">", (y, high))))
    return ("Not", arg)


def _is_place(field: str, value: Any) -> bool:
    """Bounds of a window's frame are called as a query's offsets are, which are numbers."""
    return field == "position" or (field in ("start", "end") and isinstance(value, int))


# --- tokens ---


@dataclass(frozen=True, slots=True)
class _Token:
    """`key`: what is compared, the text with names and keywords in small letters."""

    raw: str
    key: str
    start: int
    end: int


_QUOTES = "'\"`$"


def _token(raw: str, start: int) -> _Token:
    key = raw if any(quote in raw for quote in _QUOTES) else raw.lower()
    return _Token(raw, key, start, start + len(raw))


def _original(text: str, dialect: str) -> list[_Token]:
    """A keyword of several words is as many tokens."""
    found = []
    for token in DIALECTS[dialect]().tokenize(text):
        raw = text[token.start : token.end + 1]
        if any(quote in raw for quote in _QUOTES):
            found.append(_token(raw, token.start))
        else:
            found += [_token(word[0], token.start + word.start()) for word in re.finditer(r"\S+", raw)]
    return found


def _translated(sql: str) -> list[_Token]:
    return [
        _token(sql[one.start : one.end], one.start)
        for one in tokenize(sql, rows=False)
        if one.kind is not TokenKind.END
    ]


_BEFORE_GROUPS = frozenset(
    [
        "select",
        "distinct",
        "where",
        "and",
        "or",
        "not",
        "on",
        "when",
        "then",
        "else",
        "by",
        "having",
        "case",
        "between",
        "like",
        "ilike",
        "is",
        "from",
        "using",
        "limit",
        "offset",
        "qualify",
        "escape",
    ]
)


def _without_parentheses(
    translated: str, old: Sequence[_Token], holds: Callable[[str], bool]
) -> list[_Token]:
    """The tokens without parentheses that change nothing, but for those that the original has."""
    tokens = _translated(translated)
    aligned = {
        block.b + at for block in _matcher(old, tokens).get_matching_blocks() for at in range(block.size)
    }
    stack: list[int] = []
    pairs: list[tuple[int, int]] = []
    for at, token in enumerate(tokens):
        if token.key == "(":
            stack.append(at)
        elif token.key == ")" and stack:
            first = stack.pop()
            if not (first in aligned and at in aligned) and _groups(tokens, first):
                pairs.append((first, at))

    def without(chosen: Sequence[tuple[int, int]]) -> list[_Token]:
        dropped = {at for pair in chosen for at in pair}
        return [token for at, token in enumerate(tokens) if at not in dropped]

    gone = _most(pairs, lambda chosen: holds(" ".join(token.raw for token in without(chosen))))
    return without(gone)


def _groups(tokens: Sequence[_Token], at: int) -> bool:
    """Whether the parenthesis is one around an expression, rather than behind a function's name, say, or around a query."""
    before = tokens[at - 1].key if at else ""
    behind = tokens[at + 1].key if at + 1 < len(tokens) else ""
    if behind in ("select", "with", "values"):
        return False
    return before in _BEFORE_GROUPS or not re.match(r"[\w\")\]]", before)


def _most(items: Sequence[Any], holds: Callable[[Sequence[Any]], bool]) -> list[Any]:
    """As many of the items as hold together, by halves."""
    taken: list[Any] = []

    def add(some: Sequence[Any]) -> None:
        if not some:
            return
        if holds([*taken, *some]):
            taken.extend(some)
        elif len(some) > 1:
            middle = len(some) // 2
            add(some[:middle])
            add(some[middle:])

    add(items)
    return taken


# --- differences ---


class _Change(NamedTuple):
    """`old[i:j]` becomes `new[k:l]`."""

    i: int
    j: int
    k: int
    l: int  # noqa: E741


def _matcher(old: Sequence[_Token], new: Sequence[_Token]) -> SequenceMatcher[str]:
    return SequenceMatcher(None, [one.key for one in old], [one.key for one in new], autojunk=False)


def _changes(old: Sequence[_Token], new: Sequence[_Token]) -> list[_Change]:
    return [_Change(*code[1:]) for code in _matcher(old, new).get_opcodes() if code[0] != "equal"]


def _kept(
    changes: list[_Change],
    old: Sequence[_Token],
    new: Sequence[_Token],
    holds: Callable[[Sequence[_Change]], bool],
) -> set[_Change]:
    """Changes that need not be made: alone, those of a pair of parentheses together, or neighbours."""

    def may_stay(kept: Sequence[frozenset[_Change]]) -> bool:
        left = frozenset[_Change]().union(*kept)
        return holds([change for change in changes if change not in left])

    spelling = [
        change
        for change in changes
        if all(one.key in _SPELLINGS for one in (*old[change.i : change.j], *new[change.k : change.l]))
    ]
    pairs = [
        *_pairs(new, {at: change for change in spelling for at in range(change.k, change.l)}),
        *_pairs(old, {at: change for change in spelling for at in range(change.i, change.j)}),
    ]
    kept = frozenset[_Change]().union(*_most(pairs, may_stay))
    for size in (1, 2):
        left = [change for change in spelling if change not in kept]
        units = [frozenset(left[at : at + size]) for at in range(len(left) - size + 1)]
        more = _most(units, lambda some, kept=kept: may_stay([kept, *some]))  # type: ignore[misc]
        kept = kept.union(*more)
    return set(kept)


_SPELLINGS = frozenset(
    [
        "(",
        ")",
        "::",
        "cast",
        "as",
        "inner",
        "outer",
        "cross",
        "join",
        ",",
        "<>",
        "!=",
        "not",
        "is",
        "null",
        "asc",
        "distinct",
        "on",
        "by",
        "end",
        "else",
        "select",
        "integer",
        "int",
        "date",
        "timestamp",
        "boolean",
    ]
)
"""What one thing is spelt with in several ways: other words that differ are another thing, and are not looked into."""


def _pairs(tokens: Sequence[_Token], changed: dict[int, _Change]) -> Iterator[frozenset[_Change]]:
    """The changes that both parentheses of a pair are in, with that of the AS of a cast between."""
    stack: list[tuple[int, list[int]]] = []
    for at, token in enumerate(tokens):
        if token.key == "(":
            stack.append((at, []))
        elif token.key == "as" and stack:
            stack[-1][1].append(at)
        elif token.key == ")" and stack:
            first, between = stack.pop()
            if first in changed and at in changed:
                yield frozenset(changed[one] for one in (first, *between, at) if one in changed)


@dataclass(slots=True)
class _Rewriting:
    source: str
    old: Sequence[_Token]
    new: Sequence[_Token]
    comments: Sequence[Edit]

    def text(self, changes: Sequence[_Change]) -> str:
        return applied(self.source, self.edits(changes))

    def edits(self, changes: Sequence[_Change]) -> list[Edit]:
        made = [self._edit(change) for change in changes]
        spans = [(edit.start, edit.end) for edit in made]
        inside = [one for one in self.comments if not any(start < one.start < end for start, end in spans)]
        return sorted([*made, *inside], key=lambda one: (one.start, one.end))

    def _edit(self, change: _Change) -> Edit:
        words = [self._cased(token) for token in self.new[change.k : change.l]]
        text = _joined(words)
        if change.i < change.j:
            start, end = self.old[change.i].start, self.old[change.j - 1].end
            text = self._comments_within(start, end) + text
        else:
            start = end = self._place(change.i, words)
        if _OPEN.search(text) or (not text and self.source[:start].endswith(("(", " "))):
            end += len(self.source[end:]) - len(self.source[end:].lstrip(" "))
        return Edit(start, end, self._spaced(start, end, text))

    def _place(self, at: int, words: Sequence[str]) -> int:
        """Of what is put in before a token: next to that, or behind the one before."""
        closes = words[0].lower() in _CLOSING
        if at and (closes or at == len(self.old)):
            return self.old[at - 1].end
        return self.old[at].start

    def _spaced(self, start: int, end: int, text: str) -> str:
        before, behind = self.source[:start], self.source[end:]
        if not text:
            glued = re.search(r"\w$", before) and re.match(r"\w", behind)
            return " " if glued else ""
        left = re.search(r"[\w\"']+$|\S$", before)
        right = re.match(r"[\w\"']+|::|\S", behind)
        if left is not None and _apart(left[0], text.split(maxsplit=1)[0]):
            text = " " + text
        if right is not None and _apart(re.split(r"\s", text)[-1], right[0]):
            text += " "
        return text

    def _cased(self, token: _Token) -> str:
        """Keywords as the text has its own."""
        if token.key == token.raw or not self._small:
            return token.raw
        return token.key

    @property
    def _small(self) -> bool:
        return any(token.raw in ("select", "with", "from") for token in self.old[:50])

    def _comments_within(self, start: int, end: int) -> str:
        """Those of what is replaced; a comment to the end of the line is made one that ends."""
        found = []
        for comment in self.comments:
            if start < comment.start < end:
                written = comment.text or self.source[comment.start : comment.end]
                found.append(f"/* {written[2:].strip()} */ " if written.startswith("--") else f"{written} ")
        return "".join(found)


_OPEN = re.compile(r"\($|[(,\[]\s*[+-]$")
_CLOSING = frozenset((")", "]", ",", ".", "::", "as", "end", "in", "is", "at", "then", "else"))


def _joined(words: Sequence[str]) -> str:
    text, last, sign = "", "", False
    for word in words:
        text += f" {word}" if last and not sign and _apart(last, word) else word
        sign = word in ("+", "-") and bool(last) and (last in "(,[" or last.lower() in _BEFORE_PARENTHESES)
        last = word
    return text


def _apart(left: str, right: str) -> bool:
    """Whether a blank stands between the two."""
    if left[-1] in "([." or left.endswith("::") or right[0] in ")],.;" or right.startswith("::"):
        return False
    if right[0] == "(":
        return not (left[-1].isalnum() or left[-1] in '_"') or left.lower() in _BEFORE_PARENTHESES
    return right[0] != "["


_BEFORE_PARENTHESES = _BEFORE_GROUPS | frozenset(
    ["in", "as", "over", "exists", "values", "filter", "group", "exclude", "replace", "rename", "join"]
)


# --- comments ---

_FOREIGN = {"snowflake": "//", "databricks": None, "bigquery": "#", "duckdb": None, "redshift": None}


def _comments(text: str, dialect: str) -> list[Edit]:
    """All comments between the tokens; the text of those that PostgreSQL writes otherwise, else they have none to be made."""
    found, at = [], 0
    for token in (*DIALECTS[dialect]().tokenize(text), None):
        end = len(text) if token is None else token.start
        found += [_comment(text, at, match, dialect) for match in _COMMENT.finditer(text[at:end])]
        at = end if token is None else token.end + 1
    return found


_COMMENT = re.compile(r"/\*.*?\*/|(--|//|#)[^\n]*", re.DOTALL)


def _comment(text: str, at: int, match: re.Match[str], dialect: str) -> Edit:
    start, end = at + match.start(), at + match.end()
    foreign = _FOREIGN[dialect]
    if foreign is not None and match[0].startswith(foreign):
        return Edit(start, end, f"--{match[0][len(foreign) :]}")
    return Edit(start, end, match[0])
