"""A thread fed by spans: what it has of them, and the messages that a span adds.

Both are pure. The state is folded from the thread's own events: they say in their metadata, under
`otel`, which turn of a context they begin.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from agentlog.domain.events import Event
from agentlog.domain.facts import ThreadAnnotated, ThreadStarted
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.text import print_text
from agentlog.domain.messages import (
    CustomMessage,
    RuntimeErrorMessage,
    SystemMessage,
    ToolCallsMessage,
    ToolResultsMessage,
)
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.spans.otlp.calls import Calls
from agentlog.projections.readers.spans.otlp.contexts import Contexts, path_of
from agentlog.projections.readers.spans.otlp.drafts import (
    METADATA,
    UNBOUNDED,
    Writing,
    call_of,
    drafts_of,
    result_of,
)
from agentlog.projections.readers.spans.otlp.span import GenAISpan, ToolRun
from agentlog.projections.readers.spans.otlp.turns import (
    NewTurns,
    Turn,
    add_new,
    call_id_of,
    turns_of,
)
from agentlog.projections.text_format import value_text
from agentlog.projections.view import Item

SPAN, LOG, REWRITTEN, MESSAGE = (
    "otel.span",
    "otel.log",
    "otel.context_rewritten",
    "otel.message",
)
CONVERSATION = "conversation"
"""The key of a thread's metadata for the name that its source has for it."""


@dataclass(slots=True)
class SpanThread:
    """What a thread has of spans.

    `records` are the ids of raw records. Of prompts and errors only digests are held.
    `conversation` is the name that the thread's metadata has for it.
    """

    version: int = 0
    records: set[str] = field(default_factory=set)
    calls: Calls = field(default_factory=Calls)
    systems: set[str] = field(default_factory=set)
    errors: set[str] = field(default_factory=set)
    conversation: str | None = None
    contexts: Contexts = field(default_factory=Contexts)

    @property
    def size(self) -> int:
        """How many entries it holds."""
        digests = len(self.systems) + len(self.errors) + len(self.contexts)
        return len(self.records) + len(self.calls.answered) + digests

    def apply(self, event: Event) -> None:
        """Go on by an event of the thread."""
        self.version = event.version
        if event.type in {SPAN, LOG}:
            self.records.add(event.message_id)
            return
        match event.metadata.get(METADATA):
            case {"turns": list(turns)}:
                for turn in turns:
                    self.contexts.add(*turn)
            case _:
                pass
        match event.message:
            case SystemMessage(text=text):
                self.systems.add(_digest(text))
            case ToolCallsMessage(calls=calls):
                self.calls.ask((call.id, call.name) for call in calls)
            case ToolResultsMessage(results=results):
                self.calls.answer(result.call_id for result in results)
            case CustomMessage(type="otel.part", payload={"role": "system", **part}):
                self.systems.add(_digest(print_text(part)))
            case RuntimeErrorMessage(error=error):
                self.errors.add(_digest(str(event.metadata.get("traceparent"))[3:35] + error))
            case ThreadStarted(metadata=metadata) | ThreadAnnotated(metadata=metadata):
                named = (metadata or {}).get(CONVERSATION)
                self.conversation = named if isinstance(named, str) else self.conversation
            case _:
                pass

    def take(self, spans: Sequence[GenAISpan], *, most: int = UNBOUNDED) -> list[Draft]:
        """Return the messages that spans add, and go on by them; none if they were here before.

        Raises:
            TooManyAdded: they are more than `most`; then this has gone on by some of them.
        """
        sent = _results_in(spans) if any(span.tool is not None for span in spans) else {}
        drafts: list[Draft] = []
        for span in spans:
            drafts += self._take(span, sent, most - len(drafts))
        self.version += len(drafts)
        return drafts

    def _take(self, span: GenAISpan, sent: Mapping[str, Item], most: int) -> list[Draft]:
        writing = Writing(span, most=most)
        for name, record in span.records.items():
            message_id = derived_message_id("otel", span.trace_id, name)
            if message_id not in self.records:
                writing.expect(1)
                self.records.add(message_id)
                kind = LOG if span.is_log else SPAN
                raw = {"id": message_id, "timestamp": span.end, "type": kind, "payload": record}
                writing.drafts.append(raw)
        if not writing.drafts:
            return []
        match span.kind:
            case "chat":
                self._take_chat(span, writing)
            case "tool" if span.tool is not None:
                self._take_tool(span, span.tool, sent, writing)
            case "agent" if not self.contexts:  # else its model calls told all of it
                self._take_outputs(span, writing, self._take_context(span, writing))
            case _:
                pass
        if span.kind != "tool" and span.error is not None:
            digest = _digest(span.trace_id + span.error)
            if digest not in self.errors:  # a span fails by the failure of one within it
                self.errors.add(digest)
                writing.add({"type": "runtime_error", "error": span.error}, at=span.end)
        return writing.drafts

    def _take_chat(self, span: GenAISpan, writing: Writing) -> None:
        node = self._take_context(span, writing)
        if not span.is_log:
            response: Draft = {"type": "llm_response", **span.response}
            writing.add({"type": "llm_request", **span.request}, at=span.begin)
            writing.add(response, at=span.end, response_id=span.span_id)
        self._take_outputs(span, writing, node)

    def _take_outputs(self, span: GenAISpan, writing: Writing, node: str) -> None:
        new: list[NewTurns] = []
        for turn in turns_of(span.outputs, is_answer=True):
            before, node = node, path_of([turn.digest], begin=node)[-1]
            if node not in self.contexts or self.calls.asks_anew(turn):
                self.contexts.add(before, turn.digest)
                add_new(new, turn, before)
        for turns in new:
            self._say(turns, writing, at=span.end, response_id=span.span_id)

    def _take_context(self, span: GenAISpan, writing: Writing) -> str:
        """Add what is new of a context; return its last node."""
        inputs = list(self.calls.with_known_ids(turns_of(span.inputs)))
        digests = [turn.digest for turn in inputs if _is_of_context(turn)]
        nodes = path_of(digests)
        begin = self.contexts.known(digests)
        old = range(0)
        if span.is_log and not digests:
            return self.contexts.last
        if begin < len(digests) and self.contexts.goes_on(nodes[begin]):
            old = self._rewrite(digests, nodes, begin, span, writing)
        writing.expect(len(digests) - begin - len(old))
        results = {call_id_of(turn.parts[0]) for turn in inputs if turn.role == "tool"}
        new: list[NewTurns] = []
        n = -1
        for turn in inputs:
            before = None
            if _is_of_context(turn):
                n += 1
                if (n < begin or n in old) and not self.calls.asks_anew(turn, results):
                    continue
                before = nodes[n]
                self.contexts.add(before, digests[n])
            add_new(new, turn, before)
        for n, turns in enumerate(new):
            self._say(turns, writing, at=span.begin, response_id=f"{span.span_id}-{n}")
        return nodes[-1]

    def _rewrite(
        self,
        digests: Sequence[str],
        nodes: Sequence[str],
        begin: int,
        span: GenAISpan,
        writing: Writing,
    ) -> range:
        """Note that a context forks after `begin` turns; return those that are there already."""
        overlap = self.contexts.overlap(digests[begin:])
        old = range(0) if overlap is None else range(begin + overlap.begin, begin + overlap.end)
        draft: Draft = {
            "type": REWRITTEN,
            "payload": {"kept": begin, "repeated": len(old), "turns": list(digests)},
        }
        turns = [[nodes[n], digests[n]] for n in old]
        for before, digest in turns:
            self.contexts.add(before, digest)
        writing.add(draft, at=span.begin, turns=turns)
        return old

    def _say(self, new: NewTurns, writing: Writing, *, at: int, response_id: str) -> None:
        """Add the messages of turns but for calls, results and prompts that are there."""
        turn, turns = Turn(new.role, tuple(new.parts)), new.nodes
        calls = f"{writing.span.span_id}-{len(writing.drafts)}"
        for draft in drafts_of(turn, calls=calls):
            kept = self._new(draft)
            if kept is not None:
                response = response_id if turn.role == "assistant" else None
                writing.add(kept, at=at, turns=turns, response_id=response)
                turns = []
        if turns:  # a message must say that the turn is there
            message = {"role": turn.role, "parts": list(turn.parts)}
            writing.add({"type": MESSAGE, "payload": message}, at=at, turns=turns)

    def _new(self, draft: Draft) -> Draft | None:
        """Return what is new of a message, None if nothing is; go on by it."""
        match draft:
            case {"type": "system", "text": str(text)}:
                digest = _digest(text)
                if digest in self.systems:
                    return None
                self.systems.add(digest)
            case {"type": "tool_results", "results": [dict(result)]}:
                call_id = result.get("callId")
                if call_id in self.calls.answered:
                    return None
                self.calls.answer([call_id])
            case {"type": "tool_calls", "calls": list(calls)}:
                fresh = [call for call in calls if call["id"] not in self.calls]
                self.calls.ask((call["id"], call["name"]) for call in fresh)
                return {**draft, "calls": fresh} if fresh else None
            case {"type": "otel.part", "payload": {"role": "system", **part}}:
                return self._new({"type": "system", "text": print_text(part)}) and draft
            case _:
                pass
        return draft

    def _take_tool(
        self, span: GenAISpan, tool: ToolRun, sent: Mapping[str, Item], writing: Writing
    ) -> None:
        """Add a tool's run: its result as a model was sent it, as far as that is known."""
        call_id = tool.call_id or self.calls.first_open(tool.name) or span.span_id
        if call_id not in self.calls:
            part = {"name": tool.name, "arguments": tool.arguments}
            call = call_of(part, call_id=call_id)
            self.calls.ask([(call_id, tool.name)])
            writing.add({"type": "tool_calls", "calls": [call]}, at=span.begin)
        if call_id in self.calls.answered:
            return
        self.calls.answer([call_id])
        result: Item = {"callId": call_id, "name": tool.name, "output": tool.result}
        if call_id in sent:
            result |= result_of(sent[call_id])
        result["error"] = span.error or tool.error
        wire = None
        if result["error"] is not None and result["output"] is not None:
            # what the model was given, where the view would show the error
            wire = {"openai": [{"set": {"content": value_text(result["output"])}}]}
        writing.add({"type": "tool_results", "results": [result]}, at=span.end, wire=wire)


def folded(events: Iterable[Event]) -> SpanThread:
    """Return what a thread has of spans."""
    thread = SpanThread()
    for event in events:
        thread.apply(event)
    return thread


def _results_in(spans: Iterable[GenAISpan]) -> dict[str, Item]:
    """Return the results that models were sent, by the ids of their calls."""
    turns = (turn for span in spans for turn in turns_of(span.inputs))
    results = (turn.parts[0] for turn in turns if turn.role == "tool")
    return {call_id: part for part in results if (call_id := call_id_of(part)) is not None}


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def _is_of_context(turn: Turn) -> bool:
    """Return whether a turn takes part in a context; of results only those without an id."""
    if turn.role == "tool":
        return call_id_of(turn.parts[0]) is None
    return turn.role != "system"
