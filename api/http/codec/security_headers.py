"""Security headers of responses, after OWASP's REST cheat sheet.

`Strict-Transport-Security` is not among them: it applies to a whole host with all its ports, so the
proxy that terminates TLS must set it.
"""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256

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
Headers = Sequence[tuple[bytes, bytes]]

DATA_HEADERS = [*_ALWAYS, (_POLICY, _NOTHING.encode())]
"""Headers of every response but pages, in lower case, without `Cache-Control`."""


def policy_of_page(script: bytes) -> str:
    """Return the policy of a page whose files are ours, and which has one script inline."""
    digest = b64encode(sha256(script).digest()).decode()
    return (
        f"{_NOTHING}; script-src 'self' 'sha256-{digest}'; style-src 'self'; "
        "img-src 'self' data:; connect-src 'self'"
    )


def secured(given: Headers) -> Headers:
    """Return the headers of an answer with those of every answer, but for what it says itself."""
    names = [name for name, _ in given]
    more = _ALWAYS if _POLICY in names else DATA_HEADERS
    return [*given, *more] if _CACHE in names else [*given, *more, NO_STORE]
