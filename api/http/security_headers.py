"""Headers that tell browsers to do nothing with an answer but hand it to whoever asked.

As OWASP's cheat sheet for REST has them. `Strict-Transport-Security` is not among them: it binds a
whole host, with all its ports, so it is for whoever ends TLS there.
"""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_CACHE = b"cache-control"
_NO_STORE = (_CACHE, b"no-store")
"""For all that does not say itself how it may be kept, as contents by their digest do."""

_ALWAYS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
]

_POLICY = b"content-security-policy"
_NOTHING = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_CDN = "https://cdn.jsdelivr.net/npm/"
_PAGE = (
    # the framework's pages start themselves by a script of their own, and show nothing that
    # anybody wrote but us
    "default-src 'none'; connect-src 'self'; worker-src blob:; img-src 'self' data: "
    "https://fastapi.tiangolo.com https://cdn.redoc.ly; script-src 'unsafe-inline' {_CDN}; "
    f"style-src 'unsafe-inline' {_CDN} https://fonts.googleapis.com; "
    "font-src https://fonts.gstatic.com; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'"
)
_PAGES = frozenset({"/docs", "/docs/oauth2-redirect", "/redoc"})

DATA_HEADERS = [*_ALWAYS, (_POLICY, _NOTHING.encode())]
"""What goes with every answer that is no page, in lower case; beside it `Cache-Control`."""

_PAGE_HEADERS = [*_ALWAYS, (_POLICY, _PAGE.encode())]


class Secured:
    """An application whose answers carry these headers, whatever they are."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        more = _PAGE_HEADERS if scope["path"] in _PAGES else DATA_HEADERS

        async def securing(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = message.get("headers", ())
                for name, _ in given:
                    if name == _CACHE:
                        message["headers"] = [*given, *more]
                        break
                else:
                    message["headers"] = [*given, *more, _NO_STORE]
            await send(message)

        await self._app(scope, receive, securing)
