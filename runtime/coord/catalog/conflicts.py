"""Whether the definitions of a block go together with what others have defined meanwhile.

They do if the one and then the other, in either order, had given the same: no other has changed an entry that the block
changes, nor taken a name that it gives, and neither side uses what the other has defined anew or dropped.  A rename
conflicts with nothing, as objects are known by their ids; a schema's or cluster's name is what its objects say of it, so such a
change goes together with none of theirs.  Nor does a sink that has let go of what it has read before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import assert_never

from ...expr.tree.relation import GlobalId
from .catalog import Catalog
from .entries import (
    Change,
    ClusterEntry,
    DatabaseEntry,
    DefaultAclEntry,
    Entry,
    SchemaEntry,
    SettingsEntry,
    entry_key,
)
from .items import (
    Connection,
    Function,
    Index,
    Item,
    ItemBase,
    MaterializedView,
    NamedType,
    Running,
    Secret,
    SharedSource,
    Sink,
    Source,
    SourceTable,
    Table,
    View,
    WebhookSource,
)
from .role import RoleEntry


@dataclass(frozen=True, slots=True)
class _Side:
    """What one of the two has changed, and all entries as they are for it."""

    changes: Mapping[str, Change]
    entries: Mapping[str, Entry]

    def redefined(self) -> set[GlobalId]:
        """Objects that are gone, or are not what they were but for their names."""
        return {
            change.before.id
            for change in self.changes.values()
            if isinstance(change.before, Item) and _definition(change.before) != _definition(change.after)
        }

    def used(self) -> set[GlobalId]:
        """What the changed objects are made from, directly or not."""
        pending = [item for item in _after(self.changes.values()) if isinstance(item, Item)]
        seen: set[GlobalId] = set()
        while pending:
            for id_ in pending.pop().uses:
                if id_ not in seen:
                    seen.add(id_)
                    if isinstance(found := self.entries.get(f"item/{id_}"), Item):
                        pending.append(found)
        return seen

    def places(self) -> set[str]:
        """Schemas and clusters of the changed objects."""
        items = [entry for entry in _all(self.changes.values()) if isinstance(entry, Item)]
        schemas = {f"schema {item.schema_name}" for item in items}
        return schemas | {f"cluster {item.cluster}" for item in items if isinstance(item, Running)}

    def moved(self) -> set[str]:
        """Schemas and clusters that were created, dropped or renamed."""
        found: set[str] = set()
        for change in self.changes.values():
            names = {_place(entry) for entry in (change.before, change.after)}
            if len(names) == 2:
                found |= {name for name in names if name is not None}
        return found


def conflict(base: Mapping[str, Entry], shared: Catalog, changes: Mapping[str, Change]) -> str | None:
    """What others have done since `base` that the block's `changes` do not go together with: `"t" was altered`."""
    now = shared.entries()
    own = {key: change.after for key, change in changes.items() if change.after is not None}
    theirs = _Side(_difference(base, now), now)
    if not theirs.changes:
        return None
    mine = _Side(changes, {**base, **own})
    for key in theirs.changes.keys() & changes.keys():
        entry = base.get(key) or now[key]
        return f"{_shown(entry)} was {'altered' if key in now else 'dropped'}"
    for change in theirs.changes.values():
        match change:
            case Change(RoleEntry(id=id_, name=name), None) if any(id_ in _roles(e) for e in own.values()):
                return f'role "{name}" was dropped'
    for entry in own.values():
        if (taken := _namesake(shared, entry)) is not None and entry_key(taken) not in changes:
            return f"{_shown(taken)} was created"
    for id_ in mine.used() & theirs.redefined():
        return f"{_shown(base[f'item/{id_}'])} was {'altered' if f'item/{id_}' in now else 'dropped'}"
    for id_ in theirs.used() & mine.redefined():
        return f"an object over {_shown(base[f'item/{id_}'])} was created or altered"
    for place in sorted((mine.places() & theirs.moved()) | (theirs.places() & mine.moved())):
        kind, _, name = place.partition(" ")
        return f'{kind} "{name}" or what is in it was changed'
    return None


def over(changes: Mapping[str, Change], shared: Catalog) -> dict[str, Change]:
    """The changes of a block, which go together with what others have done, as changes of the catalog as it is now: sinks may have let go of
    what they have read before."""
    return {key: _over(change, shared) for key, change in changes.items()}


def _over(change: Change, shared: Catalog) -> Change:
    before, after = change.before, change.after
    if not isinstance(before, Sink) or not isinstance(now := shared.find_by_id(before.id), Sink):
        return change
    if now is before or not isinstance(after, Sink):
        return Change(now, after)
    own = [former for former in after.formers if former not in before.formers]
    return Change(now, after.reading(after.on, (*now.formers, *own)))


def _difference(base: Mapping[str, Entry], now: Mapping[str, Entry]) -> dict[str, Change]:
    """Entries are values that are replaced as a whole, so one that is the same object is unchanged."""
    return {
        key: Change(base.get(key), now.get(key))
        for key in base.keys() | now.keys()
        if base.get(key) is not now.get(key) and not _has_let_go(base.get(key), now.get(key))
    }


def _has_let_go(before: Entry | None, after: Entry | None) -> bool:
    """Whether a sink has let go of what it has read before, and nothing else is another."""
    if not isinstance(before, Sink) or not isinstance(after, Sink):
        return False
    return before.reading(before.on, after.formers) == after


def _definition(entry: Entry | None) -> Entry | None:
    """The object without the parts on which nothing can depend."""
    if not isinstance(entry, Item):
        return entry
    item = replace(entry, schema_name="", name="", comment=None)
    match item:
        case Table() | SourceTable() | Source() | WebhookSource():
            return replace(item, column_comments={}, retain_history_ms=None)
        case MaterializedView():  # the relation says what it is, the text how that is written
            return replace(item, column_comments={}, retain_history_ms=None, definition_sql="")
        case View():
            return replace(item, column_comments={}, definition_sql="")
        case Index():
            return replace(item, retain_history_ms=None)
        case Secret():  # another value is no other secret
            return replace(item, sealed="")
        case SharedSource() | Sink() | Function() | NamedType() | Connection():
            return item
        case _:
            assert_never(item)


def _after(changes: Iterable[Change]) -> Iterator[Entry]:
    return (change.after for change in changes if change.after is not None)


def _all(changes: Iterable[Change]) -> Iterator[Entry]:
    return (entry for change in changes for entry in (change.before, change.after) if entry is not None)


def _roles(entry: Entry) -> set[str]:
    """Ids of the roles that the entry belongs to, or has granted something."""
    if isinstance(entry, DefaultAclEntry):
        return {entry.role, *(item.grantee for item in entry.acl)}
    if not isinstance(entry, Item | SchemaEntry | ClusterEntry | DatabaseEntry):
        return set()
    return {entry.owner, *(id_ for item in entry.privileges for id_ in (item.grantee, item.grantor))}


def _place(entry: Entry | None) -> str | None:
    match entry:
        case SchemaEntry(name=name):
            return f"schema {name}"
        case ClusterEntry(name=name):
            return f"cluster {name}"
        case _:
            return None


def _namesake(shared: Catalog, entry: Entry) -> Entry | None:
    """What has the entry's name for everybody."""
    match entry:
        case Function(schema_name=schema, name=name, definition=definition):
            return shared.find_function(schema, name, definition.types)
        case Secret(schema_name=schema, name=name) | Connection(schema_name=schema, name=name):
            return shared.find_apart(entry.kind, schema, name)
        case ItemBase(schema_name=schema, name=name):
            return shared.find(schema, name) or shared.find_type(schema, name)
        case SchemaEntry(name=name):
            return shared.schema_entry(name)
        case ClusterEntry(name=name):
            return shared.cluster(name)
        case _:
            return None


def _shown(entry: Entry) -> str:
    match entry:
        case ItemBase():
            return f'"{entry.full_name}"'
        case SchemaEntry(name=name):
            return f'schema "{name}"'
        case ClusterEntry(name=name):
            return f'cluster "{name}"'
        case DatabaseEntry():
            return "the database"
        case RoleEntry(name=name):
            return f'role "{name}"'
        case DefaultAclEntry():
            return "a list of default privileges"
        case SettingsEntry():
            return "what sessions begin with"
        case _:
            raise AssertionError("ids belong to no entry")
