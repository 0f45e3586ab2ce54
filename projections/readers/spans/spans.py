"""One thread of many spans: what models were given and gave back, calls of tools, and the rest.

Each request tells the history again; only what the thread has not is added. A message is there if
it equals one of the thread, after those that came before it in the request; calls and results are
there if their call id is. What differs all the same stays beside the answer, under `history`;
what is left of the answer's own messages, under `answer`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.text import JsonValue
from agentlog.projections.readers.draft import Draft, Unmapped
from agentlog.projections.readers.fields import Fields
from agentlog.projections.readers.messages.blocks import UNNAMED, answer_unnamed
from agentlog.projections.readers.messages.genai import decoded
from agentlog.projections.readers.reading import Reading
from agentlog.projections.readers.spans.messages_before import MessagesBefore
from agentlog.projections.readers.spans.nested_messages import KNOWN, find_messages, read_said
from agentlog.projections.residue import METADATA_KEY
from agentlog.projections.view import Item

_DEEPEST = 200


@dataclass(frozen=True, slots=True)
class Span:
    """A step of a run; what is not taken of its `row` stays beside its messages.

    `given` and `gave` are the names of the fields of `row` with its input and output. `request` and
    `response` are fields of `llm_request` and `llm_response`. `type` is what its source calls it,
    for spans without a message. `has_ended` says that it ended well if there is no `error`. Times
    are milliseconds since the epoch.
    """

    row: Fields
    id: str
    trace: str
    parent: str | None
    kind: Literal["model", "tool", "other"]
    type: str
    name: str
    given: str
    gave: str
    start: int | None = None
    end: int | None = None
    request: Mapping[str, JsonValue] = field(default_factory=dict)
    response: Mapping[str, JsonValue] = field(default_factory=dict)
    error: str | None = None
    has_ended: bool = False
    call_id: str | None = None
    is_known: bool = True


def read_spans(wire: str, spans: Iterable[Span], *, known: Iterable[str]) -> Reading:
    """Return the messages of a thread's spans, those of each trace in the order of their start.

    `known` are fields that are kept beside their message as a matter of course. A span that is told
    twice the same is one.
    """
    tree: dict[tuple[str, str], Span] = {}
    several: list[Span] = []
    for span in spans:
        other = tree.get((span.trace, span.id))
        if other is None or other.row.item != span.row.item:
            several.append(span)
            tree[span.trace, span.id] = span
    in_order = _ordered(several, tree)
    around_models, failed_below = set[tuple[str, str]](), set[tuple[str, str]]()
    for span in in_order:
        for above in _above(tree, span):
            if span.kind == "model":
                around_models.add((above.trace, above.id))
            if span.error is not None:
                failed_below.add((above.trace, above.id))
    thread = _Thread(wire, KNOWN | {"answer"} | frozenset(known))
    for span in in_order:
        place = (span.trace, span.id)
        if span.kind == "model" and place not in around_models:
            thread.add_model(span)
        elif span.kind == "tool":
            thread.add_tool(span)
        else:
            thread.keep(span, has_failed=span.error is not None and place not in failed_below)
    answer_unnamed(thread.reading.drafts)
    return thread.reading


def _ordered(spans: Sequence[Span], tree: Mapping[tuple[str, str], Span]) -> list[Span]:
    """Return spans by the start of their trace, then by their own; parents before children."""
    starts: dict[str, int] = {}
    traces: dict[str, int] = {}
    for span in spans:
        traces.setdefault(span.trace, len(traces))
        if span.start is not None:
            starts[span.trace] = min(span.start, starts.get(span.trace, span.start))

    def place(span: Span) -> tuple[int, int, int, int]:
        first = starts.get(span.trace, 0)
        start = first if span.start is None else span.start
        return first, traces[span.trace], start, len(_above(tree, span))

    return sorted(spans, key=place)


def _above(tree: Mapping[tuple[str, str], Span], span: Span) -> list[Span]:
    """Return the spans that a span is in, the nearest first; a circle ends at some depth."""
    read: list[Span] = []
    above = tree.get((span.trace, span.parent or ""))
    while above is not None and len(read) < _DEEPEST:
        read.append(above)
        above = tree.get((above.trace, above.parent or ""))
    return read


class _Thread:
    """The messages of a thread so far, by what they say."""

    def __init__(self, wire: str, known: frozenset[str]) -> None:
        self.reading = Reading(wire, known=known)
        self._known = known
        self._before = MessagesBefore()
        self._traces: set[str] = set()
        self._counts = Counter[tuple[str, str]]()  # messages of each span

    def add_model(self, span: Span) -> None:
        """Add what is new in a request, the request, and the answer."""
        row = span.row
        self._add_history(span)
        answer = self._read(span, span.gave, "reply", span.id)
        responses = [draft for draft, _ in answer if draft["type"] == "llm_response"]
        response: Draft = {key: response[key] for response in responses for key in response}
        usage = {**response.get("usage", {}), **span.response.get("usage", {})}
        response = {**response, **span.response, **({"usage": usage} if usage else {})}
        if beside := list(self._beside(responses, response)):
            row.put("answer", beside)
        if span.start is not None and span.end is not None and span.end >= span.start:
            response["latencyMs"] = span.end - span.start
        metadata = {"metadata": {"responseId": span.id}}
        request = {"type": "llm_request", **span.request}
        if answer or span.error is None:
            self._add(span, request, span.start)
            self._add(span, {**response, "type": "llm_response", **metadata}, span.end, row)
        else:
            self._add(span, request, span.start, row)
        for draft, unmapped in answer:
            self.reading.unmapped += unmapped
            if draft["type"] != "llm_response":
                wire = draft.get("metadata", {}).get(METADATA_KEY)
                kept = {} if wire is None else {METADATA_KEY: wire}
                self._say(span, {**draft, "metadata": {"responseId": span.id, **kept}}, span.end)
        if span.error is not None:
            self._add(span, {"type": "runtime_error", "error": span.error}, span.end)

    def add_tool(self, span: Span) -> None:
        """Add the result of a call, and the call where no model asked for it."""
        row = span.row
        answer = find_messages(row.item.get(span.gave), f"{row.place}.{span.gave}")
        part = Reading(self.reading.wire, known=self._known)
        for message in answer.messages if answer is not None else ():
            read_said(part, message, response_id=None)
        result: Item = {}
        match part.drafts:
            case [{"type": "tool_results", "results": [dict(only)]} as draft] if answer:
                result = only
                self.reading.unmapped += part.unmapped
                row.take(span.gave)
                around = (fields.left() for fields in answer.around)
                if left := [*self._beside([draft], {}), *filter(None, around)]:
                    row.put(span.gave, left[0] if len(left) == 1 else left)
            case _:
                result["output"] = _alone(row.take(span.gave))
        args = _alone(decoded(row.item.get(span.given)))
        call_id = span.call_id or result.get("callId") or self._before.asked_for(span.name, args)
        if call_id is None or call_id not in self._before.open:
            if call_id is not None and self._before.has_result(call_id):
                self.keep(span, has_failed=False)
                return
            call_id = call_id or span.id
            call = {"id": call_id, "name": span.name, "args": args}
            row.take(span.given)
            self._say(span, {"type": "tool_calls", "calls": [call]}, span.start)
        elif args == self._before.open[call_id].get("args"):
            row.take(span.given)
        if result.get("callId", call_id) != call_id:
            row.put("tool_call_id", result["callId"])
        result = {"name": self._before.open[call_id]["name"], **result, "callId": call_id}
        if span.error is not None:
            result["error"] = span.error
        elif span.has_ended:
            result.setdefault("error", None)
        self._say(span, {"type": "tool_results", "results": [result]}, span.end, row)

    def keep(self, span: Span, *, has_failed: bool) -> None:
        """Add a span as a message of its own type, and the error that began in it."""
        self.reading.keep(
            span.row, span.type, is_known=span.is_known, of_draft=self._own(span, span.start)
        )
        if has_failed:
            self._add(span, {"type": "runtime_error", "error": span.error}, span.end)

    def _add_history(self, span: Span) -> None:
        read, is_new = self._read(span, span.given, "input", None), False
        differing: Item = {}
        self._before.begin()
        for n, (draft, unmapped) in enumerate(read):
            at = self._before.find(draft)
            if at is None:
                is_new = True
                self.reading.unmapped += unmapped
                self._say(span, draft, span.start)
                continue
            if changed := self._before.differing(draft, at):
                differing[str(n)] = changed
        if not is_new and span.trace not in self._traces:  # the same is asked once more
            asked = [draft for draft, _ in read]
            while asked and asked[-1]["type"] == "input":
                asked.pop()
            for draft, _ in read[len(asked) :]:
                self._say(span, draft, span.start)
        self._traces.add(span.trace)
        if differing:
            span.row.put("history", differing)

    def _read(
        self, span: Span, key: str, says: str, response_id: str | None
    ) -> list[tuple[Draft, list[Unmapped]]]:
        """Take the messages in a field of a span; each with what is not known of it.

        A text alone is what `says` names. What else there is stays in the row.
        """
        row = span.row
        value, place = row.item.get(key), f"{row.place}.{key}"
        nested = find_messages(value, place)
        if nested is None:
            if value in (None, "", {}, []):
                return []
            row.take(key)
            text = _alone(value)
            if isinstance(text, str):
                return [({"type": says, "text": text}, [])]
            part = Reading(self.reading.wire)
            part.keep(Fields({key: value}, place), key)
            return [(part.drafts[0], part.unmapped)]
        row.take(key)
        around = [fields.left() for fields in nested.around]
        if any(around):
            row.put(key, around[0] if len(around) == 1 else around)
        groups: list[tuple[Draft, list[Unmapped]]] = []
        for message in nested.messages:
            part = Reading(self.reading.wire, known=self._known)
            read_said(part, message, response_id=response_id)
            unmapped = [part.unmapped, *([] for _ in part.drafts)]
            groups += zip(part.drafts, unmapped, strict=False)
        return groups

    def _beside(self, drafts: Iterable[Draft], response: Draft) -> Iterator[Item]:
        """Yield what is left of the messages of drafts, and a finish reason that is not `said`."""
        for draft in drafts:
            if wire := draft.get("metadata", {}).get(METADATA_KEY):
                yield wire[self.reading.wire][0]["set"]
            reason = draft.get("finishReason")
            if reason != response.get("finishReason", reason):
                yield {"finish_reason": reason}

    def _say(self, span: Span, draft: Draft, time: int | None, *kept: Fields) -> None:
        """Add a message that later requests may tell again."""
        match draft:
            case {"calls": [{"id": str(call_id)} as call]} if call_id.startswith(UNNAMED):
                # its place is another in the next export of the same span
                own_id = f"{UNNAMED}{span.id}.{self._counts[span.trace, span.id]}"
                draft = {**draft, "calls": [{**call, "id": own_id}]}
            case _:
                pass
        self._before.add(draft)
        self._add(span, draft, time, *kept)

    def _add(self, span: Span, draft: Draft, time: int | None, *kept: Fields) -> None:
        self.reading.add({**draft, **self._own(span, time)}, *kept)

    def _own(self, span: Span, time: int | None) -> Draft:
        self._counts[span.trace, span.id] += 1
        count = self._counts[span.trace, span.id]
        own: Draft = {"id": derived_message_id(span.trace, span.id, count)}
        time = span.start if time is None else time
        return own if time is None else {**own, "timestamp": time}


def _alone(value: JsonValue) -> JsonValue:
    """Return what an object has under its only key `input` or `output`, else the value itself."""
    match value:
        case {"input": inner, **rest} | {"output": inner, **rest} if not rest:
            return inner
        case _:
            return value
