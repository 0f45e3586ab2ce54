"""What an inspect_ai sample says more than once: messages, in events and in the state."""

from collections.abc import Iterator, Sequence

from domain.json.text import JsonValue, print_bytes
from projections.readers.reading import Fields
from projections.view import Item


class Repeats:
    """Finds what of a sample's events its messages, or the events before, have already.

    `pool` are messages that model events refer to by their place.
    """

    def __init__(self, sample: Item, messages: Sequence[Item], pool: Sequence[JsonValue]) -> None:
        self._sample = sample
        self._pool, self._pool_seen = pool, set[int]()
        self._seen = {key_of(each) for each in messages}
        self._before: Item = {}
        self._arguments = dict(_asked(messages))

    def left_of(self, event: Fields, made: Item | None) -> Fields:
        """Return an event without what the messages or the events before it have already.

        `made` is the message that came of it.
        """
        left = {key: value for key, value in event.item.items() if value is not None}
        left.pop("events", None)
        kind = left.get("event")
        if kind == "model":
            left["input"] = self._unseen_input(left)
            for key in ("tools", "tool_choice", "config"):
                if key in left and self._before.get(key) == left[key]:
                    del left[key]
            self._before |= left
            left.pop("input_refs", None)
            if made is not None:
                left["output"] = without_message(left.get("output"))
        elif kind == "tool" and made is not None:
            said = {**made, "result": made.get("content"), "message_id": made.get("id")}
            said |= {"id": left["id"], "arguments": self._arguments.get(left["id"])}
            left = {key: value for key, value in left.items() if said.get(key) != value}
        elif kind == "state" and isinstance(left.get("changes"), list):
            left["changes"] = [self._left_of_change(each) for each in left["changes"]]
        elif kind == "sample_init":
            left["state"] = self._unseen_in(left.get("state"))
            if _is_part(left.get("sample"), self._sample):
                del left["sample"]
        return Fields({k: v for k, v in left.items() if v not in ([], {}, None)}, event.place)

    def _unseen_input(self, event: Item) -> list[JsonValue]:
        found: list[JsonValue] = []
        for start, end in _ranges(event.get("input_refs")):
            for number in range(start, min(end, len(self._pool))):
                if number not in self._pool_seen:
                    self._pool_seen.add(number)
                    found += self.unseen([self._pool[number]])
        listed = event.get("input")
        return [*found, *self.unseen(listed if isinstance(listed, list) else [])]

    def unseen(self, messages: Sequence[JsonValue]) -> list[JsonValue]:
        """Return messages that were not seen yet, which are seen from now on."""
        found = []
        for each in messages:
            key = key_of(each)
            if key not in self._seen:
                self._seen.add(key)
                found.append(each)
        return found

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
                repeats = all(key_of(each) in self._seen for each in messages)
                return {**left, "path": path} if repeats else change
            case {"path": str(path), "value": _, **left} if path.startswith("/output"):
                return {**left, "path": path}
            case _:
                return change


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
    """Return what two copies of a message have in common."""
    if not isinstance(message, dict):
        return print_bytes(message)
    said = {key: message.get(key) for key in ("role", "content", "tool_calls", "tool_call_id")}
    return print_bytes(said, sort_keys=True)


def _ranges(refs: JsonValue) -> Iterator[tuple[int, int]]:
    for each in refs if isinstance(refs, list) else ():
        match each:
            case [int(start), int(end)] if 0 <= start <= end:
                yield start, end
            case _:
                pass


def without_message(output: JsonValue) -> JsonValue:
    """Return a model's output without its message, which stands among the messages."""
    match output:
        case {"choices": [{"message": _, **choice}, *others], **rest}:
            rest.pop("completion", None)
            if choice.keys() - {"stop_reason"} or others:
                rest["choices"] = [choice, *others]
            return {**rest, "stop_reason": choice.get("stop_reason")}
        case _:
            return output


def _is_part(part: JsonValue, whole: Item) -> bool:
    return isinstance(part, dict) and all(whole.get(key) == part[key] for key in part)
