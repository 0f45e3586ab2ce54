"""Read model of threads: one row per thread, with goal, progress and outcome."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, ClassVar

from typing_extensions import override

from agentlog.domain.catalogue import is_activity
from agentlog.domain.events import Event
from agentlog.domain.facts import Fact, Policy, Start, ThreadClosed, ThreadJudged, ThreadLabelled
from agentlog.domain.json.text import parse_stored, print_text
from agentlog.domain.json.values import (
    JsonValue,
    array_of,
    object_of,
)
from agentlog.domain.messages import (
    ApprovalRequestMessage,
    ApprovalResponseMessage,
    ExitMessage,
    InputMessage,
    LlmRequestMessage,
    LlmResponseMessage,
    Message,
    ReplyMessage,
    RuntimeErrorMessage,
    ToolCallsMessage,
    ToolResultsMessage,
    WorkerResultMessage,
    WorkerSpawnedMessage,
)
from agentlog.domain.threads import Status
from agentlog.projections.carries.persistent_list import Layers
from agentlog.projections.outcomes.outcome import (
    Judgement,
    ThreadOutcome,
    ThreadVerdict,
    outcome_of,
)
from agentlog.projections.outcomes.pairs import (
    MOST_OPEN,
    Ask,
    Open,
    answers_in,
    asks_in,
    identity_of,
    told_of,
    with_told,
)
from agentlog.projections.readmodels.model import BEGINNING, ReadModel, ThreadRows
from agentlog.projections.readmodels.suspicions import GROUNDS, Grounds
from agentlog.projections.readmodels.table import Row, table_of
from agentlog.projections.readmodels.thread_lists import with_judgement, with_labels, with_tools
from agentlog.projections.readmodels.thread_sums import (
    Figures,
    figures_of,
    stated_in,
    sums_of,
    with_figures,
)
from agentlog.projections.values import (
    figure_held,
    sent_at,
    shown,
    text_in,
    time_of,
)

_NOT_STATED = (None,) * 4
_MILLISECOND = timedelta(milliseconds=1)
_NO_METADATA = "{}"
_NOTHING = "[]"


@dataclass(slots=True)
class ThreadRow(Row):
    """The current state of a thread; the row always stays open."""

    version: Annotated[int, "of its first event: 1"]
    position: Annotated[int, "of its first event in the log"]
    recorded_at: Annotated[datetime | None, "when the log took its first event"]
    last_version: Annotated[int, "of its last event: how many it has, facts included"] = 0
    last_position: Annotated[int, "of its last event in the log"] = 0
    last_recorded_at: Annotated[
        datetime | None, "when the log took its last event that is no remark"
    ] = None
    first_sent_at: Annotated[datetime | None, "of its first message, by the producer's clock"] = (
        None
    )
    last_sent_at: Annotated[datetime | None, "of its last message, by the producer's clock"] = None
    duration_ms: Annotated[
        float | None, "from one to the other; null where both are equal, or the clock ran backwards"
    ] = None
    goal: Annotated[str | None, "the beginning of what it is for"] = None
    parent: Annotated[str | None, "the thread that it works for"] = None
    policy: Annotated[Policy, "strict: it keeps the rules; record: everything is kept"] = "strict"
    status: Annotated[Status, "open, exited or closed"] = "open"
    outcome: Annotated[
        ThreadOutcome | None,
        "why it exited; closed, where it was closed before that; null while open",
    ] = None
    verdict: Annotated[
        ThreadVerdict | None,
        "as it was judged, else by the scores in its metadata, else by why it exited; null where "
        "these do not say",
    ] = None
    judged: Annotated[
        ThreadVerdict | None,
        "the last judgement of it as a whole, by no criterion; null where that decides nothing",
    ] = None
    judged_by: Annotated[str | None, "who judged so; null where they did not say"] = None
    score: Annotated[float | None, "its score in numbers; null where it has none or several"] = None
    metadata: Annotated[
        str, "its texts, numbers and booleans as a JSON object, notes worked in"
    ] = _NO_METADATA
    messages: Annotated[int, "how many, facts not counted"] = 0
    inputs: Annotated[int, "how many messages of that type"] = 0
    replies: Annotated[int, "how many messages of that type"] = 0
    steps: Annotated[int, "as the view agent-state counts them: one a model response, input, …"] = 0
    tools: Annotated[str, "names of the first 100 tools that it called, as a JSON array"] = _NOTHING
    tool_calls: Annotated[int, "how many were asked for"] = 0
    tool_failures: Annotated[
        int | None, "how many results have an error; null where none states whether its call failed"
    ] = None
    model_calls: Annotated[int, "how many requests, and responses that none asked for"] = 0
    input_tokens: Annotated[
        int | None,
        "sum of what was reported, without answers that count in another thread (copy_of of "
        "model_calls); where no call reports any, as the run states it; else null",
    ] = None
    output_tokens: Annotated[int | None, "the same of output tokens"] = None
    total_tokens: Annotated[int | None, "sum of what was reported; of both where no total was"] = (
        None
    )
    cost_usd: Annotated[
        float | None,
        "of its model calls that count here, reported or computed; where these do not all report "
        "theirs, as the run states it; null where no cost is known",
    ] = None
    computed_calls: Annotated[int, "how many of the costs in it are computed"] = 0
    unpriced_calls: Annotated[int, "how many answers have no known cost and are not in it"] = 0
    states_run: Annotated[
        bool | None, "true where its metadata states figures of the whole run; null where not"
    ] = None
    stated_input_tokens: Annotated[int | None, "as its metadata states it: inputTokens"] = None
    stated_output_tokens: Annotated[int | None, "the same: outputTokens"] = None
    stated_total_tokens: Annotated[int | None, "the same: totalTokens, else both together"] = None
    stated_cost_usd: Annotated[float | None, "the same: costUsd"] = None
    approvals_asked: Annotated[int, "how many requests for approval"] = 0
    approvals_denied: Annotated[int, "how many responses that denied it"] = 0
    labels: Annotated[str, "its labels, as a JSON array"] = _NOTHING
    judgements: Annotated[
        str,
        "the last judgement of it by each criterion, as a JSON array of objects: criterion, "
        "verdict, score and by",
    ] = _NOTHING
    workers: Annotated[int, "how many were sent off"] = 0
    runtime_errors: Annotated[int, "how many messages of that type"] = 0
    requests_open: Annotated[int, "how many requests to a model have no answer yet"] = 0
    open_requests: Annotated[str, "response id and model of the latest 100, as a JSON array"] = (
        _NOTHING
    )
    told_figures: Annotated[
        str,
        "what answers with an id count in its sums, and their models, as a JSON object by digests "
        "of the ids: of the latest 10,000 at least",
    ] = _NO_METADATA
    last_response_id: Annotated[
        str | None, "the model response that was last counted as a step"
    ] = None


class Threads(ReadModel[ThreadRow]):
    """Every thread, with counts and sums over its messages."""

    version = 12
    table = table_of(
        ThreadRow,
        name="threads",
        comment="One row a thread: its standing, and counts and sums over all of its messages.",
        key=("tenant", "thread_id"),
        day="recorded_at",
        indexes=(
            ("tenant", "recorded_at"),
            ("tenant", "parent"),
            ("tenant", "last_position"),
            ("tenant", "states_run"),
        ),
    )
    types: ClassVar[frozenset[str] | None] = None
    recalls: ClassVar[frozenset[str] | None] = None
    long_text_bytes: ClassVar[int] = BEGINNING

    @override
    def fold(self, event: Event, rows: ThreadRows[ThreadRow]) -> None:
        row = rows.only(event, ThreadRow)
        row.last_version = event.version
        row.last_position = event.position or 0
        if is_activity(event.type, event.version):
            row.last_recorded_at = event.recorded_at
        message = event.message
        if not event.type.startswith("thread."):
            row.messages += 1
            sent = sent_at(event) if message is None else time_of(message.timestamp)
            if sent is not None:
                _time(row, sent)
        _count(row, event, message, rows)
        if isinstance(message, GROUNDS):
            _decide(row, event)

    @override
    def finish(self, rows: ThreadRows[ThreadRow]) -> None:
        memory: _Memory | None = rows.memory
        if memory is not None:
            pairs: list[JsonValue] = [[ask.id, ask.name] for ask in memory.requests.values]
            (row,) = rows.open
            row.open_requests = print_text(pairs)
            row.told_figures = print_text(dict[str, JsonValue](memory.answers.items()))


@dataclass(slots=True)
class _Memory:
    """The open requests to models, and the figures and model last told of the latest answers."""

    requests: Open[Ask]
    answers: Layers[list[Any]]


def _memory_of(row: ThreadRow) -> _Memory:
    known = [_ask_of(pair) for pair in array_of(parse_stored(row.open_requests.encode()))]
    answers: dict[str, Any] = {**object_of(parse_stored(row.told_figures.encode()))}
    return _Memory(Open[Ask]().ask(known, known), Layers((answers,), len(answers)))


def _time(row: ThreadRow, sent: datetime) -> None:
    """Record a message's time; no duration where all times are equal, or one runs backwards.

    Facts are excluded: the log creates them, by another clock.
    """
    row.last_sent_at = sent
    if row.first_sent_at is None:
        row.first_sent_at = sent
    row.duration_ms = (
        (sent - row.first_sent_at) / _MILLISECOND if sent > row.first_sent_at else None
    )


def _count(  # noqa: C901, PLR0912 - a case a type
    row: ThreadRow, event: Event, message: Message | Fact | None, rows: ThreadRows[ThreadRow]
) -> None:
    match message:
        case ToolResultsMessage(results=results):
            row.steps += len(results)
            failures = [r.error is not None for r in results if "error" in r.model_fields_set]
            if failures:
                row.tool_failures = (row.tool_failures or 0) + sum(failures)
        case ToolCallsMessage(calls=calls):
            _step(row, event)
            row.tool_calls += len(calls)
            row.tools = with_tools(row.tools, calls)
        case ReplyMessage():
            _step(row, event)
            row.replies += 1
        case InputMessage():
            row.steps += 1
            row.inputs += 1
        case LlmRequestMessage() | LlmResponseMessage() | RuntimeErrorMessage():
            _pair(row, event, message, rows)
        case ApprovalRequestMessage():
            row.approvals_asked += 1
        case ApprovalResponseMessage(approved=approved):
            row.steps += approved
            row.approvals_denied += not approved
        case WorkerSpawnedMessage():
            row.workers += 1
        case WorkerResultMessage():
            row.steps += 1
        case ExitMessage() if row.status == "open":
            row.status = "exited"
        case ThreadClosed():
            row.status = "closed"
        case ThreadLabelled(add=add, remove=remove):
            row.labels = with_labels(row.labels, add, remove)
        case ThreadJudged(on=None):
            row.judgements = with_judgement(row.judgements, event, message)
        case Start():
            row.goal, row.parent, row.policy = shown(message.goal), message.parent, message.policy
        case _:
            pass


def _decide(row: ThreadRow, event: Event) -> None:
    """Say what a thread came to, after what decides it changed."""
    metadata = object_of(parse_stored(row.metadata.encode()))
    judged = None if row.judged is None else Judgement(row.judged, row.judged_by)
    grounds = Grounds(metadata, row.outcome, judged).after(event)
    row.metadata, row.outcome = print_text({**grounds.metadata}), grounds.end
    row.judged = None if grounds.judged is None else grounds.judged.verdict
    row.judged_by = None if grounds.judged is None else grounds.judged.by
    stated = stated_in(grounds.metadata)
    row.states_run = True if stated is not None else None
    (
        row.stated_input_tokens,
        row.stated_output_tokens,
        row.stated_total_tokens,
        row.stated_cost_usd,
    ) = stated or _NOT_STATED
    outcome = outcome_of(grounds.metadata, grounds.end, judged=grounds.judged)
    row.verdict = None if outcome.verdict == "unknown" else outcome.verdict
    match [*outcome.scores.values()]:
        case [int() | float() as score] if not isinstance(score, bool):
            row.score = figure_held(score)
        case _:
            row.score = None


def _step(row: ThreadRow, event: Event) -> None:
    """Count a step: all messages of one model response are one step."""
    response_id = text_in(event.metadata, "responseId")
    if response_id is None:
        row.steps += 1
    elif response_id != row.last_response_id:
        row.steps += 1
        row.last_response_id = response_id


def _pair(
    row: ThreadRow,
    event: Event,
    message: LlmRequestMessage | LlmResponseMessage | RuntimeErrorMessage,
    rows: ThreadRows[ThreadRow],
) -> None:
    """Count requests to models, and what ended them."""
    memory: _Memory | None = rows.memory
    if memory is None:
        memory = rows.memory = _memory_of(row)
    if isinstance(message, LlmRequestMessage):
        row.model_calls += 1
        row.requests_open += 1
        asks = asks_in(event)
        _, memory.requests = memory.requests.ask(asks, asks).within(MOST_OPEN["model"])
        return
    (answer,) = answers_in(event)
    request, memory.requests = memory.requests.answer(answer)
    row.requests_open -= request is not None
    if isinstance(message, RuntimeErrorMessage):
        row.runtime_errors += 1
        return
    identity = identity_of(event)
    latest = told_of(memory.answers, identity) if request is None else None
    before = None if latest is None else Figures(*latest[:-1])
    model = message.model
    if model is None:
        model = latest[-1] if latest is not None else request and request.name
    figures = figures_of(message, model)
    if before is None:
        row.model_calls += request is None
    else:
        figures = figures.over(before)
    memory.answers = with_told(memory.answers, identity, [*figures, model])
    for name, sum_ in with_figures(sums_of(row), figures, before)._asdict().items():
        setattr(row, name, sum_)


def _ask_of(pair: JsonValue) -> Ask:
    response_id, model = [part if isinstance(part, str) else None for part in array_of(pair)]
    return Ask("model", response_id, model)
