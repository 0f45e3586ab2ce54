"""Authenticates requests by API key before their bodies are read.

Once a first key exists, every request needs one. Until then callers are `anonymous`, except those
that ask for another host, and browsers that a page of another site sent.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypeVar

from starlette.types import Message, Receive, Scope, Send

from agentlog.api.http.codec.statuses import status_of
from agentlog.api.http.middleware.credentials import Credentials
from agentlog.api.http.middleware.permissions import MatchedRoute
from agentlog.api.http.middleware.proxies import USER, user_named
from agentlog.api.http.middleware.read_audit import ReadAudit
from agentlog.api.http.request.scope import PRINCIPAL
from agentlog.domain.access import SCOPES, NotAllowed, NotAuthenticated, Principal
from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.keys.accesses import Accesses, AccessNotRecorded
from agentlog.infrastructure.keys.cache import RecentKeys
from agentlog.infrastructure.keys.key import KeyText, StoredKey
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable, TenantElsewhere

logger = logging.getLogger("agentlog")

_Known = TypeVar("_Known")

_LASTING = "/metrics"
"""The route that is served without the database, by the last known keys."""
_LOOK_SECONDS = 2.0
"""Seconds that a request waits for a look-up of keys."""
_LASTING_SECONDS = 0.2
"""The same where the last known result is good enough."""


AnonymousFrom = Literal["this machine", "anywhere", "nowhere", "in process"]


@dataclass(frozen=True, slots=True)
class Entrance:
    """What authentication depends on.

    `anonymous`: where callers without a key may come from until the first key is made; "in process"
    is always allowed, as its caller has the database. `allowed_hosts`: names of this service beside
    those of this machine, for callers without a key. `audited`: whether reads are recorded.
    """

    keys: RecentKeys
    accesses: Accesses
    anonymous: AnonymousFrom
    allowed_hosts: frozenset[str] = frozenset()
    audited: bool = False


class BrokenOff(BaseException):
    """Ends a response in progress. Not an `Exception`, so that no handler answers it."""


class Authentication:
    """Finds the principal of a request; `own` is the tenant of callers without a key."""

    def __init__(self, entrance: Entrance, *, own: str) -> None:
        self._keys = entrance.keys
        self._anonymous = entrance.anonymous
        self._allowed_hosts = entrance.allowed_hosts
        self._without_key = Principal(own, frozenset(SCOPES))
        self._audit = (
            ReadAudit(entrance.accesses, clock=entrance.keys.keys.clock, own=own)
            if entrance.audited
            else None
        )
        # separate, so that unknown keys never delay known ones
        self._again = ThreadPoolExecutor(2, thread_name_prefix="keys-again")
        self._first = ThreadPoolExecutor(2, thread_name_prefix="keys-first")

    async def admit(
        self, scope: Scope, matched: MatchedRoute | None, receive: Receive, send: Send
    ) -> tuple[Receive, Send]:
        """Put the principal into the scope; return what its route has to receive and send by.

        Raises:
            NotAuthenticated, NotAllowed, ForeignSite, KeyInUrl, InvalidUser: it is refused.
        """
        audited = self._audit
        try:
            text, principal = await self._identify(scope, matched)
        except AgentlogError as error:
            if audited is not None and matched is not None:
                status = status_of(error)
                try:
                    await audited.note(scope, matched, scope.get(PRINCIPAL), status)
                except AccessNotRecorded:  # the request is refused anyway
                    logger.exception("a refused read could not be put on record")
            raise
        if matched is not None and matched.route.long and text is not None:
            receive, send = self._while_valid(text, receive, send)
        if audited is not None and matched is not None:
            send = audited.recording(scope, receive, send, matched=matched, by=principal)
        return receive, send

    async def _identify(
        self, scope: Scope, matched: MatchedRoute | None
    ) -> tuple[KeyText | None, Principal]:
        """Return the principal and its key, and put the principal into the scope."""
        lasting = matched is not None and matched.route.template == _LASTING
        credentials = Credentials.of(scope)
        text, principal = await self.identify(credentials, lasting=lasting)
        user = user_named(scope.get(USER, ()))
        if user is not None:
            credentials.refuse_other_sites(has_key=text is not None)  # the proxy may go by a cookie
            principal = replace(principal, user=user)
        scope[PRINCIPAL] = principal
        for scope_needed in () if matched is None else matched.route.scopes:
            if not principal.may(scope_needed):
                raise NotAllowed(scope_needed)
        return text, principal

    async def identify(
        self, credentials: Credentials, *, lasting: bool
    ) -> tuple[KeyText | None, Principal]:
        """Return who has these credentials, and by which key.

        `lasting`: while the database does not answer, its last answer holds.

        Raises:
            NotAuthenticated, ForeignSite, TenantElsewhere: the request is refused.
        """
        needed = credentials.claims_key or (
            self._anonymous != "in process" and self._keys.recall_made()
        )
        if needed is None:
            before = self._keys.last_made() if lasting else None
            needed = await _looked_up(self._again, self._keys.look_made, before=before)
        if needed:
            return await self._holder(credentials.bearer, lasting=lasting)
        if self._anonymous == "nowhere":
            raise NotAuthenticated
        if self._anonymous != "in process":
            credentials.refuse_browsers(
                loopback=self._anonymous == "this machine", allowed=self._allowed_hosts
            )
        return None, self._without_key

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
        if stored.elsewhere is not None:
            raise TenantElsewhere(stored.key.tenant, stored.elsewhere)
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
        if stored is not None and stored.elsewhere is not None:
            flaw = "its tenant has moved"
        if flaw is not None:
            logger.warning("broke off what key %s had begun: %s", text.key_id, flaw)
            raise BrokenOff


async def _looked_up(
    executor: ThreadPoolExecutor, look: Callable[[], _Known], *, before: _Known | None
) -> _Known:
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
