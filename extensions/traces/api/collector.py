"""Sends spans to a collector, by OTLP over HTTP."""

from collections.abc import Iterable

import httpx2

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
        from agentlog.extensions.traces.projections.export.otlp_protobuf import printed  # noqa: PLC0415 - needs an extra
    except ModuleNotFoundError as error:
        raise MissingExtra("otel") from error
    if not url.startswith(("http://", "https://")):
        raise CollectorRefused(f"{url[:64]!r} is no URL of a collector: use http:// or https://")
    try:
        answer = httpx2.post(
            f"{url.rstrip('/')}/v1/traces",
            content=printed(spans),
            headers={"Content-Type": "application/x-protobuf", "User-Agent": "agentlog"},
            timeout=_SECONDS,
        )
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise CollectorRefused(f"{url} does not answer: {error}") from error
    if not answer.is_success:
        raise CollectorRefused(f"{url} answers {answer.status_code} {answer.reason_phrase}")
