"""The view `request`: what a model is asked with beside its messages, as far as it is on record."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.facts import Start, ThreadAnnotated
from agentlog.domain.json.values import JsonValue, object_of
from agentlog.domain.messages import CustomMessage, LlmRequestMessage, SystemMessage
from agentlog.projections.difference import state_difference
from agentlog.projections.residue import METADATA_KEY
from agentlog.projections.view import Item, Options, Placed, StateView

_OF_THREADS = frozenset({"model", "tools", "temperature", "response_format", "parallel_tool_calls"})
"""Metadata of a thread that tells of its requests; other names may mean anything there."""
_OF_REQUESTS = _OF_THREADS.union(
    (
        "max_tokens max_completion_tokens max_output_tokens top_p top_k seed stop stop_sequences "
        "frequency_penalty presence_penalty stream tool_choice reasoning reasoning_effort thinking "
        "text generationConfig toolConfig inferenceConfig additionalModelRequestFields"
    ).split()
)
"""Fields of the requests that imports keep, beside messages and what has no part in the answer."""
REQUEST_TYPE = "agentlog.request"
"""The type of messages that hold what stands beside the conversation of a request: all of it."""


@dataclass(slots=True)
class RequestCarry:
    """What each source says, by the names on record; the later ones overrule the earlier ones.

    `thread` is the thread's metadata, `imported` the requests of imports or the last one of a
    recorder, `asked` the last `llm_request`. Immutable by convention.
    """

    thread: Item = field(default_factory=dict)
    imported: Item = field(default_factory=dict)
    asked: Item = field(default_factory=dict)


class RequestView(StateView[RequestCarry, Options]):
    """A state: model, tools and parameters, each null where it is not on record."""

    name: ClassVar[str] = "request"
    carry_format: ClassVar[int] = 2
    options_type = Options
    carry_type = RequestCarry

    @override
    def start(self) -> RequestCarry:
        return RequestCarry()

    @override
    def fold(self, carry: RequestCarry, event: Event) -> tuple[RequestCarry, Sequence[Placed]]:
        message = event.message
        # not `match`, as in the view `openai`: most messages are none of these
        if type(message) is LlmRequestMessage:
            beside = {"type", "id", "timestamp"}
            asked = message.model_dump(by_alias=False, exclude=beside, exclude_none=True)
            return RequestCarry(carry.thread, carry.imported, asked), ()
        if isinstance(message, Start | ThreadAnnotated):
            thread = _merge(carry.thread, message.metadata, _OF_THREADS)
            return RequestCarry(thread, carry.imported, carry.asked), ()
        if type(message) is CustomMessage:
            if message.type == REQUEST_TYPE:
                whole = object_of(message.payload)
                return RequestCarry(carry.thread, _merge({}, whole, whole), carry.asked), ()
            if message.type.endswith((".request", "openai.record")):
                return self._import(carry, message.payload), ()
        if type(message) is SystemMessage and METADATA_KEY in (event.metadata or {}):
            # an import keeps the request with its system prompt, as the prompt's residue
            match event.metadata[METADATA_KEY]:
                case {"anthropic": [{"set": request}, *_]}:
                    return self._import(carry, request), ()
                case _:
                    pass
        return carry, ()

    @override
    def state(self, carry: RequestCarry) -> Item:
        merged = {**carry.thread, **carry.imported, **carry.asked}
        model, tools = merged.pop("model", None), merged.pop("tools", None)
        return {"model": model, "tools": tools, "parameters": merged or None}

    @override
    def patch(self, before: RequestCarry, after: RequestCarry) -> list[JsonValue]:
        return list(state_difference(self.state(before), self.state(after)))

    @staticmethod
    def _import(carry: RequestCarry, request: JsonValue) -> RequestCarry:
        if not isinstance(request, dict):
            return carry
        imported = _merge(carry.imported, request, _OF_REQUESTS)
        return RequestCarry(carry.thread, imported, carry.asked)


def _merge(fields: Item, more: Mapping[str, JsonValue], names: Collection[str]) -> Item:
    """Return fields with those of `more` under these names; a null takes one away."""
    merged = fields | {name: value for name, value in more.items() if name in names}
    return {name: value for name, value in merged.items() if value is not None}
