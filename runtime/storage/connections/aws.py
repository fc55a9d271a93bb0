"""AWS: clients of buckets, what is said of their refusals, and a request that says whether a connection's keys are known.

A connection names no bucket.  What is asked for is a bucket that cannot be there: S3 looks at who asks first, so an answer that there is
none, or that one may not see it, comes to a good key only.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from time import monotonic
from typing import Any, TypeVar
from urllib.parse import urlsplit

from ...errors import PtvcError
from ...retry import THREAD, Backoff, Timing, retry
from .addresses import Addresses
from .failures import ConnectionFailed, Step, scrubbed
from .values import Values

_CODE = re.compile(r"<Code>([A-Za-z0-9]{1,80})</Code>")
_CERTIFICATE = re.compile(r"InvalidCertificate\(\s*(\w+)")
_UNKNOWN = frozenset(
    {
        "AuthFailure",
        "AuthorizationHeaderMalformed",
        "ExpiredToken",
        "InvalidAccessKeyId",
        "InvalidClientTokenId",
        "InvalidSecurity",
        "InvalidToken",
        "SignatureDoesNotMatch",
        "TokenRefreshRequired",
        "UnrecognizedClientException",
    }
)
_KNOWN = frozenset({"AccessDenied", "AllAccessDisabled", "NoSuchBucket"})
"""Codes of S3's errors, by whether it knows the key to which it gives them."""
_STATUS = re.compile(r"status code: (\d{3})")
_LATER = frozenset({408, 409, 429})
"""Statuses below 500 of refusals that may pass."""
_LOST = re.compile(
    r"(?i)error sending request|connect|dns|timed? ?out|error decoding response body|broken pipe"
)
DEFAULT_REGION = "us-east-1"
TIMEOUT, CONNECT_TIMEOUT = "60s", "5s"
"""Of one attempt, its answer included."""
BACKOFF = Backoff(first_s=0.1, longest_s=3.0, attempts=6, deadline_s=60.0)

T = TypeVar("T")


def client() -> Any:
    """The package obstore, which an extra brings."""
    try:
        import obstore
        import obstore.exceptions
        import obstore.store
    except ImportError:
        raise PtvcError(
            "connections to AWS need the package obstore, which is not installed",
            sqlstate="58000",
            hint="pip install 'dbt-ptvc[s3]', and start the runtime again.",
        ) from None
    return obstore


def endpoint(values: Values) -> str:
    region = values.text("REGION") or DEFAULT_REGION
    return values.text("ENDPOINT") or f"https://s3.{region}.amazonaws.com"


def settings(values: Values) -> dict[str, Any]:
    """Those of a store of obstore, but for the bucket.  Nothing comes from the server's environment or its machine's role."""
    place = endpoint(values)
    found: dict[str, Any] = {
        "endpoint": place,
        "region": values.text("REGION") or DEFAULT_REGION,
        "access_key_id": values.required("ACCESS KEY ID"),
        "secret_access_key": values.required("SECRET ACCESS KEY"),
        "virtual_hosted_style_request": False,
    }
    if (token := values.text("SESSION TOKEN")) is not None:
        found["session_token"] = token
    return found


def bucket_store(values: Values, bucket: str) -> Any:
    """A client of the bucket, obstore's S3Store.  It tries nothing again itself.  Raises ConnectionFailed where the connection may not
    lead to its endpoint."""
    obstore = client()
    place = endpoint(values)
    url = urlsplit(place)
    assert url.hostname is not None
    Addresses(values.link_local).resolve(url.hostname, url.port or (443 if url.scheme == "https" else 80))
    return obstore.store.S3Store(
        bucket,
        **settings(values),
        client_options={
            "timeout": TIMEOUT,
            "connect_timeout": CONNECT_TIMEOUT,
            "allow_http": url.scheme == "http",
        },
        retry_config={"max_retries": 0},
    )


def attempt(operation: Callable[[], T], timing: Timing = THREAD) -> T:
    """What the operation with a client gives.  While its failure may pass it is tried again: it must be one that may be repeated."""
    return retry(operation, _may_pass, BACKOFF, timing)


def _may_pass(error: Exception) -> bool:
    text = str(error)
    if isinstance(error, client().exceptions.BaseError | OSError):
        if "<Code>NoSuchUpload</Code>" in text:
            return (
                True  # an upload in parts was completed or given up, and the answer was lost: it begins anew
            )
        status = _STATUS.search(text)
        if status is not None:
            return int(status[1]) in _LATER or (int(status[1]) >= 500 and int(status[1]) != 501)
        # No answer, or half of one.
        return isinstance(error, client().exceptions.GenericError) or _LOST.search(text) is not None
    return False


def refusal(error: Exception, values: Values) -> str:
    """Why a request for a bucket or an object has failed, as a part of a sentence.  Of an answer its code is repeated, and nothing else."""
    text, _, source = str(error).partition("\n\nDebug source:")
    if (answer := _CODE.search(text)) is not None:
        code = answer[1]
        if code == "NoSuchBucket":
            return "there is no such bucket"
        if code in _UNKNOWN:
            return f"the credentials of the connection are not accepted ({code})"
        if code in _KNOWN:
            return f"access is denied ({code})"
        return f"S3 answers {code}"
    if isinstance(error, FileNotFoundError):
        return "there is no such object"
    if (status := _STATUS.search(text)) is not None:
        return f"S3 answers {status[1]}"
    if "TimedOut" in source or "timed out" in text:
        return "there is no answer in time"
    place = endpoint(values)
    return f"{place} cannot be reached" if _LOST.search(str(error)) else f"{place} does not answer as S3 does"


def validate(values: Values, addresses: Addresses, deadline: float) -> None:
    """Asks for a bucket that cannot be there; raises ConnectionFailed."""
    obstore = client()
    place = endpoint(values)
    url = urlsplit(place)
    assert url.hostname is not None
    addresses.reachable(url.hostname, url.port or (443 if url.scheme == "https" else 80), deadline)
    left = f"{max(deadline - monotonic(), 1):.0f}s"
    store = obstore.store.S3Store(
        f"ptvc-{secrets.token_hex(16)}",
        **settings(values),
        client_options={"timeout": left, "connect_timeout": left, "allow_http": url.scheme == "http"},
        retry_config={"max_retries": 0},
    )
    try:
        obstore.list_with_delimiter(store, "none")
    except (obstore.exceptions.BaseError, OSError) as error:
        if (failure := _failure(str(error), values, place)) is not None:
            raise failure from None
    else:
        raise ConnectionFailed(
            Step.ANSWER, f"cannot connect to S3 at {place}: it lists a bucket that is not there"
        )


def _failure(text: str, values: Values, place: str) -> ConnectionFailed | None:
    """None for an answer that only a known key gets.  Of an answer its code is repeated, and nothing else: it may come from where
    the endpoint has sent the client."""
    text, _, source = text.partition("\n\nDebug source:")
    what = f"cannot connect to S3 at {place}"
    if (answer := _CODE.search(text)) is not None:
        code = answer[1]
        if code in _KNOWN:
            return None
        if code in _UNKNOWN:
            return ConnectionFailed(Step.AUTHENTICATION, f"{what}: authentication failed ({code})")
        return ConnectionFailed(Step.ANSWER, f"{what}: it answers {code}")
    if "Server returned" in text or "redirect" in text:
        return ConnectionFailed(Step.ANSWER, f"{what}: it does not answer as S3 does")
    detail = scrubbed(text, values.secrets.values())
    if (refused := _CERTIFICATE.search(source)) is not None:
        return ConnectionFailed(Step.TLS, f"{what}: its certificate is not accepted", detail=refused[1])
    if "TimedOut" in source:
        return ConnectionFailed(Step.CONNECTION, f"{what}: it does not answer in time")
    return ConnectionFailed(Step.ANSWER, f"{what}: it does not answer as S3 does", detail=detail)
