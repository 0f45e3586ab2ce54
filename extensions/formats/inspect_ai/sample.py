"""A sample of an inspect_ai log: its messages, and its events between them."""

from collections.abc import Iterator, Mapping, Sequence

from agentlog.domain.json.values import JsonValue, object_at, object_of
from agentlog.extensions.formats.inspect_ai.events import KNOWN, read_event, response
from agentlog.extensions.formats.inspect_ai.messages import read_message
from agentlog.extensions.formats.inspect_ai.repeats import Repeats, key_of
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, milliseconds
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.view import Item

_ENDS: Mapping[str, str] = {
    "operator": "user_request",
    "time": "error",
    "working": "error",
    "cost": "error",
}
"""Limits that are none of what the agent did: messages, turns or tokens."""


class Sample:
    """Reads one sample of a log whose other fields are `header`.

    The messages stand in their order, each after the events that came before it. An event of which
    a message came (a model's answer, a tool's result) is that message's own.
    """

    def __init__(self, sample: Fields, header: Item) -> None:
        self._sample = with_attachments(sample)
        self._header = header
        self._reading = Reading("inspect", known=KNOWN)
        self._messages = self._sample.objects("messages")
        self._events = list(_flat(self._taken_events(), f"{sample.place}.events"))
        self._pool = self._taken_pool()
        items = [message.item for message in self._messages]
        self._repeats = Repeats(self._sample.item, items, self._pool)

    def read(self) -> Reading:
        """Return the sample's messages."""
        sample, reading = self._sample, self._reading
        started = _first_time([sample.item.get("started_at"), *map(_timestamp, self._events[:1])])
        header = Fields(self._header, "")
        reading.add({**started, "type": "inspect.eval", "payload": header.item})
        own, between = self._matched()
        last = [event.item.get("completed") or _timestamp(event) for event in self._events[-1:]]
        ends = _first_time([sample.item.get("completed_at"), *last])
        times = _times(own, len(self._messages), ends)
        for number, message in enumerate(self._messages):
            for event in between.get(number, ()):
                self._add_event(event)
            self._add_message(message, number, own.get(number), times[number])
        for event in between.get(len(self._messages), ()):
            self._add_event(event)
        self._end(ends)
        return reading

    def _taken_events(self) -> list[JsonValue]:
        """Take the events; old logs have them in the transcript."""
        for key in ("events", "transcript"):
            match self._sample.item.get(key):
                case list(events):
                    self._sample.take(key)
                    return events
                case {"events": list(events)}:
                    (self._sample.inner(key) or self._sample).take("events")
                    return events
                case _:
                    continue
        return []

    def _taken_pool(self) -> list[JsonValue]:
        """Take the messages that model events refer to by their place."""
        match self._sample.item:
            case {"events_data": {"messages": list(pool)} as data}:
                rest = {key: value for key, value in object_of(data).items() if key != "messages"}
                self._sample.put("events_data", rest if any(rest.values()) else None)
                return pool
            case {"message_pool": list(pool)}:
                self._sample.take("message_pool")
                return pool
            case _:
                return []

    def _matched(self) -> tuple[Mapping[int, Fields], Mapping[int, Sequence[Fields]]]:
        """Return the event of each message, and the others by the message that follows them."""
        answers: dict[bytes, list[int]] = {}
        results: dict[str, list[int]] = {}
        for number, message in enumerate(self._messages):
            answers.setdefault(key_of(message.item), []).append(number)
            if message.item.get("role") == "tool":
                results.setdefault(str(message.item.get("tool_call_id")), []).append(number)
        own: dict[int, Fields] = {}
        between: dict[int, list[Fields]] = {}
        reached = 0
        for event in self._events:
            match event.item:
                case {"event": "model", "output": {"choices": [{"message": dict(made)}, *_]}}:
                    numbers = answers.get(key_of(made))
                case {"event": "tool", "id": str(call_id)}:
                    numbers = results.get(call_id)
                case _:
                    numbers = None
            if not numbers:
                between.setdefault(reached, []).append(event)
                continue
            number = numbers.pop(0)
            own[number] = event
            reached = max(reached, number + 1)
        return own, between

    def _add_message(self, message: Fields, number: int, event: Fields | None, at: Draft) -> None:
        of_draft = dict(at)
        if message.item.get("role") == "assistant":
            of_draft["metadata"] = {"responseId": str(message.item.get("id") or f"answer-{number}")}
        entry = Entry(self._reading, message, **of_draft)
        if event is None:
            read_message(entry, message, None, None)
            return
        event = self._repeats.left_of(event, message.item)
        answer = response(event) if event.item["event"] == "model" else None
        read_message(entry, message, event, answer)

    def _add_event(self, event: Fields) -> None:
        entry = Entry(self._reading, **_first_time([_timestamp(event)]))
        read_event(entry, self._repeats.left_of(event, None))

    def _end(self, ends: Draft) -> None:
        """Add what ended the sample, and what else the log has of it."""
        sample, reading = self._sample, self._reading
        entry = Entry(reading, **ends)
        ended: Draft = {"type": "exit", "reason": "complete"}
        match sample.item.get("limit"):
            case {"type": str(kind)}:
                ended = {**ended, "reason": _ENDS.get(kind, "step_limit"), "message": kind}
            case _:
                pass
        match sample.item.get("error"):
            case {"message": str(text)}:
                ended = {**ended, "reason": "error"}
                error = Fields(sample.take("error"), f"{sample.place}.error")
                error.take("message")
                entry.add({"type": "runtime_error", "error": text}, error)
            case _:
                pass
        given = sample.item.get("input")
        sample.take("input")
        if not isinstance(given, str):
            unseen = self._repeats.unseen(given) if isinstance(given, list) else given
            sample.put("input", unseen)
        if unseen := self._repeats.unseen(self._pool):
            sample.put("events_data.messages", unseen)
        sample.put("output", self._repeats.without_message(sample.item.get("output")))
        left: Item = {
            key: value for key, value in sample.left().items() if value not in ([], {}, None)
        }
        reading.note(sample, left)
        entry.keep(Fields(left, sample.place), "sample", is_known=True)
        entry.add(ended)


def _flat(events: Sequence[JsonValue], place: str) -> Iterator[Fields]:
    """Yield events, each before those inside it."""
    for number, given in enumerate(events):
        event = Fields(given, f"{place}[{number}]")
        yield event
        inside = event.item.get("events")
        if isinstance(inside, list):
            yield from _flat(inside, f"{event.place}.events")


def _timestamp(event: Fields) -> JsonValue:
    return event.item.get("timestamp")


def _first_time(times: Sequence[JsonValue]) -> Draft:
    first = next((at for time in times if (at := milliseconds(time)) is not None), None)
    return {} if first is None else {"timestamp": first}


def _times(own: Mapping[int, Fields], count: int, ends: Draft) -> Sequence[Draft]:
    """Return the time of each message: of its event's end, else the next one's beginning."""
    times, following = [ends] * count, ends
    for number in reversed(range(count)):
        event = own.get(number)
        if event is None:
            times[number] = following
            continue
        started = [_timestamp(event)]
        times[number] = _first_time([event.item.get("completed"), *started])
        following = _first_time(started)
    return times


_PREFIXES = ("attachment://", "tc://")


def with_attachments(sample: Fields) -> Fields:
    """Return the sample with the texts that it keeps apart in their places."""
    rest, transcript = dict(sample.item), dict(object_at(sample.item, "transcript"))
    texts = object_of(rest.pop("attachments", None))
    if not texts and not sample.item.get("attachments"):  # old logs have them in the transcript
        texts = object_of(transcript.pop("content", None))
        rest["transcript"] = transcript
    if not texts:
        return sample
    used: set[str] = set()
    whole = Fields(_replaced(rest, texts, used), sample.place)
    if unused := {key: text for key, text in texts.items() if key not in used}:
        whole.put("attachments", unused)
    return whole


def _replaced(value: JsonValue, texts: Mapping[str, JsonValue], used: set[str]) -> JsonValue:
    match value:
        case str() if value.startswith(_PREFIXES):
            key = value.partition("://")[2]
            if isinstance(texts.get(key), str):
                used.add(key)
                return texts[key]
            return value
        case list():
            return [_replaced(item, texts, used) for item in value]
        case dict():
            return {key: _replaced(inner, texts, used) for key, inner in value.items()}
        case _:
            return value
