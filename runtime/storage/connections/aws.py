"""AWS: the settings of a client of S3, and a request that says whether its keys are known.

A connection names no bucket.  What is asked for is a bucket that cannot be there: S3 looks at who asks first, so an answer that there is
none, or that one may not see it, comes to a good key only.
"""

from __future__ import annotations

import re
import secrets
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from ...errors import PtvcError
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
DEFAULT_REGION = "us-east-1"


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
