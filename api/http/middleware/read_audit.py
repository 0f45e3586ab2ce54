"""Records each audited read before its response is sent."""

import logging
from collections.abc import Sequence
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.types import Message, Receive, Scope, Send

from agentlog.api.http.codec.problems import headers_of, problem_of
from agentlog.api.http.codec.responses import problem_answer
from agentlog.api.http.middleware.permissions import MatchedRoute
from agentlog.api.http.request.scope import request_id
from agentlog.domain.access import Principal
from agentlog.domain.identifiers import is_thread_id
from agentlog.infrastructure.keys.accesses import Access, Accesses, AccessNotRecorded
from agentlog.infrastructure.keys.keys import Clock

logger = logging.getLogger("agentlog")

_OF_AGENT = ("agent_id", "agent_ids", "conversation_id")
_NAMING = {
    "/v1/compare": ("a", "b"),
    "/v1/search": ("thread",),
    "/letta/v1/conversations/": _OF_AGENT,
    "/letta/v1/conversations/{thread_id}/messages": _OF_AGENT,
    "/letta/v1/runs/": _OF_AGENT,
    "/letta/v1/steps/": _OF_AGENT,
    "/letta/v1/steps/{step_id}": _OF_AGENT,
    "/letta/v1/steps/{step_id}/messages": _OF_AGENT,
    "/letta/v1/messages/{message_id}": _OF_AGENT,
}
"""Parameters of the query that name threads, each perhaps with a moment after an `@`."""


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
    """Return the threads that a request names; None alone where it names none."""
    parameters = matched.parameters
    answer, run = parameters.get("answer_id", ""), parameters.get("run_id", "")
    of_run = run.removeprefix("run-").partition("-")[2]
    named = [parameters.get("thread_id", answer.rpartition("~")[0] or answer or of_run)]
    naming = _NAMING.get(matched.route.template)
    if naming is not None:
        query = parse_qsl(scope["query_string"].decode("latin-1"))
        named += [value.partition("@")[0] for name, value in query if name in naming]
    return [*dict.fromkeys(name for name in named if is_thread_id(name))] or [None]
