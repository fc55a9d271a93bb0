"""ALTER SOURCE ... REPLAY DEAD LETTERS."""

from __future__ import annotations

from ....errors import SqlSyntaxError, WrongObjectType
from ....storage.dead_letters import REPAIRED
from ...catalog.catalog_view import CatalogItem, ItemKind
from ...catalog.names import find, no_relation
from ...plans.data_plans import Replay
from ...plans.session_plans import NoOp
from ...query.planner import Planner
from ...syntax import ast
from ...syntax.data_statements import ReplayStatement, Target
from ...syntax.vocabulary import ObjectKind
from ..data import matching, old_and_new
from ..skipping import not_altered


def replay(planner: Planner, node: ReplayStatement) -> Replay | NoOp:
    source = find(node.source, planner.context)
    if source is None:
        if node.if_exists:
            return not_altered(ObjectKind.SOURCE, node.source)
        raise no_relation(node.source, planner.context)
    letters = _letters(planner, source, node.source)
    for column, _ in node.assignments:
        if column.parts[-1] in letters.schema.names and column.parts[-1] not in REPAIRED:
            raise SqlSyntaxError(
                f'column "{column.parts[-1]}" of a dead letter cannot be set: it says what the record was',
                hint=f"SET takes {' and '.join(name for name in REPAIRED if name in letters.schema.names)}.",
                position=column.position,
            )
    planner.uses.add(letters.id)
    target = Target(node.source, letters.name.name)
    expressions = matching(planner, target, letters, (), node.where)
    expressions.clause = "UPDATE"
    relation = old_and_new(expressions, letters, node.assignments)
    return Replay(source.id, letters.id, relation, frozenset(planner.uses))


def _letters(planner: Planner, source: CatalogItem, name: ast.Name) -> CatalogItem:
    """The table of the source's dead letters."""
    if source.kind is not ItemKind.SOURCE:
        raise WrongObjectType(f'"{source.name.name}" is not a source', position=name.position)
    for item in planner.context.catalog.items().values():
        if item.source == source.id and item.dead_letters:
            return item
    raise WrongObjectType(
        f'source "{source.name.name}" has no dead letters',
        hint="CREATE SOURCE ... WITH (ON ERROR = DEAD LETTER) makes one that has.",
        position=name.position,
    )
