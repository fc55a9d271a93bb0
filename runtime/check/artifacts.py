"""Files that dbt writes: read as JSON, with what is wrong of one that is something else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ..errors import InvalidParameter
from ..given_files import read_given

T = TypeVar("T")

MOST_BYTES = 1 << 30
"""Manifests of thousands of models have some 100 MB."""


def read_artifact(path: Path, name: str, of_json: Callable[[Any], T], made_by: str) -> T:
    """What `of_json` makes of the file, or of the one called `name`.json in a directory.  Raises InvalidParameter."""
    path = path / f"{name}.json" if path.is_dir() else path
    try:
        return of_json(json.loads(read_given(path, MOST_BYTES)[0].decode("utf-8")))
    except OSError as error:
        raise InvalidParameter(
            f"there is no {name} at {path}: {error.strerror}", hint=f"{made_by} writes it."
        ) from error
    except json.JSONDecodeError as error:
        what = str(error) if error.doc.strip() else "it is empty"
    except UnicodeDecodeError:
        what = "it is no text in UTF-8"
    except KeyError as error:
        what = f'"{error.args[0]}" is missing in it'
    except (ValueError, TypeError, AttributeError, IndexError, RecursionError):
        what = "its JSON has another structure"
    raise InvalidParameter(f"{path} is no {name}.json of dbt: {what}", hint=f"{made_by} writes it.")
