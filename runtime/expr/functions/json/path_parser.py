"""The parser of the SQL/JSON path language.

path       = [strict | lax] or
or         = and { "||" and }           and = not { "&&" not }
not        = "!" "(" or ")" | comparison
comparison = sum [ (== != <> < <= > >=) sum | "starts with" value ]  |  "exists" "(" or ")"  |  "(" or ")" "is unknown"
sum        = product { (+ -) product }  product = unary { (* / %) unary }
unary      = { + | - } accessors
accessors  = primary { .key | .* | .** [{n [to m]}] | [*] | [or [to or], ...] | ?(or) | .method() }
primary    = $ | $variable | @ | last | number | string | true | false | null | "(" or ")"
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import NoReturn

from ...datetimes.datetime_input import InputError
from ...digits import whole
from ...jsonb.document import written_number
from .path import (
    AnyElement,
    AnyMember,
    Arithmetic,
    Comparison,
    Connective,
    Current,
    Descendants,
    Exists,
    Expression,
    Filter,
    IsUnknown,
    Last,
    Member,
    Method,
    Not,
    Path,
    Root,
    Sign,
    StartsWith,
    Subscripts,
    Value,
    Variable,
)

METHODS = frozenset({"type", "size", "double", "ceiling", "floor", "abs"})
_REFUSED_METHODS = frozenset(
    {
        "bigint", "boolean", "date", "datetime", "decimal", "integer", "keyvalue", "number", "string", "time", "time_tz",
        "timestamp", "timestamp_tz",
    }
)  # fmt: skip


@lru_cache(maxsize=256)
def parse_path(text: str) -> Path:
    """Raises InputError: 42601 for what is no path, 0A000 for what is not supported."""
    if not text.strip():
        raise InputError("22P02", f'invalid input syntax for type jsonpath: "{text}"')
    try:
        return _Parser(text).path()
    except RecursionError:
        raise InputError("54001", "stack depth limit exceeded") from None


_TOKEN = re.compile(
    r"""\s*(?:/\*.*?\*/\s*)*(?:
      (?P<number>0[xX][0-9a-fA-F]+|(?:[0-9](?:_?[0-9])*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    | (?P<string>"(?:[^"\\]|\\.)*")
    | (?P<variable>\$(?:"(?:[^"\\]|\\.)*"|[^\s?%$.\[\]{}()|&!=<>@#,*:\-+/"\\^~`]+))
    | (?P<name>[^\s?%$.\[\]{}()|&!=<>@\#,*:\-+/"\\^~`0-9][^\s?%$.\[\]{}()|&!=<>@\#,*:\-+/"\\^~`]*)
    | (?P<sign>\*\*|\|\||&&|==|!=|<>|<=|>=|[$@.*\[\](){},?!<>+\-/%])
    | (?P<end>\Z))""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_CONTROL = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_COMPARISONS = frozenset({"==", "!=", "<>", "<", "<=", ">", ">="})
_MAX_DEPTH = 200
_PREDICATES = (Comparison, StartsWith, Exists, IsUnknown, Not, Connective)


def _unescaped(match: re.Match[str]) -> str:
    wide, four, two, other = match.groups()
    if digits := wide or four or two:
        return chr(int(digits, 16))
    return _CONTROL.get(other, other)


def _string(token: str) -> str:
    text = _ESCAPE.sub(_unescaped, token[1:-1])
    if "\\u" in token:  # two halves of a pair are one character
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if "\0" in text or ("\ufffd" in text and "\ufffd" not in token):
        raise InputError("22P05", "unsupported Unicode escape sequence")
    return text


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str]] = []
        self._at = 0
        self._depth = 0
        self._filters = 0
        self._subscripts_open = 0
        position = 0
        while not self._tokens or self._tokens[-1][0] != "end":
            match = _TOKEN.match(text, position)
            if match is None:
                raise InputError(
                    "42601", f'syntax error at or near "{text[position:].strip()[:20]}" of jsonpath input'
                )
            assert match.lastgroup is not None
            self._tokens.append((match.lastgroup, match[match.lastgroup]))
            position = match.end()

    # --- tokens ---

    def _peek(self, ahead: int = 0) -> tuple[str, str]:
        return self._tokens[min(self._at + ahead, len(self._tokens) - 1)]

    def _accept(self, *values: str, kind: str = "sign") -> str | None:
        found = self._peek()
        if found[0] != kind or found[1] not in values:
            return None
        self._at += 1
        return found[1]

    def _expect(self, value: str, kind: str = "sign") -> None:
        if self._accept(value, kind=kind) is None:
            self._fail()

    def _fail(self) -> NoReturn:
        kind, value = self._peek()
        where = "end" if kind == "end" else f'or near "{value}"'
        raise InputError("42601", f"syntax error at {where} of jsonpath input")

    # --- grammar ---

    def path(self) -> Path:
        mode = self._accept("strict", "lax", kind="name")
        expression = self._or()
        if self._peek()[0] != "end":
            self._fail()
        return Path(mode == "strict", expression)

    def _or(self) -> Expression:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise InputError("54001", "stack depth limit exceeded")
        left = self._and()
        while self._accept("||"):
            left = Connective("||", self._predicate(left), self._predicate(self._and()))
        self._depth -= 1
        return left

    def _and(self) -> Expression:
        left = self._not()
        while self._accept("&&"):
            left = Connective("&&", self._predicate(left), self._predicate(self._not()))
        return left

    def _predicate(self, expression: Expression) -> Expression:
        if not isinstance(expression, _PREDICATES):
            self._fail()
        return expression

    def _not(self) -> Expression:
        if self._accept("!"):
            if self._peek() == ("name", "exists"):
                return Not(self._comparison())
            self._expect("(")
            arg = self._predicate(self._or())
            self._expect(")")
            return Not(arg)
        return self._comparison()

    def _comparison(self) -> Expression:
        if self._peek() == ("name", "exists") and self._peek(1) == ("sign", "("):
            self._at += 2
            arg = self._or()
            self._expect(")")
            return Exists(arg)
        left = self._sum()
        if isinstance(left, _PREDICATES):
            if self._accept("is", kind="name"):
                self._expect("unknown", kind="name")
                return IsUnknown(left)
            return left
        if sign := self._accept(*_COMPARISONS):
            return Comparison("!=" if sign == "<>" else sign, left, self._operand(self._sum()))
        if self._accept("starts", kind="name"):
            self._expect("with", kind="name")
            kind, _ = self._peek()
            if kind not in ("string", "variable"):
                self._fail()
            return StartsWith(left, self._primary())
        if self._peek() == ("name", "like_regex"):
            raise InputError("0A000", "like_regex in a jsonpath is not supported")
        return left

    def _operand(self, expression: Expression) -> Expression:
        if isinstance(expression, _PREDICATES):
            self._fail()
        return expression

    def _sum(self) -> Expression:
        left = self._product()
        while sign := self._accept("+", "-"):
            left = Arithmetic(sign, self._operand(left), self._operand(self._product()))
        return left

    def _product(self) -> Expression:
        left = self._unary()
        while sign := self._accept("*", "/", "%"):
            left = Arithmetic(sign, self._operand(left), self._operand(self._unary()))
        return left

    def _unary(self) -> Expression:
        if sign := self._accept("+", "-"):
            return Sign(sign, self._operand(self._unary()))
        return self._accessors(self._primary())

    def _primary(self) -> Expression:
        kind, value = self._peek()
        self._at += 1
        match kind, value:
            case "sign", "$":
                return Root()
            case "sign", "@":
                if not self._filters:
                    raise InputError("42601", "@ is not allowed in root expressions")
                return Current()
            case "sign", "(":
                inner = self._or()
                self._expect(")")
                return inner
            case "variable", _:
                name = value[1:]
                return Variable(_string(name) if name.startswith('"') else name)
            case "string", _:
                return Value(_string(value))
            case "number", _:
                return Value(_number(value))
            case "name", "true" | "false":
                return Value(value == "true")
            case "name", "null":
                return Value(None)
            case "name", "last":
                if not self._subscripts_open:
                    raise InputError("42601", "LAST is allowed only in array subscripts")
                return Last()
        self._at -= 1
        return self._fail()

    def _accessors(self, of: Expression) -> Expression:
        while True:
            if self._accept("."):
                of = self._member(of)
            elif self._accept("["):
                of = self._subscripts(of)
            elif self._accept("?"):
                self._expect("(")
                self._filters += 1
                of = Filter(of, self._predicate(self._or()))
                self._filters -= 1
                self._expect(")")
            else:
                return of

    def _member(self, of: Expression) -> Expression:
        if self._accept("*"):
            return AnyMember(of)
        if self._accept("**"):
            return self._descendants(of)
        kind, value = self._peek()
        if kind not in ("name", "string"):
            self._fail()
        self._at += 1
        if kind == "name" and self._accept("("):
            if value in _REFUSED_METHODS:
                raise InputError("0A000", f"method {value}() of jsonpath is not supported")
            self._expect(")")
            if value not in METHODS:
                self._fail()
            return Method(of, value)
        return Member(of, _string(value) if kind == "string" else value)

    def _descendants(self, of: Expression) -> Expression:
        if not self._accept("{"):
            return Descendants(of, 0, None)
        first = last = self._level()
        if self._accept("to", kind="name"):
            last = self._level()
        self._expect("}")
        return Descendants(of, first, last)

    def _level(self) -> int | None:
        if self._accept("last", kind="name"):
            return None
        kind, value = self._peek()
        if kind != "number" or not value.isdigit():
            self._fail()
        self._at += 1
        return whole(value)

    def _subscripts(self, of: Expression) -> Expression:
        if self._accept("*"):
            self._expect("]")
            return AnyElement(of)
        ranges: list[tuple[Expression, Expression | None]] = []
        self._subscripts_open += 1
        while True:
            first = self._operand(self._or())
            last = self._operand(self._or()) if self._accept("to", kind="name") else None
            ranges.append((first, last))
            if not self._accept(","):
                break
        self._expect("]")
        self._subscripts_open -= 1
        return Subscripts(of, tuple(ranges))


def _number(text: str) -> Decimal | int:
    if text[:2] in ("0x", "0X"):
        return int(text, 16)
    return Decimal(written_number(text.replace("_", "")))
