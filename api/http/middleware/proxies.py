"""What trusted proxies say of a request: the client's address, and the name of the user.

Only the address of the connection itself decides whether to trust; what others send is ignored.
"""

import re
from collections.abc import Sequence
from ipaddress import ip_address, ip_network

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from agentlog.api.http.request.errors import InvalidUser
from agentlog.infrastructure.keys.key import ID_PATTERN

USER = "agentlog.user"
"""The key, in a request's scope, of the values of a trusted proxy's header for the user."""

_NAME = re.compile(r'(?! )[^"\\]{1,256}(?<! )')
_KEY_ID = re.compile(ID_PATTERN)


def behind_proxies(app: ASGIApp, *, trusted: str, user_header: str = "") -> ASGIApp:
    """Return an application that believes proxies in the `trusted` networks, if there are any.

    `user_header` is the header by which they name the user; empty for none.
    """
    return _BehindProxies(app, trusted=trusted, user_header=user_header) if trusted else app


class _BehindProxies:
    def __init__(self, app: ASGIApp, *, trusted: str, user_header: str) -> None:
        self._app = ProxyHeadersMiddleware(app, trusted)  # type: ignore[arg-type] # its own types
        self._networks = [
            ip_network(part.strip()) for part in trusted.split(",") if part.strip() not in {"", "*"}
        ]
        self._header = user_header.lower().encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._header and scope["type"] == "http" and self._trusts(scope):
            scope[USER] = [value for name, value in scope["headers"] if name == self._header]
        await self._app(scope, receive, send)  # type: ignore[arg-type] # as above

    def _trusts(self, scope: Scope) -> bool:
        try:
            address = ip_address(scope["client"][0])
        except (TypeError, ValueError):  # a socket without address
            return False
        return any(address in network for network in self._networks)


def user_named(values: Sequence[bytes]) -> str | None:
    """Return the user in the values of a proxy's header, None for none.

    Raises:
        InvalidUser: there are several, or it is no name. One like the id of a key is none: on
        record it would be another's.
    """
    if not any(values):
        return None
    if len(values) > 1:
        raise InvalidUser("has several values: have the proxy replace what clients send")
    try:
        name = values[0].decode()
    except UnicodeDecodeError as error:
        raise InvalidUser("is no UTF-8") from error
    if not _NAME.fullmatch(name) or not name.isprintable():
        raise InvalidUser(
            "is not 1 to 256 printable characters without quotes, backslashes and outer spaces"
        )
    if _KEY_ID.fullmatch(name):
        raise InvalidUser("could be the id of a key: have the proxy send another name")
    return name
