"""The name of a type that is a text: an argument of a function."""

from __future__ import annotations

from ...errors import PtvcError, Unsupported
from ...repr.types import Kind, ScalarType
from ..parser.lexer import TokenKind, tokenize
from ..parser.routine import RoutineParser
from ..syntax.types import REG_TYPES, FindType, resolve_type


def input_type(text: str, find: FindType, position: int) -> ScalarType:
    """The type whose input is asked for; 42601 for what is no name, 42704 for a type that does not exist, 0A000 for one
    whose input depends on more than the text, or on its modifiers in another way than a cast's."""
    try:
        parser = RoutineParser(text, tokenize(text))
        name = parser.type_name()
        if parser.token.kind is not TokenKind.END:
            parser.fail()
        type_ = resolve_type(name, find)
    except PtvcError as error:
        error.position = position
        raise
    if name.name in REG_TYPES or (type_.leaf.kind is Kind.INTERVAL and (name.modifiers or name.fields)):
        raise Unsupported(f'whether a text is valid input of "{text}" is not supported', position=position)
    return type_
