"""Tokens (JWT) that an issuer has signed, which stand for a password: whose they are, if they are good.

A token is good if the issuer's own key has signed it by an algorithm of public keys that is fit for the key, it is for this audience, and
now is the time for it.  It is looked at when a session begins; a session outlasts its token.  It needs the extra `oidc`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import InvalidParameter, PtvcError
from .issuer import Issuer

if TYPE_CHECKING:
    import jwt

LEEWAY_S = 30
"""By so much clocks may differ."""
LEAST_RSA_BITS = 2048

_EC = {"ES256": "P-256", "ES384": "P-384", "ES512": "P-521"}
"""The curve of each."""
_RSA = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
ALGORITHMS = (*_RSA, *_EC, "EdDSA")
"""No other is taken: `none` proves nothing, and the secret of HS256 would be a key that everybody knows."""


class BadToken(PtvcError):
    """`message` says what is wrong with it, and nothing that is in it."""

    sqlstate = "28P01"


@dataclass(frozen=True, slots=True)
class TokenRules:
    """`claim` is what names the user, and `roles` the roles of names that are not roles themselves."""

    audiences: Sequence[str]
    claim: str
    roles: Mapping[str, str]

    def __post_init__(self) -> None:
        if not self.audiences:
            raise InvalidParameter(
                'setting "oidc_audience" is not given',
                hint="Say for whom tokens are to be: else those that the issuer gives for anything else would do here, too.",
            )
        if not self.claim:
            raise InvalidParameter('setting "oidc_authentication_claim" cannot be empty')


class Tokens:
    """`role_of` says whose a token is."""

    def __init__(self, issuer: Issuer, rules: TokenRules) -> None:
        self._issuer = issuer
        self._rules = rules

    async def role_of(self, token: str) -> str:
        """The name of the role that it stands for, whether or not there is such a role.  Raises BadToken, and IssuerFailed."""
        import jwt  # of an extra

        try:
            header = jwt.get_unverified_header(token)
        except jwt.PyJWTError:
            raise BadToken("it is not a token") from None
        algorithm, name = header.get("alg"), header.get("kid")
        if algorithm not in ALGORITHMS:
            raise BadToken("it is not signed by an algorithm that is taken")
        if not isinstance(name, str):
            raise BadToken("it does not name its key")
        key = await self._issuer.key(name)
        if key is None:
            raise BadToken("its issuer has no such key")
        claims = self._claims(token, _fit(key, algorithm), algorithm)
        return self._role(claims)

    def close(self) -> None:
        self._issuer.close()

    def _claims(self, token: str, key: jwt.PyJWK, algorithm: str) -> dict[str, Any]:
        import jwt

        try:
            return jwt.decode(
                token,
                key,
                algorithms=[algorithm],
                audience=list(self._rules.audiences),
                issuer=self._issuer.url,
                leeway=LEEWAY_S,
                options={"require": ["exp", "iss", "aud"]},
            )
        except jwt.ExpiredSignatureError:
            raise BadToken("it has expired") from None
        except jwt.ImmatureSignatureError:
            raise BadToken("its time has not come") from None
        except jwt.InvalidAudienceError:
            raise BadToken("it is for another audience") from None
        except jwt.InvalidIssuerError:
            raise BadToken("it is of another issuer") from None
        except jwt.MissingRequiredClaimError:
            raise BadToken("it does not say until when it is, for whom, or by whom") from None
        except jwt.PyJWTError:
            raise BadToken("it is not what its issuer has signed") from None

    def _role(self, claims: Mapping[str, Any]) -> str:
        named = claims.get(self._rules.claim)
        if not isinstance(named, str) or not named:
            raise BadToken(f'it has no claim "{self._rules.claim}" that is a name')
        if self._rules.claim == "email" and claims.get("email_verified") is not True:
            raise BadToken("its issuer does not say that the address is verified")
        return self._rules.roles.get(named, named)


def _fit(key: Mapping[str, Any], algorithm: str) -> jwt.PyJWK:
    """The key, if it is one of the algorithm's.  Raises BadToken."""
    import jwt

    if key.get("alg", algorithm) != algorithm:
        raise BadToken("its key is for another algorithm")
    if algorithm in _RSA:
        fits = key.get("kty") == "RSA"
    elif algorithm in _EC:
        fits = (key.get("kty"), key.get("crv")) == ("EC", _EC[algorithm])
    else:
        fits = (key.get("kty"), key.get("crv")) == ("OKP", "Ed25519")
    if not fits:
        raise BadToken("its key is for another algorithm")
    try:
        made = jwt.PyJWK(dict(key), algorithm)
    except jwt.PyJWTError:
        raise BadToken("its key is none") from None
    if algorithm in _RSA and made.key.key_size < LEAST_RSA_BITS:
        raise BadToken("its key is too short")
    return made
