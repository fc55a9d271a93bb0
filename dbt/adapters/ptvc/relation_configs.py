"""What a model asks of its relation, and how that differs from what exists.

A definition (the compiled query and the options that shape the object) is compared by one hash (`definition_hash.py`).  Indexes are compared
by name: a name holds the hash of what the index is made of, so nothing but names need be known of the old ones, and a
change of indexes alone never rebuilds their relation.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dbt.adapters.relation_configs.config_base import RelationConfigBase
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ptvc.relation import shorten

_INDEX_KEYS = {"columns", "cluster", "default", "name", "type", "unique"}
_NAME_INFIX = "__dbtidx_"


@dataclass(frozen=True, eq=True, unsafe_hash=True)
class IndexConfig(RelationConfigBase):
    """One entry of a model's `indexes`.  No columns are all of the relation's (`default: true`)."""

    columns: tuple[str, ...]
    cluster: str | None = None

    @classmethod
    def parse(cls, raw: object) -> IndexConfig:
        if not isinstance(raw, Mapping):
            raise DbtRuntimeError(f"an entry of `indexes` is a mapping with `columns`, not {raw!r}.")
        unknown = sorted(set(raw) - _INDEX_KEYS)
        if unknown:
            raise DbtRuntimeError(f"an entry of `indexes` has no option {', '.join(unknown)}: {dict(raw)!r}.")
        if raw.get("unique"):
            raise DbtRuntimeError(
                f"the index on {raw.get('columns')!r} asks for `unique: true`: an index does not enforce uniqueness "
                "here. Remove it, and use dbt's `unique` test."
            )
        if raw.get("type") not in (None, "btree", "hash", "arrangement"):
            raise DbtRuntimeError(f"an index has no type {raw.get('type')!r}. Remove `type`.")
        columns = raw.get("columns")
        if raw.get("default") and not columns:
            return cls(columns=(), cluster=raw.get("cluster"))
        if isinstance(columns, str):
            columns = [columns]
        if not columns or not all(isinstance(column, str) and column for column in columns):
            raise DbtRuntimeError(f"an entry of `indexes` needs `columns`, a list of names: {dict(raw)!r}.")
        return cls(columns=tuple(columns), cluster=raw.get("cluster"))

    def name(self, identifier: str, relation_hash: str | None) -> str:
        """Its name on relation `identifier`.  `relation_hash` is that of the relation's definition, so that the
        indexes of a relation and of its successor exist side by side."""
        content = json.dumps([self.columns, self.cluster, relation_hash])
        return shorten(identifier, f"{_NAME_INFIX}{hashlib.sha256(content.encode()).hexdigest()[:12]}")


def index_name_prefix(identifier: str) -> str:
    """How the names of all indexes that dbt made for `identifier` begin."""
    return IndexConfig(columns=("x",)).name(identifier, None)[:-12]


@dataclass(frozen=True)
class IndexChanges:
    """`create` by name, `drop` names."""

    create: Mapping[str, IndexConfig]
    drop: tuple[str, ...]

    @classmethod
    def between(
        cls, identifier: str, relation_hash: str | None, raw: Iterable[object], existing: Iterable[str]
    ) -> IndexChanges:
        wanted = {}
        for entry in raw:
            config = IndexConfig.parse(entry)
            wanted[config.name(identifier, relation_hash)] = config
        prefix = index_name_prefix(identifier)
        ours = {name for name in existing if name.startswith(prefix)}
        return cls(
            create={name: config for name, config in wanted.items() if name not in ours},
            drop=tuple(sorted(ours - set(wanted))),
        )


@dataclass(frozen=True)
class IndexSuccession:
    """What becomes of the indexes of a relation that stays, with another definition: their names hold its hash.

    `rename` from old names to new ones, `create` by name, `drop` names.
    """

    rename: Mapping[str, str]
    create: Mapping[str, IndexConfig]
    drop: tuple[str, ...]

    @classmethod
    def between(
        cls,
        identifier: str,
        old_hash: str | None,
        new_hash: str | None,
        raw: Sequence[object],
        existing: Collection[str],
    ) -> IndexSuccession:
        changes = IndexChanges.between(identifier, new_hash, raw, existing)
        former = {name: config.name(identifier, old_hash) for name, config in changes.create.items()}
        rename = {former[name]: name for name in changes.create if former[name] in changes.drop}
        return cls(
            rename=rename,
            create={n: config for n, config in changes.create.items() if former[n] not in rename},
            drop=tuple(name for name in changes.drop if name not in rename),
        )


_INDEX_STATEMENT = re.compile(
    r"on\s+(?P<on>\S+)\s*(?:using\s+\w+\s*)?\((?P<columns>.*)\)", re.IGNORECASE | re.DOTALL
)


def index_statement_is(statement: str | None, on: str, columns: Iterable[str], cluster: str | None) -> bool:
    """Whether a CREATE INDEX statement is one on `columns` of `on` (in `cluster`, if one is asked for)."""
    text = (statement or "").replace('"', "")
    found = _INDEX_STATEMENT.search(text)
    if found is None or found["on"].lower() != on.replace('"', "").lower():
        return False
    wanted = [column.replace('"', "").strip() for column in columns]
    if [column.strip() for column in found["columns"].split(",")] != wanted:
        return False
    return cluster is None or f"in cluster {cluster} on".lower() in " ".join(text.lower().split())
