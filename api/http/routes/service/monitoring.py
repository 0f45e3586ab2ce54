"""Routes for monitoring: /healthz, /readyz and /metrics.

All respond even without the database: metrics from the database are left out where it does not
answer in time.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Generic, TypeVar

import psycopg
from anyio import CapacityLimiter, to_thread
from fastapi import Request, Response
from prometheus_client.exposition import choose_encoder
from typing_extensions import TypedDict

from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.middleware.metrics_exposition import Exposition, Figures, Gauges
from agentlog.api.http.middleware.request_metrics import Traffic
from agentlog.api.http.openapi.answers import answers, content
from agentlog.api.http.routing import Router
from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable
from agentlog.infrastructure.postgres.log_position import log_position, replay_lag
from agentlog.infrastructure.postgres.write_access import Kind
from agentlog.infrastructure.runtime.secret_redaction import without_secrets
from agentlog.infrastructure.subscriptions.subscriptions import subscription_figures

CONNECTION_SECONDS = 1.0
"""Seconds to wait for a connection of the pool."""
UNANSWERED = (AgentlogError, psycopg.Error)
"""Errors of a query that the database cannot answer."""

_PATIENCE_SECONDS = 2.0

_Answer = TypeVar("_Answer")


class Inquiry(Generic[_Answer]):
    """Runs a query in a thread of its own: the framework's threads may all wait for the database.

    At most one query runs at a time: an unresponsive database would block a thread for each.
    """

    def __init__(self, database: Database, ask: Callable[[], _Answer]) -> None:
        self._database = database
        self._ask = ask
        self._asking: asyncio.Task[_Answer | None] | None = None

    async def answer(self) -> _Answer | None:
        """Return the result of the query; None if the database does not answer in time."""
        try:
            self._database.check()
        except DatabaseUnavailable:  # a pending query may finish much later
            return None
        asking = self._asking
        if asking is None or asking.done():
            asking = self._asking = asyncio.create_task(
                to_thread.run_sync(self._try, abandon_on_cancel=True, limiter=CapacityLimiter(1))
            )
        # when it ends, another request may have started the next query
        done, _ = await asyncio.wait({asking}, timeout=_PATIENCE_SECONDS)
        return asking.result() if done else None

    def _try(self) -> _Answer | None:
        try:
            return self._ask()
        except UNANSWERED:
            return None


router = Router(tags=["health"])

Lags = Callable[[], Mapping[str, int]]
"""Returns the number of unread events of each projection; may query the database."""


class Health(TypedDict):
    """Whether the service answers."""

    status: str


class Readiness(TypedDict):
    """What a service is by its database, and a standby's replay lag.

    `lagSeconds` is null where it is unknown, and for what is no standby.
    """

    status: str
    kind: Kind
    lagSeconds: float | None


class Metrics:
    """The metrics of one application; `inquiry` asks the database for some of them."""

    def __init__(
        self, writer: Writer, database: Database, traffic: Traffic, gauges: Gauges, lags: Lags
    ) -> None:
        self._database = database
        self._lags = lags
        self._exposition = Exposition(writer, database, traffic, gauges)
        self.inquiry = Inquiry(database, self._ask)

    async def scrape(self, accept: str) -> tuple[bytes, str]:
        """Return all metrics in the format that `accept` asks for, and its media type."""
        encode, media_type = choose_encoder(accept)
        self._exposition.figures = await self.inquiry.answer()
        # not in the framework's threads, which may all wait for the database
        text = await to_thread.run_sync(
            encode, self._exposition.registry, limiter=CapacityLimiter(1)
        )
        return text, media_type

    def _ask(self) -> Figures:
        position = log_position(self._database, wait_seconds=CONNECTION_SECONDS)
        lag_seconds = replay_lag(self._database, wait_seconds=CONNECTION_SECONDS)
        lags: Mapping[str, int] = {}
        subscriptions = None
        with suppress(*UNANSWERED):
            lags = self._lags()
            subscriptions = subscription_figures(self._database)
        return Figures(position, lag_seconds, lags, subscriptions)


@router.add(
    "GET /metrics",
    "metrics",
    response_class=Response,
    responses={
        200: {
            "description": "As asked.",
            "content": content("Metrics", "text/plain", "application/openmetrics-text"),
        }
    },
)
async def read_metrics(request: Request) -> Response:
    """What the service counts, for Prometheus: as text, or OpenMetrics where Accept asks for it."""
    metrics: Metrics = request.app.state.metrics
    text, media_type = await metrics.scrape(request.headers.get("accept", ""))
    return Response(text, headers={"Content-Type": media_type})


@router.add("GET /healthz", "nothing", responses=answers(200, Health))
async def healthz() -> Response:
    """The process lives."""
    # not in a shared thread: they may all wait for the database
    return json_answer({"status": "ok"})


@router.add("GET /readyz", "nothing", responses=answers(200, Readiness))
async def readyz(request: Request) -> Response:
    """The database answers, and a writer's takes writes: the last append was written, or a probe.

    The answer says what the service is: the writer, or what only reads.
    """
    database: Database = request.app.state.database
    database.write_access.check_own()
    readiness: Inquiry[Readiness | str] = request.app.state.readiness
    answer = await readiness.answer()
    if answer is None or isinstance(answer, str):
        raise DatabaseUnavailable(answer or "it gave no answer")
    return json_answer(answer)


def readiness_of(database: Database, writer: Writer) -> Inquiry[Readiness | str]:
    """Return a query that answers what the service is, or why it is not ready."""

    def ask() -> Readiness | str:
        lag_seconds = replay_lag(database, wait_seconds=CONNECTION_SECONDS)
        kind = database.write_access.check_own()
        try:
            if kind == "writer":
                writer.check_writable(wait_seconds=CONNECTION_SECONDS)
        except UNANSWERED as error:
            return f"the log cannot be written: {without_secrets(str(error)).strip()}"
        return Readiness(status="ready", kind=kind, lagSeconds=lag_seconds)

    return Inquiry(database, ask)
