"""EXCLUDE COLUMNS of a source, and of a table of one: columns that are read, and that WHERE may name, and that are not kept."""

from __future__ import annotations

from collections.abc import Sequence

from ....errors import PtvcError, UndefinedColumn, Unsupported
from ....repr.schema import Schema
from ....storage.projection import Projection
from ...syntax import ast


def projection(
    excluded: Sequence[ast.Name], name: str, schema: Schema, key: Sequence[int] = ()
) -> Projection | None:
    """Of the source, or the table, of that name, whose rows are known by `key`; None where all columns are kept."""
    if not excluded:
        return None
    left_out: set[int] = set()
    for column in excluded:
        shown = column.parts[-1]
        if len(column.parts) > 1 or shown not in schema.names:
            raise UndefinedColumn(
                f'column "{".".join(column.parts)}" of "{name}" does not exist', position=column.position
            )
        place = schema.names.index(shown)
        if place in left_out:
            raise PtvcError(f'"{shown}" is given more than once', sqlstate="42701", position=column.position)
        if place in key:
            raise Unsupported(
                f'column "{shown}" cannot be excluded: rows of "{name}" are known by it',
                position=column.position,
            )
        left_out.add(place)
    kept = tuple(place for place in range(len(schema)) if place not in left_out)
    if not kept:
        raise Unsupported(f'no columns are left of "{name}"', position=excluded[0].position)
    return Projection(schema, kept)


def kept_schema(schema: Schema, kept: Projection | None) -> Schema:
    return schema if kept is None else kept.schema


def kept_key(key: Sequence[int], kept: Projection | None) -> tuple[int, ...]:
    """Where the columns of the key are among those that are kept."""
    return tuple(key if kept is None else map(kept.kept.index, key))
