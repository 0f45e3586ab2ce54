"""Retention: finds the threads that a rule has expired, to be redacted one by one."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from agentlog.domain.facts import ThreadRedacted
from agentlog.domain.retention import InvalidRules, RetentionRule, Rules, parse_rules
from agentlog.infrastructure.definitions.definitions import Definitions
from agentlog.infrastructure.definitions.rules import RETENTION
from agentlog.infrastructure.eventlog.thread_heads import Head, ThreadFilter
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.threads import Threads

_PAGE = 500


@dataclass(frozen=True, slots=True)
class Due:
    """A thread whose contents have expired: how many events and bytes, since when, and why.

    `bytes` are as stored, without contents kept apart as blobs.
    """

    thread_id: str
    last: datetime
    events: int
    bytes: int
    reason: str


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
    """Finds expired threads of one tenant."""

    def __init__(self, database: Connections, threads: Threads, *, tenant: str) -> None:
        self._database = database
        self._threads = threads
        self._tenant = tenant

    def due(self, rules: Rules) -> Iterator[Due]:
        """Yield expired threads by the store's clock, the most recently changed first.

        Threads may be redacted meanwhile: that moves them to a part of the list already passed.
        """
        with self._database.connection() as connection:
            row = connection.execute(statement("store_clock")).fetchone()
        if row is None:
            raise RuntimeError("the store has no clock")
        now: datetime = row[0]
        before: int | None = None
        while heads := self._threads.heads(ThreadFilter(), before=before, limit=_PAGE, hidden=True):
            for head in heads:
                rule = _rule_for(rules, head, now)
                if rule is not None and not self._is_erased(head):
                    yield self._weighed(head, rule)
            before = heads[-1].position

    def _is_erased(self, head: Head) -> bool:
        """Return whether the thread's last event is its redaction."""
        events = self._threads.messages(
            head.thread_id, after=head.version - 1, limit=1, hidden=True
        )
        last = events[0].message if events else None
        return isinstance(last, ThreadRedacted) and last.all

    def _weighed(self, head: Head, rule: RetentionRule) -> Due:
        asked = {"tenant": self._tenant, "thread_id": head.thread_id}
        with self._database.connection() as connection:
            row = connection.execute(statement("select_weight"), asked).fetchone()
        events, size = (0, 0) if row is None else row
        if head.updated_at is None:
            raise RuntimeError(f"thread {head.thread_id!r} has never moved")
        return Due(head.thread_id, head.updated_at, events, size, rule.reason)


def _rule_for(rules: Rules, head: Head, now: datetime) -> RetentionRule | None:
    last = head.updated_at
    if last is None:
        return None
    for rule in rules.rules:
        if rule.covers(head.thread_id, head.status, head.metadata, last=last, now=now):
            return rule
    return None
