"""/metrics: what there is to know of the service, for Prometheus.

It answers whatever the database does: what only the database knows is left out where that does not
answer soon.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress

import psycopg
from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Request, Response
from prometheus_client.exposition import choose_encoder

from api.http.exposition import Exposition, Found, Gauges
from api.http.traffic import Traffic
from domain.errors import AgentlogError
from infrastructure.database import Database
from infrastructure.pulse import log_position
from infrastructure.unavailable import DatabaseUnavailable
from infrastructure.writer import Writer

router = APIRouter(tags=["health"])

_UNANSWERED = (AgentlogError, psycopg.Error)
_CONNECTION_SECONDS = 1.0
_PATIENCE_SECONDS = 2.0

Lags = Callable[[], Mapping[str, int]]
"""Returns how many events each projection has yet to read; it may ask the database."""


class Metrics:
    """The metrics of one application; the database is asked by one thread of their own at most."""

    def __init__(
        self, writer: Writer, database: Database, traffic: Traffic, gauges: Gauges, lags: Lags
    ) -> None:
        self._database = database
        self._lags = lags
        self._exposition = Exposition(writer, database, traffic, gauges)
        self._asking: asyncio.Task[Found | None] | None = None

    async def scrape(self, accept: str) -> tuple[bytes, str]:
        """Return all metrics in the format that `accept` asks for, and its media type."""
        encode, media_type = choose_encoder(accept)
        self._exposition.found = await self.found()
        # in a thread beside the framework's own, all of which may be waiting for the database
        text = await to_thread.run_sync(
            encode, self._exposition.registry, limiter=CapacityLimiter(1)
        )
        return text, media_type

    async def found(self) -> Found | None:
        """Return what the database says; None if it says nothing soon.

        While one question is out there is no second: a database that vanished without a word would
        take a thread for each scrape.
        """
        try:
            self._database.check()
        except DatabaseUnavailable:  # the one that is out may have its answer much later
            return None
        asking = self._asking
        if asking is None or asking.done():
            asking = self._asking = asyncio.create_task(
                to_thread.run_sync(self._ask, abandon_on_cancel=True, limiter=CapacityLimiter(1))
            )
        # by the time that one is answered, another scrape may have put the next question
        done, _ = await asyncio.wait({asking}, timeout=_PATIENCE_SECONDS)
        return asking.result() if done else None

    def _ask(self) -> Found | None:
        try:
            position = log_position(self._database, wait_seconds=_CONNECTION_SECONDS)
        except _UNANSWERED:
            return None
        lags: Mapping[str, int] = {}
        with suppress(*_UNANSWERED):
            lags = self._lags()
        return Found(position, lags)


@router.get(
    "/metrics",
    response_class=Response,
    responses={
        200: {
            "description": "As asked.",
            "content": {
                media_type: {"schema": {"$ref": "#/components/schemas/Metrics"}}
                for media_type in ("text/plain", "application/openmetrics-text")
            },
        }
    },
)
async def read_metrics(request: Request) -> Response:
    """What the service counts, for Prometheus: as text, or OpenMetrics where Accept asks for it."""
    metrics: Metrics = request.app.state.metrics
    text, media_type = await metrics.scrape(request.headers.get("accept", ""))
    return Response(text, headers={"Content-Type": media_type})
