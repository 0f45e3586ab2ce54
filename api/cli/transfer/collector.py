"""Sends spans to a collector, by OTLP over HTTP."""

import urllib.error
import urllib.request
from collections.abc import Iterable

from agentlog.api.cli.session import MissingExtra
from agentlog.domain.errors import AgentlogError
from agentlog.projections.view import Item

_SECONDS = 30


class CollectorRefused(AgentlogError):
    """A collector did not take the spans."""


def send(url: str, spans: Iterable[Item]) -> None:
    """Send spans to the collector at `url`, to which `/v1/traces` is added.

    Raises:
        CollectorRefused: it cannot be reached, or answers with an error.
        MissingExtra: OTLP in protobuf needs the extra `otel`.
    """
    try:
        from agentlog.infrastructure.transfer.otlp_protobuf import printed  # noqa: PLC0415 - needs an extra
    except ModuleNotFoundError as error:
        raise MissingExtra("otel") from error
    if not url.startswith(("http://", "https://")):
        raise CollectorRefused(f"{url[:64]!r} is no URL of a collector: use http:// or https://")
    request = urllib.request.Request(  # noqa: S310 - checked above
        f"{url.rstrip('/')}/v1/traces",
        printed(spans),
        {"Content-Type": "application/x-protobuf", "User-Agent": "agentlog"},
    )
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310 - as above
            answer.read()
    except urllib.error.HTTPError as error:
        with error:
            raise CollectorRefused(f"{url} answers {error.code} {error.reason}") from error
    except OSError as error:
        raise CollectorRefused(f"{url} does not answer: {error}") from error
