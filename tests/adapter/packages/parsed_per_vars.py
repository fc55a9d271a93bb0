"""A plug-in of the pytest that runs elementary's tests: dbt keeps what it has parsed for each set of `--vars`.

dbt keeps the last only, and those tests take turns between several, so that most of their time would go into parsing macros.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import dbt.parser.manifest as parsing

_full_manifest = parsing.ManifestLoader.get_full_manifest.__func__  # type: ignore[attr-defined]


def _kept(cls: Any, config: Any, *args: Any, **kwargs: Any) -> Any:
    variables = json.dumps(config.cli_vars, sort_keys=True, default=str).encode()
    kept = f"partial_parse_{hashlib.sha256(variables).hexdigest()[:16]}.msgpack"
    parsing.PARTIAL_PARSE_FILE_NAME = kept  # type: ignore[attr-defined]
    return _full_manifest(cls, config, *args, **kwargs)


parsing.ManifestLoader.get_full_manifest = classmethod(_kept)  # type: ignore[method-assign, assignment]
