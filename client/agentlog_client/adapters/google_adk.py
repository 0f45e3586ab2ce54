"""Google ADK: a session service whose sessions are threads."""

import json
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from google.adk.errors import StaleSessionError
from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event import Event
from google.adk.sessions import BaseSessionService, Session
from google.adk.sessions.base_session_service import GetSessionConfig, ListSessionsResponse
from google.adk.sessions.state import State
from pydantic import PrivateAttr
from typing_extensions import override

from agentlog_client import Client, NotThere, VersionConflict
from agentlog_client.adapters.sessions import CLEARED, STARTED, aside, to_the_end
from agentlog_client.identifiers import thread_id
from agentlog_client.models import Thread
from agentlog_client.operation import metadata_terms

_APP, _USER, _SESSION = "adkApp", "adkUser", "adkSession"
_INITIAL, _DELETED_AT = "adkState", "adkDeletedAt"
"""Metadata of threads. A session is deleted while its thread stands at the version where it was."""
_STATE = "state:"
"""How keys of metadata begin that have the state of an app or a user, each value in a list."""
_PAGE = 200


class StoredSession(Session):  # type: ignore[misc] # ADK is not where types are checked
    """A session at a version of its thread."""

    _version: int = PrivateAttr(default=0)


class AgentlogSessionService(BaseSessionService):  # type: ignore[misc] # as above
    """Keeps sessions in agentlog: an event is what it means, messages of the session's thread.

    The states of apps and users are the metadata of threads of their own. The errors are those of
    the client, and ADK's own for sessions that are not there, are there already, or are stale.
    """

    def __init__(self, client: Client | None = None) -> None:
        self._client = client or Client()
        self._scopes: set[str] = set()

    @override
    async def create_session(
        self,
        *,
        app_name: str,
        user_id: str,
        state: dict[str, Any] | None = None,
        session_id: str | None = None,
    ) -> Session:
        name = (session_id or "").strip() or str(uuid4())
        await to_the_end(self._create, app_name, user_id, name, state or {})
        created = await self.get_session(app_name=app_name, user_id=user_id, session_id=name)
        if created is None:
            raise SessionNotFoundError(f"Session {name} was deleted at once.")
        return created

    @override
    async def get_session(
        self,
        *,
        app_name: str,
        user_id: str,
        session_id: str,
        config: GetSessionConfig | None = None,
    ) -> Session | None:
        return await aside(self._get, app_name, user_id, session_id.strip(), config)

    @override
    async def list_sessions(
        self, *, app_name: str, user_id: str | None = None
    ) -> ListSessionsResponse:
        """List sessions without their events and states, the one that changed last at the end."""
        return ListSessionsResponse(sessions=await aside(self._list, app_name, user_id))

    @override
    async def delete_session(self, *, app_name: str, user_id: str, session_id: str) -> None:
        """Clear a session: the log has all of it still."""
        await to_the_end(self._delete, _thread_of(app_name, user_id, session_id.strip()))

    @override
    async def get_user_state(self, *, app_name: str, user_id: str) -> dict[str, Any]:
        return await aside(self._state, _thread_of(app_name, user_id))

    @override
    async def append_event(self, session: Session, event: Event) -> Event:
        if event.partial:
            return event
        if any(known.id == event.id and known == event for known in session.events):
            return event  # it was delivered again
        version = await to_the_end(self._append, session, event)
        await super().append_event(session, event)
        session.last_update_time = event.timestamp
        if isinstance(session, StoredSession):
            session._version = version  # noqa: SLF001 - a field of ours
        return event

    def _create(self, app: str, user: str, name: str, state: Mapping[str, Any]) -> None:
        of_session = _thread_of(app, user, name)
        own = _of_session(state)
        there = self._thread(of_session)
        if there is not None and not _is_deleted(there):
            raise AlreadyExistsError(f"Session with id {name} already exists.")
        facts = {_APP: app, _USER: user, _SESSION: name, _INITIAL: own}
        if there is None:
            version = self._client.start_thread(of_session, policy="record", metadata=facts).version
        else:
            version = there.version
        try:
            self._client.append(of_session, STARTED, expected_version=version)
        except VersionConflict as error:  # another process was first
            raise AlreadyExistsError(f"Session with id {name} already exists.") from error
        if there is not None:
            self._client.annotate_thread(of_session, {_INITIAL: own})
        self._keep_scopes(app, user, state)

    def _get(
        self, app: str, user: str, name: str, config: GetSessionConfig | None
    ) -> StoredSession | None:
        of_session = _thread_of(app, user, name)
        thread = self._thread(of_session)
        if thread is None or _is_deleted(thread):
            return None
        view = self._client.view(of_session, "source")
        events = [Event.model_validate(item) for item in view.items]
        state = dict(thread.metadata[_INITIAL])
        for event in events:
            state |= _of_session(event.actions.state_delta)
        for scope, of_scope in (
            (State.APP_PREFIX, _thread_of(app)),
            (State.USER_PREFIX, _thread_of(app, user)),
        ):
            state |= {scope + key: value for key, value in self._state(of_scope).items()}
        last = events[-1].timestamp if events else thread.updated_at.timestamp()
        session = StoredSession(
            id=name,
            app_name=app,
            user_id=user,
            state=state,
            events=_chosen(events, config),
            last_update_time=last,
        )
        session._version = view.version  # noqa: SLF001 - a field of ours
        return session

    def _list(self, app: str, user: str | None) -> list[Session]:
        asked = {_APP: app} if user is None else {_APP: app, _USER: user}
        threads = [
            thread
            for thread in self._client.threads(filter=metadata_terms(asked), limit=_PAGE)
            if _SESSION in thread.metadata and not _is_deleted(thread)
        ]
        return [
            Session(
                id=thread.metadata[_SESSION],
                app_name=app,
                user_id=thread.metadata[_USER],
                last_update_time=thread.updated_at.timestamp(),
            )
            for thread in sorted(threads, key=lambda thread: thread.updated_at)
        ]

    def _delete(self, of_session: str) -> None:
        thread = self._thread(of_session)
        if thread is not None and not _is_deleted(thread):
            version = self._client.append(of_session, CLEARED).version
            # after another append the thread is not at this version, nor is the session deleted
            self._client.annotate_thread(of_session, {_DELETED_AT: version + 1})

    def _append(self, session: Session, event: Event) -> int:
        """Append an event, and return the version of the thread after it."""
        app, user = session.app_name, session.user_id
        of_session = _thread_of(app, user, session.id)
        item = event.model_dump(mode="json", by_alias=True, exclude_none=True)
        delta = {
            key: value
            for key, value in item["actions"].get("stateDelta", {}).items()
            if not key.startswith(State.TEMP_PREFIX)
        }
        item["actions"]["stateDelta"] = delta
        expected = session._version if isinstance(session, StoredSession) else None  # noqa: SLF001 - a field of ours
        try:
            thread = self._thread(of_session) if expected is None else None
            if expected is None and (thread is None or _is_deleted(thread)):
                raise SessionNotFoundError(f"Session {session.id} not found.")
            appended = self._client.append_items(
                of_session, [item], format="adk", key=event.id, expected_version=expected
            )
        except VersionConflict as error:
            thread = self._thread(of_session)
            if thread is None or _is_deleted(thread):
                raise SessionNotFoundError(f"Session {session.id} not found.") from error
            raise StaleSessionError(
                f"Session {session.id} is at another version: get it again, and append anew."
            ) from error
        self._keep_scopes(app, user, delta)
        return appended.version

    def _keep_scopes(self, app: str, user: str, delta: Mapping[str, Any]) -> None:
        """Keep what a state has of the app and the user."""
        for scope, names in ((State.APP_PREFIX, (app,)), (State.USER_PREFIX, (app, user))):
            kept = {
                _STATE + key.removeprefix(scope): [value]
                for key, value in delta.items()
                if key.startswith(scope)
            }
            if kept:
                of_scope = _thread_of(*names)
                if of_scope not in self._scopes:
                    facts = dict(zip((_APP, _USER), names, strict=False))
                    self._client.start_thread(of_scope, metadata=facts)
                    self._scopes.add(of_scope)
                self._client.annotate_thread(of_scope, kept)

    def _state(self, of_scope: str) -> dict[str, Any]:
        thread = self._thread(of_scope)
        return {
            key.removeprefix(_STATE): value[0]
            for key, value in (thread.metadata if thread else {}).items()
            if key.startswith(_STATE)
        }

    def _thread(self, of_thread: str) -> Thread | None:
        try:
            return self._client.thread(of_thread)
        except NotThere:
            return None


def _thread_of(*names: str) -> str:
    """Return the thread of an app, of its user, or of a session of these: no two have the same."""
    return thread_id(f"adk{json.dumps(names)}")


def _is_deleted(thread: Thread) -> bool:
    return bool(thread.metadata.get(_DELETED_AT) == thread.version)


def _of_session(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of a state is neither an app's nor a user's, nor temporary."""
    scopes = (State.APP_PREFIX, State.USER_PREFIX, State.TEMP_PREFIX)
    return {key: value for key, value in state.items() if not key.startswith(scopes)}


def _chosen(events: list[Event], config: GetSessionConfig | None) -> list[Event]:
    """Return the events that a configuration asks for."""
    if config is None:
        return events
    if config.num_recent_events is not None:
        events = events[max(len(events) - config.num_recent_events, 0) :]
    after = config.after_timestamp
    return events if after is None else [event for event in events if event.timestamp >= after]
