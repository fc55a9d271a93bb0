"""URLs of stores: what they mean, and what is refused; no secret gets into one, nor into a refusal."""

from __future__ import annotations

from pathlib import Path

import pytest
from ptvc.errors import InvalidParameter
from ptvc.persist.blob.file import FileBlob
from ptvc.persist.consensus.sqlite import SqliteConsensus
from ptvc.persist.location import Location, blob_url, consensus_url, open_blob
from ptvc.persist.stores import open_consensus


def test_the_defaults_are_files_in_the_directory(tmp_path: Path) -> None:
    directory = tmp_path / "a b"
    places = Location().under(directory)
    assert places.consensus == f"sqlite://{tmp_path}/a%20b/consensus.sqlite"
    assert places.blob == f"file://{tmp_path}/a%20b/blobs"
    assert places.under(tmp_path) == places
    assert isinstance(open_blob(places.blob), FileBlob)
    assert (directory / "blobs").is_dir()
    consensus = open_consensus(places.consensus)
    assert isinstance(consensus, SqliteConsensus)
    assert (directory / "consensus.sqlite").is_file()
    consensus.close()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("sqlite:", "sqlite:"),
        ("sqlite:///a/b.sqlite", "sqlite:///a/b.sqlite"),
        ("sqlite:///a/../b%20c.sqlite", "sqlite:///b%20c.sqlite"),
        ("postgresql://u@h:5432/d", "postgresql://u@h:5432/d"),
        ("postgresql:///d?host=/tmp", "postgresql:///d?host=/tmp"),
        ("postgres://u:@/d?host=/tmp", "postgres://u:@/d?host=/tmp"),
    ],
)
def test_places_of_consensus(typed: str, meant: str) -> None:
    assert consensus_url(typed) == meant
    assert consensus_url(meant) == meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("file:", "file:"),
        ("file:///a/b", "file:///a/b"),
        ("file:/a/b/", "file:///a/b"),
        ("s3://bucket", "s3://bucket"),
        ("s3://bucket/", "s3://bucket"),
        ("s3://bucket//a/b/", "s3://bucket/a/b"),
        (
            "s3://bucket/a?region=eu-west-1&endpoint=http://h:9000/",
            "s3://bucket/a?endpoint=http%3A%2F%2Fh%3A9000&region=eu-west-1",
        ),
    ],
)
def test_places_of_blobs(typed: str, meant: str) -> None:
    assert blob_url(typed, {}) == meant
    assert blob_url(meant, {}) == meant


def test_where_s3_is_comes_from_the_environment() -> None:
    environment = {
        "AWS_ENDPOINT_URL": "http://h:1",
        "AWS_REGION": "r",
        "AWS_ACCESS_KEY_ID": "id",
        "AWS_SECRET_ACCESS_KEY": "secret",
    }
    assert blob_url("s3://bucket/a", environment) == "s3://bucket/a?endpoint=http%3A%2F%2Fh%3A1&region=r"
    assert "region=x" in blob_url("s3://bucket/a?region=x", environment)
    assert "h%3A2" in blob_url("s3://bucket", {**environment, "AWS_ENDPOINT_URL_S3": "http://h:2"})
    assert blob_url("s3://bucket", {"AWS_DEFAULT_REGION": "r"}) == "s3://bucket?region=r"


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("", "is no URL"),
        ("/a/b", "is no URL"),
        ("mysql://h/d", '"mysql:" is no place for the consensus'),
        ("s3://bucket", '"s3:" is no place for the consensus'),
        ("sqlite:a.sqlite", "takes the whole path"),
        ("sqlite://a/b.sqlite", "takes the whole path"),
        ("sqlite:///", "takes the whole path"),
        ("sqlite:///a?mode=ro", r"neither \? nor #"),
        ("postgresql://h:port/d", "cannot be read"),
    ],
)
def test_other_consensus_is_refused(typed: str, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message) as refused:
        consensus_url(typed)
    assert refused.value.hint


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("blobs", "is no URL"),
        ("gs://bucket", '"gs:" is no place for the blobs'),
        ("sqlite:///a", '"sqlite:" is no place for the blobs'),
        ("file:blobs", "takes the whole path"),
        ("file://host/a", "takes the whole path"),
        ("s3:", "no name of a bucket"),
        ("s3:///a", "no name of a bucket"),
        ("s3://Bucket/a", "no name of a bucket"),
        ("s3://bucket/../a", "no prefix"),
        ("s3://bucket/a?sse=1", '"sse" is no option'),
        ("s3://bucket/a?endpoint=h:9000", "is no address"),
        ("s3://bucket/a?endpoint=ftp://h", "is no address"),
        ("s3://bucket/a#b", "has a # in it"),
    ],
)
def test_other_blobs_are_refused(typed: str, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message) as refused:
        blob_url(typed, {})
    assert refused.value.hint


@pytest.mark.parametrize(
    "typed",
    [
        "s3://id:hush@bucket/a",
        "s3://bucket/a?aws_secret_access_key=hush",
        "s3://bucket/a?token=hush",
        "s3://bucket/a?endpoint=http://id:hush@h",
    ],
)
def test_credentials_stay_out_of_urls_of_blobs(typed: str) -> None:
    with pytest.raises(InvalidParameter, match="has credentials in it") as refused:
        blob_url(typed, {})
    assert "hush" not in f"{refused.value.message} {refused.value.hint}"
    assert "AWS_SECRET_ACCESS_KEY" in (refused.value.hint or "")


@pytest.mark.parametrize("typed", ["postgresql://u:hush@h/d", "postgresql://h/d?user=u&password=hush"])
def test_passwords_stay_out_of_urls_of_consensus(typed: str) -> None:
    with pytest.raises(InvalidParameter, match="has a password in it") as refused:
        consensus_url(typed)
    assert "hush" not in f"{refused.value.message} {refused.value.hint}"
    assert "PGPASSWORD" in (refused.value.hint or "")
