"""Headers that tell browsers to do nothing with an answer but hand it to whoever asked.

As OWASP's cheat sheet for REST has them. `Strict-Transport-Security` is not among them: it binds a
whole host, with all its ports, so it is for whoever ends TLS there.
"""

from collections.abc import Sequence

_CACHE = b"cache-control"
NO_STORE = (_CACHE, b"no-store")
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

Headers = Sequence[tuple[bytes, bytes]]

DATA_HEADERS = [*_ALWAYS, (_POLICY, _NOTHING.encode())]
"""What goes with every answer that is no page, in lower case; beside it `Cache-Control`."""

_PAGE_HEADERS = [*_ALWAYS, (_POLICY, _PAGE.encode())]


def secured(path: str, given: Headers) -> Headers:
    """Return the headers of an answer to a request for `path`, those of every answer among them."""
    more = _PAGE_HEADERS if path in _PAGES else DATA_HEADERS
    for name, _ in given:
        if name == _CACHE:
            return [*given, *more]
    return [*given, *more, NO_STORE]
