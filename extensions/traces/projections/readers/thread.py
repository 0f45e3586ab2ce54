"""What a thread has of spans.

The state is pure, and folded from the thread's own events: they say in their metadata, under
`otel`, which turn of a context they begin.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from agentlog.domain.events import Event
from agentlog.domain.facts import Fact, ThreadAnnotated, ThreadStarted
from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonValue, array_of, object_at, objects_of, text_at
from agentlog.domain.messages import (
    CustomMessage,
    Message,
    ReasoningMessage,
    RuntimeErrorMessage,
    SystemMessage,
    ToolCallsMessage,
    ToolResultsMessage,
)
from agentlog.extensions.traces.projections.readers.calls import Calls, arguments_of
from agentlog.extensions.traces.projections.readers.contexts import Contexts
from agentlog.extensions.traces.projections.readers.drafts import METADATA
from agentlog.extensions.traces.projections.readers.runs.parts import Runs
from agentlog.extensions.traces.projections.readers.runs.run import WIRE
from agentlog.extensions.traces.projections.readers.span import LOG, OTEL, SPAN, hexadecimal
from agentlog.extensions.traces.projections.readers.turns import Role
from agentlog.projections.call_texts import arguments_value, value_text
from agentlog.projections.readers.draft import Draft
from agentlog.projections.view import Item

_WIRES = (OTEL, WIRE)

TOLD = "told"
"""The key in a record's metadata, under `METADATA`, of what several signals may tell.

Each has a digest, and the id of the answer under which the record's teller told it.
"""
ASKED = "asked"
"""The key in a record's metadata, under `METADATA`, of the node at which its context ends.

It stands there where no answer follows, which says so by its turn.
"""
CONVERSATION = "conversation"
"""The key of a thread's metadata for the name that its source has for it."""


@dataclass(slots=True)
class SpanThread:
    """What a thread has of spans.

    `records` are the ids of raw records. Of prompts, thoughts, outputs
    of tools and errors only digests are held. `traces` are
    those of which something is there. `told` has for each digest the answers under which each
    teller told it. `conversation` is the name that the thread's metadata has for
    it. `wire` begins the types of messages that the catalogue does not have. `goes_on`: it may be
    fed again, so its messages note what must be known of it then.
    """

    wire: str = OTEL
    goes_on: bool = True
    version: int = 0
    records: set[str] = field(default_factory=set)
    runs: Runs = field(default_factory=Runs)
    calls: Calls = field(default_factory=Calls)
    prompts: set[str] = field(default_factory=set)
    thoughts: set[str] = field(default_factory=set)
    outputs: set[str] = field(default_factory=set)
    errors: set[str] = field(default_factory=set)
    traces: set[str] = field(default_factory=set)
    told: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    conversation: str | None = None
    contexts: Contexts = field(default_factory=Contexts)

    @property
    def size(self) -> int:
        """How many entries it holds."""
        several = (self.prompts, self.thoughts, self.outputs, self.errors, self.traces)
        digests = sum(map(len, several)) + len(self.contexts)
        several_told = len(self.told)
        return (
            len(self.records) + len(self.runs) + len(self.calls.answered) + digests + several_told
        )

    def keep(self, message_id: str, part: Item) -> None:
        """Go on by a raw record, which may be a part of a run."""
        self.records.add(message_id)
        if part:
            self.runs.add(part, message_id)

    def apply(self, event: Event) -> None:
        """Go on by an event of the thread."""
        self.version = event.version
        noted = object_at(event.metadata, METADATA)
        turns = [(str(before), str(digest)) for before, digest in _pairs(noted.get("turns"))]
        for before, digest in turns:
            self.contexts.add(before, digest)
        for teller, pairs in object_at(noted, TOLD).items():
            for pair in _pairs(pairs):
                self.tell(str(pair[0]), teller, str(pair[1]))
        if event.type in {SPAN, LOG} or "run" in noted:
            self.keep(event.message_id, object_at(noted, "run"))
            if (node := text_at(noted, ASKED)) is not None:
                self.contexts.asked.add(node)
            return
        _, trace, span, *_ = [
            *(text_at(event.metadata, "traceparent") or "").split("-"),
            "",
            "",
            "",
        ]
        if trace:
            self.traces.add(trace)
        answered = hexadecimal(text_at(event.metadata, "responseId") or "")[-len(span) :]
        if span and turns and answered == span:
            self.contexts.asked.add(turns[0][0])
        self._apply(event.message, trace)

    def _apply(self, message: Message | Fact | None, trace: str) -> None:
        match message:
            case SystemMessage(text=text):
                self.prompts.add(digest(text))
            case ToolCallsMessage(calls=calls):
                for call in calls:
                    self.calls.ask(call.id, call.name, arguments_value(call))
            case ToolResultsMessage(results=results):
                self.calls.answer(*(result.call_id for result in results))
                self.outputs.update(digest(value_text(result.output)) for result in results)
            case ReasoningMessage(summary=summary):
                self.thoughts.add(digest(summary or ""))
            case CustomMessage(type=custom_type, payload=payload) if custom_type.startswith(_WIRES):
                self.prompts.add(digest(print_text(payload)))
            case RuntimeErrorMessage(error=error):
                self.errors.add(digest(trace + str(error)))
            case ThreadStarted(metadata=metadata) | ThreadAnnotated(metadata=metadata):
                self.conversation = text_at(metadata or {}, CONVERSATION) or self.conversation
            case _:
                pass

    def tell(self, digest: str, teller: str, response_id: str) -> str | None:
        """Go on by what a teller tells; return the answer under which it is there, None if new.

        Of equal things the n-th of each teller is one: nothing else tells them apart, as signals
        have neither ids nor times in common.
        """
        by_teller = self.told.setdefault(digest, {})
        own = by_teller.setdefault(teller, [])
        n = len(own)
        others = (ids[n] for name, ids in by_teller.items() if name != teller and n < len(ids))
        known = next(others, None)
        own.append(response_id if known is None else known)
        return known

    def new_of(self, draft: Draft, role: Role, *, is_answer: bool) -> Draft | None:
        """Return what is new of a message, None if nothing is; go on by it."""
        match draft:
            case {"type": "tool_results", "results": [dict(result)]}:
                call_id = text_at(result, "callId") or self.calls.unnamed(result.get("name"))
                if call_id is None:
                    return draft
                if call_id in self.calls.answered:
                    return None
                self.calls.answer(call_id)
                self.outputs.add(digest(value_text(result.get("output"))))
                return {**draft, "results": [{**result, "callId": call_id}]}
            case {"type": "tool_calls", "calls": calls}:
                fresh: list[JsonValue] = []
                for call in objects_of(calls):
                    if self.calls.is_new(call, is_answer=is_answer):
                        self.calls.ask(str(call["id"]), str(call["name"]), arguments_of(call))
                        fresh.append(call)
                return {**draft, "calls": fresh} if fresh else None
            case {"type": "reasoning", "summary": str(summary)}:
                self.thoughts.add(digest(summary))
                return draft
            case _ if role == "system":
                prompt = digest(text_at(draft, "text") or print_text(draft.get("payload")))
                if prompt in self.prompts:
                    return None
                self.prompts.add(prompt)
                return draft
            case _:
                return draft


def _pairs(value: JsonValue) -> Iterator[Sequence[JsonValue]]:
    return (array_of(pair) for pair in array_of(value))


def folded(events: Iterable[Event]) -> SpanThread:
    """Return what a thread has of spans."""
    thread = SpanThread()
    for event in events:
        thread.apply(event)
    return thread


def digest(text: str) -> str:
    """Return a digest of a text, of which no more is held."""
    return sha256(text.encode()).hexdigest()[:16]
