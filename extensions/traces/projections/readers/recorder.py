"""Spans as messages of a thread: what each adds to what the thread has.

It is the same for the live endpoint and for a file, whose thread begins empty.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import JsonValue, object_at, objects_of, text_at
from agentlog.extensions.traces.projections.readers.calls import arguments_of
from agentlog.extensions.traces.projections.readers.contexts import path_of
from agentlog.extensions.traces.projections.readers.drafts import UNBOUNDED, Writing, joined
from agentlog.extensions.traces.projections.readers.message_reader import MessageReader
from agentlog.extensions.traces.projections.readers.span import Span, ToolRun, hexadecimal
from agentlog.extensions.traces.projections.readers.thread import ASKED, SpanThread, digest
from agentlog.extensions.traces.projections.readers.turns import (
    NewTurns,
    Turn,
    add_new,
    call_id_of,
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


@dataclass(frozen=True, slots=True)
class _Context:
    """The node at which a context ends, and whether it was asked before, in another trace."""

    node: str
    is_asked_again: bool = False


class _Recorder:
    def __init__(self, thread: SpanThread, spans: Sequence[Span], reader: MessageReader) -> None:
        self._thread = thread
        self._calls = thread.calls
        self._contexts = thread.contexts
        self._wire = thread.wire
        self.reader = reader
        has_tools = any(span.tool is not None for span in spans)
        self._sent = _results_in(spans, reader) if has_tools else {}

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
        match span.kind:
            case "chat":
                self._take_chat(span, writing)
            case "tool" if span.tool is not None:
                self._take_tool(span, span.tool, writing)
            case "agent" if not self._contexts:  # else its model calls told all of it
                context = self._take_context(span, writing)
                self._take_outputs(span, writing, context)
            case _:
                pass
        if span.kind != "tool" and span.error is not None:
            failure = digest(span.trace_id + span.error)
            if failure not in self._thread.errors:  # a span fails by the failure of one within it
                self._thread.errors.add(failure)
                writing.add({"type": "runtime_error", "error": span.error}, at=span.end)
        return writing.drafts

    def _take_chat(self, span: Span, writing: Writing) -> None:
        context = self._take_context(span, writing)
        if not span.is_log:
            writing.add({"type": "llm_request", **span.request}, at=span.begin)
            if (response := _response(span, self.reader)) is not None:
                writing.add(response, at=span.end, response_id=span.span_id)
        self._take_outputs(span, writing, context)

    def _take_outputs(self, span: Span, writing: Writing, context: "_Context") -> None:
        new: list[NewTurns] = []
        node, is_noted = context.node, False
        for turn in self.reader.turns(span.outputs, is_answer=True):
            before, node = node, path_of([turn.digest], begin=node)[-1]
            is_known = node in self._contexts and not self._calls.asks_anew(turn)
            if context.is_asked_again or not is_known:
                self._contexts.add(before, turn.digest)
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

    def _take_context(self, span: Span, writing: Writing) -> "_Context":
        """Add what is new of a context.

        A request in another trace that says nothing new asks the last question again, if another
        one asked it before; else it is the one that a later request told of, and came late.
        """
        inputs = list(self._calls.in_context(self.reader.turns(span.inputs)))
        path = [turn for turn in inputs if _is_of_context(turn)]
        digests = [turn.digest for turn in path]
        nodes = path_of(digests)
        begin = self._contexts.known(digests)
        old = range(0)
        if span.is_log and not digests:
            return _Context(self._contexts.last)
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
            if _is_of_context(turn):
                n += 1
                if (n < begin or n in old) and not self._calls.asks_anew(turn, answered):
                    continue
                before = nodes[n]
                self._contexts.add(before, digests[n])
            add_new(new, turn, before)
        for n, turns in enumerate(new):
            self._say(turns, writing, at=span.begin, response_id=f"{span.span_id}-{n}")
        return _Context(nodes[-1], is_asked_again=is_asked_again)

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
        call_id = tool.call_id or self._calls.open_of(tool.name, tool.arguments) or span.span_id
        if call_id not in self._calls:
            call: Item = {"id": call_id, **call_fields(tool.name, tool.arguments)}
            self._calls.ask(call_id, tool.name, arguments_of(call))
            writing.add({"type": "tool_calls", "calls": [call]}, at=span.begin)
        if call_id in self._calls.answered:
            return
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


def _response(span: Span, reader: MessageReader) -> Draft | None:
    """Return the answer of a model, None if the call failed without any."""
    in_messages = reader.response(span.outputs)
    usage = {**object_at(in_messages, "usage"), **object_at(span.response, "usage")}
    if span.error is not None and not (span.outputs or usage):
        return None
    response: Draft = {"type": "llm_response", **in_messages, **span.response}
    if usage:
        response["usage"] = usage
    if span.begin is not None and span.end is not None and span.end >= span.begin:
        response["latencyMs"] = span.end - span.begin
    return response


def _results_in(spans: Iterable[Span], reader: MessageReader) -> dict[str, Item]:
    """Return the results that models were sent, by the ids of their calls, each but one."""
    sent: dict[str, Item] = {}
    several: set[str] = set()
    turns = (turn for span in spans for turn in reader.turns(span.inputs) if turn.role == "tool")
    for turn in turns:
        (result,) = objects_of(turn.drafts[0]["results"])
        call_id = text_at(result, "callId")
        if call_id is None:
            continue
        if sent.setdefault(call_id, result)["output"] != result["output"]:
            several.add(call_id)
    return {call_id: result for call_id, result in sent.items() if call_id not in several}


def _is_of_context(turn: Turn) -> bool:
    """Return whether a turn takes part in a context; of results only those without an id."""
    if turn.role == "tool":
        return call_id_of(turn.drafts[0]) is None
    return turn.role != "system"
