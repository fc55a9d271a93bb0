"""Files of Spark's settings: `name value`, a setting a line, as Java reads properties.

Passwords go to Spark by such files, as arguments and environment variables are seen by others.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from .errors import InvalidParameter
from .given_files import read_given

_SECRET = re.compile(r"secret|password|token|access[._]?key", re.IGNORECASE)
"""In the names of settings whose values nobody else may see."""
_PLACE = re.compile(r"\.file$|\.secretKeyRef\.|\.secrets\.", re.IGNORECASE)
"""Of these the value is where a secret is."""

_SPACE = " \t\f"
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_PRINTABLE = re.compile(r"[ -~]")
_ESCAPED = re.compile(r"[\\ \t\f\n\r=:#!]")
_NAMED = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\f": "\\f"}


def read_properties(path: Path) -> dict[str, str]:
    """The settings of Spark in a file; without one of its own (`spark.` begins it), a name is refused.

    Raises InvalidParameter, which shows no value, where it cannot be read, or where others can read a secret in it.
    """
    try:
        data, about = read_given(path)
        text = data.decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InvalidParameter(f'Spark\'s settings in "{path}" cannot be read: {reason}') from None
    mode = stat.S_IMODE(about.st_mode)
    found = {}
    for line in _logical_lines(text):
        name, value = _split(line)
        if not name.startswith("spark."):
            raise InvalidParameter(
                f'"{name}" in "{path}" is no setting of Spark',
                hint="A line has a name that begins with spark., a space, and the value.",
            )
        found[name] = value.strip()
    secrets = sorted(name for name in found if _SECRET.search(name) and not _PLACE.search(name))
    if secrets and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise InvalidParameter(
            f'"{path}" has {secrets[0]} in it, and may be read by others (mode {mode:04o})',
            hint=f"Take that from them: chmod 600 {path}",
        )
    return found


def write_properties(path: Path, properties: Mapping[str, str]) -> None:
    """For this user alone to read, whatever the umask, and whole or not at all."""
    temporary = path.with_suffix(".tmp")
    temporary.unlink(missing_ok=True)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.writelines(f"{_escaped(name)}={_escaped(value)}\n" for name, value in properties.items())
    temporary.replace(path)


def is_true(properties: Mapping[str, str], name: str) -> bool:
    return properties.get(name, "").strip().lower() == "true"


def _logical_lines(text: str) -> Iterator[str]:
    """Without comments and blank lines; those that a backslash continues, as one."""
    before = None
    for line in re.split(r"\r\n|\n|\r", text):
        piece = line.lstrip(_SPACE)
        if before is None and (not piece or piece[0] in "#!"):
            continue
        piece = (before or "") + piece
        if (len(piece) - len(piece.rstrip("\\"))) % 2:
            before = piece[:-1]
            continue
        before = None
        yield piece
    if before is not None:
        yield before


def _split(line: str) -> tuple[str, str]:
    """Name and value: between them stand spaces, or one `=` or `:` with spaces about it."""
    found = re.match(r"((?:\\.|[^\\=: \t\f])*)[ \t\f]*[=:]?[ \t\f]*(.*)", line, re.DOTALL)
    assert found is not None
    return _unescaped(found[1]), _unescaped(found[2])


def _unescaped(text: str) -> str:
    def plain(found: re.Match[str]) -> str:
        return chr(int(found[1], 16)) if found[1] else _ESCAPES.get(found[2], found[2])

    units = re.sub(r"\\(?:u([0-9a-fA-F]{4})|(.))", plain, text, flags=re.DOTALL)
    return units.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # Java escapes units of UTF-16


def _escaped(text: str) -> str:
    return "".join(_escaped_character(character) for character in text)


def _escaped_character(character: str) -> str:
    if _ESCAPED.match(character):
        return _NAMED.get(character, f"\\{character}")
    if _PRINTABLE.match(character):
        return character
    utf16 = character.encode("utf-16-be")
    return "".join(f"\\u{utf16[i : i + 2].hex()}" for i in range(0, len(utf16), 2))
