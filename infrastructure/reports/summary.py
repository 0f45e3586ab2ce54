"""A row of a list of threads: what a thread is, and counts and sums over its messages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, with_config
from typing_extensions import TypedDict

from agentlog.domain.facts import Policy
from agentlog.domain.json.answers import ANSWER, Time, answer
from agentlog.domain.json.values import JsonValue
from agentlog.domain.threads import Status
from agentlog.projections.outcomes.outcome import ThreadOutcome, ThreadVerdict

Tone = Literal["good", "warn", "bad", "active", "neutral"]
"""How a thread's standing is to be read: `warn` is what a person should look at."""

_EXAMPLE: dict[str, JsonValue] = {
    "threadId": "support-42",
    "goal": "Where is my parcel?",
    "parent": None,
    "status": "exited",
    "outcome": "complete",
    "verdict": "succeeded",
    "judged": "succeeded",
    "judgedBy": "sam",
    "score": None,
    "policy": "strict",
    "metadata": {"team": "support"},
    "labels": ["parcels"],
    "judgements": [{"criterion": None, "verdict": "pass", "score": None, "by": "sam"}],
    "tools": ["track"],
    "version": 9,
    "position": 345,
    "messages": 8,
    "inputs": 1,
    "replies": 1,
    "steps": 4,
    "toolCalls": 1,
    "toolFailures": 0,
    "modelCalls": 2,
    "inputTokens": 1200,
    "outputTokens": 80,
    "totalTokens": 1280,
    "costUsd": 0.004,
    "computedCalls": 2,
    "unpricedCalls": 0,
    "durationMs": 5200.0,
    "startedAt": "2026-01-05T08:00:00.000000Z",
    "updatedAt": "2026-01-05T08:00:06.000000Z",
    "firstSentAt": "2026-01-05T08:00:00.000000Z",
    "lastSentAt": "2026-01-05T08:00:05.200000Z",
    "approvalsAsked": 0,
    "approvalsPending": 0,
    "workers": 0,
    "runtimeErrors": 0,
    "anomalies": 0,
    "failures": 0,
    "told": 0,
    "suspected": 0,
    "loops": 0,
    "marks": [],
    "hidden": False,
    "tone": "good",
}


@answer
class SuspicionMark(TypedDict):
    """A rule of suspicion that calls of a tool or a model meet: how many, the first and the last.

    `command` is the first word of a shell's command.
    """

    rule: str
    tool: str | None
    command: str | None
    model: str | None
    calls: int
    version: int
    last_version: int


@answer
class ThreadJudgement(TypedDict):
    """What someone judged a thread to be by a criterion, or as a whole; `by` is who, if named."""

    criterion: str | None
    verdict: str | None
    score: float | None
    by: str | None


@with_config({**ANSWER, "json_schema_extra": {"examples": [_EXAMPLE]}})
@dataclass(frozen=True, slots=True)
class ThreadSummary:
    """A thread, with counts and sums over its messages. A sum is null where none reports it.

    `version` and `position` are of its last event, `startedAt` and `updatedAt` by the log's clock,
    `firstSentAt`, `lastSentAt` and `durationMs` by the producer's.
    """

    thread_id: str
    goal: Annotated[str | None, Field(description="Its beginning, 500 characters at most.")]
    parent: str | None
    status: Status
    outcome: ThreadOutcome | None
    verdict: Annotated[
        ThreadVerdict | None,
        Field(
            description="As it was judged as a whole, else by the tenant's rule, the scores in its "
            "metadata, or why it exited; null: unknown."
        ),
    ]
    judged: Annotated[
        ThreadVerdict | None,
        Field(description="The verdict where someone judged it as a whole, by no criterion."),
    ]
    judged_by: Annotated[str | None, Field(description="Who did, where they named themselves.")]
    score: Annotated[
        float | None, Field(description="Its score in numbers; null where it has none or several.")
    ]
    policy: Policy
    metadata: Annotated[dict[str, Any], Field(description="Only its texts, numbers and booleans.")]
    labels: list[str]
    judgements: Annotated[
        list[ThreadJudgement], Field(description="The last by each criterion, the latest last.")
    ]
    tools: Annotated[
        list[str], Field(description="Names of the tools that it called, the first 100.")
    ]
    version: int
    position: int
    messages: int
    inputs: int
    replies: int
    steps: int
    tool_calls: int
    tool_failures: Annotated[
        int | None, Field(description="Results with an error; null where none states it.")
    ]
    model_calls: int
    input_tokens: int | None
    output_tokens: int | None
    total_tokens: int | None
    cost_usd: Annotated[float | None, Field(description="Of its model calls, as far as known.")]
    computed_calls: Annotated[
        int, Field(description="How many of these costs are computed by a list of prices.")
    ]
    unpriced_calls: Annotated[
        int, Field(description="Answered model calls whose cost is not known.")
    ]
    duration_ms: Annotated[
        float | None, Field(description="From the first message to the last, as they were sent.")
    ]
    started_at: Time
    updated_at: Time
    first_sent_at: Time | None
    last_sent_at: Time | None
    approvals_asked: int
    approvals_pending: Annotated[
        int, Field(description="Asked and not answered; 0 once the thread has ended.")
    ]
    workers: int
    runtime_errors: int
    anomalies: int
    failures: Annotated[
        int,
        Field(
            description="What failed on record: results, workers, the runtime, an exit by error."
        ),
    ]
    told: Annotated[int, Field(description="Results that tell of a failure which no field states.")]
    suspected: Annotated[int, Field(description="What only a rule of suspicion marks.")]
    loops: Annotated[int, Field(description="How many calls repeat earlier ones.")]
    marks: list[SuspicionMark]
    hidden: bool
    tone: Annotated[Tone, Field(description="How status, verdict and approvals are to be read.")]


@answer
@dataclass(frozen=True, slots=True)
class ThreadSummaries:
    """Rows from `offset` on, of `total` that match, as of the log's position `asOf`."""

    items: Sequence[ThreadSummary]
    total: int
    offset: int
    as_of: int
    lag: Annotated[int, Field(description="How many positions that is behind the log.")]
