"""One relation's entry of dbt's catalog, from the rows that the catalog's query gives: one a column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbt_common.contracts.metadata import CatalogTable, ColumnMetadata, TableMetadata

if TYPE_CHECKING:
    import agate


def catalog_table(rows: agate.Table) -> CatalogTable | None:
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
        stats={},
    )
