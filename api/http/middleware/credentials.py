"""Credentials of a request: its bearer token, and the headers that a browser or proxy sets."""

import re
from base64 import b64decode
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Self
from urllib.parse import unquote_to_bytes, urlsplit

from starlette.types import Scope

from agentlog.api.http.relay.headers import KEY
from agentlog.api.http.request.errors import ForeignSite, KeyInUrl
from agentlog.infrastructure.keys.key import KEY_PATTERN

_OURS = "agentlog_"
_KEY = re.compile(KEY_PATTERN.encode())
_TOKEN_PARAMETERS = re.compile(rb"(?:^|&)(?:access_token|api_key|apikey)=", re.IGNORECASE)
_FORWARDED = frozenset({b"forwarded", b"x-forwarded-for", b"x-forwarded-host"})


@dataclass(slots=True)  # not frozen: faster to construct, once for each request
class Credentials:
    """Credentials in the headers.

    `bearer` is the token of `Authorization`: None without that header, empty where it has no token.
    A key of ours may also stand in `X-Api-Key`, or be the password of Basic authentication: some
    clients send theirs in no other way. Where it stands in `X-Agentlog-Key`, all others are the
    keys of a provider.
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
        return cls.in_headers(scope)

    @classmethod
    def in_headers(cls, scope: Scope) -> Self:
        """Return the credentials of a request whose URL may be anything."""
        bearer, own, host, origin, forwarded = None, None, "", None, False
        for name, value in scope["headers"]:
            if name == b"authorization":
                bearer = _token(value) if bearer is None else ""  # two headers count as none
            elif name == b"x-api-key" and value.startswith(_OURS.encode()):
                bearer = value.decode("latin-1").strip() if bearer is None else ""
            elif name == KEY:
                own = value.decode("latin-1").strip() if own is None else ""
            elif name == b"host":
                host = value.decode("latin-1")
            elif name == b"origin":
                origin = value.decode("latin-1")
            elif name in _FORWARDED:
                forwarded = True
        return cls(bearer if own is None else own, host, origin, forwarded)

    @property
    def claims_key(self) -> bool:
        """Whether the token is a key of ours; some clients send other tokens to every server."""
        return self.bearer is not None and self.bearer.startswith(_OURS)

    def refuse_browsers(self, *, loopback: bool, allowed: Collection[str]) -> None:
        """Refuse requests that a page of another site makes through a user's browser.

        Host must be a name of this machine or an `allowed` one: any other means DNS rebinding,
        which an address instead of a name rules out. `loopback`: the service listens on this
        machine only, so another address or `Forwarded` means a proxy that serves other machines.

        Raises:
            ForeignSite: the request comes from one.
        """
        name, address = _name_and_address(self.host)
        is_here = name in allowed or (address is not None and (address.is_loopback or not loopback))
        if not is_here:
            raise ForeignSite(
                f"the service does not answer as {name!r}",
                way="name the host in AGENTLOG_ALLOWED_HOSTS",
            )
        if loopback and self.forwarded:
            raise ForeignSite(
                "the service answers to this machine alone, and not through a proxy",
                way="set AGENTLOG_ANONYMOUS=allow, for all clients of the proxy",
            )
        self.refuse_other_sites(has_key=False)

    def refuse_other_sites(self, *, has_key: bool) -> None:
        """Refuse requests that a page of another site makes; raises `ForeignSite`."""
        if self.origin is not None and _site(self.origin) != self.host.lower():
            raise ForeignSite(
                "pages of other sites are refused",
                way="open the service's own page, and have a proxy pass Host on",
                has_key=has_key,
            )


def _token(header: bytes) -> str:
    scheme, _, token = header.decode("latin-1").partition(" ")
    match scheme.lower():
        case "bearer":
            return token.strip()
        case "basic":
            return _password(token.strip())
        case _:
            return ""


def _password(token: str) -> str:
    """Return the password of Basic authentication (RFC 7617); empty where there is none."""
    try:
        return b64decode(token, validate=True).decode("latin-1").partition(":")[2]
    except ValueError:
        return ""


def has_key_in_url(scope: Scope) -> bool:
    """Return whether the URL of a request has a key, or a parameter meant for one."""
    path, query = scope["path"], scope["query_string"]
    texts = [path.encode("utf-8", "replace")] if _OURS in path else []
    if query:
        texts.append(unquote_to_bytes(query))
    return any(_KEY.search(text) or _TOKEN_PARAMETERS.search(text) for text in texts)


def _site(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


@lru_cache(maxsize=64)  # most clients use one name
def _name_and_address(host: str) -> tuple[str, IPv4Address | IPv6Address | None]:
    """Return the name in a Host, and its address where that is known without a look-up."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return host, None
    if name == "localhost" or name.endswith(".localhost"):  # RFC 6761: always this machine
        return name, IPv4Address("127.0.0.1")
    try:
        return name, ip_address(name)
    except ValueError:
        return name, None
