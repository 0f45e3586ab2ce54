"""Security headers of responses, after OWASP's REST cheat sheet.

`Strict-Transport-Security` is not among them: it applies to a whole host with all its ports, so the
proxy that terminates TLS must set it.
"""

from collections.abc import Sequence

_CACHE = b"cache-control"
NO_STORE = (_CACHE, b"no-store")
"""The default; contents addressed by digest set their own."""

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
    # the framework's pages use an inline script, and show no content of users
    "default-src 'none'; connect-src 'self'; worker-src blob:; img-src 'self' data: "
    "https://fastapi.tiangolo.com https://cdn.redoc.ly; script-src 'unsafe-inline' {_CDN}; "
    f"style-src 'unsafe-inline' {_CDN} https://fonts.googleapis.com; "
    "font-src https://fonts.gstatic.com; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'"
)
_PAGES = frozenset({"/docs", "/docs/oauth2-redirect", "/redoc"})

Headers = Sequence[tuple[bytes, bytes]]

DATA_HEADERS = [*_ALWAYS, (_POLICY, _NOTHING.encode())]
"""Headers of every response but pages, in lower case, without `Cache-Control`."""

_PAGE_HEADERS = [*_ALWAYS, (_POLICY, _PAGE.encode())]


def secured(path: str, given: Headers) -> Headers:
    """Return the headers of a response for `path`, including those of every response."""
    more = _PAGE_HEADERS if path in _PAGES else DATA_HEADERS
    for name, _ in given:
        if name == _CACHE:
            return [*given, *more]
    return [*given, *more, NO_STORE]
