"""Read model of model calls: one row per call, with model, usage, cost and latency."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar, Literal

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.messages import (
    LlmRequestMessage,
    LlmResponseMessage,
    RuntimeErrorMessage,
    TokenUsage,
)
from agentlog.projections.prices import cost_of
from agentlog.projections.readmodels.model import ReadModel, ThreadRows
from agentlog.projections.readmodels.table import Row, table_of
from agentlog.projections.values import (
    count_held,
    elapsed_ms,
    figure_held,
    held,
    shown,
    text_in,
    time_of,
)

_NOTHING = TokenUsage()


@dataclass(slots=True)
class ModelCallRow(Row):
    """A request to a model, or a response without a request."""

    version: Annotated[int, "of the message that asked; of the response, where none asked"]
    position: Annotated[int, "of that message in the log"]
    model: Annotated[str | None, "as the response names it; else as the request does"]
    provider: Annotated[str | None, "who runs the model, where the producer said"]
    response_id: Annotated[str | None, "what came out of this call shares it"]
    recorded_at: Annotated[datetime | None, "when the log took that message, by its own clock"]
    requested_at: Annotated[datetime | None, "the same where it asked, null where none did"]
    requested_sent_at: Annotated[datetime | None, "when it asked, by the producer's clock"]
    answered_version: Annotated[int | None, "of the message that ended it; null while open"]
    answered_position: Annotated[int | None, "of that message in the log"]
    answered_at: Annotated[datetime | None, "when the log took that message"]
    latency_ms: Annotated[
        float | None, "as the producer measured it; else from request to end, by its clock"
    ]
    outcome: Annotated[
        Literal["answered", "failed"] | None,
        "answered; failed, where a runtime error came instead; null while open",
    ]
    finish_reason: Annotated[str | None, "why the model stopped, where the producer said"]
    input_tokens: Annotated[int | None, "as reported; null where not"]
    output_tokens: Annotated[int | None, "as reported; null where not"]
    total_tokens: Annotated[int | None, "as reported; null where not, though the others are"]
    cached_input_tokens: Annotated[int | None, "of the input tokens, as reported"]
    reasoning_tokens: Annotated[int | None, "of the output tokens, as reported"]
    cost_usd: Annotated[
        float | None, "in US dollars: as reported, else by a list of prices; null where unknown"
    ]
    cost_source: Annotated[
        Literal["reported", "computed"] | None, "where that is from; null where it is unknown"
    ]
    prices: Annotated[str | None, "the list that it was computed by, and its version"]
    error_message: Annotated[str | None, "the beginning of the runtime error"]


class ModelCalls(ReadModel[ModelCallRow]):
    """Requests in order, each matched with the response or error that ended it.

    An agent waits for one model at a time: a response answers the last open request, unless one has
    its response id. So an abandoned request stays open and takes no later response. A runtime error
    fails the last open request.
    """

    version = 4
    table = table_of(
        ModelCallRow,
        name="model_calls",
        comment="One row a request to a model, and a response that no request asked for.",
        key=("tenant", "thread_id", "version"),
        day="recorded_at",
        indexes=(("tenant", "recorded_at"), ("tenant", "model", "recorded_at")),
    )
    types: ClassVar[frozenset[str] | None] = frozenset(
        {"llm_request", "llm_response", "runtime_error"}
    )
    recalls: ClassVar[frozenset[str] | None] = frozenset({"llm_response", "runtime_error"})

    @override
    def fold(self, event: Event, rows: ThreadRows[ModelCallRow]) -> None:
        match event.message:
            case LlmRequestMessage() as message:
                row = _row(event, rows)
                row.model = held(message.model)
                row.requested_at = event.recorded_at
                row.requested_sent_at = time_of(message.timestamp)
                rows.add(row)
            case LlmResponseMessage() as message:
                asked = _request_of(event, rows.open)
                row = _row(event, rows) if asked is None else asked
                _answer(row, event, message)
                if asked is None:
                    rows.add(row)
                else:
                    rows.change(row)
            case RuntimeErrorMessage(error=error, timestamp=timestamp) if rows.open:
                row = rows.open[-1]
                _end(row, event, timestamp)
                row.outcome, row.error_message = "failed", shown(error)
                rows.change(row)
            case _:
                pass


def _row(event: Event, rows: ThreadRows[ModelCallRow]) -> ModelCallRow:
    return ModelCallRow(
        tenant=rows.tenant,
        thread_id=rows.thread_id,
        is_open=True,
        version=event.version,
        position=event.position or 0,
        model=None,
        provider=None,
        response_id=text_in(event.metadata, "responseId"),
        recorded_at=event.recorded_at,
        requested_at=None,
        requested_sent_at=None,
        answered_version=None,
        answered_position=None,
        answered_at=None,
        latency_ms=None,
        outcome=None,
        finish_reason=None,
        input_tokens=None,
        output_tokens=None,
        total_tokens=None,
        cached_input_tokens=None,
        reasoning_tokens=None,
        cost_usd=None,
        cost_source=None,
        prices=None,
        error_message=None,
    )


def _request_of(event: Event, asked: Sequence[ModelCallRow]) -> ModelCallRow | None:
    """Return the open request for a response: the one with its response id, else the last."""
    response_id = text_in(event.metadata, "responseId")
    if response_id is not None:
        for row in reversed(asked):
            if row.response_id == response_id:
                return row
    return asked[-1] if asked else None


def _answer(row: ModelCallRow, event: Event, message: LlmResponseMessage) -> None:
    _end(row, event, message.timestamp)
    usage = message.usage or _NOTHING
    measured = figure_held(message.latency_ms)
    row.latency_ms = row.latency_ms if measured is None else measured
    row.outcome = "answered"
    row.model = row.model if message.model is None else held(message.model)
    row.provider = held(message.provider)
    row.response_id = text_in(event.metadata, "responseId") or row.response_id
    row.finish_reason = held(message.finish_reason)
    row.input_tokens = count_held(usage.input_tokens)
    row.output_tokens = count_held(usage.output_tokens)
    row.total_tokens = count_held(usage.total_tokens)
    row.cached_input_tokens = count_held(usage.cached_input_tokens)
    row.reasoning_tokens = count_held(usage.reasoning_tokens)
    cost = cost_of(message, row.model)
    row.cost_usd, row.prices = figure_held(cost.usd), cost.prices
    if row.cost_usd is not None:
        row.cost_source = "reported" if cost.prices is None else "computed"


def _end(row: ModelCallRow, event: Event, timestamp: int) -> None:
    row.is_open = False
    row.answered_version = event.version
    row.answered_position = event.position
    row.answered_at = event.recorded_at
    row.latency_ms = elapsed_ms(
        (row.requested_sent_at, row.requested_at), (time_of(timestamp), event.recorded_at)
    )
