"""Messages of spans as turns, whichever API they are of."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from typing_extensions import override

from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue, object_at, objects_of, text_at
from agentlog.extensions.traces.projections.nested_messages import KNOWN, ROLES, read_message
from agentlog.extensions.traces.projections.readers.span import Span
from agentlog.extensions.traces.projections.readers.thread import digest
from agentlog.extensions.traces.projections.readers.turns import Role, Turn, is_thought, turns_of
from agentlog.projections.readers.draft import Draft, Unmapped
from agentlog.projections.readers.fields import Fields
from agentlog.projections.readers.messages import gemini
from agentlog.projections.readers.messages.calls import RESULT_ROLES
from agentlog.projections.readers.reading import Reading
from agentlog.projections.view import Item

_ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "assistant": "assistant",
    "model": "assistant",
    "tool": "tool",
}
_ROLES_OF_TYPES: Mapping[JsonValue, Role] = {
    "input": "user",
    "reasoning": "assistant",
    "reply": "assistant",
    "system": "system",
    "tool_calls": "assistant",
}
_MOST_BYTES = 4 * 2**20
"""How much of messages a reader holds, as JSON."""
_HIDDEN = (".reasoning", ".redacted_thinking", ".thinking")
"""How the types of thoughts end that have no text."""


@dataclass(frozen=True, slots=True)
class _Message:
    turns: Sequence[Turn]
    response: Draft
    size: int


class _Drafts(Reading):
    """Messages without what they have no field for: the record of their span has it."""

    @override
    def add(self, draft: Draft, *kept: Fields, parts: Sequence[Fields] = ()) -> None:
        self.drafts.append(draft)


@dataclass(slots=True)
class MessageReader:
    """Reads the messages of spans as turns; one that is told again is read once.

    That halves the work of the endpoint, whose requests tell the history again. What it does not
    know of them goes to `unmapped`, if that is given; `place` is where the span stands.
    """

    wire: str
    place: str = ""
    unmapped: list[Unmapped] | None = None
    _read: OrderedDict[bytes, _Message] = field(default_factory=OrderedDict)
    _size: int = 0

    def note(self, span: Span, place: str) -> None:
        """Read the messages of a span at a place once, for what is not known of them."""
        self.place = place
        for messages, is_answer in ((span.inputs, False), (span.outputs, True)):
            list(self.turns(messages, is_answer=is_answer))

    def turns(self, messages: Iterable[Item], *, is_answer: bool = False) -> Iterator[Turn]:
        """Yield the turns of messages: of each its results by themselves, then the rest.

        An answer is the assistant's, whatever role it has or lacks.
        """
        thoughts: tuple[Draft, ...] = ()
        for message in messages:
            for turn in self._message(message, is_answer=is_answer).turns:
                if turn.role == "assistant" and all(map(is_thought, turn.drafts)):
                    thoughts += turn.drafts
                elif thoughts and turn.role == "assistant":
                    yield Turn("assistant", (*thoughts, *turn.drafts))
                    thoughts = ()
                else:
                    yield turn
        if thoughts:
            yield Turn("assistant", thoughts)

    def response(self, messages: Iterable[Item]) -> Draft:
        """Return what answers say of themselves: fields of `llm_response`."""
        response: Draft = {}
        for message in messages:
            response |= self._message(message, is_answer=True).response
        return response

    def _message(self, message: Item, *, is_answer: bool) -> _Message:
        printed = print_bytes(message)
        key = b"answer" + printed if is_answer else printed
        read = self._read.get(key)
        if read is not None:
            self._read.move_to_end(key)
            return read
        read = self._read[key] = self._new(message, len(printed), is_answer=is_answer)
        self._size += read.size
        while self._size > _MOST_BYTES and len(self._read) > 1:
            _, oldest = self._read.popitem(last=False)
            self._size -= oldest.size
        return read

    def _new(self, message: Item, size: int, *, is_answer: bool) -> _Message:
        notes = self.unmapped is not None
        reading = Reading(self.wire, known=KNOWN) if notes else _Drafts(self.wire)
        message = _with_role(message, is_answer=is_answer)
        read_message(reading, Fields(message, ""), response_id="" if is_answer else None)
        if self.unmapped is not None:
            for part in reading.unmapped:
                place = f"{self.place}.{part.place}".strip(".")
                self.unmapped.append(Unmapped(place, part.what))
        response: Draft = {}
        drafts: list[Draft] = []
        for draft in reading.drafts:
            content = {key: value for key, value in draft.items() if key not in ("id", "metadata")}
            if draft["type"] == "llm_response":
                response |= content
            elif not _is_blank(content):
                drafts.append(content)
        response.pop("type", None)
        role: Role = _ROLES.get(text_at(message, "role") or "", "user")
        for draft in reversed(drafts):
            role = _ROLES_OF_TYPES.get(draft["type"], role)
        return _Message(list(turns_of(drafts, role)), response, size)


def _with_role(message: Item, *, is_answer: bool) -> Item:
    """Return a message with a role that its reader knows; those that have a type need none."""
    role = message.get("role")
    if "type" in message and role is None:
        return message
    is_known = isinstance(role, str) and role in ROLES
    if is_answer and role not in RESULT_ROLES:
        return {**message, "role": "model" if gemini.is_content(message) else "assistant"}
    if role == "model" and not gemini.is_content(message):
        return {**message, "role": "assistant"}
    return message if is_known else {**message, "role": "user"}


def _is_blank(draft: Draft) -> bool:
    match draft:
        case {"type": "input" | "system" | "reply", "text": "", **others} if not others:
            return True
        case {"type": str(kind), "payload": _}:
            return kind.endswith(_HIDDEN)
        case _:
            return False


def figures_digest(response: Draft) -> str:
    """Return a digest of the tokens of an answer, which all signals of an agent count alike."""
    usage = object_at(response, "usage")
    return digest(f"{usage.get('inputTokens')} {usage.get('outputTokens')}")


def answer_of(span: Span, reader: MessageReader) -> Draft | None:
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


def results_in(spans: Iterable[Span], reader: MessageReader) -> dict[str, Item]:
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
