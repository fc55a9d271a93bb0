"""What a reader says: where the environment is, which relation of it, and at what time.

| option | means |
|---|---|
| `path` | the environment's directory |
| `consensus`, `blob` | URLs of its stores, instead of the directory |
| `relation` | `name`, `schema.name` or `database.schema.name`; quoted where SQL would have to |
| `as_of` | `latest`, milliseconds since 1970, or a timestamp (in UTC unless it says its zone) |
| `starting` | makes it the changelog: `latest`, `snapshot`, or a time as in `as_of`, from which on changes come |
| `max_bytes` | of updates in memory that one batch of a stream takes, about |
| `lease` | seconds for which what is read, or what a stream has still to tell, is kept after the last sign of life of who reads it |
| `partition_bytes` | of updates in memory that one task reads, about |
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from ..config import DATABASE, DEFAULT_SCHEMA
from ..errors import InvalidParameter
from ..expr.text.text_format import from_text
from ..persist.location import Location, blob_url, consensus_url
from ..persist.stores import locate
from ..repr.types import TIMESTAMPTZ

LATEST = "latest"
SNAPSHOT = "snapshot"
DEFAULT_LEASE_S = 600
DEFAULT_STREAM_LEASE_S = 86_400
DEFAULT_PARTITION_BYTES = 128 * 1024 * 1024

_KNOWN = frozenset(
    {"path", "consensus", "blob", "relation", "as_of", "starting", "max_bytes", "lease", "partition_bytes"}
)
_NAME = re.compile(r'"((?:[^"]|"")+)"|([^\s".]+)')
_RELATION_HINT = 'Give option("relation", "schema.name").'


@dataclass(frozen=True, slots=True)
class Options:
    """`as_of` is milliseconds since 1970, or None for the latest time; `directory` is meaningless if `location` names both
    stores.  `starting`, of a changelog: LATEST, SNAPSHOT or milliseconds."""

    directory: Path
    location: Location
    schema: str
    name: str
    as_of: int | None
    lease_ms: int | None
    partition_bytes: int
    starting: str | int | None = None
    max_bytes: int | None = None


def parse_options(options: Mapping[str, str]) -> Options:
    """InvalidParameter for what is missing, unknown, or cannot be read."""
    given = {key.lower(): value for key, value in options.items()}
    if unknown := sorted(given.keys() - _KNOWN):
        raise InvalidParameter(
            f'"{unknown[0]}" is no option of the format ptvc', hint=f"There are {', '.join(sorted(_KNOWN))}."
        )
    directory, location = _place(given)
    schema, name = _relation(given.get("relation", ""))
    starting, most = given.get("starting"), given.get("max_bytes")
    return Options(
        directory,
        location,
        schema,
        name,
        _time("as_of", given.get("as_of", LATEST)),
        _number("lease", lease, 0) * 1000 if (lease := given.get("lease")) is not None else None,
        _number("partition_bytes", given.get("partition_bytes"), DEFAULT_PARTITION_BYTES),
        None if starting is None else _starting(starting),
        None if most is None else _number("max_bytes", most, 0),
    )


def _place(given: Mapping[str, str]) -> tuple[Path, Location]:
    path, consensus, blob = given.get("path"), given.get("consensus"), given.get("blob")
    if path is not None:
        directory = Path(path)
        return directory, locate(directory, consensus, blob)
    if consensus is None or blob is None:
        raise InvalidParameter(
            "the environment is not named",
            hint="Give the option path, its directory; or consensus and blob, the URLs of its stores.",
        )
    return Path(), Location(consensus_url(consensus), blob_url(blob, os.environ))


def _relation(text: str) -> tuple[str, str]:
    """Schema and name, as SQL reads them: folded unless they are quoted."""
    parts, at = [], 0
    while match := _NAME.match(text, at):
        quoted, plain = match.groups()
        parts.append(quoted.replace('""', '"') if quoted is not None else plain.lower())
        at = match.end()
        if at == len(text) or text[at] != ".":
            break
        at += 1
    if at != len(text) or not 1 <= len(parts) <= 3 or text.endswith("."):
        raise InvalidParameter(f'"{text}" is no name of a relation', hint=_RELATION_HINT)
    if len(parts) == 3 and parts.pop(0) != DATABASE:
        raise InvalidParameter(f'"{text}" is in another database than "{DATABASE}"', hint=_RELATION_HINT)
    return (DEFAULT_SCHEMA, parts[0]) if len(parts) == 1 else (parts[0], parts[1])


def _starting(text: str) -> str | int:
    if text.strip().lower() == SNAPSHOT:
        return SNAPSHOT
    time = _time("starting", text)
    return LATEST if time is None else time


def _time(option: str, text: str) -> int | None:
    text = text.strip()
    if text.lower() == LATEST:
        return None
    if re.fullmatch(r"[0-9]{1,18}", text):
        return int(text)
    parsed = from_text(pa.array([text], pa.string()), TIMESTAMPTZ)
    if parsed.errors is not None:
        raise InvalidParameter(
            f'{option} "{text}" is no time',
            hint="Give latest, milliseconds since 1970, or a timestamp such as 2026-01-31 12:00:00Z.",
        )
    return int(parsed.values.cast(pa.int64())[0].as_py()) // 1000


def _number(name: str, text: str | None, default: int) -> int:
    if text is None:
        return default
    if not re.fullmatch(r"[0-9]{1,15}", text.strip()) or not int(text):
        raise InvalidParameter(f'{name} "{text}" is no positive number')
    return int(text)
