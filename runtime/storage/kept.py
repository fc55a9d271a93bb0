"""What is kept of what a source has read for one of its outputs: WHERE, then the columns, then the rows that are not too old."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..clock import Clock
from ..repr.schema import ERROR_SCHEMA
from .changes import together
from .decode import Decoded
from .row_filter import kept_changes, kept_records
from .row_retention import undue_changes, undue_records

if TYPE_CHECKING:
    from .ingestion import Output, OutputChanges


def changes_kept(output: Output, content: OutputChanges, clock: Clock) -> tuple[OutputChanges, int]:
    """What is kept of the changes, and how many were left out."""
    left_out = 0
    if output.where is not None:
        kept = kept_changes(output.where, content.oks)
        content = replace(content, oks=kept.oks, errs=together(ERROR_SCHEMA, [content.errs, kept.errs]))
        left_out = kept.left_out
    if output.projection is not None:
        content = replace(content, oks=output.projection.of_changes(content.oks))
    if output.retention is not None:
        oks = undue_changes(output.retention, content.oks, clock.now_ms())
        left_out += len(content.oks) - len(oks)
        content = replace(content, oks=oks)
    return content, left_out


def records_kept(
    output: Output, content: tuple[Decoded, ...], clock: Clock
) -> tuple[tuple[Decoded, ...], int]:
    """As `changes_kept`."""
    left_out = 0
    if output.where is not None:
        kept = [kept_records(output.where, part, by_key=output.envelope.by_key) for part in content]
        content, left_out = tuple(part.records for part in kept), sum(part.left_out for part in kept)
    if output.projection is not None:
        content = tuple(map(output.projection.of_records, content))
    if output.retention is not None:
        undue = [undue_records(output.retention, part, clock.now_ms()) for part in content]
        left_out += sum(map(len, content)) - sum(map(len, undue))
        content = tuple(undue)
    return content, left_out
