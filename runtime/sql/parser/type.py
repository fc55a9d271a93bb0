"""CREATE TYPE."""

from __future__ import annotations

from ...errors import PtvcError, RedundantOption, Unsupported
from ..syntax import ast
from ..syntax.definition_statements import CreateTypeStatement
from .connection import ConnectionParser

_HINT = "Types are lists and maps: AS LIST (ELEMENT TYPE = integer), AS MAP (KEY TYPE = text, VALUE TYPE = integer)."


class TypeParser(ConnectionParser):
    def create_type(self) -> CreateTypeStatement:
        """What stands behind CREATE TYPE."""
        name = self.object_name()
        position = self.token.position
        if self.accept_words("as", "list"):
            element = self._type_options("element")["element"]
            return CreateTypeStatement(name, ast.TypeName("list", (), 0, position, element=element))
        if self.accept_words("as", "map"):
            found = self._type_options("key", "value")
            key = found["key"]
            if key != ast.TypeName("text", (), 0, key.position):
                raise Unsupported("keys of maps must be of type text", position=key.position)
            return CreateTypeStatement(name, ast.TypeName("map", (), 0, position, element=found["value"]))
        what = "without AS"
        if self.accept_words("as"):
            if not self.at_symbol("(") and not self.at_any("enum", "range"):
                self.fail()
            what = "AS (...)" if self.at_symbol("(") else f"AS {self.token.value.upper()}"
        raise Unsupported(f"CREATE TYPE ... {what} is not supported", hint=_HINT, position=position)

    def _type_options(self, *words: str) -> dict[str, ast.TypeName]:
        """`(ELEMENT TYPE = type, ...)`, each of `words` once, in any order."""
        found: dict[str, ast.TypeName] = {}
        self.expect_symbol("(")
        while True:
            position = self.token.position
            word = self.accept_any(*words)
            if word is None:
                self.fail()
            self.expect_words("type")
            self.accept_symbol("=")
            if word in found:
                raise RedundantOption(f"{word} type", position=position)
            found[word] = self.type_name()
            if not self.accept_symbol(","):
                break
        self.expect_symbol(")")
        for word in words:
            if word not in found:
                raise PtvcError(f"{word.upper()} TYPE must be specified", sqlstate="42601", hint=_HINT)
        return found
