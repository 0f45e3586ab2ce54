"""Records each audited read before its response is sent."""

import logging
from collections.abc import Sequence
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.types import Message, Receive, Scope, Send

from agentlog.api.http.codec.problems import headers_of, problem_of
from agentlog.api.http.codec.responses import problem_answer
from agentlog.api.http.middleware.permissions import MatchedRoute
from agentlog.api.http.request.scope import READ_THREADS, request_id
from agentlog.domain.access import Principal
from agentlog.domain.identifiers import is_thread_id
from agentlog.infrastructure.keys.accesses import Access, Accesses, AccessNotRecorded
from agentlog.infrastructure.keys.keys import Clock

logger = logging.getLogger("agentlog")


class ReadAudit:
    """Records reads, one for each thread that is named.

    `own` is the tenant of requests without a valid key.
    """

    def __init__(self, accesses: Accesses, *, clock: Clock, own: str) -> None:
        self._accesses = accesses
        self._clock = clock
        self._own = own

    async def note(
        self, scope: Scope, matched: MatchedRoute, principal: Principal | None, status: int
    ) -> None:
        """Record a response; raises `AccessNotRecorded`."""
        for thread_id in _threads_in(scope, matched):
            access = Access(
                tenant=self._own if principal is None else principal.tenant,
                at=self._clock(),
                key_id=None if principal is None else principal.author,
                method=scope["method"],
                route=matched.route.template,
                thread_id=thread_id,
                status=status,
                request_id=request_id(),
            )
            await run_in_threadpool(self._accesses.note, access)

    def recording(
        self, scope: Scope, receive: Receive, send: Send, *, matched: MatchedRoute, by: Principal
    ) -> Send:
        """Return a `send` that records the response first, and sends a refusal if that fails."""
        refused = False

        async def noting(message: Message) -> None:
            nonlocal refused
            if message["type"] == "http.response.start":
                try:
                    await self.note(scope, matched, by, message["status"])
                except AccessNotRecorded as error:
                    refused = True
                    logger.error("a read could not be put on record", exc_info=error)  # noqa: TRY400 - with its cause
                    answer = problem_answer(problem_of(error), scope, headers=headers_of(error))
                    await answer(scope, receive, send)
            if not refused:
                await send(message)

        return noting


def _threads_in(scope: Scope, matched: MatchedRoute) -> Sequence[str | None]:
    """Return the threads that a request names or read; None alone where an audited one has none.

    A route that is not audited read what it noted, and nothing else.
    """
    noted = scope.get(READ_THREADS, ())
    if not matched.route.audited:
        return [*noted]
    query = parse_qsl(scope["query_string"].decode("latin-1"))
    threads_of = matched.route.threads
    named = (
        thread_id
        for parameter, value in (*matched.parameters.items(), *query)
        if parameter in threads_of
        for thread_id in threads_of[parameter](value)
    )
    return [*dict.fromkeys(name for name in (*named, *noted) if is_thread_id(name))] or [None]
