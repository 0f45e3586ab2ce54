"""What an inspect_ai sample says more than once: messages, in events and in the state.

A copy is left out only where it equals a message in every field, but for those that are null; any
other is kept whole, the first time it is told so.
"""

from collections.abc import Iterator, Sequence

from agentlog.domain.json.text import JsonValue, print_bytes
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
        left = {key: value for key, value in event.item.items() if value is not None}
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
            repeated |= {"id": left["id"], "arguments": self._arguments.get(left["id"])}
            left = {key: value for key, value in left.items() if repeated.get(key) != value}
        elif kind == "state" and isinstance(left.get("changes"), list):
            left["changes"] = [self._left_of_change(change) for change in left["changes"]]
        elif kind == "sample_init":
            left["state"] = self._unseen_in(left.get("state"))
            if _is_part(left.get("sample"), self._sample):
                del left["sample"]
        return Fields({k: v for k, v in left.items() if v not in ([], {}, None)}, event.place)

    def _take_input(self, event: Item) -> None:
        """Leave only unseen messages in the input of a model event, unless it is malformed."""
        ranges, listed = event.get("input_refs", []), event.get("input", [])
        if not isinstance(listed, list) or not self._are_ranges(ranges):
            return
        event.pop("input_refs", None)
        numbers = {number for start, end in ranges for number in range(start, end)}
        new = sorted(numbers - self._pool_seen)
        self._pool_seen.update(new)
        event["input"] = self.unseen([*(self._pool[number] for number in new), *listed])

    def _are_ranges(self, refs: JsonValue) -> bool:
        def is_range(value: JsonValue) -> bool:
            match value:
                case [int(start), int(end)]:
                    return 0 <= start <= end <= len(self._pool)
                case _:
                    return False

        return isinstance(refs, list) and all(map(is_range, refs))

    def unseen(self, messages: Sequence[JsonValue]) -> list[JsonValue]:
        """Return messages that were not seen yet, which are seen from now on."""
        fresh = []
        for message in messages:
            key = _whole(message)
            if key not in self._seen:
                self._seen.add(key)
                fresh.append(message)
        return fresh

    def _unseen_in(self, state: JsonValue) -> JsonValue:
        if not isinstance(state, dict) or not isinstance(state.get("messages"), list):
            return state
        left = {**state, "messages": self.unseen(state["messages"])}
        return {key: value for key, value in left.items() if value not in ([], {}, None)}

    def _left_of_change(self, change: JsonValue) -> JsonValue:
        """Return a change of the state, without a value that repeats messages or an output."""
        match change:
            case {"path": str(path), "value": value, **left} if path.startswith("/messages"):
                messages = value if isinstance(value, list) else [value]
                repeats = all(_whole(message) in self._seen for message in messages)
                return {**left, "path": path} if repeats else change
            case {"path": str(path), "value": value, **left} if path.startswith("/output"):
                repeats = value == _at(self._output, path.split("/")[2:])
                return {**left, "path": path} if repeats else change
            case _:
                return change

    def without_message(self, output: JsonValue) -> JsonValue:
        """Return a model's output without its message and the text of it, if it was seen."""
        match output:
            case {"choices": [{"message": message, **choice}, *others], **rest} if (
                "stop_reason" not in rest and not self.unseen([message])
            ):
                if rest.get("completion", "") in ("", _text(message)):
                    rest.pop("completion", None)
                if choice.keys() - {"stop_reason"} or others:
                    rest["choices"] = [choice, *others]
                return {**rest, "stop_reason": choice.get("stop_reason")}
            case _:
                return output


def _asked(messages: Sequence[Item]) -> Iterator[tuple[str, JsonValue]]:
    """Yield the calls in messages: their ids and arguments."""
    for message in messages:
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else []:
            match call:
                case {"id": str(call_id), "arguments": arguments}:
                    yield call_id, arguments
                case _:
                    continue


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
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return content
    parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return "\n".join(text for part in parts if isinstance(text := part.get("text"), str))


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
