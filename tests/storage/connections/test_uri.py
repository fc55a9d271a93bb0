"""Places in S3 as users write them."""

from __future__ import annotations

import pytest
from ptvc.errors import InvalidParameter
from ptvc.storage.connections.uri import s3_uri


@pytest.mark.parametrize(
    ("uri", "wanted"),
    [
        ("s3://bucket", ("bucket", "")),
        ("s3://bucket/", ("bucket", "")),
        ("s3a://my.bucket-1/a/b c/é/", ("my.bucket-1", "a/b c/é")),
    ],
)
def test_bucket_and_prefix(uri: str, wanted: tuple[str, str]) -> None:
    assert s3_uri(uri) == wanted


@pytest.mark.parametrize(
    "uri",
    ["bucket/a", "s3://", "s3://B/a", "s3:///a", "s3://bucket/a//b", "s3://bucket/../b", "s3://bucket/a?b", "S3://bucket"],
)  # fmt: skip
def test_what_is_none(uri: str) -> None:
    with pytest.raises(InvalidParameter, match="is not a place in S3"):
        s3_uri(uri)
