"""dbt's catalog, for `dbt docs`: the rows that the catalog's query gives, one a column, and what else is known of a relation.

Beside names, types and comments a relation has as its stats how many rows it holds, to which time it is up to date, and of what its
columns are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dbt_common.contracts.metadata import CatalogTable, ColumnMetadata, StatsItem, TableMetadata
from dbt_common.exceptions import DbtRuntimeError

if TYPE_CHECKING:
    import agate

Name = tuple[str, str]
"""A relation by its schema and name."""

_LABELS = {
    "row_count": ("Rows", "How many rows it held when the catalog was generated"),
    "up_to_date": ("Up to date as of", "All that its inputs held at that time is in it"),
    "error": ("In error", "Why it cannot be read"),
    "column_lineage": (
        "Column lineage",
        "Of which columns each column is made, and by which rows are chosen",
    ),
}


@dataclass(slots=True)
class Stats:
    """What is known of relations: of each a value for some of `_LABELS`."""

    values: dict[Name, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: agate.Table, macro: Callable[..., Any], table: Callable[[str, str], Any]) -> Stats:
        """Of the relations in the catalog's rows, by the adapter's macros.  Those of a view are not counted: it would have to be
        computed.  `table` is the relation of a schema and a name."""
        stats = cls()
        kinds = {(row["table_schema"], row["table_name"]): row["table_type"] for row in rows.rows}
        if not kinds:
            return stats
        schemas = sorted({schema for schema, _ in kinds})
        stats.put_lineage(macro("ptvc__get_column_lineage", kwargs={"schemas": schemas}).rows)
        for row in macro("ptvc__get_frontiers", kwargs={"schemas": schemas}).rows:
            stats.put((row["schema_name"], row["name"]), "up_to_date", row["up_to_date"])
        for (schema, name), kind in kinds.items():
            if kind == "VIEW":
                continue
            try:
                counted = macro("ptvc__count_rows", kwargs={"relation": table(schema, name)})
            except DbtRuntimeError as error:
                # In error, or gone meanwhile: the documentation of others is no worse.
                stats.put((schema, name), "error", str(error.msg))
            else:
                stats.put((schema, name), "row_count", str(counted.rows[0][0]))
        return stats

    def put(self, name: Name, what: str, value: Any) -> None:
        if value is not None:
            self.values.setdefault(name, {})[what] = value

    def put_lineage(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Each row is an edge; those of one column come one after the other, and those of no column are of the rows."""
        found: dict[Name, dict[str, dict[str, list[str]]]] = {}
        for row in rows:
            relation = found.setdefault((row["schema_name"], row["name"]), {})
            inputs = relation.setdefault(row["column_name"] or "(rows)", {})
            inputs.setdefault(f"{row['referenced_name']}.{row['referenced_column']}", []).append(row["kind"])
        for name, columns in found.items():
            made = (
                f"{column}: " + ", ".join(f"{read} ({', '.join(kinds)})" for read, kinds in inputs.items())
                for column, inputs in columns.items()
            )
            self.put(name, "column_lineage", "; ".join(made))

    def items(self, name: Name) -> list[StatsItem]:
        found = self.values.get(name, {})
        return [
            StatsItem(id=what, label=label, value=found.get(what), include=what in found, description=said)
            for what, (label, said) in _LABELS.items()
        ]

    def added_to(self, rows: agate.Table) -> agate.Table:
        """The catalog's rows, each with all that is known of its relation, as dbt reads it."""
        import agate

        items = [
            {item.id: item for item in self.items((row["table_schema"], row["table_name"]))}
            for row in rows.rows
        ]
        names = [f"stats:{what}:{part}" for what in _LABELS for part in _PARTS]
        cells = [[getattr(of[what], part) for what in _LABELS for part in _PARTS] for of in items]
        text, boolean = agate.Text(cast_nulls=False), agate.Boolean()
        types = [boolean if part == "include" else text for _ in _LABELS for part in _PARTS]
        return agate.Table(
            [(*row.values(), *more) for row, more in zip(rows.rows, cells, strict=True)],
            [*rows.column_names, *names],
            [*rows.column_types, *types],
        )


_PARTS = ("label", "value", "description", "include")


def catalog_table(rows: agate.Table, stats: Stats) -> CatalogTable | None:
    """None when there is no such relation.  All of `rows` belong to one."""
    if not rows.rows:
        return None
    first = rows.rows[0]
    return CatalogTable(
        metadata=TableMetadata(
            type=first["table_type"],
            schema=first["table_schema"],
            name=first["table_name"],
            database=first["table_database"],
            comment=first["table_comment"],
            owner=first["table_owner"],
        ),
        columns={
            row["column_name"]: ColumnMetadata(
                type=row["column_type"],
                index=int(row["column_index"]),
                name=row["column_name"],
                comment=row["column_comment"],
            )
            for row in rows.rows
        },
        stats={
            item.id: item
            for item in stats.items((first["table_schema"], first["table_name"]))
            if item.include
        },
    )
