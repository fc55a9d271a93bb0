"""Every conformance class of dbt-tests-adapter is a test here, or has a reason why not."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import dbt.tests.adapter

from .not_passing import NOT_PASSING

TESTED = 207
"""How many of the 214 classes are tests here.  It only grows."""


def modules(folder: Path, package: str, pattern: str) -> Iterator[ModuleType]:
    for file in sorted(folder.rglob(pattern)):
        if file.stem != "__init__":
            yield importlib.import_module(
                ".".join((package, *file.relative_to(folder).with_suffix("").parts))
            )


def classes_in(module: ModuleType) -> list[type]:
    return [c for c in vars(module).values() if inspect.isclass(c) and c.__module__ == module.__name__]


def conformance_classes() -> dict[str, type]:
    """The classes with tests that no other class of the package extends."""
    package = "dbt.tests.adapter"
    folder = Path(next(iter(dbt.tests.adapter.__path__)))
    every = [c for module in modules(folder, package, "*.py") for c in classes_in(module)]
    extended = {base for c in every for base in c.__mro__[1:]}
    return {
        f"{c.__module__.removeprefix(package + '.')}.{c.__name__}": c
        for c in every
        if c not in extended
        and any(inspect.isfunction(getattr(c, n)) for n in dir(c) if n.startswith("test_"))
    }


def test_every_class_passes_or_has_a_reason() -> None:
    here = Path(__file__).parent
    assert __package__ is not None
    ours = [c for module in modules(here, __package__, "test_conformance_*.py") for c in classes_in(module)]
    extended = {base for c in ours for base in c.__mro__[1:]}
    classes = conformance_classes()
    tested = {name for name, c in classes.items() if c in extended}
    assert tested | set(NOT_PASSING) == set(classes)
    assert not tested & set(NOT_PASSING)
    assert all(reason for reason in NOT_PASSING.values())
    assert (len(classes), len(tested)) == (214, TESTED)
