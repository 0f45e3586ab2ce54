"""The head of a thread: where it stands, without reading its events."""

from dataclasses import dataclass
from datetime import datetime

from domain.chain import GENESIS
from domain.facts import Fact, Policy, ThreadAnnotated, ThreadRedacted, ThreadStarted
from domain.json_text import JsonValue, parse_stored, print_bytes
from domain.messages import Message
from domain.redaction import REDACTED
from domain.threads import Status, Thread


@dataclass(frozen=True, slots=True)
class Head:
    """A thread as its row says; `version` 0 is a thread that has no row yet."""

    tenant: str
    thread_id: str
    version: int = 0
    position: int = 0
    chain: bytes = GENESIS
    policy: Policy = "strict"
    status: Status = "open"
    anomalies: int = 0
    facts: bytes | None = None
    started_at: datetime | None = None
    updated_at: datetime | None = None

    @property
    def thread(self) -> Thread:
        """The aggregate, without its ledger."""
        return Thread(self.thread_id, self.version, self.policy, self.status)

    @property
    def goal(self) -> str | None:
        """What the thread is for."""
        goal = self.read_facts().get("goal")
        return goal if isinstance(goal, str) else None

    @property
    def parent(self) -> str | None:
        """The thread that this one works for."""
        parent = self.read_facts().get("parent")
        return parent if isinstance(parent, str) else None

    def read_facts(self) -> dict[str, JsonValue]:
        """Return goal, parent, limits and metadata, as far as they were given."""
        found = None if self.facts is None else parse_stored(self.facts)
        return found if isinstance(found, dict) else {}

    def facts_after(self, message: Message | Fact, body: bytes) -> bytes | None:
        """Return the facts with what a fact of the thread says worked in."""
        match message:
            case ThreadStarted():
                raw = parse_stored(body)
                kept = {k: raw[k] for k in ("goal", "parent", "limits", "metadata") if k in raw}
            case ThreadAnnotated():
                before = self.read_facts()
                added = {**before.get("metadata", {}), **parse_stored(body)["metadata"]}
                kept = {**before, "metadata": {k: v for k, v in added.items() if v is not None}}
            case ThreadRedacted(all=True) if self.facts is not None:
                before = self.read_facts()
                kept = {k: before[k] for k in ("parent", "limits") if k in before}
                if before.get("goal") is not None:
                    kept = {"goal": REDACTED, **kept}
            case _:
                return self.facts
        return print_bytes(kept)
