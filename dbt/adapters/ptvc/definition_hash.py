"""The hash of a definition: of the kind, the query and the options that shape the object.

A query is hashed as PostgreSQL's tokens, so comments, line breaks, spacing and the case of words do not count, and whatever is in
quotes does.  Objects keep the hash in their text.  One of an earlier version is still that of the same definition, so a new version of this
package rebuilds nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from dbt.adapters.ptvc.relation import said_of_test
from ptvc.errors import PtvcError
from ptvc.sql.parser.lexer import tokenize

_VERSION = 2

_BLANKS = re.compile(r"[ \t]+$", re.MULTILINE)


def definition_hash(kind: str, sql: str, options: Mapping[str, Any], existing: str | None = None) -> str:
    """SHA-256, in hexadecimal digits.  `existing` is the hash of the object that is there: it is returned when it is that of
    this definition, whichever version made it."""
    chosen = {name: value for name, value in options.items() if value is not None}
    by_text = _sha256([kind, _BLANKS.sub("", sql.strip()), chosen])
    if existing == by_text:
        return existing
    try:
        tokens = [(token.kind.value, token.value) for token in tokenize(sql, rows=False)]
    except PtvcError:
        return by_text  # the runtime will say what is wrong with it
    return _sha256([_VERSION, kind, tokens, chosen, said_of_test(sql)])


def _sha256(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()
