"""Credentials of a request: its key, and headers set by browsers."""

import re
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from typing import Self
from urllib.parse import unquote_to_bytes, urlsplit

from starlette.types import Scope

from domain.errors import AgentlogError, InvalidInput
from infrastructure.keys.key import KEY_PATTERN

_OURS = "agentlog_"
_KEY = re.compile(KEY_PATTERN.encode())
_TOKEN_PARAMETERS = re.compile(rb"(?:^|&)(?:access_token|api_key|apikey)=", re.IGNORECASE)
_FORWARDED = frozenset({b"forwarded", b"x-forwarded-for", b"x-forwarded-host"})
_WAYS = (
    "make a key (`agentlog keys create`) and send it, or, where everybody who reaches the service "
    "may do everything, set AGENTLOG_ANONYMOUS=allow"
)


class KeyInUrl(InvalidInput):
    """A key stands in the URL, where logs and histories keep it."""

    def __init__(self) -> None:
        super().__init__(
            "send keys as `Authorization: Bearer KEY`, never in a URL: URLs are kept in logs and "
            "histories. Revoke the key that you sent, if it was one (`agentlog keys revoke ID`)"
        )


class ForeignSite(AgentlogError):
    """A page of another site asks by somebody's browser."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"without a key, {reason}: {_WAYS}")


@dataclass(slots=True)  # not frozen: faster to construct, once for each request
class Credentials:
    """Credentials in the headers.

    `bearer` is the token of `Authorization`: None without that header, empty where it has no token.
    """

    bearer: str | None
    host: str
    origin: str | None
    forwarded: bool

    @classmethod
    def of(cls, scope: Scope) -> Self:
        """Return the credentials of a request.

        Raises:
            KeyInUrl: the URL has a key.
        """
        if has_key_in_url(scope):
            raise KeyInUrl
        bearer, host, origin, forwarded = None, "", None, False
        for name, value in scope["headers"]:
            if name == b"authorization":
                bearer = _token(value) if bearer is None else ""  # two headers count as none
            elif name == b"host":
                host = value.decode("latin-1")
            elif name == b"origin":
                origin = value.decode("latin-1")
            elif name in _FORWARDED:
                forwarded = True
        return cls(bearer, host, origin, forwarded)

    @property
    def claims_key(self) -> bool:
        """Whether the token is a key of ours; some clients send other tokens to every server."""
        return self.bearer is not None and self.bearer.startswith(_OURS)

    def refuse_browsers(self, *, loopback: bool) -> None:
        """Refuse requests that a page of another site makes through a user's browser.

        `loopback`: the service listens on this machine only, so Host must be one of its names: any
        other means DNS rebinding, or a proxy that serves other machines.

        Raises:
            ForeignSite: the request comes from one.
        """
        if loopback and (self.forwarded or not _is_loopback(self.host)):
            raise ForeignSite(
                "the service answers to this machine alone, under 127.0.0.1 and localhost"
            )
        if self.origin is not None and _site(self.origin) != self.host.lower():
            raise ForeignSite("pages of other sites are refused")


def _token(header: bytes) -> str:
    scheme, _, token = header.decode("latin-1").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def has_key_in_url(scope: Scope) -> bool:
    """Return whether the URL of a request has a key, or a parameter meant for one."""
    path, query = scope["path"], scope["query_string"]
    texts = [path.encode("utf-8", "replace")] if _OURS in path else []
    if query:
        texts.append(unquote_to_bytes(query))
    return any(_KEY.search(each) or _TOKEN_PARAMETERS.search(each) for each in texts)


def _site(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


@lru_cache(maxsize=64)  # most clients use one name
def _is_loopback(host: str) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    if name == "localhost" or name.endswith(".localhost"):  # RFC 6761: always this machine
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
