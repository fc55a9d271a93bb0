"""Views beside the queries that they are of."""

from __future__ import annotations

from collections.abc import Mapping

from ..runtime_process import Runtime


def await_views(runtime: Runtime, views: Mapping[str, str], within_s: float) -> None:
    """Each view, by its name, is what its query says; all of it at one time."""

    def same() -> bool:
        with runtime.connect() as connection:
            connection.execute("SET statement_timeout = '200s'")
            connection.execute("BEGIN")
            for name, query in views.items():
                found, expected = (
                    sorted(connection.execute(text.encode()).fetchall())
                    for text in (f"SELECT * FROM {name}", query)
                )
                assert found == expected, name
                assert found
        return True

    assert runtime.eventually(same, within_s)
