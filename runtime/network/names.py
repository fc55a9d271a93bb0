"""Names by which others know a user, and the roles that these are: a file of lines `name = role`."""

from __future__ import annotations

from pathlib import Path

from ..errors import PtvcError
from ..given_files import read_given


class BadNames(PtvcError):
    sqlstate = "F0000"


def read_names(file: Path) -> dict[str, str]:
    """Roles by name; `#` begins a comment.  Raises BadNames."""
    try:
        lines = read_given(file)[0].decode().splitlines()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise BadNames(f'cannot read "{file}": {reason}') from error
    roles: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        name, equals, role = (part.strip() for part in text.rpartition("="))
        if not (name and equals and role) or name in roles:
            raise BadNames(
                f'line {number} of "{file}" is not a name and a role',
                hint="Write a line for each name: etl.example.com = loader",
            )
        roles[name] = role
    return roles
