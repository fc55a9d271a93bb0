"""What S3's refusals mean: by name, with what to do, and whether trying again may help.

The client reports a refusal as an exception whose text has the status and the body of the answer; the body names the
reason by a code.  Of the request they have method and address; only the host of the address is passed on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from obstore import exceptions

from ...errors import DiskFull, PtvcError, StorageError, StoreAway

Failure = exceptions.BaseError | OSError | NotImplementedError
"""What the client raises: of its own, or Python's where Python has a name for it."""

FAILURES = (exceptions.BaseError, OSError, NotImplementedError)
ABSENT = (exceptions.NotFoundError, FileNotFoundError)

_STATUS = re.compile(r"status code: (\d{3})")
_CODE = re.compile(r"<Code>(\w+)</Code>")
_NAMES = re.compile(
    r"(?<=//)([^/?\s]+)[/?]\S*|<(Key|Resource|BucketName|RequestId|HostId)>.*?</\2>|Debug source:.*",
    re.DOTALL,
)
"""Parts of a text that repeat what was asked for: names, which may be any words."""
_METADATA = re.compile(r"https?://[^/\s]+/latest/(api/token|meta-data)\S*")
"""Where a machine has the credentials of its role."""
_LATER = frozenset({408, 409, 429})
"""Statuses below 500 of refusals that may pass."""


@dataclass(frozen=True, slots=True)
class _Cause:
    """`message` goes with the name of the place; `may_pass` says whether an attempt later may succeed."""

    signs: str
    message: str
    hint: str
    may_pass: bool = False

    def fits(self, text: str) -> bool:
        return re.search(self.signs, text) is not None


_CAUSES = (
    _Cause(
        r"<Code>NoSuchBucket</Code>",
        "there is no such bucket",
        "Create it, or name another one with --blob. A bucket of another service needs endpoint=URL in the URL, "
        "or AWS_ENDPOINT_URL.",
    ),
    _Cause(
        r"<Code>(InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidToken|TokenRefreshRequired)</Code>",
        "the credentials are not accepted",
        "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN, if they are temporary) to valid ones, "
        "and start the runtime again.",
    ),
    _Cause(
        r"<Code>RequestTimeTooSkewed</Code>",
        "this machine's clock is wrong",
        "Set the clock: S3 takes requests of the last minutes only.",
    ),
    _Cause(
        r"169\.254\.169\.254|169\.254\.170\.2|AssumeRoleWithWebIdentity|(?i:credential)",
        "there are no credentials",
        "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment of the runtime, or run it where the machine "
        "has a role.",
        may_pass=True,
    ),
    _Cause(
        r"<Code>(PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException)</Code>"
        r"|redirect without LOCATION|status code: 301",
        "the bucket is in another region",
        "Name its region: s3://bucket/prefix?region=NAME, or AWS_REGION.",
    ),
    _Cause(
        r"<Code>(SlowDown|RequestLimitExceeded|Throttling\w*|TooManyRequests)</Code>|status code: (429|503)",
        "it asks to slow down",
        "It was asked again for a while. Nothing that was acknowledged is lost; try again later.",
        may_pass=True,
    ),
    _Cause(
        r"<Code>NotImplemented</Code>|status code: 501",
        "it cannot write an object only if there is none (If-None-Match)",
        "Use a store that can: S3 itself, MinIO, Cloudflare R2, Ceph.",
    ),
    _Cause(
        r"<Code>(AccessDenied|AllAccessDisabled|AccountProblem)</Code>|status code: 403",
        "access is denied",
        "The credentials need s3:GetObject, s3:PutObject and s3:DeleteObject on the objects, and s3:ListBucket on the "
        "bucket.",
    ),
    _Cause(
        r"(?i)timed out|timeout|deadline",
        "there is no answer in time",
        "It was asked again for a while. Look at the network; nothing that was acknowledged is lost.",
        may_pass=True,
    ),
    _Cause(
        r"(?i)error sending request|connect|dns|connection (reset|refused|closed)|error decoding response body|broken pipe",
        "it cannot be reached",
        "It was asked again for a while. Look at the network, and at endpoint=URL or AWS_ENDPOINT_URL if it is not S3 "
        "itself.",
        may_pass=True,
    ),
)
_FULL = re.compile(r"status code: 507|<Code>(XMinioStorageFull|QuotaExceeded|InsufficientStorage\w*)</Code>")


def is_missing(error: Failure) -> bool:
    """Whether there is no such object, in a bucket that is there."""
    return isinstance(error, ABSENT) and "<Code>NoSuchBucket</Code>" not in str(error)


def may_pass(error: Failure) -> bool:
    """Whether the same request may succeed later."""
    text = _message(error)
    if _FULL.search(text):
        return False
    for cause in _CAUSES:
        if cause.fits(text):
            return cause.may_pass
    status = _STATUS.search(text)
    return isinstance(error, exceptions.GenericError | OSError) and (
        status is None or int(status[1]) in _LATER or int(status[1]) >= 500
    )


def failure(what: str, name: str, place: str, error: Failure) -> PtvcError:
    """The error for somebody who wanted to `what` (read, write, ...) the object `name` at `place`."""
    text = _message(error)
    message = f'could not {what} blob "{name}" in {place}: '
    if _FULL.search(text):
        return DiskFull(
            message + "there is no room",
            hint="Make room there, or raise the quota; nothing that was acknowledged is lost.",
        )
    for cause in _CAUSES:
        if cause.fits(text):
            kind = StoreAway if cause.may_pass else StorageError
            return kind(f"{message}{cause.message}{_code(text)}", hint=cause.hint)
    kind = StoreAway if may_pass(error) else StorageError
    return kind(f"{message}{_first_line(text)}")


def _message(error: Failure) -> str:
    return _NAMES.sub(r"\1", _METADATA.sub("credentials", str(error)))


def _code(text: str) -> str:
    found = _CODE.search(text) or _STATUS.search(text)
    return f" ({found[1]})" if found else ""


def _first_line(text: str) -> str:
    return text.splitlines()[0][:300] if text else "no reason was given"
