"""Append requests, receipts and outcomes."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agentlog.domain.catalogue import MOST_FLAWS
from agentlog.domain.drafts import (
    NO_ORIGIN,
    Masked,
    Origin,
    Prepared,
    prepare,
    prepare_fact,
)
from agentlog.domain.errors import AgentlogError, EmptyAppend, Flaw, InvalidMessage
from agentlog.domain.identifiers import check_thread_id, derived_message_id
from agentlog.domain.json.values import JsonValue, object_of
from agentlog.domain.threads import Breach
from agentlog.infrastructure.appending.masks import TenantMasks
from agentlog.infrastructure.eventlog.body_deduplication import Stored, stored
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable
from agentlog.projections.kernel_writers import as_catalogue, is_in_seconds

ThreadKey = tuple[str, str]
"""Tenant and thread id."""


class AppendRequest(NamedTuple):
    """Messages and facts to append to one thread, all or nothing.

    `drafts` are messages as JSON; `facts` of the thread come before them, `closing` ones after.
    `expected_version` is the version that the caller expects the thread to have. `times` has, for
    each draft, the ms since the epoch that it gets if it gives none; else all get the clock's.
    """

    tenant: str
    thread_id: str
    drafts: Sequence[JsonValue] = ()
    facts: Sequence[dict[str, JsonValue]] = ()
    expected_version: int | None = None
    closing: Sequence[dict[str, JsonValue]] = ()
    origin: Origin = NO_ORIGIN
    times: Sequence[int] = ()


class Receipt(NamedTuple):
    """The version and position of a message; `replayed` if it was appended before."""

    id: str
    version: int
    position: int
    replayed: bool


class Appended(NamedTuple):
    """The thread after an append; `breaches` are (message id, rule broken), under policy record."""

    thread_id: str
    version: int
    position: int
    messages: tuple[Receipt, ...]
    breaches: tuple[tuple[str, Breach], ...] = ()


Outcome = Appended | AgentlogError

Outcomes = Sequence[Outcome] | BaseException
"""The outcome of each request, in order; or the error that prevented all of them."""


Deliver = Callable[[Outcomes], object]
"""Callback with the outcomes of requests."""


class WriterOverloaded(AgentlogError, kind="unavailable", transient=True):
    """More appends are waiting than the writer takes: ask again a little later."""

    def __init__(self, capacity: int) -> None:
        super().__init__(
            f"{capacity} appends are waiting already: ask again a little later; "
            "nothing of this one was written"
        )


def raised(outcomes: Outcomes) -> Sequence[Outcome]:
    """Return the outcome of each request; raises the error that prevented all of them."""
    if isinstance(outcomes, BaseException):
        try:
            raise outcomes
        finally:
            del outcomes  # avoids a reference cycle of frame and error
    return outcomes


def appended_in(outcomes: Outcomes) -> Appended:
    """Return the result of one append; raises the error that refused it."""
    (outcome,) = raised(outcomes)
    if isinstance(outcome, AgentlogError):
        try:
            raise outcome
        finally:
            del outcome, outcomes
    return outcome


@dataclass(frozen=True, slots=True)
class Ready:
    """A request checked, completed and serialised; prepared before the log is locked."""

    request: AppendRequest
    thread: ThreadKey
    prepared: Sequence[Prepared]
    stored: Sequence[Stored]
    size: int
    """Size of its bodies in bytes."""


def wall_clock() -> int:
    """Return milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


class Preparer:
    """Prepares requests; `clock` returns ms since the epoch, `new_id` a fresh ULID.

    What `masks` has for a tenant is masked here, before bodies and their digests are made.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], int],
        new_id: Callable[[], str],
        masks: TenantMasks | None = None,
    ) -> None:
        self._clock = clock
        self._new_id = new_id
        self._masks = masks

    def prepare(self, request: AppendRequest) -> Ready | AgentlogError:
        """Return the prepared request, or the error that refuses it.

        What no mask can be read for is checked, and then not taken.
        """
        masked: Masked = None
        away: DatabaseUnavailable | None = None
        try:
            masked = self.masked_of(request.tenant)
        except DatabaseUnavailable as error:
            away = error
        try:
            check_thread_id(request.thread_id)
            if not (request.drafts or request.facts or request.closing):
                raise EmptyAppend
            now = self._clock()
            prepared = [
                *self._facts(request, request.facts, now, masked),
                *self._drafts(request, now, masked),
                *self._facts(request, request.closing, now, masked),
            ]
            if away is not None:
                return away.detached()
            return Ready(
                request,
                (request.tenant, request.thread_id),
                prepared,
                [stored(message) for message in prepared],
                sum([len(message.body) for message in prepared]),
            )
        except AgentlogError as error:
            return error.detached()

    def masked_of(self, tenant: str) -> Masked:
        """Return what masks a tenant's messages; raises `DatabaseUnavailable`."""
        return None if self._masks is None else self._masks.masked(tenant)

    def message(self, tenant: str, draft: JsonValue, origin: Origin) -> Prepared:
        """Return the message of one draft; raises `InvalidMessage`."""
        masked = self.masked_of(tenant)
        return prepared_message(draft, self._new_id, self._clock(), origin, masked)

    def fact(
        self, tenant: str, fact: dict[str, JsonValue], message_id: str, origin: Origin
    ) -> Prepared:
        """Return the message of one fact; raises `InvalidMessage`."""
        return prepare_fact(
            fact,
            message_id=message_id,
            timestamp=self._clock(),
            origin=origin,
            masked=self.masked_of(tenant),
        )

    def _facts(
        self,
        request: AppendRequest,
        facts: Sequence[dict[str, JsonValue]],
        now: int,
        masked: Masked,
    ) -> list[Prepared]:
        return [
            prepare_fact(
                fact,
                message_id=self._fact_id(request, fact),
                timestamp=now,
                origin=request.origin,
                masked=masked,
            )
            for fact in facts
        ]

    def _drafts(self, request: AppendRequest, now: int, masked: Masked) -> list[Prepared]:
        prepared: list[Prepared] = []
        flaws: list[Flaw] = []
        origin, times = request.origin, request.times
        for index, draft in enumerate(request.drafts):
            at = times[index] if times else now
            try:
                prepared.append(prepared_message(draft, self._new_id, at, origin, masked))
            except InvalidMessage as error:
                flaws += error.within(f"messages[{index}]").flaws
                if len(flaws) >= MOST_FLAWS:
                    break
        if flaws:
            raise InvalidMessage(flaws)
        return prepared

    def _fact_id(self, request: AppendRequest, fact: Mapping[str, JsonValue]) -> str:
        """Return a deterministic id for start and close, so that a retry finds the fact again."""
        kind = fact.get("type")
        if kind in {"thread.started", "thread.closed"}:
            return derived_message_id(request.tenant, request.thread_id, str(kind))
        return self._new_id()


def prepared_message(
    draft: JsonValue,
    new_id: Callable[[], str],
    timestamp: int,
    origin: Origin,
    masked: Masked = None,
) -> Prepared:
    """Return the message of a draft, also where a kernel's own writer wrote it.

    Raises:
        InvalidMessage: as `prepare` does.
    """
    message_id = "" if isinstance(draft, dict) and "id" in draft else new_id()
    try:
        prepared = prepare(
            draft, message_id=message_id, timestamp=timestamp, origin=origin, masked=masked
        )
        if not is_in_seconds(prepared.message.timestamp):
            return prepared
    except InvalidMessage:
        if not isinstance(draft, dict):
            raise
    read = as_catalogue(object_of(draft))
    return prepare(read, message_id=message_id, timestamp=timestamp, origin=origin, masked=masked)
