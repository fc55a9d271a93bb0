"""Tables that the text of a source makes of what upstream has: their columns are known to a runtime that has the source."""

from __future__ import annotations

from ..errors import PtvcError
from ..sql.parser.parse import parse
from ..sql.syntax.definition_statements import CreateSourceStatement
from .findings import NotChecked
from .nodes import Node


def named(sql: str) -> frozenset[str] | None:
    """What the statement that makes the source calls them; None where it makes one of each that upstream has."""
    (statement,) = parse(sql)
    source = statement.node
    assert isinstance(source, CreateSourceStatement)
    if not source.tables:
        return None
    names = {(table.name or table.reference).parts[-1] for table in source.tables}
    return frozenset(names if source.progress is None else {*names, source.progress.parts[-1]})


class UnknownTables:
    """Those whose columns are not known, and why."""

    def __init__(self) -> None:
        self._of: dict[str, tuple[str, frozenset[str] | None, NotChecked]] = {}

    def add(self, source: Node, names: frozenset[str] | None, why: NotChecked) -> None:
        """None: whatever upstream has may be one."""
        self._of[source.id] = source.schema, names, why

    def blamed(self, reader: Node, error: PtvcError) -> NotChecked | None:
        """Why the relation of which the reader's error says that it is not there may be."""
        if error.sqlstate != "42P01":
            return None
        shown = error.message.removeprefix('relation "').removesuffix('" does not exist')
        for schema, names, why in (self._of[id_] for id_ in reader.depends_on if id_ in self._of):
            place, _, name = shown.rpartition(".")
            if place == schema and (names is None or name in names):
                return why
        return None
