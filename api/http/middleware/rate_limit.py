"""Limits requests per second and open streams, before bodies are read."""

import time
from collections import Counter
from collections.abc import Callable, Hashable
from ipaddress import IPv6Network
from typing import Any

from starlette.types import Scope

from agentlog.api.http.request.limits import (
    RequestLimits,
    StreamsExhausted,
    TooManyRequests,
    TooManyStreams,
)
from agentlog.api.http.request.scope import PRINCIPAL
from agentlog.domain.access import Principal

Caller = tuple[str, ...]

_FREE = frozenset({"/healthz", "/readyz", "/metrics"})
"""Paths exempt from limits."""

_TOO_OFTEN = "Asked too often, or too many streams are open: Retry-After says when to ask again."
_STALLED = "The body broke off, or came too slowly."

_NETWORK_BITS = 64
"""Prefix length of the IPv6 network of one customer of a provider (RFC 6177)."""
_SWEEP = 4096


class Rate:
    """Allows each caller so many requests a second, and `burst` at once.

    A token bucket stored as one number per caller, the time at which it is full again: the generic
    cell rate algorithm (ITU-T I.371). Callers with full buckets are dropped.
    """

    def __init__(self, per_second: float, *, burst: int) -> None:
        self._interval = 1 / per_second
        self._tolerance = self._interval * (burst - 1)
        self._full_at: dict[Hashable, float] = {}
        self._sweep_beyond = _SWEEP

    def wait(self, caller: Hashable, now: float) -> float:
        """Return 0 and count the request, or the seconds by which it is too early.

        `now` is the time in seconds by a monotonic clock.
        """
        full_at = max(self._full_at.get(caller, now), now)
        early = full_at - now - self._tolerance
        if early > 0:
            return early
        self._full_at[caller] = full_at + self._interval
        if len(self._full_at) > self._sweep_beyond:
            self._sweep(now)
        return 0.0

    def __len__(self) -> int:
        """The number of stored callers."""
        return len(self._full_at)

    def _sweep(self, now: float) -> None:
        self._full_at = {who: at for who, at in self._full_at.items() if at > now}
        self._sweep_beyond = max(_SWEEP, 2 * len(self._full_at))


class Limiter:
    """Limits requests and streams of callers: of a key, or without one of an address."""

    def __init__(
        self, limits: RequestLimits, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._rate = (
            Rate(limits.rate_per_second, burst=limits.burst) if limits.rate_per_second else None
        )
        self.counts = self._rate is not None
        """Whether it limits requests, not only streams."""
        self._streams: Counter[Caller] = Counter()
        self._open = 0

    def admit(self, scope: Scope, *, stream: bool) -> Caller | None:
        """Count a request; return the caller if it opens a stream, which `leave` ends.

        Raises:
            TooManyRequests, TooManyStreams, StreamsExhausted: it is refused.
        """
        caller = caller_of(scope)
        if self._rate is not None and scope["path"] not in _FREE:
            seconds = self._rate.wait(caller, self._clock())
            if seconds > 0:
                raise TooManyRequests(seconds, per_second=self._limits.rate_per_second)
        if not stream:
            return None
        if self._streams[caller] >= self._limits.max_streams_per_key:
            raise TooManyStreams(self._limits.max_streams_per_key)
        if self._open >= self._limits.max_streams:
            raise StreamsExhausted(self._limits.max_streams)
        self._streams[caller] += 1
        self._open += 1
        return caller

    def leave(self, caller: Caller) -> None:
        """End a stream of a caller."""
        self._open -= 1
        self._streams[caller] -= 1
        if not self._streams[caller]:
            del self._streams[caller]


def describe_limits(document: dict[str, Any]) -> None:
    """Add the refusals by these limits to the OpenAPI document."""
    problem = {"schema": {"$ref": "#/components/schemas/Problem"}}
    content = {"application/problem+json": problem}
    for path, item in document["paths"].items():
        for operation in item.values():
            answers = operation["responses"]
            if path not in _FREE:
                answers.setdefault("429", {"description": _TOO_OFTEN, "content": content})
            if "413" in answers:
                answers.setdefault("408", {"description": _STALLED, "content": content})


def caller_of(scope: Scope) -> Caller:
    """Return the caller: a tenant's key, or a network."""
    principal: Principal | None = scope.get(PRINCIPAL)
    if principal is not None and principal.author is not None:
        return principal.tenant, principal.author
    host = (scope.get("client") or ("", 0))[0]
    if ":" in host:
        try:
            return (str(IPv6Network((host.partition("%")[0], _NETWORK_BITS), strict=False)),)
        except ValueError:  # the header of a proxy may be anything
            pass
    return (host,)
