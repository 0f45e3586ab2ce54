"""Retention: finds the threads that a rule has expired, and erases them one by one.

Each thread is judged as it stands, by the rules as they are then, and is erased at that version.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path

from agentlog.domain.errors import VersionConflict
from agentlog.domain.facts import ThreadRedacted
from agentlog.domain.retention import InvalidRules, RetentionRule, Rules, parse_rules
from agentlog.infrastructure.definitions.definitions import Definitions
from agentlog.infrastructure.definitions.rules import RETENTION
from agentlog.infrastructure.erasure.following import followed_into
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import Head, ThreadFilter
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.statements import statement

_PAGE = 500


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
    """A thread that a rule covers and that stays, and why."""

    thread_id: str
    why: str


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

        Raises:
            UnknownDefinition: the rules were taken away.
        """
        if apply:
            self._redactor.finish()
        for thread_id in self._candidates():
            thread = self._judged(thread_id)
            if thread is not None:
                yield self._erased(thread) if apply and isinstance(thread, Due) else thread

    def _candidates(self) -> Iterator[str]:
        """Yield ids of threads that seem to be due.

        Threads may be redacted meanwhile: that moves them to a part of the list already passed.
        """
        before: int | None = None
        while heads := self._reader.heads(ThreadFilter(), before=before, limit=_PAGE, hidden=True):
            rules = self._rules()
            for head in heads:
                if self._rule_for(head, rules) is not None and not self._is_erased(head):
                    yield head.thread_id
            before = heads[-1].position

    def _judged(self, thread_id: str) -> Due | Kept | None:
        """Return a thread as it stands if a rule covers it."""
        head, rules = self._reader.head(thread_id, hidden=True), self._rules()
        rule = self._rule_for(head, rules)
        if rule is None or self._is_erased(head):
            return None
        others = followed_into(self._database, self._tenant, thread_id)
        for other in sorted(self._reader.heads_of(others), key=lambda other: -other.position):
            if self._rule_for(other, rules) is None and not self._is_erased(other):
                return Kept(thread_id, f"{other.thread_id}, its fork or of its run, is not due")
        return self._weighed(head, rule)

    def _erased(self, due: Due) -> Due | Kept:
        """Erase a thread; return what went."""
        try:
            done = self._redactor.expire(due.thread_id, due.version, due.reason)
        except VersionConflict:
            return Kept(due.thread_id, "it has grown meanwhile")
        return replace(due, events=done.events)

    @cached_property
    def _now(self) -> datetime:
        """The store's clock."""
        with self._database.connection() as connection:
            row = connection.execute(statement("store_clock")).fetchone()
        if row is None:
            raise RuntimeError("the store has no clock")
        now: datetime = row[0]
        return now

    def _is_erased(self, head: Head) -> bool:
        """Return whether the thread's last event is its redaction."""
        (event,) = self._reader.events(head.thread_id, after=head.version - 1, upto=head.version)
        last = event.message
        return isinstance(last, ThreadRedacted) and last.all

    def _weighed(self, head: Head, rule: RetentionRule) -> Due:
        asked = {"tenant": self._tenant, "thread_id": head.thread_id}
        with self._database.connection() as connection:
            row = connection.execute(statement("select_weight"), asked).fetchone()
        events, size = (0, 0) if row is None else row
        if head.updated_at is None:
            raise RuntimeError(f"thread {head.thread_id!r} has never moved")
        return Due(head.thread_id, head.version, head.updated_at, events, size, rule.reason)

    def _rule_for(self, head: Head, rules: Rules) -> RetentionRule | None:
        last = head.updated_at
        if last is None:
            return None
        for rule in rules.rules:
            if rule.covers(head.thread_id, head.status, head.metadata, last=last, now=self._now):
                return rule
        return None
