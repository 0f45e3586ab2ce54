"""Who may come into a gateway, and what the path of a request says."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from starlette.types import Scope, Send

from agentlog.api.http.middleware.authentication import Authentication
from agentlog.api.http.middleware.credentials import Credentials
from agentlog.api.http.relay import headers
from agentlog.domain.access import NotAllowed, NotAuthenticated, Principal
from agentlog.domain.access import Scope as Right
from agentlog.domain.errors import AgentlogError, InvalidInput
from agentlog.domain.identifiers import check_thread_id
from agentlog.extensions.runs.api.gateway.door import WEB_SOCKET, Place, refuse, refuse_as, respond

_KEY = "agentlog_"
_THREAD = "t"
_METRICS = "metrics"
_DIGITS = 10


class NoProvider(AgentlogError, kind="absent"):
    """The path of a request names no provider."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(
            "the path is /KEY/t/THREAD/PROVIDER/…, where KEY is needed once there are keys, "
            f"t/THREAD may be left out, and PROVIDER is one of {', '.join(names)}"
        )


class InvalidCount(InvalidInput):
    """The header `x-agentlog-known` is no count."""

    def __init__(self) -> None:
        super().__init__("x-agentlog-known is how many of the items the thread has already")


class UpgradeAsked(AgentlogError):
    """A client asks for a WebSocket."""

    def __init__(self) -> None:
        super().__init__("no WebSocket here: use HTTP")


class _Path(NamedTuple):
    """The parts of a path."""

    key: str | None
    thread: str | None
    name: str
    rest: str


class TeamDoor:
    """Lets requests in by a key of the service, for its tenant.

    The key is in the path, as each client takes it there, or in the header `x-agentlog-key`: the
    header `Authorization` is the provider's.
    """

    def __init__(
        self, authentication: Authentication, names: list[str], figures: Callable[[], bytes]
    ) -> None:
        """Let requests to these providers in; `figures` are the answer to /metrics."""
        self._authentication = authentication
        self._names = names
        self._figures = figures

    async def enter(self, scope: Scope, send: Send) -> Place | None:
        """Return where a request goes; None where it was refused."""
        try:
            path = _path_of(scope["raw_path"].decode("latin-1"))
            if (path.name, path.rest) == (_METRICS, "/"):
                await self._answer_metrics(path, scope, send)
                return None
            return await self._place(path, scope)
        except NotAuthenticated as error:
            text = "send a key of the scope append, in the path or as x-agentlog-key: "
            await refuse_as(send, error, text=f"{text}`agentlog keys create` makes one")
        except UpgradeAsked as error:
            await refuse(send, 426, "invalid_request_error", str(error))
        except AgentlogError as error:
            await refuse_as(send, error)
        return None

    async def _answer_metrics(self, path: _Path, scope: Scope, send: Send) -> None:
        credentials = Credentials.in_headers(scope)
        bearer = path.key or credentials.bearer
        await self._see_allowed(replace(credentials, bearer=bearer), "metrics")
        await respond(send, 200, [(b"content-type", b"text/plain; version=0.0.4")], self._figures())

    async def _see_allowed(self, credentials: Credentials, needed: Right) -> Principal:
        _, principal = await self._authentication.identify(credentials, lasting=True)
        if not principal.may(needed):
            raise NotAllowed(needed)
        return principal

    async def _place(self, path: _Path, scope: Scope) -> Place:
        given = {name: value.decode("latin-1") for name, value in scope["headers"]}
        bearer = path.key or given.get(headers.KEY)
        credentials = replace(Credentials.in_headers(scope), bearer=bearer)
        principal = await self._see_allowed(credentials, "append")
        if path.name not in self._names:
            raise NoProvider(self._names)
        if WEB_SOCKET in given:
            raise UpgradeAsked
        thread = given.get(headers.THREAD, path.thread)
        known = given.get(headers.KNOWN)
        return Place(
            path.name,
            path.rest,
            principal.tenant,
            None if thread is None else check_thread_id(thread),
            None if known is None else _count(known),
            headers.WAIT in given,
            principal.author,
        )


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < _DIGITS):
        raise InvalidCount
    return int(text)


def _path_of(raw: str) -> _Path:
    parts = raw.split("/")[1:]
    key = parts.pop(0) if parts[:1] and parts[0].startswith(_KEY) else None
    thread = parts[1] if parts[0:1] == [_THREAD] and len(parts) > 1 else None
    if thread is not None:
        parts = parts[2:]
    return _Path(key, thread, parts[0] if parts else "", "/" + "/".join(parts[1:]))
