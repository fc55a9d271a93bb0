"""setuptools as a build backend, with an editable install in which dbt finds the adapter.

`dbt --version` and `dbt init` look for `dbt/adapters/*/__version__.py` in the folder where dbt's own adapters package is, not on the whole
path of that package.  So an editable wheel has this one file, in a folder that is no package: everything is imported from the checkout.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from setuptools import build_meta
from setuptools.build_meta import (
    build_sdist,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

_FOUND = "dbt/adapters/ptvc/__version__.py"


def build_editable(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    """As PEP 660 says: the name of the wheel in `wheel_directory`."""
    name = build_meta.build_editable(wheel_directory, config_settings, metadata_directory)
    path = Path(wheel_directory) / name
    with ZipFile(path) as wheel:
        files = {info.filename: wheel.read(info) for info in wheel.infolist()}
    content = (Path(__file__).parent.parent / _FOUND).read_bytes()
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    (record,) = (filename for filename in files if filename.endswith(".dist-info/RECORD"))
    files[record] += f"{_FOUND},sha256={digest},{len(content)}\n".encode()
    with ZipFile(path, "w", ZIP_DEFLATED) as wheel:
        for filename, data in {_FOUND: content, **files}.items():
            wheel.writestr(filename, data)
    return name
