"""Headers that tell browsers to do nothing with an answer but hand it to whoever asked.

As OWASP's cheat sheet for REST has them. `Strict-Transport-Security` is not among them: it binds a
whole host, with all its ports, so it is for whoever ends TLS there.
"""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256

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
Headers = Sequence[tuple[bytes, bytes]]

DATA_HEADERS = [*_ALWAYS, (_POLICY, _NOTHING.encode())]
"""What goes with every answer that is no page, in lower case; beside it `Cache-Control`."""


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
