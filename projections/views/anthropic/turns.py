"""The order of messages that Anthropic's API takes, and its repair.

The first message is the user's. What answers the calls of an answer is all of it in the message
that follows, before anything else.
"""

from collections.abc import Sequence

from agentlog.domain.json.values import JsonValue, array_of, text_at
from agentlog.projections.view import BEFORE_ALL, Item, Place, Placed
from agentlog.projections.views.anthropic.messages import RESPONSE, blocks_of, call_block

FILLER = "[no result]"
BEGINNING = "[the beginning is not on record]"


class Turns:
    """Messages in their order: `settled`, and `pending` ones, which later ones may change.

    `open_calls` are those that the last answer asks. `place` is that of the latest message, `last`
    the index of the pending message that may grow: an answer of the `response`, or its results.
    """

    def __init__(  # noqa: PLR0913 - all of its state
        self,
        pending: Sequence[Placed] = (),
        open_calls: Sequence[str] = (),
        *,
        repair: bool,
        last: int | None = None,
        response: str | None = None,
        has_begun: bool = False,
        place: Place = BEFORE_ALL,
    ) -> None:
        self.settled: list[Placed] = []
        self.pending = list(pending)
        self.open_calls = list(open_calls)
        self.last = last
        self.response = response
        self.has_begun = has_begun
        self.place = place
        self._repair = repair

    def add(self, version: int, item: Item) -> None:
        """Add a message, which stands at a version of its thread."""
        response = item.get(RESPONSE)
        is_alone = RESPONSE not in item
        message = {key: value for key, value in item.items() if key != RESPONSE}
        if self._repair:
            message = _trim(message)
            if not message:
                return
        match item.get("role"):
            case "assistant":
                self._answer(version, message, response if isinstance(response, str) else None)
            case "user" if results := _results(message):
                if self._repair:
                    self._repaired(version, message, results)
                else:
                    self._results(version, message, results, is_alone=is_alone)
            case "system":  # stands apart from messages
                if not is_alone:  # its residue is of the request
                    message = {"role": "system", "content": message.get("content")}
                self._put(version, message)
                if self.last is None:
                    self._settle()
            case _:
                self.close(version)
                self._put(version, message)
                self.has_begun = True
                self._settle()

    @property
    def is_answering(self) -> bool:
        """Whether some of the open calls are answered."""
        return self.open_calls != [] and self._grows("user")

    def close(self, version: int) -> None:
        """Answer what is open, and settle all."""
        if self._repair:
            for call_id in self.open_calls:
                self._add_result(version, _filler(call_id))
        self._settle()

    def _answer(self, version: int, item: Item, response: str | None) -> None:
        blocks = blocks_of(item)
        call_ids = [str(block.get("id")) for block in blocks if block.get("type") == "tool_use"]
        joins = self.last is not None and response is not None and response == self.response
        if joins and self._grows("assistant"):
            self._grow(blocks)
            self.open_calls += call_ids
            return
        self.close(version)
        if self._repair and not self.has_begun:
            self._put(version, {"role": "user", "content": BEGINNING})
        self.has_begun = True
        self._put(version, item)
        self.last, self.response, self.open_calls = len(self.pending) - 1, response, call_ids

    def _results(
        self, version: int, item: Item, results: Sequence[Item], *, is_alone: bool
    ) -> None:
        """Add results as they came; those of one answer that came alone are one message."""
        answered = [_call_id(block) for block in results]
        if not is_alone and all(call_id in self.open_calls for call_id in answered):
            for block in results:
                self._add_result(version, block)
                self.open_calls = _without(self.open_calls, _call_id(block))
            if not self.open_calls:
                self._settle()
            return
        self.close(version)
        self._put(version, item)
        self._settle()

    def _repaired(self, version: int, item: Item, results: Sequence[Item]) -> None:
        blocks = blocks_of(item)
        answered = [_call_id(block) for block in results]
        if (
            sorted(answered) == sorted(self.open_calls)
            and blocks[: len(results)] == results
            and self._grows("assistant")
        ):
            self._put(version, item)
            self._settle()
            return
        orphans: list[Item] = []
        for block in results:
            if _call_id(block) in self.open_calls:
                self._add_result(version, block)
                self.open_calls = _without(self.open_calls, _call_id(block))
            else:
                orphans.append(block)
        others = [block for block in blocks if block.get("type") != "tool_result"]
        if not self.open_calls:
            self._settle()
        if orphans or others:
            self.close(version)
        for block in orphans:
            call = call_block(_call_id(block), "unknown", {})
            self._answer(version, {"role": "assistant", "content": [call]}, None)
            self._add_result(version, block)
            self._settle()
        if others:
            content: list[JsonValue] = [*others]
            self._put(version, {"role": "user", "content": content})
            self.has_begun = True
            self._settle()

    def _add_result(self, version: int, block: Item) -> None:
        """Add a result to the message of results that follows the answer."""
        if self._grows("user"):
            self._grow([block])
        else:
            self._put(version, {"role": "user", "content": [block]})
            self.last = len(self.pending) - 1

    def _grows(self, role: str) -> bool:
        return self.last is not None and self.pending[self.last].item.get("role") == role

    def _grow(self, blocks: Sequence[Item]) -> None:
        if self.last is not None:
            at = self.pending[self.last]
            content: list[JsonValue] = [*array_of(at.item.get("content")), *blocks]
            self.pending[self.last] = at._replace(item={**at.item, "content": content})

    def _put(self, version: int, item: Item) -> None:
        ordinal = self.place[1] + 1 if self.place[0] == version else 0
        self.place = version, ordinal
        self.pending.append(Placed(version, ordinal, item))

    def _settle(self) -> None:
        self.settled += self.pending
        self.pending, self.open_calls, self.last, self.response = [], [], None, None


def _trim(item: Item) -> Item:
    """Return what the API takes of a message; nothing where that would be empty."""
    content, role = item.get("content"), item.get("role")
    if isinstance(content, list):
        others = "tool_use" if role == "user" else "tool_result"
        content = [
            block
            for block in blocks_of(item)
            if _is_accepted(block) and block.get("type") != others
        ]
    elif not isinstance(content, str) or not content.strip():
        content = None
    return {"role": role, "content": content} if content else {}


def _is_accepted(block: Item) -> bool:
    """Return whether the API takes a block: no empty text, and no thought without signature."""
    match block:
        case {"type": "text", "text": str(text)}:
            return bool(text.strip())
        case {"type": "thinking"}:
            return text_at(block, "signature") is not None
        case {"type": str()}:
            return True
        case _:
            return False


def _results(item: Item) -> list[Item]:
    return [block for block in blocks_of(item) if block.get("type") == "tool_result"]


def _call_id(block: Item) -> str:
    return str(block.get("tool_use_id"))


def _filler(call_id: str) -> Item:
    return {"type": "tool_result", "tool_use_id": call_id, "content": FILLER}


def _without(calls: Sequence[str], call_id: str) -> list[str]:
    place = list(calls).index(call_id)
    return [*calls[:place], *calls[place + 1 :]]
