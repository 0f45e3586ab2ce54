"""Headers that pass a relay, and those that are for a gateway alone."""

from collections.abc import Collection, Iterable

Pairs = list[tuple[bytes, bytes]]

THREAD = b"x-agentlog-thread"
"""The thread that an exchange is recorded in."""
KEY = b"x-agentlog-key"
"""A key of ours, where `Authorization` has the provider's."""
KNOWN = b"x-agentlog-known"
"""How many of a request's items, from the first, that thread has already."""
WAIT = b"x-agentlog-wait"
"""Whether the answer ends when the log has it."""
OURS = frozenset({THREAD, KEY, KNOWN, WAIT})

_OF_THE_CONNECTION = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer "
    b"transfer-encoding upgrade".split()
)
_MADE_ANEW = _OF_THE_CONNECTION | {b"host", b"content-length", b"accept-encoding"}


def for_upstream(headers: Iterable[tuple[bytes, bytes]], *, without: Collection[bytes]) -> Pairs:
    """Return what goes to the other server; answers are asked for as they are, not compressed."""
    left_out = _MADE_ANEW.union(without)
    passing = [(name, value) for name, value in headers if name.lower() not in left_out]
    return [*passing, (b"accept-encoding", b"identity")]


def for_client(headers: Iterable[tuple[bytes, bytes]]) -> Pairs:
    """Return what goes to the client."""
    return [(name, value) for name, value in headers if name.lower() not in _OF_THE_CONNECTION]
