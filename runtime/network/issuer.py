"""An issuer of tokens, by OpenID Connect: which keys it signs with.

```
issuer ── /.well-known/openid-configuration ── jwks_uri ── keys by name (kid), kept for an hour
                                                             └── of a name that is not among them: asked again, not often
```

Whoever connects can name a key, so the issuer is asked by one at a time, once in `ASKED_AGAIN_S` at most.  All of it is HTTPS, is not
sent elsewhere, and has bounds of size and time.
"""

from __future__ import annotations

import asyncio
import json
import logging
import ssl
import urllib.request
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from pathlib import Path
from time import monotonic
from typing import Any

from ..errors import InvalidParameter, PtvcError
from ..given_files import check_regular

log = logging.getLogger(__name__)

KEPT_S = 3600.0
"""How old keys may be before the issuer is asked again."""
LAST_S = 24 * 3600.0
"""How old keys may be while the issuer does not answer."""
ASKED_AGAIN_S = 10.0
TIMEOUT_S = 10.0
"""Of a request."""
MOST_BYTES = 1 << 20

Key = Mapping[str, Any]
"""A JSON web key."""


class IssuerFailed(PtvcError):
    """It cannot be asked, or its answer is none."""

    sqlstate = "08006"


class Issuer:
    """`url` is its name, as it is in tokens; `authorities` a file of those that certify it, in place of the system's."""

    def __init__(self, url: str, authorities: Path | None = None) -> None:
        if not url.startswith("https://"):
            raise InvalidParameter(
                f'setting "oidc_issuer" cannot be "{url}"',
                hint="Give the issuer's URL, which begins with https://.",
            )
        self.url = url
        try:
            if authorities is not None:
                check_regular(authorities)
            context = ssl.create_default_context(cafile=None if authorities is None else str(authorities))
        except (OSError, ValueError) as error:
            raise InvalidParameter(f'setting "oidc_ca_file" cannot be "{authorities}": {error}') from error
        self._opener = urllib.request.build_opener(
            urllib.request.HTTPSHandler(context=context), _NoRedirection()
        )
        self._keys: dict[str, Key] = {}
        self._fetched: float | None = None
        self._asked: float | None = None
        self._asking: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, "issuer")

    async def key(self, name: str) -> Key | None:
        """The key of that name; None: the issuer has none, as far as it was asked.  Raises IssuerFailed where no keys are known."""
        if name not in self._keys or self._age() > KEPT_S:
            asking = self._ask()
            if asking is not None and (name not in self._keys or self._age() > LAST_S):
                await asyncio.shield(asking)  # a client that goes leaves it to the others
        if self._age() > LAST_S:
            raise IssuerFailed(f"the keys of the issuer {self.url} are not known")
        return self._keys.get(name)

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _age(self) -> float:
        return float("inf") if self._fetched is None else monotonic() - self._fetched

    def _ask(self) -> asyncio.Task[None] | None:
        """What fetches new keys, for all who want them now; None: it is not time yet."""
        if self._asking is None and (self._asked is None or monotonic() - self._asked >= ASKED_AGAIN_S):
            self._asked = monotonic()
            self._asking = asyncio.get_running_loop().create_task(self._renew())
        return self._asking

    async def _renew(self) -> None:
        try:
            loop = asyncio.get_running_loop()
            self._keys = await loop.run_in_executor(self._thread, self._fetch)
            self._fetched = monotonic()
        except IssuerFailed as error:
            log.error("%s", error)
        finally:
            self._asking = None

    def _fetch(self) -> dict[str, Key]:
        """Blocks."""
        found = self._get(f"{self.url.rstrip('/')}/.well-known/openid-configuration")
        if found.get("issuer") != self.url:
            raise IssuerFailed(f"the issuer at {self.url} calls itself {found.get('issuer')!r}")
        place = found.get("jwks_uri")
        if not isinstance(place, str) or not place.startswith("https://"):
            raise IssuerFailed(f"the issuer {self.url} has no keys at an https:// URL")
        keys = self._get(place).get("keys")
        if not isinstance(keys, list):
            raise IssuerFailed(f"what is at {place} are no keys")
        named = (key for key in keys if isinstance(key, dict) and isinstance(key.get("kid"), str))
        return {key["kid"]: key for key in named if key.get("use", "sig") == "sig"}

    def _get(self, url: str) -> dict[str, Any]:
        deadline = monotonic() + TIMEOUT_S
        body = bytearray()
        try:
            with self._opener.open(url, timeout=TIMEOUT_S) as response:
                while piece := response.read1(1 << 16):
                    body += piece
                    if len(body) > MOST_BYTES or monotonic() > deadline:
                        raise IssuerFailed(f"{url} answers with too much, or too slowly")
            found = json.loads(body)
        except (OSError, HTTPException, ValueError, RecursionError) as error:  # the last: it is nested deeply
            raise IssuerFailed(f"cannot read {url}: {error}") from error
        if not isinstance(found, dict):
            raise IssuerFailed(f"what is at {url} is no JSON object")
        return found


class _NoRedirection(urllib.request.HTTPRedirectHandler):
    """What is sent elsewhere is an error."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None
