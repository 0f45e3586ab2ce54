"""A thread as spans of OpenTelemetry's GenAI conventions.

One span for the whole (`invoke_agent`), within it one for each answer of a model and each request
that failed (`chat`), and each result of a tool (`execute_tool`). Which belong together, and what
failed, is as `outcomes.pairs` says. Ids derive from thread and message, so a second export has the
same. Spans are objects as `traces.projections.readers.span` describes them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from agentlog.domain.events import Event
from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonValue, array_of, object_of
from agentlog.domain.messages import (
    ExitMessage,
    InputMessage,
    KernelMessage,
    LlmRequestMessage,
    LlmResponseMessage,
    ReasoningMessage,
    ReplyMessage,
    RuntimeErrorMessage,
    SystemMessage,
    ToolCall,
    ToolCallsMessage,
    ToolResult,
    ToolResultsMessage,
)
from agentlog.extensions.traces.projections.export.attributes import (
    call_part,
    digest,
    rank_of,
    request_attributes,
    response_attributes,
    text_part,
    without_nulls,
)
from agentlog.projections.call_texts import arguments_value, error_text, value_text
from agentlog.projections.outcomes.pairs import (
    MOST_OPEN,
    Answer,
    Open,
    answers_in,
    asks_in,
    identity_of,
)
from agentlog.projections.view import Item

INTERNAL, CLIENT = 1, 3
_ERROR: Item = {"code": 2}
_FIGURES = ("gen_ai.usage.", "gen_ai.response.finish_reasons")


def spans_of(thread_id: str, events: Iterable[Event]) -> list[Item]:
    """Return the spans of a thread, the whole first; none for a thread without messages."""
    spans = _Spans(thread_id)
    for event in events:
        if isinstance(event.message, KernelMessage):
            spans.take(event, event.message)
    return spans.finished()


@dataclass(slots=True)
class _Spans:
    thread_id: str
    spans: list[Item] = field(default_factory=list)
    history: list[JsonValue] = field(default_factory=list)
    requests: Open[LlmRequestMessage] = field(default_factory=Open)
    request: LlmRequestMessage | None = None
    response: LlmResponseMessage | None = None
    response_id: str | None = None
    answer: list[JsonValue] = field(default_factory=list)
    answer_id: str = ""
    answer_times: tuple[int, int] = (0, 0)
    calls: Open[tuple[int, ToolCall]] = field(default_factory=Open)
    times: list[int] = field(default_factory=list)
    events: list[JsonValue] = field(default_factory=list)
    error: str | None = None
    answers: dict[str, tuple[Item, Item]] = field(default_factory=dict)

    def take(self, event: Event, message: KernelMessage) -> None:
        """Go on by a message."""
        if event.type.startswith("otel."):  # spans of others, and what they said beside
            return
        at = message.timestamp
        self.times.append(at)
        match message:
            case ReplyMessage(text=text):
                self._answer(event, message, [{"type": "text", "content": text}])
            case ReasoningMessage(title=title, summary=summary):
                content = f"{title}\n{summary}" if title else summary
                self._answer(event, message, [{"type": "reasoning", "content": content}])
            case ToolCallsMessage(calls=calls):
                self._answer(event, message, [call_part(call) for call in calls])
                self.calls = self.calls.ask(asks_in(event), [(at, call) for call in calls])
            case LlmResponseMessage() if (span := self._told_before(event)) is not None:
                figures = response_attributes(message)
                if rank_of(figures) >= rank_of(span):
                    span |= {key: figures[key] for key in figures if key.startswith(_FIGURES)}
            case LlmResponseMessage():
                is_after = bool(self.answer) and self.response is None
                if not is_after:
                    self._end_answer()
                self.response, self.request = message, self._request_of(event)
                self.response_id = identity_of(event)
                if is_after:  # it comes after what it is about
                    self._end_answer()
            case _:
                self._end_answer()
                self._take_other(event, message)

    def _take_other(self, event: Event, message: KernelMessage) -> None:
        match message:
            case LlmRequestMessage():
                self.request = message
                requests = self.requests.ask(asks_in(event), [message])
                _, self.requests = requests.within(MOST_OPEN["model"])
            case SystemMessage(text=text):
                self._say("system", [{"type": "text", "content": text}])
            case InputMessage(text=text, files=files):
                parts: list[JsonValue] = [] if text is None else [text_part(text)]
                parts += [
                    {"type": "blob", "mime_type": file.mime_type, "content": file.data}
                    for file in files or ()
                ]
                self._say("user", parts)
            case ToolResultsMessage(results=results):
                for n, (result, answer) in enumerate(zip(results, answers_in(event), strict=True)):
                    self._take_result(message, result, answer, n)
            case _:
                if isinstance(message, RuntimeErrorMessage):
                    self.error = message.error
                    self._fail(self._request_of(event), message)
                if isinstance(message, ExitMessage) and message.reason == "error":
                    self.error = message.message or "error"
                at = message.timestamp * 1_000_000
                name = f"agentlog.{event.type}"
                self.events.append({"name": name, "timeUnixNano": at, "attributes": {}})

    def finished(self) -> list[Item]:
        """Return the spans."""
        self._end_answer()
        if not self.times:
            return []
        name, times = f"invoke_agent {self.thread_id}", (min(self.times), max(self.times))
        attributes: Item = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": self.thread_id,
        }
        whole = self._span(name, "", times, INTERNAL, attributes, error=self.error)
        del whole["parentSpanId"]
        if self.events:
            whole["events"] = self.events
        return [whole, *self.spans]

    def _say(self, role: str, parts: Sequence[JsonValue]) -> None:
        self.history.append({"role": role, "parts": list(parts)})

    def _answer(self, event: Event, message: KernelMessage, parts: Sequence[JsonValue]) -> None:
        at, identity = message.timestamp, identity_of(event)
        if not self.answer and identity != self.response_id and identity in self.answers:
            span, output = self.answers[identity]  # more of an answer whose figures came before
            output["parts"] = [*array_of(output["parts"]), *parts]
            span["gen_ai.output.messages"] = print_text([output])
            return
        if not self.answer:
            self.answer_id = message.id
            self.answer_times = at, at
        self.answer_times = self.answer_times[0], at
        self.answer += parts

    def _told_before(self, event: Event) -> Item | None:
        """Return the attributes of the answer whose figures a response tells again, if it does."""
        if self.requests.asks:
            return None
        identity = identity_of(event)
        if identity is not None and self.response is not None and identity == self.response_id:
            self._end_answer()
        return self.answers[identity][0] if identity in self.answers else None

    def _request_of(self, event: Event) -> LlmRequestMessage | None:
        """Return the request that an event ends; it is open no longer."""
        (answer,) = answers_in(event)
        _, requests = self.requests.within(MOST_OPEN["model"])
        request, self.requests = requests.answer(answer)
        return request

    def _end_answer(self) -> None:
        """Add the span of an answer, if there is one: it ends with the response, if there is one.

        An answer without a response has the latest request beside it, which stays open.
        """
        request, response, answer = self.request, self.response, self.answer
        if response is None and not answer:
            return
        begin, end = self.answer_times
        if response is not None:
            end = response.timestamp
            begin = end - round(response.latency_ms or 0)
        if request is not None:
            begin = request.timestamp
        attributes = self._chat(request, response)
        if answer:
            message: Item = {"role": "assistant", "parts": answer}
            attributes["gen_ai.output.messages"] = print_text([message])
            self.history.append(message)
        else:
            message = {"role": "assistant", "parts": []}
        key = self.answer_id if response is None else response.id
        self._add_chat(key, (begin, end), attributes)
        if response is not None and self.response_id is not None:
            self.answers[self.response_id] = object_of(self.spans[-1]["attributes"]), message
        self.request, self.response, self.answer, self.response_id = None, None, [], None

    def _fail(self, request: LlmRequestMessage | None, error: RuntimeErrorMessage) -> None:
        if request is not None:
            times = request.timestamp, error.timestamp
            self._add_chat(request.id, times, self._chat(request, None), error=error.error)
            self.request = None if self.request is request else self.request

    def _chat(self, request: LlmRequestMessage | None, response: LlmResponseMessage | None) -> Item:
        requested = None if request is None else request.model
        model = requested or (None if response is None else response.model)
        return {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "_OTHER",
            **without_nulls({"gen_ai.request.model": model}),
            "gen_ai.input.messages": print_text(self.history),
            **request_attributes(request),
            **response_attributes(response),
        }

    def _add_chat(
        self, key: str, times: tuple[int, int], attributes: Item, *, error: str | None = None
    ) -> None:
        model = attributes.get("gen_ai.request.model")
        name = "chat" if model is None else f"chat {model}"
        self.spans.append(self._span(name, key, times, CLIENT, attributes, error=error))

    def _take_result(
        self, message: ToolResultsMessage, result: ToolResult, answer: Answer, number: int
    ) -> None:
        call_id = result.call_id
        known, self.calls = self.calls.answer(answer)
        begin, call = known or (message.timestamp, None)
        name = (result.name if call is None else call.name) or "unknown"
        attributes: Item = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.result": value_text(result.output),
        }
        if call_id is not None:
            attributes["gen_ai.tool.call.id"] = call_id
        if call is not None:
            attributes["gen_ai.tool.call.arguments"] = print_text(arguments_value(call))
        error = None if result.error is None else error_text(result.error)  # not what is only told
        key, times = f"{message.id} {number}", (begin, message.timestamp)
        span = self._span(f"execute_tool {name}", key, times, INTERNAL, attributes, error=error)
        self.spans.append(span)
        response: Item = {"type": "tool_call_response", "id": call_id, "response": result.output}
        self._say("tool", [response])

    def _span(  # noqa: PLR0913 - what a span has
        self,
        name: str,
        key: str,
        times: tuple[int, int],
        kind: int,
        attributes: Item,
        *,
        error: str | None = None,
    ) -> Item:
        conversation: Item = {"gen_ai.conversation.id": self.thread_id}
        span: Item = {
            "traceId": digest("trace", self.thread_id)[:32],
            "spanId": digest("span", self.thread_id, key)[:16],
            "parentSpanId": digest("span", self.thread_id, "")[:16],
            "name": name,
            "kind": kind,
            "startTimeUnixNano": min(times) * 1_000_000,
            "endTimeUnixNano": times[1] * 1_000_000,
            "attributes": {**conversation, **attributes},
        }
        if error is not None:
            span["attributes"] = {**conversation, **attributes, "error.type": "_OTHER"}
            span["status"] = {**_ERROR, "message": error}
        return span
