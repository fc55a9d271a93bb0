"""Where in a model's file an error is that counts in what dbt made of it."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from dbt.adapters.ptvc.model_lines import line_of_file

from ..errors import PtvcError
from ..given_files import read_text
from ..sql.parser.lexer import TokenKind, tokenize
from .findings import Place
from .nodes import Node


def in_text(text: str, offset: int, file: str) -> Place:
    """The place that is `offset` characters into the text; the token that stands there is meant."""
    line = text.count("\n", 0, offset) + 1
    begin = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    whole = text[begin:] if end < 0 else text[begin:end]
    column = offset - begin
    return Place(file, line, column + 1, _length(whole[column:]), whole)


def _length(text: str) -> int:
    """Of the token, or the name with dots in it, that stands first."""
    name = re.match(r'(?:[\w$]+|"[^"]*")(?:\.(?:[\w$]+|"[^"]*"))*', text)
    if name is not None:
        return len(name[0])
    try:
        token = tokenize(text)[0]
    except PtvcError:  # it goes on in the next line
        return max(len(text.rstrip()), 1)
    return 1 if token.kind is TokenKind.END else max(token.end - token.start, 1)


def in_file(node: Node, compiled: str, offset: int, root: Path) -> tuple[Place, Place | None]:
    """The place in the node's own file; with it, the one in the compiled text if the file's line does not show it."""
    made = in_text(compiled, offset, node.file)
    file, first = own_lines(node, root)
    line = line_of_file(compiled, made.line, node.raw)
    if line is None:
        return Place(node.file), made
    text = node.raw.splitlines()[line - 1]
    column, length, by_jinja = _column(made, text)
    shown = Place(file, first + line - 1, column, length, text)
    return shown, made if by_jinja or not column else None


def own_lines(node: Node, root: Path) -> tuple[str, int]:
    """The node's file, and the line of it on which its code begins."""
    return node.file, first_line(node.file, node.raw, root, node.package)


def first_line(file: str, code: str, root: Path, package: str = "") -> int:
    """The line on which the code begins in its file, be it the project's or a package's; 1 if that is not known."""
    text = _read(root / file) or _read(root / "dbt_packages" / package / file)
    at = text.find(code)
    return text.count("\n", 0, at) + 1 if at >= 0 else 1


@lru_cache(maxsize=1000)
def _read(path: Path) -> str:
    try:
        return read_text(path)
    except (OSError, UnicodeDecodeError):
        return ""


_JINJA = re.compile(r"((?:\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\})+)")


def _column(made: Place, written: str) -> tuple[int, int, bool]:
    """Where in the line as it was written that is which `made` means, its length, and whether Jinja has made it there: of a line that
    is SQL between expressions of Jinja, which made anything.  Column 0 if that is not clear."""
    line = made.text.strip()
    offset = made.column - 1 - (len(made.text) - len(made.text.lstrip()))
    parts = _JINJA.split(written.strip())
    pattern = "".join("(.*?)" if i % 2 else f"({re.escape(part)})" for i, part in enumerate(parts))
    match = re.fullmatch(pattern, line)
    if match is None:
        return 0, 1, False
    start = len(written) - len(written.lstrip())
    for number, part in enumerate(parts):
        if match.start(number + 1) <= offset < match.end(number + 1):
            if number % 2:
                return start + 1, len(part), True
            within = offset - match.start(number + 1)
            return start + within + 1, min(made.length, len(part) - within), False
        start += len(part)
    if offset == len(line) and parts[-1]:  # the text ends where it must not
        return start + 1, 1, False
    return 0, 1, False


def first_of(file: str, lines: list[str], word: str, first: int = 1) -> Place | None:
    """The first place where the word stands by itself."""
    pattern = re.compile(rf"(?<![\w$]){re.escape(word)}(?![\w$])")
    for number, line in enumerate(lines, first):
        if (found := pattern.search(line)) is not None:
            return Place(file, number, found.start() + 1, len(word), line)
    return None


def mention(node: Node, root: Path, word: str) -> Place | None:
    """Where the node's own code has the word first."""
    file, first = own_lines(node, root)
    return first_of(file, node.raw.splitlines(), word, first)


def first_mention(node: Node, root: Path, *words: str) -> Place:
    """Where the node's own code has one of the words, the earlier ones rather; its file where it has none."""
    found = (mention(node, root, word) for word in words)
    return next((place for place in found if place is not None), Place(node.file))


_NAMES = re.compile(r'"([^"]+)"|\b(\w+\.\w+)\b')


def named_in(message: str, node: Node, root: Path) -> Place | None:
    """Where the node's own code has last what the message names."""
    file, first = own_lines(node, root)
    lines = node.raw.splitlines()
    for found in _NAMES.finditer(message):
        pattern = re.compile(rf"(?<![\w$.]){re.escape(found[1] or found[2])}(?![\w$])")
        for number in range(len(lines) - 1, -1, -1):
            if (at := pattern.search(lines[number])) is not None:
                return Place(file, first + number, at.start() + 1, len(at[0]), lines[number])
    return None
