"""Differences put into the text as edits, with its own blanks, comments and case of letters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .differences import BEFORE_GROUPS, Change
from .edit import Edit, applied
from .tokens import Token


@dataclass(slots=True)
class Rewriting:
    source: str
    old: Sequence[Token]
    new: Sequence[Token]
    comments: Sequence[Edit]

    def text(self, changes: Sequence[Change]) -> str:
        return applied(self.source, self.edits(changes))

    def edits(self, changes: Sequence[Change]) -> list[Edit]:
        made = [self._edit(change) for change in changes]
        spans = [(edit.start, edit.end) for edit in made]
        inside = [one for one in self.comments if not any(start < one.start < end for start, end in spans)]
        return sorted([*made, *inside], key=lambda one: (one.start, one.end))

    def _edit(self, change: Change) -> Edit:
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

    def _cased(self, token: Token) -> str:
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


_BEFORE_PARENTHESES = BEFORE_GROUPS | frozenset(
    ["in", "as", "over", "exists", "values", "filter", "group", "exclude", "replace", "rename", "join"]
)
