from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ptvc.connections import check_version
from dbt.adapters.ptvc.credentials import PtvcCredentials


def parse(**profile: Any) -> PtvcCredentials:
    data = PtvcCredentials.translate_aliases(profile)
    PtvcCredentials.validate(data)
    return PtvcCredentials.from_dict(data)


def test_defaults() -> None:
    credentials = parse(host="127.0.0.1")
    assert (credentials.database, credentials.schema, credentials.user) == ("ptvc", "public", "ptvc")
    assert credentials.address == "127.0.0.1:6875"
    assert credentials.session_settings() == {}


def test_aliases() -> None:
    credentials = parse(host="h", dbname="d", **{"pass": "secret"})
    assert (credentials.database, credentials.password) == ("d", "secret")


@pytest.mark.parametrize(
    ("profile", "remedy"),
    [
        ({}, "Add `path: ./.ptvc`"),
        ({"host": "h", "path": "p"}, "Remove `path`"),
        ({"path": "p", "port": 6875}, "Remove `port`"),
    ],
    ids=["neither", "both", "port beside path"],
)
def test_broken_profiles_name_the_remedy(profile: dict[str, Any], remedy: str) -> None:
    with pytest.raises(DbtRuntimeError, match=remedy):
        parse(**profile)


def test_a_relative_path_starts_from_the_project() -> None:
    credentials = parse(path="./.ptvc")
    credentials.anchor(Path("/projects/flights"))
    assert credentials.path == "/projects/flights/.ptvc"
    credentials.anchor(Path("/elsewhere"))
    assert credentials.path == "/projects/flights/.ptvc"


def test_the_password_is_not_shown() -> None:
    credentials = parse(host="h", password="secret")
    assert "secret" not in [value for _, value in credentials.connection_info()]


def test_only_what_is_given_goes_to_libpq() -> None:
    arguments = parse(host="h", sslmode="require").connect_arguments("h", 6875)
    assert arguments["sslmode"] == "require"
    assert "password" not in arguments
    assert "sslcert" not in arguments


def test_session_settings() -> None:
    assert parse(host="h", cluster="fast", search_path="a, b").session_settings() == {
        "cluster": "fast",
        "search_path": "a, b",
    }


def test_another_version_is_refused_with_the_remedy() -> None:
    check_version("0.1.7", parse(host="h"))
    with pytest.raises(DbtRuntimeError, match=r"ptvc down --path"):
        check_version("0.2.0", parse(path="/p"))
    with pytest.raises(DbtRuntimeError, match=r"dbt-ptvc==0\.2\.0"):
        check_version("0.2.0", parse(host="h"))


def test_a_misspelt_key_is_refused() -> None:
    with pytest.raises(DbtRuntimeError, match="unknown key `prot`; did you mean `port`"):
        PtvcCredentials.validate({"type": "ptvc", "host": "127.0.0.1", "prot": 1, "schema": "public"})
