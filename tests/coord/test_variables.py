"""Session variables."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ptvc.config import Settings
from ptvc.coord.settings import server_settings
from ptvc.coord.variables import Variables, split_identifiers
from ptvc.errors import InvalidParameter, PtvcError, UndefinedObject, Unsupported


def test_names_ignore_case_and_have_aliases() -> None:
    variables = Variables({"APPLICATION_NAME": "me"})
    assert variables.get("Application_Name") == "me"
    variables.set("timezone", "utc", local=False)
    assert variables.get("TimeZone") == "UTC"
    with pytest.raises(UndefinedObject, match='unrecognized configuration parameter "no_such"'):
        variables.get("no_such")
    variables.set("my.own", "1", local=False)
    assert variables.get("MY.OWN") == "1"


def test_local_values_end_with_the_transaction() -> None:
    variables = Variables({})
    variables.set("application_name", "outer", local=False)
    variables.end_transaction(committed=True)
    variables.set("application_name", "inner", local=True)
    assert variables.get("application_name") == variables.all()["application_name"] == "inner"
    variables.end_transaction(committed=True)
    assert variables.get("application_name") == "outer"


def test_a_rollback_takes_values_back() -> None:
    variables = Variables({"application_name": "start"})
    variables.set("application_name", "one", local=False)
    variables.set("application_name", "two", local=False)
    variables.set("my.own", "1", local=False)
    variables.pop_changes()
    variables.end_transaction(committed=False)
    assert variables.get("application_name") == "start"
    assert variables.pop_changes() == [("application_name", "start")]
    with pytest.raises(UndefinedObject):
        variables.get("my.own")


def test_reset() -> None:
    variables = Variables({"application_name": "start"})
    variables.set("application_name", "other", local=False)
    variables.set("application_name", None, local=False)
    assert variables.get("application_name") == "start"
    variables.set("application_name", "other", local=False)
    variables.set("search_path", "a, b", local=False)
    variables.reset_all()
    assert (variables.get("application_name"), variables.search_path) == ("start", ("public",))


def test_changes_of_reported_ones_are_told_once() -> None:
    variables = Variables({})
    variables.set("application_name", "x", local=False)
    variables.set("search_path", "y", local=False)
    assert variables.pop_changes() == [("application_name", "x")]
    assert variables.pop_changes() == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a, B", ["a", "b"]), ('"A b", c', ["A b", "c"]), ('"x""y"', ['x"y']), ("", [])],
)
def test_identifiers(text: str, expected: list[str]) -> None:
    assert split_identifiers(text) == expected


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("TimeZone", "+3", Unsupported),
        ("TimeZone", "Nowhere/Land", InvalidParameter),
        ("client_encoding", "LATIN1", Unsupported),
        ("statement_timeout", "soon", InvalidParameter),
        ("server_version", "17", PtvcError),
        ("standard_conforming_strings", "off", Unsupported),
    ],
)
def test_refused(name: str, value: str, error: type[PtvcError]) -> None:
    variables = Variables({})
    before = variables.all()
    with pytest.raises(error):
        variables.set(name, value, local=False)
    assert variables.all() == before


def test_what_the_environment_is_set_to_is_shown_and_stays() -> None:
    given = replace(Settings(), max_connections=77, authentication_timeout_ms=90_000)
    variables = Variables(server_settings(given))
    assert variables.get("max_connections") == "77"
    assert variables.get("authentication_timeout") == "90s"
    assert variables.get("failed_login_delay") == "500ms"
    usual = server_settings(Settings())
    for name in usual:
        with pytest.raises(InvalidParameter, match="cannot be changed"):
            variables.set(name, "1", local=False)
        assert Variables(usual).get(name) == Variables({}).get(name)
