"""Tokens: a statement's text cut by PostgreSQL's lexical rules.

Every token knows where it stands in the whole text that the client sent, so that an error may point at it.  Rules
that matter and that a general SQL tokenizer does not keep: an operator of several characters does not end in `+` or
`-` unless it holds one of ``~!@#%^&|`?`` (`a<-1` is `a < -1`), comments nest, `E'...'` has escapes and `'...'` has
none, adjacent strings on different lines are one string, unquoted names fold to lower case.
"""

from __future__ import annotations

import codecs
import enum
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...errors import PtvcError, SqlSyntaxError, Unsupported
from ...interrupt import check_interrupt
from ..syntax.literal_rows import LiteralRows, scan, scan_list
from ..syntax.quoted import Quoting, Span, between_quotes, doubled, end_of_block, end_of_line, escaped, find


class TokenKind(enum.Enum):
    NAME = "name"  # an unquoted identifier or keyword, folded to lower case
    QUOTED = "quoted"  # a quoted identifier
    STRING = "string"
    INTEGER = "integer"
    DECIMAL = "decimal"
    PARAMETER = "parameter"
    OPERATOR = "operator"  # punctuation too
    ROWS = "rows"  # a long list of literals: rows behind VALUES, values behind IN
    END = "end"


class Token(NamedTuple):
    """`start` and `end` are 0-based offsets into the text; `value` is folded, unquoted and unescaped."""

    kind: TokenKind
    value: str
    start: int
    end: int
    rows: LiteralRows | None = None

    @property
    def position(self) -> int:
        """1-based, as errors carry it."""
        return self.start + 1


_TOKEN = re.compile(
    r"""
      (?P<space>\s{1,65536}+)
    | (?P<line_comment>--)
    | (?P<block_comment>/\*)
    | (?P<escape_string>[eE]')
    | (?P<prefixed>[uU]&['"]|[bBxX]')
    | (?P<national>[nN]')
    | (?P<string>')
    | (?P<quoted>")
    | (?P<dollar>\$(?:[A-Za-z_\u0080-\U0010ffff][A-Za-z0-9_\u0080-\U0010ffff]*)?\$)
    | (?P<too_long>\$?\d[\d_.]{1000})
    | (?P<parameter>\$\d+)
    | (?P<decimal>(?:\d+(?:_\d+)*\.(?!\.)(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?
                |\d+(?:_\d+)*[eE][+-]?\d+(?:_\d+)*)
    | (?P<based>0(?:[xX](?:_?[0-9A-Fa-f])+|[oO](?:_?[0-7])+|[bB](?:_?[01])+))
    | (?P<integer>\d+(?:_\d+)*)
    | (?P<name>[A-Za-z_\u0080-\U0010ffff][A-Za-z0-9_$\u0080-\U0010ffff]{0,1023}+)
    | (?P<cast>::|:=|\.\.|=>)
    | (?P<punctuation>[(),;.\[\]:])
    | (?P<operator>[+\-*/<>=~!@\#%^&|`?]{1,64})
    """,
    re.VERBOSE,
)
_CONTINUATION = re.compile(r"[ \t\f\v]*+(?:--[^\n]*+)?[\n\r]\s*+'")
_ESCAPE = re.compile(
    r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([Dd][89ABab][0-9A-Fa-f]{2})\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})"
    r"|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))",
    re.DOTALL,
)
_IN_STRING = doubled("'")
_IN_NAME = doubled('"')
_IN_ESCAPE_STRING = escaped(_ESCAPE.pattern)
_CONTROL = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_BYTE = 0xDC00
"""A byte of an escape string stands as a lone surrogate until all are known."""
_MAX_DIGITS = 1000
"""Of a number; `_TOKEN` has it, too."""
MAX_NAME = 255
"""Bytes of a name."""

MAX_TOKENS = 500_000
"""What a statement may have: as many take some seconds to plan, and a GB of memory."""

_CHECK_TOKENS = 256
"""After so many the lexer looks whether it is to go on."""

_LISTS = {"values": scan, "in": scan_list}
"""What may stand as one token behind these words."""

_KINDS = {
    "parameter": TokenKind.PARAMETER,
    "decimal": TokenKind.DECIMAL,
    "integer": TokenKind.INTEGER,
    "based": TokenKind.INTEGER,
    "cast": TokenKind.OPERATOR,
    "punctuation": TokenKind.OPERATOR,
}


def tokenize(text: str, start: int = 0, *, rows: bool = True) -> list[Token]:
    """The tokens of `text` from `start` on, with an END token last; 42601 with its position for what is no token.

    With `rows`, a long list of literal rows is one token.
    """
    tokens: list[Token] = []
    position = start
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise SqlSyntaxError(f'syntax error at or near "{text[position]}"', position=position + 1)
        group = match.lastgroup
        assert group is not None
        start, position = position, match.end()
        if not len(tokens) % _CHECK_TOKENS:
            check_interrupt()
        if group == "space":
            continue
        if group == "line_comment":
            position = end_of_line(text, position)
        elif group == "block_comment":
            position = _end_of_comment(text, start)
        elif group == "name":
            word = _checked(match.group().lower(), start)
            tokens.append(Token(TokenKind.NAME, word, start, position))
            if rows and word in _LISTS and (found := _LISTS[word](text, position)) is not None:
                tokens.append(Token(TokenKind.ROWS, "(", found.start, found.end, found))
                position = found.end
        elif group in ("integer", "decimal", "based", "parameter", "too_long"):
            if position - start > _MAX_DIGITS:
                raise SqlSyntaxError("number has too many digits", sqlstate="22003", position=start + 1)
            if position < len(text) and (text[position].isalpha() or text[position] == "_"):
                raise SqlSyntaxError(
                    f'trailing junk after numeric literal at or near "{match.group()}{text[position]}"',
                    position=start + 1,
                )
            written = match.group().lstrip("$").replace("_", "")
            value = str(int(written, 0)) if group == "based" else written
            tokens.append(Token(_KINDS[group], value, start, position))
        elif group in _KINDS:
            tokens.append(Token(_KINDS[group], match.group(), start, position))
        elif group == "operator":
            operator = _cut_operator(match.group())
            position = start + len(operator)
            tokens.append(Token(TokenKind.OPERATOR, operator, start, position))
        else:
            token = _quoted(text, start, group, match.group())
            position = token.end
            tokens.append(token)
        if len(tokens) > MAX_TOKENS:
            raise PtvcError(
                f"the statement has more than {MAX_TOKENS} words and signs",
                sqlstate="54000",
                hint="Load data with COPY; compare with a table, or with = ANY($1) of an array.",
                position=position,
            )
    tokens.append(Token(TokenKind.END, "", len(text), len(text)))
    return tokens


def _checked(name: str, start: int) -> str:
    if len(name) > MAX_NAME // 4 and len(name.encode()) > MAX_NAME:
        raise PtvcError(
            f'identifier "{name[:60]}..." is longer than {MAX_NAME} bytes',
            sqlstate="42622",
            position=start + 1,
        )
    return name


def _quoted(text: str, start: int, group: str, opening: str) -> Token:
    if group == "national":
        raise Unsupported(
            "N'...' is of type char(n), which is not supported", hint="Leave the N out.", position=start + 1
        )
    if group == "prefixed":
        raise Unsupported(
            f"literals that begin with {opening} are not supported",
            hint="Write the characters themselves, or use an E'...' string.",
            position=start + 1,
        )
    if group == "dollar":
        end = find(text, opening, start + len(opening))
        if end < 0:
            raise _unterminated("dollar-quoted string", text, start)
        return Token(TokenKind.STRING, text[start + len(opening) : end], start, end + len(opening))
    if group == "quoted":
        span = _span(text, start + 1, _IN_NAME, "quoted identifier", start)
        name = _checked("".join(span.decoded(lambda piece: piece.replace('""', '"'))), start)
        if not name:
            raise SqlSyntaxError('zero-length delimited identifier at or near """"', position=start + 1)
        return Token(TokenKind.QUOTED, name, start, span.end + 1)
    return _string(text, start, start + len(opening), escapes=group == "escape_string")


def _string(text: str, start: int, behind: int, *, escapes: bool) -> Token:
    """The string that begins at `start`, its first character at `behind`; it goes on in strings on further lines."""
    quoting = _IN_ESCAPE_STRING if escapes else _IN_STRING
    spans = [_span(text, behind, quoting, "quoted string", start)]
    while (more := _CONTINUATION.match(text, spans[-1].end + 1)) is not None:
        spans.append(_span(text, more.end(), quoting, "quoted string", start))
    try:
        if escapes:
            value = "".join(_characters(piece for span in spans for piece in span.decoded(_unescaped)))
        else:
            value = "".join(piece for span in spans for piece in span.decoded(_undoubled))
    except PtvcError as error:
        error.position = error.position or start + 1
        raise
    if "\0" in value:
        raise PtvcError(
            'invalid byte sequence for encoding "UTF8": 0x00', sqlstate="22021", position=start + 1
        )
    return Token(TokenKind.STRING, value, start, spans[-1].end + 1)


def _span(text: str, behind: int, quoting: Quoting, what: str, start: int) -> Span:
    span = between_quotes(text, behind, quoting)
    if span is None:
        raise _unterminated(what, text, start)
    return span


def _undoubled(piece: str) -> str:
    return piece.replace("''", "'")


def _unescaped(piece: str) -> str:
    return _ESCAPE.sub(_unescape, _undoubled(piece))


def _unescape(match: re.Match[str]) -> str:
    octal, two, high, low, four, eight, other = match.groups()
    if octal or two:
        byte = int(octal, 8) & 0xFF if octal else int(two, 16)
        return chr(byte) if byte < 0x80 else chr(_BYTE + byte)
    if high:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    digits = four or eight
    if digits:
        code = int(digits, 16)
        if not code or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            raise SqlSyntaxError("invalid Unicode escape value")
        return chr(code)
    return _CONTROL.get(other, other)


def _characters(pieces: Iterable[str]) -> Iterator[str]:
    """Bytes that were written one by one make characters together."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for piece in pieces:
            yield decoder.decode(piece.encode("utf-8", "surrogateescape"))
        yield decoder.decode(b"", True)
    except UnicodeDecodeError as error:
        shown = " ".join(f"0x{byte:02x}" for byte in error.object[error.start : error.end])
        raise PtvcError(f'invalid byte sequence for encoding "UTF8": {shown}', sqlstate="22021") from None


def _cut_operator(text: str) -> str:
    for comment in ("--", "/*"):
        at = text.find(comment)
        if at > 0:
            text = text[:at]
    if len(text) > 1 and text[-1] in "+-" and not any(character in "~!@#%^&|`?" for character in text):
        text = text.rstrip("+-") or text[0]
    return text


def _end_of_comment(text: str, start: int) -> int:
    end = end_of_block(text, start + 2)
    if end is None:
        raise _unterminated("/* comment", text, start)
    return end


def _unterminated(what: str, text: str, start: int) -> SqlSyntaxError:
    return SqlSyntaxError(f'unterminated {what} at or near "{text[start : start + 64]}"', position=start + 1)
