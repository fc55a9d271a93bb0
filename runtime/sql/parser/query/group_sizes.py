"""OPTIONS behind a SELECT: how many rows its groups are expected to have.

They are for an engine that lays out its state by them.  Reductions here grow with their groups, so the sizes are read, and
nothing else becomes of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....errors import InvalidParameter, SqlSyntaxError
from ..lexer import TokenKind
from ..token_cursor import Cursor

_ANY = "EXPECTED GROUP SIZE"
_OPTIONS = ("AGGREGATE INPUT GROUP SIZE", "DISTINCT ON INPUT GROUP SIZE", "LIMIT INPUT GROUP SIZE", _ANY)


@dataclass(frozen=True, slots=True)
class _GroupSize:
    name: str
    position: int


class GroupSizeParser(Cursor):
    def at_group_sizes(self) -> bool:
        """Whether it is these that stand next: `options (a, b)` is an alias with names of columns."""
        if not (self.at_word("options") and self.at_symbol("(", 1)):
            return False
        return self.peek(2).kind is TokenKind.NAME and not (self.at_symbol(",", 3) or self.at_symbol(")", 3))

    def group_sizes(self) -> None:
        """`OPTIONS (NAME [=] size, ...)`, if it stands next; 42601 for another option, 22023 for what is no size."""
        if not self.at_group_sizes():
            return
        position = self.advance().position
        names = [size.name for size in self.options_once(self._group_size)]
        if _ANY in names and len(names) > 1:
            raise SqlSyntaxError(f"{_ANY} cannot stand beside other options", position=position)

    def _group_size(self) -> _GroupSize:
        position = self.token.position
        name = next((name for name in _OPTIONS if self.accept_words(*name.lower().split())), None)
        if name is None:
            raise SqlSyntaxError(
                f'unrecognized option of SELECT: "{self.token.value}"',
                hint=f"Options are {', '.join(_OPTIONS)}.",
                position=position,
            )
        self.accept_symbol("=")
        negative = self.accept_symbol("-")
        if self.token.kind not in (TokenKind.INTEGER, TokenKind.DECIMAL, TokenKind.STRING):
            self.fail()
        token = self.advance()
        if negative or token.kind is not TokenKind.INTEGER or int(token.value) == 0:
            raise InvalidParameter(f"{name} must be a positive integer", position=token.position)
        return _GroupSize(name, position)
