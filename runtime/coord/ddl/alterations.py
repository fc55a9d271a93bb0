"""ALTER ... RENAME, SWAP and RETAIN HISTORY, and COMMENT: statements to catalog changes.

Items refer to each other by id, so none of these touches anything but names, texts and options.
"""

from __future__ import annotations

from dataclasses import replace

from ...config import DEFAULT_CLUSTER
from ...errors import DuplicateObject, UndefinedSchema, Unsupported
from ...sql.catalog.catalog_view import ItemKind
from ...sql.plans.definition_plans import AlterRetention, Comment, Rename, SetSchema, Swap
from ...sql.syntax.vocabulary import ObjectKind
from ...storage.dead_letters import letters_name
from ..catalog.catalog import Catalog
from ..catalog.dead_letters import dead_letters_of
from ..catalog.entries import Change, SchemaEntry, renamed
from ..catalog.items import Connection, Function, Item, NamedType, Readable, Retaining, Running, Secret
from .functions import moved_function, renamed_function


def rename_changes(catalog: Catalog, plan: Rename) -> list[Change]:
    match plan.kind:
        case ObjectKind.SCHEMA:
            schema_entry(catalog, plan.target)
            if catalog.schema_exists(plan.new_name):
                raise DuplicateObject(f'schema "{plan.new_name}" already exists', sqlstate="42P06")
            return _rename_schemas(catalog, {plan.target: plan.new_name})
        case ObjectKind.CLUSTER:
            if plan.target == DEFAULT_CLUSTER:
                raise Unsupported(
                    f'cluster "{DEFAULT_CLUSTER}" cannot be renamed: sessions begin in it',
                    hint="SWAP it WITH another.",
                )
            if catalog.cluster(plan.new_name) is not None:
                raise DuplicateObject(f'cluster "{plan.new_name}" already exists', sqlstate="42710")
            return _rename_clusters(catalog, {plan.target: plan.new_name})
        case _:
            item = catalog.get(plan.target)
            if isinstance(item, Function):
                return [renamed_function(catalog, item, plan.new_name)]
            if isinstance(item, Secret | Connection):
                refuse_namesake(catalog, item.kind, item.schema_name, plan.new_name)
                return [renamed(item, name=plan.new_name)]
            if catalog.find(item.schema_name, plan.new_name) is not None:
                word, sqlstate = ("type", "42710") if isinstance(item, NamedType) else ("relation", "42P07")
                raise DuplicateObject(f'{word} "{plan.new_name}" already exists', sqlstate=sqlstate)
            refuse_type(catalog, item.schema_name, plan.new_name)
            return [renamed(item, name=plan.new_name), *_letters_renamed(catalog, item, plan.new_name)]


def _letters_renamed(catalog: Catalog, source: Item, new_name: str) -> list[Change]:
    """Dead letters that are called after their source go on being so."""
    letters = dead_letters_of(catalog, source.id)
    if letters is None or letters.name != letters_name(source.name):
        return []
    name = letters_name(new_name)
    if catalog.find(letters.schema_name, name) is not None:
        raise DuplicateObject(f'relation "{name}" already exists')
    refuse_type(catalog, letters.schema_name, name)
    return [renamed(letters, name=name)]


def move_changes(catalog: Catalog, plan: SetSchema) -> list[Change]:
    """Indexes go with what they are on, and dead letters with their source, if they are in its schema."""
    item = catalog.get(plan.id)
    if item.schema_name == plan.schema:
        return []
    if isinstance(item, Function):
        return [moved_function(catalog, item, plan.schema)]
    if isinstance(item, Secret | Connection):
        refuse_namesake(catalog, item.kind, plan.schema, item.name)
        return [renamed(item, schema_name=plan.schema)]
    moved: list[Item] = [item, *catalog.indexes_on(item.id)]
    letters = dead_letters_of(catalog, item.id)
    if letters is not None and letters.schema_name == item.schema_name:
        moved += [letters, *catalog.indexes_on(letters.id)]
    for one in moved:
        if catalog.find(plan.schema, one.name) is not None:
            word = "type" if isinstance(one, NamedType) else "relation"
            raise DuplicateObject(f'{word} "{one.name}" already exists in schema "{plan.schema}"')
        refuse_type(catalog, plan.schema, one.name)
    return [renamed(one, schema_name=plan.schema) for one in moved]


def refuse_namesake(catalog: Catalog, kind: ItemKind, schema: str, name: str) -> None:
    """42710 where another one of the kind has the name."""
    if catalog.find_apart(kind, schema, name) is not None:
        raise DuplicateObject(f'{kind.value} "{name}" already exists in schema "{schema}"', sqlstate="42710")


def refuse_type(catalog: Catalog, schema: str, name: str) -> None:
    """42710 where a type has the name: relations have types of their names."""
    if catalog.find_type(schema, name) is not None:
        raise DuplicateObject(f'type "{name}" already exists', sqlstate="42710")


def swap_changes(catalog: Catalog, plan: Swap) -> list[Change]:
    if plan.first == plan.second:
        return []
    match plan.kind:
        case ObjectKind.SCHEMA:
            return _rename_schemas(catalog, {plan.first: plan.second, plan.second: plan.first})
        case ObjectKind.CLUSTER:
            return _rename_clusters(catalog, {plan.first: plan.second, plan.second: plan.first})
        case _:
            first, second = catalog.get(plan.first), catalog.get(plan.second)
            return [
                renamed(first, name=second.name, schema_name=second.schema_name),
                renamed(second, name=first.name, schema_name=first.schema_name),
            ]


def comment_changes(catalog: Catalog, plan: Comment) -> list[Change]:
    if plan.kind is ObjectKind.SCHEMA:
        entry = schema_entry(catalog, plan.target)
        return [Change(entry, replace(entry, comment=plan.text))]
    if plan.kind is ObjectKind.CLUSTER:
        raise Unsupported("a cluster has no comment")
    item = catalog.get(plan.target)
    if plan.column is None:
        return [renamed(item, comment=plan.text)]
    assert isinstance(item, Readable)
    comments = {i: text for i, text in item.column_comments.items() if i != plan.column}
    if plan.text is not None:
        comments[plan.column] = plan.text
    return [renamed(item, column_comments=comments)]


def retention_change(catalog: Catalog, plan: AlterRetention) -> Change:
    """Maintenance looks at it whenever it moves on; what is gone already does not come back."""
    item = catalog.get(plan.id)
    assert isinstance(item, Retaining)
    return Change(item, replace(item, retain_history_ms=plan.retain_history_ms))


def schema_entry(catalog: Catalog, name: str) -> SchemaEntry:
    entry = catalog.schema_entry(name)
    if entry is None:
        raise UndefinedSchema(f'schema "{name}" does not exist')
    return entry


def _rename_schemas(catalog: Catalog, names: dict[str, str]) -> list[Change]:
    changes: list[Change] = []
    for old, new in names.items():
        entry = schema_entry(catalog, old)
        changes.append(Change(entry, replace(entry, name=new)))
    for item in catalog.user_objects():
        if item.schema_name in names:
            changes.append(renamed(item, schema_name=names[item.schema_name]))
    return changes


def _rename_clusters(catalog: Catalog, names: dict[str, str]) -> list[Change]:
    """Objects stay where they run: it is the name of that which changes."""
    changes: list[Change] = [
        Change(entry, replace(entry, name=names[entry.name]))
        for entry in catalog.cluster_entries()
        if entry.name in names
    ]
    for item in catalog.user_items():
        if isinstance(item, Running) and item.cluster in names:
            changes.append(renamed(item, cluster=names[item.cluster]))
    return changes
