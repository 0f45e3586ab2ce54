"""Compares a thread's redactions with its events, one by one, and returns findings."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from hashlib import sha256
from heapq import merge
from typing import Any

from agentlog.domain.catalogue import read_stored
from agentlog.domain.facts import ThreadRedacted
from agentlog.domain.integrity.chain_audit import ChainRecord, Finding, What
from agentlog.domain.json.text import parse_stored
from agentlog.domain.redaction import ONLY_WITH_ALL, UNCHANGED


class Redactions:
    """A thread's redactions by version; those in `pending` may not be carried out yet.

    Which redactions changed an event follows from the facts alone. The last of these is the one
    that the event has to be marked by.
    """

    def __init__(
        self,
        thread_id: str,
        facts: Mapping[int, ThreadRedacted],
        *,
        pending: Collection[int],
    ) -> None:
        self._thread_id = thread_id
        self._facts = facts
        self._pending = pending
        self._of_all = sorted(version for version, fact in facts.items() if fact.all)
        self._naming: defaultdict[str, list[int]] = defaultdict(list)
        for version in sorted(facts):
            for message_id in facts[version].messages:
                self._naming[message_id].append(version)
        self._left = {
            (version, message_id): left
            for version, fact in facts.items()
            for message_id, left in zip(fact.messages, fact.left, strict=False)
        }
        self._left_of_all: defaultdict[int, Any] = defaultdict(sha256)
        self._seen: set[str] = set()

    def check(self, record: ChainRecord) -> list[Finding]:
        """Add the thread's next event, and return its findings."""
        if record.message_id in self._naming and record.type not in ONLY_WITH_ALL:
            self._seen.add(record.message_id)
        is_fact = record.type == "thread.redacted" and record.version in self._facts
        return [*(self._check_redaction(record) if is_fact else ()), *self._check_mark(record)]

    def findings(self) -> list[Finding]:
        """Return the findings for redactions of all messages, after the last event."""
        return [
            Finding(
                "body-altered",
                f"what is left of the messages that version {version} redacted is not what it says",
                self._thread_id,
                version,
            )
            for version, digest in self._left_of_all.items()
            if self._facts[version].left and digest.hexdigest() != self._facts[version].left[0]
        ]

    def _check_redaction(self, record: ChainRecord) -> list[Finding]:
        """Return what is wrong with a redaction itself."""
        fact = self._facts[record.version]
        if not fact.left:
            detail = "it does not say what it left"
        elif not self._seen.issuperset(fact.messages):
            detail = "it names a message that it cannot be about"
        else:
            return []
        return [_finding("redaction-unfounded", detail, record)]

    def _check_mark(self, record: ChainRecord) -> list[Finding]:
        """Return what is wrong with an event's mark, and with what is in place of its content."""
        marks = self._marks(record)
        done = [version for version in marks if version not in self._pending]
        last = done[-1] if done else None
        if record.redacted not in (None, *marks):
            detail = f"it says that version {record.redacted} redacted it, which does not say so"
            return [_finding("redaction-unfounded", detail, record)]
        if record.redacted != last and record.redacted not in self._pending:
            detail = f"version {last} redacted it, and its content is there"
            return [_finding("redaction-undone", detail, record)]
        return [] if record.redacted is None else self._left_by(record.redacted, record)

    def _marks(self, record: ChainRecord) -> list[int]:
        """Return the redactions that changed an event, in order."""
        marks: list[int] = []
        if record.type == "thread.redacted":
            return marks
        by_name = [] if record.type in ONLY_WITH_ALL else self._naming.get(record.message_id, [])
        for version in merge(by_name, self._of_all):
            unchanged = self._left.get((version, record.message_id)) == UNCHANGED
            if version > record.version and not unchanged:
                marks.append(version)
                if self._facts[version].blob is None:  # nothing is left to redact
                    break
        return marks

    def _left_by(self, version: int, record: ChainRecord) -> list[Finding]:
        fact, left = self._facts[version], record.left_digest
        if fact.all and left is not None:
            self._left_of_all[version].update(left)
        stated = self._left.get((version, record.message_id))
        altered = left is not None and stated is not None and left.hex() != stated
        if altered or not (
            record.is_redacted_form if fact.blob is None else record.is_without_file
        ):
            detail = "it was redacted, and something else was put in its place"
            return [_finding("body-altered", detail, record)]
        return []


def redaction_in(body: bytes) -> ThreadRedacted | None:
    """Return the redaction in a stored body; None where it is not a valid one."""
    try:
        raw = parse_stored(body)
    except ValueError:
        return None
    fact = read_stored("thread.redacted", raw) if isinstance(raw, dict) else None
    return fact if isinstance(fact, ThreadRedacted) else None


def _finding(what: What, detail: str, record: ChainRecord) -> Finding:
    return Finding(what, detail, record.thread_id, record.version)
