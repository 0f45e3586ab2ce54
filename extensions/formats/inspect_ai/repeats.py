"""What an inspect_ai sample says more than once: messages, in events and in the state.

A copy is left out only where it equals a message in every field, but for those that are null; any
other is kept whole, the first time it is told so.
"""

from collections.abc import Iterator, Sequence

from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import (
    JsonValue,
    array_of,
    object_of,
    objects_of,
    text_at,
    texts_of,
)
from agentlog.projections.readers.fields import Fields
from agentlog.projections.view import Item


class Repeats:
    """Finds what of a sample's events its messages, or the events before, have already.

    `pool` are messages that model events refer to by their place.
    """

    def __init__(self, sample: Item, messages: Sequence[Item], pool: Sequence[JsonValue]) -> None:
        self._sample = sample
        self._pool, self._pool_seen = pool, set[int]()
        self._seen = {_whole(message) for message in messages}
        self._before: Item = {}
        self._output: JsonValue = None
        self._arguments = dict(_asked(messages))

    def left_of(self, event: Fields, made: Item | None) -> Fields:
        """Return an event without what the messages or the events before it have already.

        `made` is the message that came of it.
        """
        left: Item = {key: value for key, value in event.item.items() if value is not None}
        if isinstance(left.get("events"), list):
            del left["events"]  # each is read by itself
        kind = left.get("event")
        if kind == "model":
            self._output = event.item.get("output")
            self._take_input(left)
            for key in ("tools", "tool_choice", "config"):
                if key in left and self._before.get(key) == left[key]:
                    del left[key]
            self._before |= left
            if made is not None:
                left["output"] = self.without_message(left.get("output"))
        elif kind == "tool" and made is not None:
            repeated = {**made, "result": made.get("content"), "message_id": made.get("id")}
            repeated |= {"id": left["id"], "arguments": self._arguments.get(str(left["id"]))}
            left = {key: value for key, value in left.items() if repeated.get(key) != value}
        elif kind == "state" and isinstance(left.get("changes"), list):
            left["changes"] = [self._left_of_change(change) for change in array_of(left["changes"])]
        elif kind == "sample_init":
            left["state"] = self._unseen_in(left.get("state"))
            if _is_part(left.get("sample"), self._sample):
                del left["sample"]
        return Fields({k: v for k, v in left.items() if v not in ([], {}, None)}, event.place)

    def _take_input(self, event: Item) -> None:
        """Leave only unseen messages in the input of a model event, unless it is malformed."""
        refs, listed = event.get("input_refs", []), event.get("input", [])
        if not isinstance(refs, list) or not isinstance(listed, list):
            return
        ranges = [place for ref in refs if (place := self._range(ref)) is not None]
        if len(ranges) < len(refs):
            return
        event.pop("input_refs", None)
        numbers = {number for place in ranges for number in place}
        new = sorted(numbers - self._pool_seen)
        self._pool_seen.update(new)
        event["input"] = self.unseen([*(self._pool[number] for number in new), *listed])

    def _range(self, ref: JsonValue) -> range | None:
        match ref:
            case [int(start), int(end)] if 0 <= start <= end <= len(self._pool):
                return range(start, end)
            case _:
                return None

    def unseen(self, messages: Sequence[JsonValue]) -> list[JsonValue]:
        """Return messages that were not seen yet, which are seen from now on."""
        fresh: list[JsonValue] = []
        for message in messages:
            key = _whole(message)
            if key not in self._seen:
                self._seen.add(key)
                fresh.append(message)
        return fresh

    def _unseen_in(self, state: JsonValue) -> JsonValue:
        messages = object_of(state).get("messages")
        if not isinstance(messages, list):
            return state
        left: Item = {**object_of(state), "messages": self.unseen(messages)}
        return {key: value for key, value in left.items() if value not in ([], {}, None)}

    def _left_of_change(self, change: JsonValue) -> JsonValue:
        """Return a change of the state, without a value that repeats messages or an output."""
        fields = object_of(change)
        path, value = text_at(fields, "path") or "", fields.get("value")
        if "value" not in fields:
            return change
        if path.startswith("/messages"):
            messages = value if isinstance(value, list) else [value]
            repeats = all(_whole(message) in self._seen for message in messages)
        else:
            is_output = path.startswith("/output")
            repeats = is_output and value == _at(self._output, path.split("/")[2:])
        others = {key: item for key, item in fields.items() if key not in ("path", "value")}
        return {**others, "path": path} if repeats else change

    def without_message(self, output: JsonValue) -> JsonValue:
        """Return a model's output without its message and the text of it, if it was seen."""
        left = dict(object_of(output))
        choices = array_of(left.pop("choices", None))
        choice = dict(object_of(choices[0])) if choices else {}
        if "message" not in choice or "stop_reason" in left:
            return output
        message = choice.pop("message")
        if self.unseen([message]):
            return output
        if left.get("completion", "") in ("", _text(message)):
            left.pop("completion", None)
        if choice.keys() - {"stop_reason"} or choices[1:]:
            left["choices"] = [choice, *choices[1:]]
        return {**left, "stop_reason": choice.get("stop_reason")}


def _asked(messages: Sequence[Item]) -> Iterator[tuple[str, JsonValue]]:
    """Yield the calls in messages: their ids and arguments."""
    for message in messages:
        for call in objects_of(message.get("tool_calls")):
            if isinstance(call_id := call.get("id"), str) and "arguments" in call:
                yield call_id, call["arguments"]


def key_of(message: JsonValue) -> bytes:
    """Return what a message and the answer that it came of have in common."""
    if not isinstance(message, dict):
        return print_bytes(message)
    compared = {key: message.get(key) for key in ("role", "content", "tool_calls", "tool_call_id")}
    return print_bytes(compared, sort_keys=True)


def _whole(message: JsonValue) -> bytes:
    if isinstance(message, dict):
        message = {key: value for key, value in message.items() if value is not None}
    return print_bytes(message, sort_keys=True)


def _text(message: JsonValue) -> JsonValue:
    """Return the text of a message, as inspect_ai makes the `completion` of it."""
    content = object_of(message).get("content")
    if not isinstance(content, list):
        return content
    parts = [part for part in objects_of(content) if part.get("type") == "text"]
    return "\n".join(texts_of([part.get("text") for part in parts]))


def _at(value: JsonValue, path: Sequence[str]) -> JsonValue:
    """Return the value at the path of a JSON patch, None where there is none."""
    for key in path:
        match value:
            case dict():
                value = value.get(key)
            case list() if key.isdecimal() and int(key) < len(value):
                value = value[int(key)]
            case _:
                return None
    return value


def _is_part(part: JsonValue, whole: Item) -> bool:
    return isinstance(part, dict) and all(whole.get(key) == part[key] for key in part)
