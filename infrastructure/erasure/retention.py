"""Retention: finds the threads that a rule has expired, and erases them one by one.

Each thread is judged as it stands, by the rules as they are then, and is erased at that version.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import LiteralString

from agentlog.domain.errors import VersionConflict
from agentlog.domain.events import Event
from agentlog.domain.facts import ThreadRedacted
from agentlog.domain.retention import InvalidRules, RetentionRule, Rules, parse_rules
from agentlog.infrastructure.definitions.definitions import Definitions, UnknownDefinition
from agentlog.infrastructure.definitions.rules import RETENTION
from agentlog.infrastructure.erasure.following import followed_into
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import Head, ThreadFilter
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.queries import fetch
from agentlog.infrastructure.postgres.statements import statement

_PAGE = 500
_WEIGHT: LiteralString = (
    "SELECT count(*), coalesce(sum(length(body) + coalesce(length(metadata), 0)), 0)::bigint FROM ("
)


@dataclass(frozen=True, slots=True)
class Due:
    """A thread whose contents have expired: how many events and bytes, since when, and why.

    `bytes` are as stored, without contents kept apart as blobs. `version` is that of the thread.
    """

    thread_id: str
    version: int
    last: datetime
    events: int
    bytes: int
    reason: str


@dataclass(frozen=True, slots=True)
class Kept:
    """A thread that a rule covers and that stays, and why; `failed` where it should have gone."""

    thread_id: str
    why: str
    failed: bool = False


def read_rules(path: Path) -> Rules:
    """Return the rules of a file; raises `InvalidRules`."""
    try:
        return parse_rules(path.read_text("utf-8"))
    except OSError as error:
        raise InvalidRules(f"{path}: {error.strerror}") from error
    except InvalidRules as error:
        raise InvalidRules(f"{path}: {error.reason}") from error
    except ValueError as error:  # another encoding
        raise InvalidRules(f"{path}: {error}") from error


def rules_set_in(definitions: Definitions) -> Rules:
    """Return the rules that a tenant has set, each with a reason that names the change of its rule.

    Raises:
        UnknownDefinition: it has set none.
    """
    definition = definitions.get("rule", RETENTION)
    source = f"(rule {RETENTION}, change {definition.number})"
    rules = parse_rules(definition.value or "").rules
    return Rules(
        rules=tuple(rule.model_copy(update={"reason": f"{rule.reason} {source}"}) for rule in rules)
    )


class Retention:
    """Finds and erases the expired threads of one tenant; `rules` reads those that hold now."""

    def __init__(
        self,
        database: Connections,
        redactor: Redactor,
        rules: Callable[[], Rules],
        *,
        tenant: str,
    ) -> None:
        self._database = database
        self._redactor = redactor
        self._rules = rules
        self._tenant = tenant
        self._reader = LogReader(database, tenant=tenant)

    def expired(self, *, apply: bool) -> Iterator[Due | Kept]:
        """Yield expired threads, the most recently changed first; with `apply` erase each before.

        Where one fails, the others go on. With `apply`, what was interrupted is completed first.

        Raises:
            UnknownDefinition: the rules were taken away.
        """
        if apply:
            for thread_id in self._redactor.unfinished():
                yield from _try_step(self._redactor.finish, thread_id)
        for thread_id in self._candidates():
            yield from _try_step(self._erase if apply else self._judge, thread_id)

    def _candidates(self) -> Iterator[str]:
        """Yield ids of threads that seem to be due.

        Threads may be redacted meanwhile: that moves them to a part of the list already passed.
        """
        before: int | None = None
        while heads := self._reader.heads(ThreadFilter(), before=before, limit=_PAGE, hidden=True):
            rules = self._rules()
            for head in heads:
                if self._covering(rules, head, head.updated_at):  # no later than the last event
                    yield head.thread_id
            before = heads[-1].position

    def _judge(self, thread_id: str) -> Due | Kept | None:
        """Return a thread as it stands if a rule covers it and it is not erased."""
        head = self._reader.head(thread_id, hidden=True)
        last = self._last(head)
        if _is_erased(last):
            return None
        rules = self._rules()
        rule = self._covering(rules, head, last.recorded_at)
        if rule is None or last.recorded_at is None:
            return None
        others = followed_into(self._database, self._tenant, thread_id)
        for other in sorted(self._reader.heads_of(others), key=lambda other: -other.position):
            latest = self._last(other)
            if not _is_erased(latest) and not self._covering(rules, other, latest.recorded_at):
                return Kept(thread_id, f"{other.thread_id}, its fork or of its run, is not due")
        events, size = self._weight(head)
        return Due(thread_id, head.version, last.recorded_at, events, size, rule.reason)

    def _weight(self, head: Head) -> tuple[int, int]:
        """Return how many events of a thread are not erased, and their bytes as stored."""
        parameters = {
            "tenant": self._tenant,
            "thread_id": head.thread_id,
            "after": 0,
            "before": head.version + 1,
            "message_ids": None,
            "limit": None,
        }
        with self._database.connection() as connection:
            row = connection.execute(
                _WEIGHT + statement("select_erasable") + ") AS erasable", parameters
            )
            events, size = row.fetchone() or (0, 0)
        return events, size

    def _erase(self, thread_id: str) -> Due | Kept | None:
        """Erase a thread if it is due; return what went."""
        due = self._judge(thread_id)
        if not isinstance(due, Due):
            return due
        try:
            done = self._redactor.expire(thread_id, due.version, due.reason)
        except VersionConflict:
            return Kept(thread_id, "it has grown meanwhile")
        return replace(due, events=done.events)

    @cached_property
    def _now(self) -> datetime:
        """The store's clock."""
        ((clock,),) = fetch(self._database, "store_clock")
        now: datetime = clock
        return now

    def _last(self, head: Head) -> Event:
        """Return a thread's last event, of whatever kind: its age counts from that."""
        (event,) = self._reader.events(head.thread_id, after=head.version - 1, upto=head.version)
        return event

    def _covering(self, rules: Rules, head: Head, last: datetime | None) -> RetentionRule | None:
        """Return the first rule that covers a thread whose last event came at `last`."""
        if last is None:
            return None
        for rule in rules.rules:
            if rule.covers(head.thread_id, head.status, head.metadata, last=last, now=self._now):
                return rule
        return None


def _is_erased(last: Event) -> bool:
    """Return whether a thread's last event is its redaction."""
    return isinstance(last.message, ThreadRedacted) and last.message.all


def _try_step(step: Callable[[str], Due | Kept | None], thread_id: str) -> Iterator[Due | Kept]:
    """Yield what a step makes of a thread, if anything."""
    try:
        thread = step(thread_id)
    except UnknownDefinition:
        raise
    except Exception as error:  # noqa: BLE001 - the other threads go on
        thread = Kept(thread_id, str(error) or repr(error), failed=True)
    if thread is not None:
        yield thread
