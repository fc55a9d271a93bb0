"""Functions of bytea: encodings, digests, bytes and bits, and those that it shares with text."""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ....repr.types import BOOL, BYTEA, INT2, INT4, INT8, TEXT, TIMESTAMPTZ, UUID, ScalarType
from ...datetimes.datetime_input import InputError
from ...text.binary_text import parse_hex
from ...tree.function import CallInfo, Datum, Function, Overload, as_array
from ..rowwise import rowwise

_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_LINE = 76


def _unknown_encoding(name: str) -> InputError:
    return InputError("22023", f'unrecognized encoding: "{name}"')


def _encode(data: bytes, encoding: str) -> str:
    match encoding.lower():
        case "hex":
            return data.hex()
        case "base64":
            text = base64.b64encode(data).decode()
            return "\n".join(text[i : i + _LINE] for i in range(0, len(text), _LINE))
        case "escape":
            return "".join(
                f"\\{byte:03o}" if byte == 0 or byte > 127 else "\\\\" if byte == 92 else chr(byte)
                for byte in data
            )
        case _:
            raise _unknown_encoding(encoding)


def _decode(text: str, encoding: str) -> bytes:
    match encoding.lower():
        case "hex":
            return parse_hex(text)
        case "base64":
            return _from_base64(text)
        case "escape":
            return _from_escapes(text)
        case _:
            raise _unknown_encoding(encoding)


def _from_base64(text: str) -> bytes:
    out = bytearray()
    word = count = end = 0
    for char in text:
        if char in " \t\n\r":
            continue
        value = 0
        if char == "=":
            if not end:
                if count not in (2, 3):
                    raise InputError("22023", 'unexpected "=" while decoding base64 sequence')
                end = count - 1
        else:
            value = _BASE64.find(char)
            if value < 0:
                raise InputError("22023", f'invalid symbol "{char}" found while decoding base64 sequence')
        word = word << 6 | value
        count += 1
        if count == 4:
            out += word.to_bytes(3, "big")[: end or 3]
            word = count = 0
    if count:
        raise InputError("22023", "invalid base64 end sequence")
    return bytes(out)


def _from_escapes(text: str) -> bytes:
    out = bytearray()
    position = 0
    while position < len(text):
        char = text[position]
        digits = text[position + 1 : position + 4]
        if char != "\\":
            out += char.encode()
            position += 1
        elif len(digits) == 3 and digits[0] in "0123" and set(digits) <= set("01234567"):
            out.append(int(digits, 8))
            position += 4
        elif digits[:1] == "\\":
            out += b"\\"
            position += 2
        else:
            raise InputError("22P02", "invalid input syntax for type bytea")
    return bytes(out)


def _digest(name: str) -> Callable[[bytes], bytes]:
    def digest(data: bytes) -> bytes:
        return hashlib.new(name, data, usedforsecurity=False).digest()

    return digest


def _md5(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


# --- text and bytes ----------------------------------------------------------------------------------------------------


def _convert_to(text: str, encoding: str) -> bytes:
    _only_utf8(encoding)
    return text.encode()


def _convert_from(data: bytes, encoding: str) -> str:
    _only_utf8(encoding)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        lead = data[error.start]
        size = 2 if 0xC0 <= lead < 0xE0 else 3 if 0xE0 <= lead < 0xF0 else 4 if 0xF0 <= lead < 0xF8 else 1
        raise _invalid_bytes(data[error.start : error.start + size]) from None
    if "\0" in text:
        raise _invalid_bytes(b"\0")
    return text


def _invalid_bytes(data: bytes) -> InputError:
    shown = " ".join(f"0x{byte:02x}" for byte in data)
    return InputError("22021", f'invalid byte sequence for encoding "UTF8": {shown}')


def _only_utf8(encoding: str) -> None:
    if encoding.lower().replace("-", "").replace("_", "") not in ("utf8", "unicode"):
        raise InputError("0A000", f'encoding "{encoding}" is not supported')


# --- bytes and bits ----------------------------------------------------------------------------------------------------


def _within(index: int, size: int) -> None:
    if not 0 <= index < size:
        raise InputError("2202E", f"index {index} out of valid range, 0..{size - 1}")


def _get_byte(data: bytes, index: int) -> int:
    _within(index, len(data))
    return data[index]


def _set_byte(data: bytes, index: int, value: int) -> bytes:
    _within(index, len(data))
    return data[:index] + bytes((value & 255,)) + data[index + 1 :]


def _get_bit(data: bytes, index: int) -> int:
    _within(index, len(data) * 8)
    return data[index >> 3] >> (index & 7) & 1


def _set_bit(data: bytes, index: int, value: int) -> bytes:
    _within(index, len(data) * 8)
    if value not in (0, 1):
        raise InputError("22023", "new bit must be 0 or 1")
    byte = data[index >> 3] & ~(1 << (index & 7)) | value << (index & 7)
    return _set_byte(data, index >> 3, byte)


def _bit_count(data: bytes) -> int:
    return int.from_bytes(data, "big").bit_count()


def _substring(data: bytes, start: int, length: int | None = None) -> bytes:
    if length is None:
        return data[max(start, 1) - 1 :]
    if length < 0:
        raise InputError("22011", "negative substring length not allowed")
    end = start + length
    return data[max(start, 1) - 1 : end - 1] if end > 1 else b""


def _overlay(data: bytes, new: bytes, start: int, length: int | None = None) -> bytes:
    if start <= 0:
        raise InputError("22011", "negative substring length not allowed")
    count = len(new) if length is None else length
    if start + count > 2147483647:
        raise InputError("22003", "integer out of range")
    return data[: start - 1] + new + data[max(start + count - 1, 0) :]


def _position(data: bytes, part: bytes) -> int:
    return data.find(part) + 1


def _trim(side: Callable[..., bytes]) -> Callable[[bytes, bytes], bytes]:
    def trim(data: bytes, characters: bytes) -> bytes:
        return side(data, characters) if characters else data

    return trim


def _size(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    return pc.binary_length(as_array(args[0], info.length))


def _bits(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    return pc.multiply(_size(args, info), 8).cast(pa.int32())


@lru_cache(maxsize=256)
def _like_regex(pattern: bytes) -> re.Pattern[bytes]:
    out = b""
    position = 0
    while position < len(pattern):
        byte = pattern[position : position + 1]
        position += 1
        if byte == b"\\":
            if position == len(pattern):
                raise InputError("22025", "LIKE pattern must not end with escape character")
            byte = pattern[position : position + 1]
            position += 1
            out += re.escape(byte)
        else:
            out += {b"%": b".*", b"_": b"."}.get(byte) or re.escape(byte)
    return re.compile(out, re.DOTALL)


def _like(negate: bool) -> Callable[[bytes, bytes], bool]:
    def like(data: bytes, pattern: bytes) -> bool:
        return (_like_regex(pattern).fullmatch(data) is not None) is not negate

    return like


# --- uuid ----------------------------------------------------------------------------------------------------------------


def _rfc_variant(data: bytes) -> bool:
    return data[8] & 0xC0 == 0x80


def _uuid_version(data: bytes) -> int | None:
    return data[6] >> 4 if _rfc_variant(data) else None


_GREGORIAN_US = 12_219_292_800_000_000
"""From 1582-10-15, where times of version 1 begin, to 1970."""


def _uuid_timestamp(data: bytes) -> int | None:
    """Microseconds since 1970, of versions 1 and 7; NULL of all others."""
    match _uuid_version(data):
        case 1:
            ticks = int.from_bytes(data[6:8] + data[4:6] + data[:4], "big") & (1 << 60) - 1
            return ticks // 10 - _GREGORIAN_US
        case 7:
            return int.from_bytes(data[:6], "big") * 1000
        case _:
            return None


def _one(one: Callable[..., Any], result: ScalarType, *params: ScalarType, fails: bool = False) -> Overload:
    return Overload(params, result, rowwise(one), can_fail=fails)


FUNCTIONS: tuple[Function, ...] = (
    Function("encode", (_one(_encode, TEXT, BYTEA, TEXT, fails=True),)),
    Function("decode", (_one(_decode, BYTEA, TEXT, TEXT, fails=True),)),
    *(
        Function(name, (_one(_digest(name), BYTEA, BYTEA),))
        for name in ("sha224", "sha256", "sha384", "sha512")
    ),
    Function("crc32", (_one(zlib.crc32, INT8, BYTEA),)),
    Function("convert_to", (_one(_convert_to, BYTEA, TEXT, TEXT, fails=True),)),
    Function("convert_from", (_one(_convert_from, TEXT, BYTEA, TEXT, fails=True),)),
    Function("get_byte", (_one(_get_byte, INT4, BYTEA, INT4, fails=True),)),
    Function("set_byte", (_one(_set_byte, BYTEA, BYTEA, INT4, INT4, fails=True),)),
    Function("get_bit", (_one(_get_bit, INT4, BYTEA, INT8, fails=True),)),
    Function("set_bit", (_one(_set_bit, BYTEA, BYTEA, INT8, INT4, fails=True),)),
    Function("bit_count", (_one(_bit_count, INT8, BYTEA),)),
    Function("uuid_extract_version", (Overload((UUID,), INT2, rowwise(_uuid_version), nullable=True),)),
    Function(
        "uuid_extract_timestamp",
        (Overload((UUID,), TIMESTAMPTZ, rowwise(_uuid_timestamp), nullable=True),),
    ),
)

_SUBSTRING = [
    _one(_substring, BYTEA, BYTEA, INT4),
    _one(_substring, BYTEA, BYTEA, INT4, INT4, fails=True),
]

OVERLOADS: dict[str, list[Overload]] = {
    "like": [_one(_like(False), BOOL, BYTEA, BYTEA, fails=True)],
    "not_like": [_one(_like(True), BOOL, BYTEA, BYTEA, fails=True)],
    "md5": [_one(_md5, TEXT, BYTEA)],
    "length": [Overload((BYTEA,), INT4, _size)],
    "octet_length": [Overload((BYTEA,), INT4, _size)],
    "bit_length": [Overload((BYTEA,), INT4, _bits)],
    "substring": _SUBSTRING,
    "substr": _SUBSTRING,
    "overlay": [
        _one(_overlay, BYTEA, BYTEA, BYTEA, INT4, fails=True),
        _one(_overlay, BYTEA, BYTEA, BYTEA, INT4, INT4, fails=True),
    ],
    "position": [_one(_position, INT4, BYTEA, BYTEA)],
    "btrim": [_one(_trim(bytes.strip), BYTEA, BYTEA, BYTEA)],
    "ltrim": [_one(_trim(bytes.lstrip), BYTEA, BYTEA, BYTEA)],
    "rtrim": [_one(_trim(bytes.rstrip), BYTEA, BYTEA, BYTEA)],
    "reverse": [_one(lambda data: data[::-1], BYTEA, BYTEA)],
}
"""Added to functions of text."""
