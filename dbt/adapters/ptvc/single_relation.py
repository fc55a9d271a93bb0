"""Bodies that read one relation whole: `select * from r`, or a bare `r`.

Index and sink models name what they are on in this way.
"""

from __future__ import annotations

import re

_COMMENT = re.compile(r"\{#.*?#\}|/\*.*?\*/|--[^\n]*", re.DOTALL)
_CONFIG = re.compile(r"\{\{-?\s*config\s*\((?:[^{}]|\{[^{}]*\})*\)\s*-?\}\}", re.DOTALL)
_SELECT = r"\s*(?:select\s+\*\s+from\s+)?"
_NAME = r'(?:[A-Za-z_][\w$]*|"[^"]+")'
_ONE_REF = re.compile(_SELECT + r"\{\{-?\s*(?:ref|source)\s*\([^{}]*\)\s*-?\}\}\s*;?\s*", re.IGNORECASE)
_ONE_NAME = re.compile(_SELECT + rf"({_NAME}(?:\.{_NAME}){{0,2}})\s*;?\s*", re.IGNORECASE)


def reads_one_ref(raw_code: str) -> bool:
    """Whether a model's own text is one `ref` or `source`, read whole."""
    text = _CONFIG.sub("", _COMMENT.sub("", raw_code))
    return _ONE_REF.fullmatch(text) is not None


def named_relation(sql: str) -> str | None:
    """The one relation that a query names and reads whole, as written there."""
    found = _ONE_NAME.fullmatch(_COMMENT.sub("", sql))
    return found.group(1) if found else None
