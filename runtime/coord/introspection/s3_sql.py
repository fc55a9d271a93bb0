"""S3 sources as SQL."""

from __future__ import annotations

from collections.abc import Callable

from ...expr.functions.system.system import quote_literal
from ...expr.tree.relation import GlobalId
from ...storage.source.s3.options import SCAN_MS, S3Options


def s3_sql(options: S3Options, name_of: Callable[[GlobalId], str]) -> str:
    """What stands behind FROM, up to the format.  `name_of` a connection is quoted."""
    shown = [f"URI = {_string(options.uri)}"]
    if options.pattern is not None:
        shown.append(f"PATTERN = {_string(options.pattern)}")
    if options.scan_ms != SCAN_MS:
        shown.append(f"SCAN INTERVAL = '{options.scan_ms}ms'")
    if options.keep_deleted:
        shown.append("ON DELETE = IGNORE")
    return f"S3 CONNECTION {name_of(options.connection)} ({', '.join(shown)})"


def _string(text: str) -> str:
    return quote_literal(text).strip()
