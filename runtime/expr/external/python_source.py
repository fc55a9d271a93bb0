"""What is checked of a function in Python when it is created.  The code itself runs when it is called."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
import symtable
import sys
from collections.abc import Sequence

from ...errors import PtvcError, SqlSyntaxError, UndefinedFunction, Unsupported

_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.\d+)?")
_PACKAGE = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:==([A-Za-z0-9.+!]+))?")


def check_source(name: str, source: str, handler: str) -> None:
    """Raises 42601, with the line, for what is no Python, and 42883 where nothing of the name `handler` is defined."""
    file = f"<function {name}>"
    try:
        compile(source, file, "exec", dont_inherit=True)
        defined = {
            symbol.get_name()
            for symbol in symtable.symtable(source, file, "exec").get_symbols()
            if symbol.is_assigned() or symbol.is_imported()
        }
    except SyntaxError as error:
        line = "" if error.lineno is None else f" at line {error.lineno}"
        raise SqlSyntaxError(f"syntax error in the source of function {name}{line}: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise SqlSyntaxError(f"the source of function {name} cannot be compiled: {error}") from None
    if handler not in defined:
        raise UndefinedFunction(
            f'the source of function {name} defines no "{handler}"',
            hint="HANDLER = '...' names what it defines; without it, that is the function's own name.",
        )


def check_version(version: str) -> None:
    """`version` is the least that the function needs; raises 22023 for what is none, and where this interpreter is older."""
    found = _VERSION.fullmatch(version)
    if found is None:
        raise PtvcError(
            f'RUNTIME_VERSION "{version}" is no version of Python', sqlstate="22023", hint="Write '3.11'."
        )
    here = sys.version_info[:2]
    wanted = (int(found[1]), int(found[2]))
    if wanted[0] != here[0] or wanted > here:
        raise PtvcError(
            f"Python {version} is not there: functions run in Python {here[0]}.{here[1]}",
            sqlstate="22023",
            hint="RUNTIME_VERSION is the least version that the function needs.",
        )


def check_packages(packages: Sequence[str]) -> None:
    """Raises where a package is not installed (58P01), is installed in another version, or is written otherwise than `name`
    and `name==version`."""
    for package in packages:
        found = _PACKAGE.fullmatch(package.replace(" ", ""))
        if found is None:
            raise Unsupported(
                f'package "{package}" is not supported', hint="Write 'name' or 'name==version'."
            )
        name, wanted = found.groups()
        version = _installed(name)
        if version is None:
            raise PtvcError(
                f'package "{name}" is not installed where functions run',
                sqlstate="58P01",
                hint=f"Install it into the environment of the runtime: {sys.executable} -m pip install {name}",
            )
        if wanted is not None and version != wanted:
            raise PtvcError(
                f'package "{name}" is installed in version {version or "unknown"}, not {wanted}',
                sqlstate="58P01",
            )


def _installed(name: str) -> str | None:
    """The version, of a distribution; "" for a module of that name."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        pass
    try:
        there = name.isidentifier() and importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        there = False
    return "" if there else None
