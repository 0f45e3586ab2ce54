"""Authenticates requests by API key before their bodies are read.

Once a first key exists, every request needs one. Until then callers are `anonymous`, except
browsers that a page of another site sent.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeVar

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.codec.problems import headers_of, problem_of
from api.http.codec.responses import problem_answer
from api.http.middleware.permissions import FOUND, FoundRoute, Permissions
from api.http.middleware.read_audit import ReadAudit
from api.http.middleware.request_metrics import NO_ROUTE, Traffic
from api.http.request.credentials import Credentials, has_key_in_url
from api.http.request.scope import PRINCIPAL
from domain.access import SCOPES, NotAllowed, NotAuthenticated, Principal
from domain.errors import AgentlogError
from infrastructure.keys.accesses import Accesses, AccessNotRecorded
from infrastructure.keys.cache import RecentKeys
from infrastructure.keys.key import KeyText, StoredKey
from infrastructure.postgres.errors import DatabaseUnavailable

logger = logging.getLogger("agentlog")

_FOUND = TypeVar("_FOUND")

_LASTING = "/metrics"
"""The route that is served without the database, by the last known keys."""
_LOOK_SECONDS = 2.0
"""Seconds that a request waits for a look-up of keys."""
_LASTING_SECONDS = 0.2
"""The same where the last known result is good enough."""


AnonymousFrom = Literal["this machine", "anywhere", "nowhere"]


@dataclass(frozen=True, slots=True)
class Entrance:
    """What authentication depends on.

    `anonymous`: where callers without a key may come from until the first key is made. `audited`:
    whether reads are recorded.
    """

    keys: RecentKeys
    accesses: Accesses
    anonymous: AnonymousFrom
    audited: bool = False


class _BrokenOff(BaseException):
    """Ends a response in progress. Not an `Exception`, so that no handler answers it."""


class Authenticated:
    """An application behind authentication and permissions.

    `own`: the tenant of callers without a key.
    """

    def __init__(
        self,
        app: ASGIApp,
        entrance: Entrance,
        permissions: Permissions,
        traffic: Traffic,
        *,
        own: str,
    ) -> None:
        self._app = app
        self._keys = entrance.keys
        self._permissions = permissions
        self._traffic = traffic
        self._anonymous = entrance.anonymous
        self._nobody = Principal(own, frozenset(SCOPES))
        self._audit = (
            ReadAudit(entrance.accesses, clock=entrance.keys.keys.clock, own=own)
            if entrance.audited
            else None
        )
        # separate, so that unknown keys never delay known ones
        self._again = ThreadPoolExecutor(2, thread_name_prefix="keys-again")
        self._first = ThreadPoolExecutor(2, thread_name_prefix="keys-first")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request with its principal in its scope, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        found = scope[FOUND] = self._permissions.find(scope["method"], scope["path"])
        if found is not None and found.route.free and not has_key_in_url(scope):
            await self._app(scope, receive, send)
            return
        try:
            text, principal = await self._admit(scope, found)
        except AgentlogError as error:
            await self._refuse(error, scope, receive, send, found=found)
            return
        answering = send
        if found is not None:
            if found.route.long and text is not None:
                receive, answering = self._while_valid(text, receive, answering)
            if self._audit is not None and found.route.audited:
                answering = self._audit.recording(
                    scope, receive, answering, found=found, by=principal
                )
        try:
            await self._app(scope, receive, answering)
        except _BrokenOff:
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _admit(
        self, scope: Scope, found: FoundRoute | None
    ) -> tuple[KeyText | None, Principal]:
        """Return the principal and its key, and put the principal into the scope.

        Raises:
            NotAuthenticated, NotAllowed, ForeignSite, KeyInUrl: the request is refused.
        """
        credentials = Credentials.of(scope)
        lasting = found is not None and found.route.template == _LASTING
        scope_needed = None if found is None else found.route.scope
        needed = credentials.claims_key or self._keys.recall_made()
        if needed is None:
            before = self._keys.last_made() if lasting else None
            needed = await _looked_up(self._again, self._keys.look_made, before=before)
        if needed:
            text, principal = await self._holder(credentials.bearer, lasting=lasting)
        elif self._anonymous == "nowhere":
            raise NotAuthenticated
        else:
            credentials.refuse_browsers(loopback=self._anonymous == "this machine")
            text, principal = None, self._nobody
        scope[PRINCIPAL] = principal
        if scope_needed is not None and not principal.may(scope_needed):
            raise NotAllowed(scope_needed)
        return text, principal

    async def _holder(self, bearer: str | None, *, lasting: bool) -> tuple[KeyText, Principal]:
        text = None if bearer is None else KeyText.parse(bearer)
        if text is None:
            logger.info("refused: %s", "no key" if bearer is None else "what is no key")
            raise NotAuthenticated
        stored = self._keys.recall(text.key_id)
        if stored is None:
            stored = await self._look(text.key_id, lasting=lasting)
        if stored is None:
            logger.info("refused key %s: there is none", text.key_id)
            raise NotAuthenticated
        flaw = stored.flaw(text, now=self._keys.keys.clock())
        if flaw is not None:
            logger.warning("refused key %s of tenant %s: %s", text.key_id, stored.key.tenant, flaw)
            raise NotAuthenticated
        return text, stored.principal

    async def _look(self, key_id: str, *, lasting: bool) -> StoredKey | None:
        before = self._keys.last_known(key_id)
        executor = self._first if before is None else self._again
        look = partial(self._keys.look, key_id)
        return await _looked_up(executor, look, before=before if lasting else None)

    def _while_valid(self, text: KeyText, receive: Receive, send: Send) -> tuple[Receive, Send]:
        """Return a `send` that breaks off the response once the key is no longer valid."""

        async def receiving() -> Message:
            message = await receive()
            if message.get("body"):
                await self._see_valid(text)
            return message

        async def sending(message: Message) -> None:
            if message.get("body"):
                await self._see_valid(text)
            await send(message)

        return receiving, sending

    async def _see_valid(self, text: KeyText) -> None:
        stored = self._keys.recall(text.key_id)
        if stored is None:
            try:
                stored = await self._look(text.key_id, lasting=False)
            except DatabaseUnavailable:  # there are no new events either
                stored = self._keys.last_known(text.key_id)
        flaw = "it is gone" if stored is None else stored.flaw(text, now=self._keys.keys.clock())
        if flaw is not None:
            logger.warning("broke off what key %s had begun: %s", text.key_id, flaw)
            raise _BrokenOff

    async def _refuse(
        self,
        error: AgentlogError,
        scope: Scope,
        receive: Receive,
        send: Send,
        *,
        found: FoundRoute | None,
    ) -> None:
        answer = problem_answer(problem_of(error), headers=headers_of(error))
        template = NO_ROUTE if found is None else found.route.template
        self._traffic.count(scope, template, answer.status_code, began=time.perf_counter())
        if self._audit is not None and found is not None and found.route.audited:
            try:
                await self._audit.note(scope, found, scope.get(PRINCIPAL), answer.status_code)
            except AccessNotRecorded:  # the request is refused anyway
                logger.exception("a refused read could not be put on record")
        await answer(scope, receive, send)


async def _looked_up(
    executor: ThreadPoolExecutor, look: Callable[[], _FOUND], *, before: _FOUND | None
) -> _FOUND:
    """Return the result of a look-up, or `before` if it takes too long.

    Raises:
        DatabaseUnavailable: it takes too long, and nothing was known before.
    """
    seconds = _LOOK_SECONDS if before is None else _LASTING_SECONDS
    looking = asyncio.get_running_loop().run_in_executor(executor, look)
    try:
        return await asyncio.wait_for(looking, seconds)
    except (TimeoutError, DatabaseUnavailable) as error:
        if before is not None:
            return before
        if isinstance(error, TimeoutError):
            raise DatabaseUnavailable(f"no key was looked up within {seconds:g} s") from error
        raise
