"""S3's own troubles: answers that are lost, servers that are busy, what is refused, and objects that are not what was written."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from persist_support import SCHEMA, append, read_at
from ptvc.clock import ManualClock
from ptvc.errors import DiskFull, PtvcError, StorageError, StoreAway, Unsupported
from ptvc.persist import location
from ptvc.persist.blob import s3_client, s3_errors
from ptvc.persist.blob.base import Blob, blob_key
from ptvc.persist.client import PersistClient
from ptvc.persist.consensus.memory import MemoryConsensus
from ptvc.persist.inspect import verify
from ptvc.persist.location import open_blob
from servers.s3_server import CREDENTIALS, FAULTS, PAGE, S3Server

KEY = blob_key("s", "w/1", "a", 0)
DATA = bytes(range(256)) * 1000


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s3_client, "BACKOFF", replace(s3_client.BACKOFF, first_s=0.001, longest_s=0.01))


@pytest.fixture
def blob(s3: S3Server) -> Iterator[Blob]:
    yield open_blob(s3.url(s3.bucket(), "a/b"))
    s3.fail()


def refused(blob: Blob) -> PtvcError:
    with pytest.raises(PtvcError) as caught:
        blob.put(KEY, DATA)
    assert KEY in caught.value.message
    assert caught.value.hint
    assert caught.value.__cause__ is None
    assert CREDENTIALS["AWS_SECRET_ACCESS_KEY"] not in caught.value.message
    return caught.value


# Faults that pass


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("times", [1, 3])
def test_every_operation_outlives_a_fault(s3: S3Server, blob: Blob, fault: str, times: int) -> None:
    faults = [fault] * times
    s3.fail(*faults)
    blob.put(KEY, DATA)
    s3.fail(*faults)
    blob.put(KEY, DATA)
    s3.fail(*faults)
    assert blob.get(KEY) == DATA
    s3.fail(*faults)
    assert list(blob.keys()) == [KEY]
    s3.fail(*faults)
    assert blob.claim(7) == 7
    s3.fail(*faults)
    assert blob.owner() == 7
    s3.fail(*faults)
    blob.delete(KEY)
    assert list(blob.keys()) == []


def test_a_put_that_was_done_and_timed_out_is_recognised(
    s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(s3_client, "TIMEOUT", timedelta(seconds=0.5))
    blob = open_blob(s3.url(s3.bucket()))
    s3.fail("late")
    blob.put(KEY, DATA)
    assert blob.get(KEY) == DATA
    s3.fail("late", "lost_reply")
    with pytest.raises(StorageError, match="exists already, with other contents"):
        blob.put(KEY, DATA[1:])
    assert blob.get(KEY) == DATA


def test_a_name_that_comes_and_goes(s3: S3Server, blob: Blob, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is taken, and free when it is looked at."""
    blob.put(KEY, DATA)
    read = type(blob)._read  # type: ignore[attr-defined]
    gone = iter([True, True, False])

    def racing(self: Blob, name: str) -> bytes | None:
        return None if next(gone) else read(self, name)

    monkeypatch.setattr(type(blob), "_read", racing)
    blob.put(KEY, DATA)


def test_another_write_is_under_way(s3: S3Server, blob: Blob) -> None:
    s3.fail("conflict", None, "conflict", None, None)
    blob.put(KEY, DATA)
    assert blob.get(KEY) == DATA
    other = blob_key("s", "w", "b", 0)
    s3.fail(*["conflict", None] * 20)
    with pytest.raises(StorageError, match="others are writing it"):
        blob.put(other, DATA)
    s3.fail()
    blob.put(other, DATA)


def test_after_many_attempts_it_is_said_what_was_wrong(s3: S3Server, blob: Blob) -> None:
    s3.fail(*["unavailable"] * 20)
    before = s3.served()
    error = refused(blob)
    assert "asks to slow down (SlowDown)" in error.message
    assert s3.served() - before == s3_client.BACKOFF.attempts
    s3.fail(*["lost_request"] * 20)
    assert "cannot be reached" in refused(blob).message
    s3.fail()
    blob.put(KEY, DATA)


def test_no_attempt_begins_after_patience_has_ended(
    s3: S3Server, blob: Blob, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(s3_client, "BACKOFF", replace(s3_client.BACKOFF, deadline_s=0.0))
    s3.fail(*["unavailable"] * 20)
    before = s3.served()
    refused(blob)
    assert s3.served() - before == 1


def test_many_threads_share_a_client(s3: S3Server, blob: Blob) -> None:
    s3.fail_at_random(0.1, seed=1)
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for i in range(10):
                key = blob_key("s", f"w{number}", "a", i)
                blob.put(key, DATA[i:])
                assert blob.get(key) == DATA[i:]
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(list(blob.keys())) == 80


def test_more_keys_than_a_page_has(s3: S3Server, blob: Blob) -> None:
    bucket = s3.bucket()
    keys = {blob_key("s", "w", "a", i) for i in range(3 * PAGE + 1)}
    for key in keys:
        s3.write(bucket, f"p/{key}", b"x")
    s3.write(bucket, "p/environment.json", b"{}")
    s3.write(bucket, "p/s/w/deeper/x", b"x")
    s3.write(bucket, "pp/s/w/x", b"x")
    before = s3.served()
    assert set(open_blob(s3.url(bucket, "p")).keys()) == keys
    assert s3.served() - before > 3


# What is refused


def test_no_bucket(s3: S3Server) -> None:
    before = s3.served()
    blob = open_blob(s3.url("no-such-bucket", "p"))
    error = refused(blob)
    assert "there is no such bucket (NoSuchBucket)" in error.message
    assert "s3://no-such-bucket/p" in error.message
    assert s3.served() - before == 1, "what is refused for good is not tried again"
    with pytest.raises(StorageError, match="no such bucket"):
        blob.get(KEY)
    with pytest.raises(StorageError, match="no such bucket"):
        list(blob.keys())
    with pytest.raises(StorageError, match="no such bucket"):
        blob.owner()


def test_nobody_there(s3: S3Server) -> None:
    error = refused(open_blob("s3://bucket?endpoint=http%3A%2F%2F127.0.0.1%3A9"))
    assert "it cannot be reached" in error.message
    assert "http://127.0.0.1:9" in error.message
    assert "AWS_ENDPOINT_URL" in (error.hint or "")


def test_no_name_of_a_host(s3: S3Server) -> None:
    assert (
        "it cannot be reached" in refused(open_blob("s3://bucket?endpoint=http%3A%2F%2Fno.invalid")).message
    )


def test_no_credentials(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are looked for at the machine's role; nobody is at that address."""
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_METADATA_ENDPOINT", "http://127.0.0.1:9")
    error = refused(open_blob(s3.url(s3.bucket(), "nobody")))
    assert "there are no credentials" in error.message
    assert "AWS_SECRET_ACCESS_KEY" in (error.hint or "")


def test_a_store_that_writes_over_what_is_there(
    blob: Blob, s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ptvc.persist.blob import s3 as module

    put = module.obstore.put
    monkeypatch.setattr(module.obstore, "put", lambda store, name, data, **_: put(store, name, data))
    with pytest.raises(StorageError, match="writes over objects that are there"):
        blob.claim(7)


def answer(status: str, code: str) -> s3_errors.exceptions.BaseError:
    """As the client words it."""
    return s3_errors.exceptions.GenericError(
        "Generic S3 error: Error performing PUT http://h/bucket/s/credential/timeout-0.parquet in 3ms - Server returned "
        f"non-2xx status code: {status}: <Error><Code>{code}</Code><Key>connect</Key></Error>"
    )


@pytest.mark.parametrize(
    ("status", "code", "message", "again"),
    [
        ("403 Forbidden", "AccessDenied", "access is denied (AccessDenied)", False),
        ("403 Forbidden", "InvalidAccessKeyId", "the credentials are not accepted", False),
        ("403 Forbidden", "SignatureDoesNotMatch", "the credentials are not accepted", False),
        ("400 Bad Request", "ExpiredToken", "the credentials are not accepted", False),
        ("403 Forbidden", "RequestTimeTooSkewed", "this machine's clock is wrong", False),
        ("301 Moved", "PermanentRedirect", "the bucket is in another region", False),
        ("400 Bad Request", "AuthorizationHeaderMalformed", "the bucket is in another region", False),
        ("503 Slow Down", "SlowDown", "it asks to slow down (SlowDown)", True),
        ("503 Service Unavailable", "ServiceUnavailable", "it asks to slow down", True),
        ("429 Too Many", "TooManyRequests", "it asks to slow down", True),
        ("501 Not Implemented", "NotImplemented", "only if there is none", False),
        ("500 Internal Server Error", "InternalError", "status code: 500", True),
        ("400 Bad Request", "EntityTooLarge", "status code: 400", False),
        ("409 Conflict", "OperationAborted", "status code: 409", True),
    ],
)
def test_refusals_have_names(status: str, code: str, message: str, again: bool) -> None:
    error = answer(status, code)
    assert s3_errors.may_pass(error) is again
    failure = s3_errors.failure("write", KEY, "s3://b", error)
    assert isinstance(failure, StoreAway if again else StorageError)
    assert isinstance(failure, StoreAway) is again
    assert message in failure.message
    assert failure.message.startswith(f'could not write blob "{KEY}" in s3://b: ')


@pytest.mark.parametrize("slash", ["/", ""])
def test_tokens_in_addresses_are_not_passed_on(slash: str) -> None:
    error = s3_errors.exceptions.GenericError(
        f"Generic S3 error: Error performing POST https://sts.example{slash}?Action=AssumeRoleWithWebIdentity&WebIdentityToken=hush "
        "in 3ms - Server returned non-2xx status code: 400: <Error><Code>InvalidIdentityToken</Code></Error>"
    )
    assert "hush" not in s3_errors.failure("write", KEY, "s3://b", error).message


def test_no_room() -> None:
    for error in (answer("507 Insufficient Storage", "x"), answer("403 Forbidden", "QuotaExceeded")):
        assert not s3_errors.may_pass(error)
        assert isinstance(s3_errors.failure("write", KEY, "s3://b", error), DiskFull)


def test_without_the_package(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore", None)
    for name in [name for name in sys.modules if name.startswith("ptvc.persist.blob.s3")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(Unsupported, match="needs a package that is not installed") as caught:
        open_blob("s3://bucket")
    assert "dbt-ptvc[s3]" in (caught.value.hint or "")


# Processes


def test_it_can_be_sent_to_another_process(blob: Blob) -> None:
    blob.put(KEY, DATA)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(pickle.loads(pickle.dumps(blob)).get, (KEY,)) == DATA


_FORKING = """
import os, sys
from ptvc.persist.blob.base import blob_key
from ptvc.persist.location import open_blob
from ptvc.errors import StorageError
import ptvc.persist.blob.s3
url, key = sys.argv[1], blob_key("s", "w", "a", 0)
def forked(work):
    child = os.fork()
    if not child:
        try:
            work()
        except BaseException as error:
            print(error, flush=True)
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
assert forked(lambda: open_blob(url).put(key, b"x")) == 0
assert forked(lambda: open_blob(url).put(key, b"x")) == 0
assert open_blob(url).get(key) == b"x"
print("then", flush=True)
assert forked(lambda: open_blob(url).get(key)) == 1
"""


def test_workers_are_forked_from_who_has_not_used_it(s3: S3Server) -> None:
    """As Spark's Python workers are.  Afterwards it is refused, and does not hang."""
    command = [sys.executable, "-W", "ignore", "-c", _FORKING, s3.url(s3.bucket())]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr
    first, _, then = ended.stdout.partition("then\n")
    assert first == ""
    assert "before this process was forked" in then


# Objects that are not what was written


def test_damaged_objects_are_named(s3: S3Server) -> None:
    bucket = s3.bucket()
    blob = open_blob(s3.url(bucket, "p"))
    consensus = MemoryConsensus()
    client = PersistClient(consensus, blob, ManualClock())
    for shard in ("one", "two"):
        client.create_shard(shard, SCHEMA)
        append(client, shard, 0, 1, [((1, shard), 0, 1)], inline=False)
    (key,) = filter(re.compile("one/").match, blob.keys())
    data = s3.read(bucket, f"p/{key}")
    random = Random(1)
    for i in range(20):
        damaged = bytearray(data)
        damaged[random.randrange(len(data))] ^= 1 << random.randrange(8)
        s3.write(bucket, f"p/{key}", bytes(damaged) if i % 3 else data[: random.randrange(len(data))])
        with pytest.raises(StorageError, match="checksum does not match") as caught:
            read_at(client, "one", 0)
        assert caught.value.sqlstate == "XX001"
        assert key in caught.value.message
        assert [problem.shard for problem in verify(consensus, blob)] == ["one"]
        assert read_at(client, "two", 0)[("row", 1, "two")] == 1
    s3.write(bucket, f"p/{key}", data)
    assert read_at(client, "one", 0)[("row", 1, "one")] == 1


def test_a_damaged_mark_is_said_so(s3: S3Server) -> None:
    bucket = s3.bucket()
    s3.write(bucket, "environment.json", b"{")
    with pytest.raises(StorageError, match=r"environment\.json in s3://.* is not what was written"):
        open_blob(s3.url(bucket)).owner()


def test_credentials_are_nowhere_in_the_url(s3: S3Server, tmp_path: Path) -> None:
    url = location.blob_url("s3://bucket/a", dict(os.environ))
    assert not any(value in url for value in CREDENTIALS.values())
