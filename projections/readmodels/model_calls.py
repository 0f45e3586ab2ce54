"""Read model of model calls: one row per call, with model, usage, cost and latency."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf
from typing import Annotated, ClassVar, Literal

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.messages import (
    LlmRequestMessage,
    LlmResponseMessage,
    RuntimeErrorMessage,
    TokenUsage,
)
from agentlog.domain.usage import wholes_of
from agentlog.projections.outcomes.pairs import Answer, Ask, identity_of, rank
from agentlog.projections.prices import cost_of
from agentlog.projections.readmodels.model import ThreadRows
from agentlog.projections.readmodels.pair_table import AnsweredSentAt, PairRow, PairTable, measured
from agentlog.projections.readmodels.table import RecordedAt, table_of
from agentlog.projections.values import count_held, figure_held, held, time_of

_NOTHING = TokenUsage()
_COUNTS = (
    "total_tokens",
    "cached_input_tokens",
    "cache_write_tokens",
    "cache_write_1h_tokens",
    "reasoning_tokens",
)


@dataclass(slots=True)
class ModelCallRow(PairRow):
    """A request to a model, or a response without a request."""

    version: Annotated[int, "of the message that asked; of the response, where none asked"]
    position: Annotated[int, "of that message in the log"]
    model: Annotated[str | None, "as the response names it; else as the request does"] = None
    provider: Annotated[str | None, "who runs the model, where the producer said"] = None
    response_id: Annotated[str | None, "what came out of this call shares it"] = None
    recorded_at: RecordedAt = None
    requested_at: Annotated[datetime | None, "the same where it asked, null where none did"] = None
    requested_sent_at: Annotated[datetime | None, "when it asked, by the producer's clock"] = None
    answered_version: Annotated[int | None, "of the message that ended it; null while open"] = None
    answered_position: Annotated[int | None, "of that message in the log"] = None
    answered_at: Annotated[datetime | None, "when the log took that message"] = None
    answered_sent_at: AnsweredSentAt = None
    copy_of: Annotated[
        str | None,
        "the thread where this answer counts: by its response id it is the same; null for all that "
        "count here",
    ] = None
    latency_ms: Annotated[
        float | None, "as the producer measured it; else from request to end, by its clock"
    ] = None
    outcome: Annotated[
        Literal["answered", "failed"] | None,
        "answered; failed, where a runtime error came instead; null while open",
    ] = None
    finish_reason: Annotated[str | None, "why the model stopped, where the producer said"] = None
    input_tokens: Annotated[
        int | None, "all that the model read, caches included; null where not reported"
    ] = None
    output_tokens: Annotated[
        int | None, "all that it wrote, thoughts included; null where not reported"
    ] = None
    total_tokens: Annotated[int | None, "as reported; null where not, though the others are"] = None
    cached_input_tokens: Annotated[int | None, "of the input tokens: read from a cache"] = None
    cache_write_tokens: Annotated[
        int | None, "of the input tokens: written to a cache, for any time"
    ] = None
    cache_write_1h_tokens: Annotated[
        int | None, "of these: written for an hour, which costs more than five minutes"
    ] = None
    reasoning_tokens: Annotated[int | None, "of the output tokens: thoughts"] = None
    cost_usd: Annotated[
        float | None, "in US dollars: as reported, else by a list of prices; null where unknown"
    ] = None
    cost_source: Annotated[
        Literal["reported", "computed"] | None, "where that is from; null where it is unknown"
    ] = None
    prices: Annotated[str | None, "the list that it was computed by, and its version"] = None
    error_message: Annotated[str | None, "the beginning of the runtime error"] = None


class ModelCalls(PairTable[ModelCallRow]):
    """Requests in order, each matched with the response or error that ended it.

    An abandoned request stays open and takes no later response, as `outcomes.pairs` says. An answer
    counts once in a tenant: what sessions that were resumed or forked say again is a copy.
    """

    version = 8
    kind = "model"
    table = table_of(
        ModelCallRow,
        name="model_calls",
        comment="One row a request to a model, and a response that no request asked for.",
        key=("tenant", "thread_id", "version"),
        day="recorded_at",
        indexes=(
            ("tenant", "recorded_at"),
            ("tenant", "model", "recorded_at"),
            ("tenant", "copy_of"),
        ),
        identity="response_id",
    )
    types: ClassVar[frozenset[str] | None] = frozenset(
        {"llm_request", "llm_response", "runtime_error"}
    )
    recalls: ClassVar[frozenset[str] | None] = frozenset({"llm_response", "runtime_error"})

    @override
    def identity_of(self, event: Event) -> str | None:
        return identity_of(event) if event.type == "llm_response" else None

    @override
    def row(
        self, event: Event, rows: ThreadRows[ModelCallRow], ordinal: int, named: Ask | Answer
    ) -> ModelCallRow:
        return rows.open_row(event, ModelCallRow, model=named.name, response_id=named.id)

    @override
    def ask_of(self, row: ModelCallRow) -> Ask:
        return Ask(self.kind, row.response_id, row.model)

    @override
    def ask(self, row: ModelCallRow, event: Event, ordinal: int) -> None:
        message = event.message
        if isinstance(message, LlmRequestMessage):
            row.requested_at, row.requested_sent_at = event.recorded_at, time_of(message.timestamp)

    @override
    def answer(self, row: ModelCallRow, event: Event, answer: Answer, ordinal: int) -> None:
        match event.message:
            case LlmResponseMessage() as message:
                row.latency_ms = measured(row.requested_sent_at, message.timestamp)
                _describe(row, answer, message)
            case RuntimeErrorMessage(timestamp=timestamp):
                row.latency_ms = measured(row.requested_sent_at, timestamp)
                row.error_message = answer.error_message
            case _:
                pass

    @override
    def tell_again(self, event: Event, rows: ThreadRows[ModelCallRow], answer: Answer) -> bool:
        same = rows.known.get(answer.id or "", ())
        own = [row for row in same if row.thread_id == rows.thread_id and row.outcome == "answered"]
        if not own or not isinstance(event.message, LlmResponseMessage):
            return False
        row, whole = own[-1], wholes_of(event.message.usage or _NOTHING)
        if rank(whole.output, whole.input) >= rank(row.output_tokens, row.input_tokens):
            _tell(row, event.message)
            rows.change(row)
            _settle(same, rows)
        return True

    @override
    def settle(self, row: ModelCallRow, event: Event, rows: ThreadRows[ModelCallRow]) -> None:
        same = rows.known.get(self.identity_of(event) or "")
        if same is not None:
            if not any(other is row for other in same):
                same.append(row)
            _settle(same, rows)


def _settle(same: Sequence[ModelCallRow], rows: ThreadRows[ModelCallRow]) -> None:
    """Have one of the rows of an identity count, and mark those that say the same answer again.

    What was asked for in its own thread is no copy. The others count where the most was written,
    of equals where it was sent first: what replays another one's answer has a cache of its own.
    """
    answers: defaultdict[object, list[ModelCallRow]] = defaultdict(list)
    for row in sorted((row for row in same if row.outcome == "answered"), key=_order):
        answers[_answer_of(row)].append(row)
    for tellings in answers.values():
        for row in tellings:
            first = next(one for one in tellings if one is row or one.thread_id != row.thread_id)
            copy_of = None if row.requested_at is not None or first is row else first.thread_id
            if copy_of != row.copy_of:
                row.copy_of = copy_of
                rows.change(row)


def _order(row: ModelCallRow) -> tuple[bool, float, float, float, int]:
    output, read = rank(row.output_tokens, row.input_tokens)
    sent = inf if row.answered_sent_at is None else row.answered_sent_at.timestamp()
    return row.requested_at is None, -output, sent, -read, row.position


_OF_PROVIDERS = re.compile(r"msg_|.{20}", re.DOTALL)
"""Matches how ids begin that a provider made: these do not come twice. Others may, such as `r1`."""


def _answer_of(row: ModelCallRow) -> object:
    """Return by what rows of one response id in several threads are of one answer."""
    if _OF_PROVIDERS.match(row.response_id or "") is not None:
        return None
    return row.answered_sent_at or row.position


def _describe(row: ModelCallRow, answer: Answer, message: LlmResponseMessage) -> None:
    latency = figure_held(message.latency_ms)
    row.latency_ms = row.latency_ms if latency is None else latency
    row.outcome = "answered"
    row.provider = held(message.provider)
    row.response_id = answer.id or row.response_id
    _tell(row, message)


def _tell(row: ModelCallRow, message: LlmResponseMessage) -> None:
    """Write the figures of a response; what it leaves out stays."""
    usage = message.usage or _NOTHING
    whole = wholes_of(usage)
    row.model = row.model if message.model is None else held(message.model)
    row.finish_reason = held(message.finish_reason) or row.finish_reason
    counts = {name: getattr(usage, name) for name in _COUNTS}
    counts["input_tokens"], counts["output_tokens"] = whole.input, whole.output
    for name, count in counts.items():
        if (column := count_held(count)) is not None:
            setattr(row, name, column)
    cost = cost_of(message, row.model)
    usd = figure_held(cost.usd)
    if usd is not None:
        row.cost_usd, row.prices = usd, cost.prices
        row.cost_source = "reported" if cost.prices is None else "computed"
