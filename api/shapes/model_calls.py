"""Model calls as JSON."""

from typing import Any, Literal

from typing_extensions import TypedDict

from agentlog.api.shapes.shape import shape_of, shaped
from agentlog.projections.exchanges import model_call
from agentlog.projections.exchanges.model_call import PreviousRequest, RequestPart


class ModelAnswer(TypedDict):
    """What came back: the versions of its messages, and figures; null where not on record."""

    versions: list[int]
    model: str | None
    finishReason: str | None
    inputTokens: int | None
    cachedInputTokens: int | None
    outputTokens: int | None
    costUsd: float | None
    latencyMs: float | None


class ModelCall(TypedDict):
    """A call of a model: what was sent, what came back, and what the request before it shares.

    `source` says whether the request is as it was sent, in the shape of its `api`, or built from
    the messages as a request of `chat`; then `missing` names what is not on record. `after` is the
    version of the last event before the answer. `contextWindow` is in tokens, by the list of
    prices. `charactersPerToken` are those of the request, without bytes of files, to an input token
    that was reported; outside 2 to 6 the call `isDoubtful`: it cannot be what the provider counted.
    """

    threadId: str
    source: Literal["recorded", "reconstructed"]
    missing: list[str]
    after: int
    api: Literal["chat", "responses", "messages", "gemini"]
    model: str | None
    contextWindow: int | None
    charactersPerToken: float | None
    isDoubtful: bool
    prompt: Any
    tools: Any
    parameters: dict[str, Any]
    messages: list[Any]
    parts: list[RequestPart]
    answer: ModelAnswer | None
    previous: PreviousRequest | None


def model_call_json(thread_id: str, call: model_call.ModelCall) -> ModelCall:
    """Return a call of a thread's model."""
    return shaped(
        ModelCall,
        call.sent,
        threadId=thread_id,
        source="recorded" if call.sent.is_exact else "reconstructed",
        contextWindow=call.window,
        charactersPerToken=call.characters_per_token,
        isDoubtful=call.is_doubtful,
        parts=[shape_of(part) for part in call.parts],
        answer=_answer(call),
        previous=shape_of(call.previous),
    )


def _answer(call: model_call.ModelCall) -> ModelAnswer | None:
    if call.answer is None:
        return None
    return shaped(
        ModelAnswer,
        call.answer.usage,
        versions=call.versions,
        model=call.answer.model,
        finishReason=call.answer.finish_reason,
        costUsd=call.answer.cost.usd,
        latencyMs=call.answer.latency_ms,
    )
