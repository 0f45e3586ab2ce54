"""A big log, made quickly: the histories imported once, then copied within the database.

What is copied is as an import makes it, but for the hash chains, which are those of the first
threads; nothing that is measured on it looks at them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Any

from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.appending.append_request import AppendRequest
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.messages import chat
from benchmarks.harness.databases import connected, store_on
from benchmarks.harness.workload import Workload

_BATCH_THREADS = 50
_BEGINNING = 1_767_268_800_000  # 2026-01-01T12:00:00Z, in milliseconds
_MODELS = (("gpt-4o", "openai"), ("gpt-4o-mini", "openai"), ("claude-sonnet", "anthropic"))

_COPY_EVENTS = """
INSERT INTO agentlog.events (
    tenant, thread_id, version, position, type, message_id, recorded_at, body, body_sha256, chain,
    metadata, cuts
)
SELECT tenant, thread_id || '~' || copy, version, position + copy * %(events)s::bigint, type,
       message_id, recorded_at + copy * interval '1 hour', body, body_sha256, chain, metadata, cuts
FROM generate_series(1, %(copies)s) AS copy, agentlog.events
ORDER BY copy, position
"""
_COPY_THREADS = """
INSERT INTO agentlog.threads (
    tenant, thread_id, version, position, chain, policy, status, anomalies, parent, goal, facts,
    started_at, updated_at
)
SELECT tenant, thread_id || '~' || copy, version, position + copy * %(events)s::bigint, chain,
       policy, status, anomalies, parent, goal, facts,
       started_at + copy * interval '1 hour', updated_at + copy * interval '1 hour'
FROM generate_series(1, %(copies)s) AS copy, agentlog.threads
ORDER BY copy, position
"""
_MOVE_COUNTER = """
UPDATE agentlog.counter
SET position = position * (%(copies)s + 1),
    recorded_at = recorded_at + %(copies)s * interval '1 hour'
"""


@dataclass(slots=True)
class _Measured:
    """Adds what the histories do not tell: when each message came, and what each turn cost."""

    random: Random
    now: int = _BEGINNING

    def filled(self, drafts: list[Draft]) -> Iterator[Draft]:
        """Yield drafts with times, and the model's response after what came out of it."""
        for number, draft in enumerate(drafts):
            self.now += int(self.random.lognormvariate(6.5, 1.2))
            if draft["type"] in {"reply", "tool_calls"}:
                of_response = {"metadata": {"responseId": f"resp_{self.now}_{number}"}}
                yield {**draft, "timestamp": self.now, **of_response}
                yield {**self._response(), **of_response}
            else:
                yield {**draft, "timestamp": self.now}

    def _response(self) -> Draft:
        random = self.random
        model, provider = random.choice(_MODELS)
        read, written = random.randint(800, 9000), random.randint(5, 400)
        return {
            "type": "llm_response",
            "timestamp": self.now,
            "model": model,
            "provider": provider,
            "finishReason": random.choice(("stop", "tool_calls", "length")),
            "usage": {
                "inputTokens": read,
                "outputTokens": written,
                "totalTokens": read + written,
                "cachedInputTokens": read // 3,
            },
            "costUsd": round(read * 2.5e-6 + written * 1e-5, 6),
            "latencyMs": round(random.lognormvariate(7, 0.7), 1),
        }


def make_big_log(url: str, workload: Workload, *, events: int, measured: bool = False) -> int:
    """Fill an empty database with `events` events or a little more; return how many.

    `measured` adds what these histories lack: times of the producer, and model calls.
    """
    with store_on(url) as service:
        _append_all(service.threads, workload, measured=measured)
    with connected(url) as connection:
        row = connection.execute("SELECT position FROM agentlog.counter").fetchone()
        if row is None:
            raise RuntimeError("the log has no counter")
        (once,) = row
        copies = max(0, -(-events // once) - 1)
        parameters = {"events": once, "copies": copies}
        if copies:
            with connection.transaction():
                connection.execute(_COPY_EVENTS, parameters)
                connection.execute(_COPY_THREADS, parameters)
                connection.execute(_MOVE_COUNTER, parameters)
        connection.execute("VACUUM ANALYZE")
    return int(once * (copies + 1))


def _append_all(threads: Threads, workload: Workload, *, measured: bool) -> None:
    filler = _Measured(Random(_BATCH_THREADS))  # noqa: S311 - the same log at every run
    requests: list[AppendRequest] = []
    for number, record in zip(count(), workload.records, strict=False):
        drafts = list(chat.READER.read(record["traj"]))
        started: dict[str, Any] = {
            "type": "thread.started",
            "goal": f"airline {record.get('task_id', number)}",
            "policy": "record",
            "metadata": {"reward": record.get("reward", number % 2)},
        }
        filled = list(filler.filled(drafts)) if measured else drafts
        requests.append(threads.request(f"airline-{number}", filled, facts=[started]))
    for start in range(0, len(requests), _BATCH_THREADS):
        for outcome in threads.append_many(requests[start : start + _BATCH_THREADS]):
            if isinstance(outcome, AgentlogError):
                raise outcome
