"""Authenticates requests by API key before their bodies are read.

Once a first key exists, every request needs one. Until then callers are `anonymous`, except those
that ask for another host, and browsers that a page of another site sent.
"""

import asyncio
import logging
import re
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Literal, Self, TypeVar
from urllib.parse import unquote_to_bytes, urlsplit

from starlette.types import Message, Receive, Scope, Send

from agentlog.api.http.codec.problems import problem_of
from agentlog.api.http.middleware.permissions import FoundRoute
from agentlog.api.http.middleware.read_audit import ReadAudit
from agentlog.api.http.request.errors import ForeignSite, KeyInUrl
from agentlog.api.http.request.scope import PRINCIPAL
from agentlog.domain.access import SCOPES, NotAllowed, NotAuthenticated, Principal
from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.keys.accesses import Accesses, AccessNotRecorded
from agentlog.infrastructure.keys.cache import RecentKeys
from agentlog.infrastructure.keys.key import KEY_PATTERN, KeyText, StoredKey
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable

logger = logging.getLogger("agentlog")

_FOUND = TypeVar("_FOUND")

_OURS = "agentlog_"
_KEY = re.compile(KEY_PATTERN.encode())
_TOKEN_PARAMETERS = re.compile(rb"(?:^|&)(?:access_token|api_key|apikey)=", re.IGNORECASE)
_FORWARDED = frozenset({b"forwarded", b"x-forwarded-for", b"x-forwarded-host"})

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
    """Finds out who asks; `own` is the tenant of callers without a key."""

    def __init__(self, entrance: Entrance, *, own: str) -> None:
        self._keys = entrance.keys
        self._anonymous = entrance.anonymous
        self._allowed_hosts = entrance.allowed_hosts
        self._nobody = Principal(own, frozenset(SCOPES))
        self._audit = (
            ReadAudit(entrance.accesses, clock=entrance.keys.keys.clock, own=own)
            if entrance.audited
            else None
        )
        # separate, so that unknown keys never delay known ones
        self._again = ThreadPoolExecutor(2, thread_name_prefix="keys-again")
        self._first = ThreadPoolExecutor(2, thread_name_prefix="keys-first")

    async def admit(
        self, scope: Scope, found: FoundRoute | None, receive: Receive, send: Send
    ) -> tuple[Receive, Send]:
        """Put the principal into the scope; return what its route has to receive and send by.

        Raises:
            NotAuthenticated, NotAllowed, ForeignSite, KeyInUrl: the request is refused.
        """
        audited = self._audit if found is not None and found.route.audited else None
        try:
            text, principal = await self._identify(scope, found)
        except AgentlogError as error:
            if audited is not None and found is not None:
                status = problem_of(error)["status"]
                try:
                    await audited.note(scope, found, scope.get(PRINCIPAL), status)
                except AccessNotRecorded:  # the request is refused anyway
                    logger.exception("a refused read could not be put on record")
            raise
        if found is not None and found.route.long and text is not None:
            receive, send = self._while_valid(text, receive, send)
        if audited is not None and found is not None:
            send = audited.recording(scope, receive, send, found=found, by=principal)
        return receive, send

    async def _identify(
        self, scope: Scope, found: FoundRoute | None
    ) -> tuple[KeyText | None, Principal]:
        """Return the principal and its key, and put the principal into the scope."""
        credentials = _Credentials.of(scope)
        lasting = found is not None and found.route.template == _LASTING
        scope_needed = None if found is None else found.route.scope
        needed = credentials.claims_key or (
            self._anonymous != "in process" and self._keys.recall_made()
        )
        if needed is None:
            before = self._keys.last_made() if lasting else None
            needed = await _looked_up(self._again, self._keys.look_made, before=before)
        if needed:
            text, principal = await self._holder(credentials.bearer, lasting=lasting)
        elif self._anonymous == "nowhere":
            raise NotAuthenticated
        else:
            if self._anonymous != "in process":
                credentials.refuse_browsers(
                    loopback=self._anonymous == "this machine", allowed=self._allowed_hosts
                )
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
            raise BrokenOff


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


@dataclass(slots=True)  # not frozen: faster to construct, once for each request
class _Credentials:
    """Credentials in the headers.

    `bearer` is the token of `Authorization`: None without that header, empty where it has no token.
    """

    bearer: str | None
    host: str
    origin: str | None
    forwarded: bool

    @classmethod
    def of(cls, scope: Scope) -> Self:
        """Return the credentials of a request.

        Raises:
            KeyInUrl: the URL has a key.
        """
        if has_key_in_url(scope):
            raise KeyInUrl
        bearer, host, origin, forwarded = None, "", None, False
        for name, value in scope["headers"]:
            if name == b"authorization":
                bearer = _token(value) if bearer is None else ""  # two headers count as none
            elif name == b"host":
                host = value.decode("latin-1")
            elif name == b"origin":
                origin = value.decode("latin-1")
            elif name in _FORWARDED:
                forwarded = True
        return cls(bearer, host, origin, forwarded)

    @property
    def claims_key(self) -> bool:
        """Whether the token is a key of ours; some clients send other tokens to every server."""
        return self.bearer is not None and self.bearer.startswith(_OURS)

    def refuse_browsers(self, *, loopback: bool, allowed: Collection[str]) -> None:
        """Refuse requests that a page of another site makes through a user's browser.

        Host must be a name of this machine or an `allowed` one: any other means DNS rebinding,
        which an address instead of a name rules out. `loopback`: the service listens on this
        machine only, so another address or `Forwarded` means a proxy that serves other machines.

        Raises:
            ForeignSite: the request comes from one.
        """
        name, address = _name_and_address(self.host)
        is_here = name in allowed or (address is not None and (address.is_loopback or not loopback))
        if not is_here:
            raise ForeignSite(
                f"the service does not answer as {name!r}",
                way="name the host in AGENTLOG_ALLOWED_HOSTS",
            )
        if loopback and self.forwarded:
            raise ForeignSite(
                "the service answers to this machine alone, and not through a proxy",
                way="set AGENTLOG_ANONYMOUS=allow, for everybody who reaches the proxy",
            )
        if self.origin is not None and _site(self.origin) != self.host.lower():
            raise ForeignSite("pages of other sites are refused", way="open the service's own page")


def _token(header: bytes) -> str:
    scheme, _, token = header.decode("latin-1").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def has_key_in_url(scope: Scope) -> bool:
    """Return whether the URL of a request has a key, or a parameter meant for one."""
    path, query = scope["path"], scope["query_string"]
    texts = [path.encode("utf-8", "replace")] if _OURS in path else []
    if query:
        texts.append(unquote_to_bytes(query))
    return any(_KEY.search(each) or _TOKEN_PARAMETERS.search(each) for each in texts)


def _site(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


@lru_cache(maxsize=64)  # most clients use one name
def _name_and_address(host: str) -> tuple[str, IPv4Address | IPv6Address | None]:
    """Return the name in a Host, and its address where that is known without a look-up."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return host, None
    if name == "localhost" or name.endswith(".localhost"):  # RFC 6761: always this machine
        return name, IPv4Address("127.0.0.1")
    try:
        return name, ip_address(name)
    except ValueError:
        return name, None
