"""Spans as messages of a thread: what each adds to what the thread has.

It is the same for the live endpoint and for a file, whose thread begins empty.
"""

from collections.abc import Sequence

from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import JsonValue
from agentlog.extensions.traces.projections.readers.calls import arguments_of
from agentlog.extensions.traces.projections.readers.contexts import ContextEnd, path_of
from agentlog.extensions.traces.projections.readers.drafts import UNBOUNDED, Writing, joined
from agentlog.extensions.traces.projections.readers.message_reader import (
    MessageReader,
    answer_of,
    figures_digest,
    results_in,
)
from agentlog.extensions.traces.projections.readers.span import Span, ToolRun, hexadecimal
from agentlog.extensions.traces.projections.readers.thread import ASKED, TOLD, SpanThread, digest
from agentlog.extensions.traces.projections.readers.turns import (
    NewTurns,
    Turn,
    add_new,
    call_id_of,
    is_of_context,
    is_thought,
)
from agentlog.extensions.traces.projections.readers.unread import note_unread
from agentlog.projections.call_texts import call_fields, value_text
from agentlog.projections.outcomes.suspicion import suspicions
from agentlog.projections.readers.draft import Draft
from agentlog.projections.view import Item


def recorded(
    thread: SpanThread,
    spans: Sequence[Span],
    *,
    most: int = UNBOUNDED,
    reader: MessageReader | None = None,
) -> list[Draft]:
    """Return the messages that spans add to a thread, which goes on by them.

    They are none if the spans were here before.

    Raises:
        TooManyAdded: they are more than `most`; then the thread has gone on by some of them.
    """
    recorder = _Recorder(thread, spans, reader or MessageReader(thread.wire))
    drafts: list[Draft] = []
    records: dict[int, Draft] = {}
    for n, span in enumerate(spans):
        added = recorder.record(span, most - len(drafts))
        if added:
            records[n] = added[0]
        drafts += added
    note_unread(thread, spans, records, recorder.reader)
    thread.version += len(drafts)
    return drafts


class _Recorder:
    def __init__(self, thread: SpanThread, spans: Sequence[Span], reader: MessageReader) -> None:
        self._thread = thread
        self._calls = thread.calls
        self._contexts = thread.contexts
        self._wire = thread.wire
        self.reader = reader
        has_tools = any(span.tool is not None for span in spans)
        self._sent = results_in(spans, reader) if has_tools else {}
        tools = [span.tool for span in spans if span.kind == "event"]
        self._events = {tool.call_id: tool for tool in tools if tool is not None}
        self._answer: tuple[int | None, str] = (None, "")  # when an event told the last, its id
        self._told: list[JsonValue] = []
        self._turns: list[JsonValue] = []

    def record(self, span: Span, most: int) -> list[Draft]:
        """Return the messages that a span adds."""
        goes_on = self._thread.goes_on
        writing = Writing(span, wire=self._wire, most=most, goes_on=goes_on)
        for name, record in span.records.items():
            message_id = derived_message_id(self._wire, span.trace_id, name)
            if message_id not in self._thread.records:
                self._thread.keep(message_id, span.part)
                writing.add_record(message_id, record)
        if not writing.drafts:
            return []
        self._told, self._turns = [], []
        self._take(span, writing)
        if self._told:
            writing.note(TOLD, {span.teller: self._told})
        if self._turns:
            writing.note("turns", self._turns)
        return writing.drafts

    def _take(self, span: Span, writing: Writing) -> None:
        match span.kind:
            case "chat":
                self._take_chat(span, writing)
            case "tool" if span.tool is not None:
                self._take_tool(span, span.tool, writing)
            case "event":
                self._take_event(span, writing)
            case "agent" if not self._contexts:  # else its model calls told all of it
                context = self._take_context(span, writing)
                self._take_outputs(span, writing, context)
            case _:
                pass
        if span.kind not in {"tool", "event"} and span.error is not None:
            failure = digest(span.trace_id + span.error)
            if failure not in self._thread.errors:  # a span fails by the failure of one within it
                self._thread.errors.add(failure)
                if self._tell(digest(span.error), span) is None:
                    writing.add({"type": "runtime_error", "error": span.error}, at=span.end)

    def _tell(self, key: str, span: Span, response_id: str = "") -> str | None:
        """Return the answer under which another signal told a thing; None if it is new."""
        if not span.teller:
            return None
        known = self._thread.tell(key, span.teller, response_id)
        self._told.append([key, response_id if known is None else known])
        return known

    def _is_there(self, turn: Turn, span: Span, before: str | None) -> bool:
        """Return whether another signal told a turn; its place in a context is noted then."""
        is_said = turn.role in {"user", "assistant"} and not turn.call_ids
        if not is_said or self._tell(turn.digest, span) is None:
            return False
        if before is not None:
            self._turns.append([before, turn.digest])
        return True

    def _take_event(self, span: Span, writing: Writing) -> None:
        """Add what an event of an agent tells by itself, where no other signal did."""
        at, response_id = span.end, next(iter(span.records))
        if self._answer[0] == at:  # an answer and its figures are written at once
            response_id = self._answer[1]
        for messages, is_answer in ((span.inputs, False), (span.outputs, True)):
            new: list[NewTurns] = []
            for turn in self.reader.turns(messages, is_answer=is_answer):
                if not self._is_there(turn, span, None):
                    add_new(new, turn, None)
            for listed in new:
                self._say(listed, writing, at=at, response_id=response_id, is_answer=is_answer)
        response = answer_of(span, self.reader)
        if response is not None and "usage" in response:
            known = self._tell(figures_digest(response), span, response_id)
            self._answer = at, known or response_id
            if known is None or "costUsd" in response:
                writing.add(response, at=at, response_id=known or response_id)
        if span.tool is not None:
            self._take_tool(span, span.tool, writing)
        elif span.error is not None and self._tell(digest(span.error), span) is None:
            writing.add({"type": "runtime_error", "error": span.error}, at=at)

    def _take_chat(self, span: Span, writing: Writing) -> None:
        context = self._take_context(span, writing)
        response = None if span.is_log else answer_of(span, self.reader)
        figures = figures_digest(response) if response is not None and "usage" in response else ""
        is_there = figures != "" and self._tell(figures, span, span.span_id) is not None
        if not (span.is_log or is_there):
            writing.add({"type": "llm_request", **span.request}, at=span.begin)
            if response is not None:
                writing.add(response, at=span.end, response_id=span.span_id)
        self._take_outputs(span, writing, context)

    def _take_outputs(self, span: Span, writing: Writing, context: ContextEnd) -> None:
        new: list[NewTurns] = []
        node, is_noted = context.node, False
        for turn in self.reader.turns(span.outputs, is_answer=True):
            before, node = node, path_of([turn.digest], begin=node)[-1]
            is_known = node in self._contexts and not self._calls.asks_anew(turn)
            if context.is_asked_again or not is_known:
                self._contexts.add(before, turn.digest)
                if self._is_there(turn, span, before):
                    continue
                add_new(new, turn, before)
                is_noted |= before == context.node  # by its turn
            else:  # a later request told of it, mostly without its thoughts
                for draft in filter(is_thought, turn.drafts):
                    if digest(str(draft["summary"])) not in self._thread.thoughts:
                        self._thread.thoughts.add(digest(str(draft["summary"])))
                        writing.add(draft, at=span.end, response_id=span.span_id)
        if not is_noted and context.node:
            writing.note(ASKED, context.node)
        for turns in new:
            self._say(turns, writing, at=span.end, response_id=span.span_id, is_answer=True)

    def _take_context(self, span: Span, writing: Writing) -> ContextEnd:
        """Add what is new of a context.

        A request in another trace that says nothing new asks the last question again, if another
        one asked it before; else it is the one that a later request told of, and came late.
        """
        inputs = list(self._calls.in_context(self.reader.turns(span.inputs)))
        path = [turn for turn in inputs if is_of_context(turn)]
        digests = [turn.digest for turn in path]
        nodes = path_of(digests)
        begin = self._contexts.known(digests)
        old = range(0)
        if span.is_log and not digests:
            return ContextEnd(self._contexts.last)
        trace = hexadecimal(span.trace_id)
        is_new = trace not in self._thread.traces and not (span.is_log and not trace)
        is_asked_again = is_new and 0 < begin == len(digests) and nodes[-1] in self._contexts.asked
        self._thread.traces.add(trace)
        self._contexts.asked.add(nodes[-1])
        if is_asked_again:
            while begin and path[begin - 1].role == "user":
                begin -= 1
        elif begin < len(digests) and not span.is_delta and self._contexts.goes_on(nodes[begin]):
            old = self._rewrite(digests, nodes, begin, span, writing)
        writing.expect(len(digests) - begin - len(old))
        results = {call_id_of(turn.drafts[0]) for turn in inputs if turn.role == "tool"}
        answered = {call_id for call_id in results if call_id is not None}
        new: list[NewTurns] = []
        n = -1
        for turn in inputs:
            before = None
            if is_of_context(turn):
                n += 1
                if (n < begin or n in old) and not self._calls.asks_anew(turn, answered):
                    continue
                before = nodes[n]
                self._contexts.add(before, digests[n])
            if not self._is_there(turn, span, before):
                add_new(new, turn, before)
        for n, turns in enumerate(new):
            self._say(turns, writing, at=span.begin, response_id=f"{span.span_id}-{n}")
        return ContextEnd(nodes[-1], is_asked_again=is_asked_again)

    def _rewrite(
        self,
        digests: Sequence[str],
        nodes: Sequence[str],
        begin: int,
        span: Span,
        writing: Writing,
    ) -> range:
        """Note that a context forks after `begin` turns; return those that are there already."""
        overlap = self._contexts.overlap(digests[begin:])
        old = range(0) if overlap is None else range(begin + overlap.begin, begin + overlap.end)
        payload: Item = {"kept": begin, "repeated": len(old), "turns": [*digests]}
        turns: list[JsonValue] = [[nodes[n], digests[n]] for n in old]
        for n in old:
            self._contexts.add(nodes[n], digests[n])
        draft: Draft = {"type": f"{self._wire}.context_rewritten", "payload": payload}
        writing.add(draft, at=span.begin, turns=self._noted(turns))
        return old

    def _say(
        self,
        new: NewTurns,
        writing: Writing,
        *,
        at: int | None,
        response_id: str,
        is_answer: bool = False,
    ) -> None:
        """Add the messages of turns but for calls, results and prompts that are there."""
        turns = self._noted(new.nodes)
        calls = f"{writing.span.span_id}-{len(writing.drafts)}"
        for draft in joined(new.drafts, calls=calls):
            kept = self._thread.new_of(draft, new.role, is_answer=is_answer)
            if kept is not None:
                response = response_id if new.role == "assistant" else None
                writing.add(kept, at=at, turns=turns, response_id=response)
                turns = []
        if turns:  # a message must say that the turn is there
            payload: Item = {"role": new.role, "messages": [*new.drafts]}
            writing.add({"type": f"{self._wire}.message", "payload": payload}, at=at, turns=turns)

    def _noted(self, turns: list[JsonValue]) -> list[JsonValue]:
        """Return the turns that a message notes: those of a thread that may be fed again."""
        return turns if self._thread.goes_on else []

    def _take_tool(self, span: Span, tool: ToolRun, writing: Writing) -> None:
        """Add a tool's run: its result as a model was sent it, as far as that is known."""
        tool = tool.beside(self._events.get(tool.call_id))
        call_id = tool.call_id or self._calls.open_of(tool.name, tool.arguments) or span.span_id
        if call_id not in self._calls:
            call: Item = {"id": call_id, **call_fields(tool.name, tool.arguments)}
            self._calls.ask(call_id, tool.name, arguments_of(call))
            writing.add({"type": "tool_calls", "calls": [call]}, at=span.begin)
        is_told_later = span.kind == "event" and span.trace_id != "" and tool.result is None
        if call_id in self._calls.answered or (is_told_later and tool.error is None):
            return  # by the span of the tool: a trace has spans
        self._calls.answer(call_id)
        result: Item = {"callId": call_id, "name": tool.name, "output": tool.result}
        result |= self._sent.get(call_id, {})
        self._thread.outputs.add(digest(value_text(result["output"])))
        error = span.error or tool.error or result.get("error")
        _, failure_text = suspicions(result["output"])
        if error is not None or (span.end is not None and failure_text is None):
            result["error"] = error  # a span's end does not contradict what its output tells
        wires: Item | None = None
        if error is not None and result["output"] is not None:
            # what the model was given, where the view would show the error
            wires = {"openai": [{"set": {"content": value_text(result["output"])}}]}
        writing.add({"type": "tool_results", "results": [result]}, at=span.end, wires=wires)
