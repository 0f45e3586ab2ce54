"""What a thread has been told, to find it again in later requests."""

from bisect import bisect_left
from collections import Counter

from agentlog.domain.json.text import JsonValue, print_text
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.messages.blocks import UNNAMED
from agentlog.projections.residue import METADATA_KEY
from agentlog.projections.view import Item


class MessagesBefore:
    """Messages in their order, by what they say; `open` are calls without a result, by id."""

    def __init__(self) -> None:
        self.open: dict[str, Item] = {}
        self._forms: list[list[Item]] = []  # in which each message was told
        self._places: dict[tuple[str, ...], list[int]] = {}
        self._after = 0
        self._seen = Counter[tuple[str, ...]]()

    def add(self, draft: Draft) -> None:
        """Remember a message."""
        self._places.setdefault(_key(draft), []).append(len(self._forms))
        self._forms.append([_content(draft)])
        match draft:
            case {"type": "tool_calls", "calls": [{"id": call_id} as call]}:
                self.open[call_id] = call
            case {"type": "tool_results", "results": [{"callId": call_id}]}:
                self.open.pop(call_id, None)
            case _:
                pass

    def begin(self) -> None:
        """Begin a request, which tells what was before from the start."""
        self._after = 0
        self._seen.clear()

    def find(self, draft: Draft) -> int | None:
        """Return the place of the next message of a request, None if the thread has it not.

        Calls and results are found by their id, others after the one that was found before.
        """
        key = _key(draft)
        places = self._places.get(key, [])
        if key[0] in ("call", "result"):  # some models use an id again: then by their order
            self._seen[key] += 1
            nth = self._seen[key] - 1
            return places[nth] if nth < len(places) else None
        at = bisect_left(places, self._after)
        if at == len(places):
            return None
        self._after = places[at] + 1
        return places[at]

    def differing(self, draft: Draft, at: int) -> Item:
        """Return what of a message is otherwise than before, the first time it is told so."""
        content, forms = _content(draft), self._forms[at]
        if content in forms:
            return {}
        forms.append(content)
        return {key: value for key, value in content.items() if forms[0].get(key) != value}

    def has_result(self, call_id: str) -> bool:
        """Return whether a call has its result."""
        return ("result", call_id) in self._places

    def asked_for(self, name: str, args: JsonValue) -> str | None:
        """Return the id of an open call of that name, of one with these arguments first."""
        named = [
            (call.get("args") != args, n, call_id)
            for n, (call_id, call) in enumerate(self.open.items())
            if name == call["name"] or name.endswith(f" {call['name']}")
        ]
        return min(named)[2] if named else None


def _content(draft: Draft) -> Item:
    """Return what a message says, without the place of a call that has no id."""
    content = {k: v for k, v in draft.items() if k not in ("id", "timestamp", "type", "metadata")}
    match draft:
        case {"calls": [{"id": str(call_id), **call}]} if call_id.startswith(UNNAMED):
            content["calls"] = [call]
        case _:
            pass
    left = draft.get("metadata", {}).get(METADATA_KEY)
    return content if left is None else {**content, "left": left}


def _key(draft: Draft) -> tuple[str, ...]:
    """Return what makes a message the same when it is told again."""
    match draft:
        case {"type": "tool_calls", "calls": [{"id": str(call_id), "name": str(name)} as call]}:
            args = print_text(call["args"]) if "args" in call else call.get("argumentsText", "")
            is_named = not call_id.startswith(UNNAMED)
            return ("call", call_id, name, args) if is_named else ("call of", name, args)
        case {"type": "tool_results", "results": [{"callId": str(call_id)}]}:
            return ("result", call_id)
        case {"type": "tool_results", "results": [result]}:
            return ("result of", print_text(result))
        case _:
            content = {k: v for k, v in _content(draft).items() if k != "left"}
            return (draft["type"], print_text(content))
