"""The OpenAI chat wire: a list of messages that is always safe to send to a model.

A model's API refuses a history in which a call is not answered before the next turn, or an answer
has no call. The log keeps what happened; this view repairs: an unanswered call gets a filler result
`{"status":"pending"}` before the next turn, an answer without its call gets a synthesised call.
The repair rules are the Unternet kernel's; item shapes are those of openai 3.52.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from typing_extensions import override

from domain.events import Event
from domain.json_text import JsonValue
from domain.messages import (
    FileAttachment,
    InputMessage,
    ReplyMessage,
    SystemMessage,
    ToolCall,
    ToolCallsMessage,
    ToolResult,
    ToolResultsMessage,
)
from projections.chat import Turn, call_ids, file_text, wire_call
from projections.residue import residue_of, restore
from projections.view import Item, Options, Placed, View
from projections.wording import result_text

FILLER = '{"status":"pending"}'
MARK = "agentlog"
"""The key under which `mark` says of an item that the view made it."""


class OpenAIOptions(Options):
    """How to show a history on the OpenAI wire.

    `repair`: fill in what a model's API would miss; without it the log shows as it is.
    `mark`: say of each item that repair made, under the key `agentlog`.
    `tool_names`: give tool messages the `name` of their tool, where the result has one.
    """

    repair: bool = True
    mark: bool = False
    tool_names: bool = False


@dataclass(frozen=True, slots=True)
class OpenAITurn(Turn):
    """A turn, with its place and what an import kept beside it."""

    version: int
    ordinal: int
    residue: JsonValue = None


@dataclass(frozen=True, slots=True)
class OpenAICarry:
    """The turn held back, and the calls (id, name) of the turn before it that lack an answer."""

    held: OpenAITurn | None = None
    unanswered: tuple[tuple[str, str], ...] = ()


_NOTHING = OpenAICarry()


@dataclass(slots=True)
class _Page:
    """The items that one event brings, each at its place."""

    version: int
    items: list[Placed] = field(default_factory=list)
    ordinal: int = 0

    def add(self, item: Item) -> None:
        self.items.append(Placed(self.version, self.next_ordinal(), item))

    def next_ordinal(self) -> int:
        self.ordinal += 1
        return self.ordinal - 1


class OpenAIView(View[OpenAICarry, OpenAIOptions]):
    """Messages of the chat completions API."""

    name: ClassVar[str] = "openai"
    options_type = OpenAIOptions
    carry_type = OpenAICarry

    @override
    def start(self) -> OpenAICarry:
        return _NOTHING

    @override
    def fold(self, carry: OpenAICarry, event: Event) -> tuple[OpenAICarry, Sequence[Placed]]:
        page = _Page(event.version)
        match event.message:
            case SystemMessage(text=text):
                carry = self._settle(carry, page)
                page.add(_restored(event, 0, {"role": "system", "content": text}))
            case InputMessage() as message:
                carry = self._settle(carry, page)
                page.add(_restored(event, 0, {"role": "user", "content": _user_content(message)}))
            case ReplyMessage(text=text):
                carry = self._hold(carry, page, event, text, ())
            case ToolCallsMessage(calls=calls):
                carry = self._hold(carry, page, event, None, tuple(map(wire_call, calls)))
            case ToolResultsMessage(results=results):
                carry = self._answer(carry, page, event, results)
            case _:
                pass
        return carry, page.items

    @override
    def rest(self, carry: OpenAICarry) -> Sequence[Placed]:
        return () if carry.held is None else (_placed(carry.held),)

    def _hold(
        self,
        carry: OpenAICarry,
        page: _Page,
        event: Event,
        content: str | None,
        calls: tuple[Item, ...],
    ) -> OpenAICarry:
        """Add to the turn held back, or settle it and hold a new one."""
        if carry.held is not None:
            joined = carry.held.joined(event.response_id, content, calls)
            if joined is not None:
                return OpenAICarry(joined, carry.unanswered)
        carry = self._settle(carry, page)
        turn = OpenAITurn(
            version=event.version,
            ordinal=page.next_ordinal(),
            response_id=event.response_id,
            content=content,
            calls=calls,
            residue=residue_of(event, self.name, 0),
        )
        return OpenAICarry(turn, carry.unanswered)

    def _settle(self, carry: OpenAICarry, page: _Page) -> OpenAICarry:
        """Let the turn held back go, and leave no call open: the next turn begins."""
        carry = _let_go(carry, page)
        if self.options.repair:
            for call_id, name in carry.unanswered:
                item: Item = {"role": "tool", "content": FILLER, "tool_call_id": call_id}
                if self.options.tool_names:
                    item["name"] = name
                page.add(self._marked(item, "filler"))
        return _NOTHING

    def _answer(
        self,
        carry: OpenAICarry,
        page: _Page,
        event: Event,
        results: Sequence[ToolResult],
    ) -> OpenAICarry:
        """Answer the open calls first, then settle and give each orphan a call of its own.

        An orphan ends the turn, repaired or not: so both ways see the same calls answered.
        """
        carry = _let_go(carry, page)
        unanswered = list(carry.unanswered)
        orphans: list[tuple[int, ToolResult]] = []
        for index, result in enumerate(results):
            found = _asked_by(result, unanswered)
            if found is not None:
                unanswered.remove(found)
                page.add(self._tool_item(event, index, result, found[0]))
                continue
            orphans.append((index, result))
            if not self.options.repair:
                page.add(self._tool_item(event, index, result, _own_id(event, index, result)))
        carry = OpenAICarry(carry.held, tuple(unanswered))
        if orphans:
            carry = self._settle(carry, page)
        if self.options.repair:
            self._give_calls(event, page, orphans)
        return carry

    def _give_calls(
        self, event: Event, page: _Page, orphans: Sequence[tuple[int, ToolResult]]
    ) -> None:
        for index, result in orphans:
            call_id = _own_id(event, index, result)
            call = ToolCall(id=call_id, name=result.name or "unknown", args={})
            turn: Item = {"role": "assistant", "content": None, "tool_calls": [wire_call(call)]}
            page.add(self._marked(turn, "synthesised"))
            page.add(self._tool_item(event, index, result, call_id))

    def _tool_item(self, event: Event, index: int, result: ToolResult, call_id: str) -> Item:
        item: Item = {"role": "tool", "content": result_text(result), "tool_call_id": call_id}
        if self.options.tool_names and result.name is not None:
            item["name"] = result.name
        return _restored(event, index, item)

    def _marked(self, item: Item, made: str) -> Item:
        return {**item, MARK: made} if self.options.mark else item


def _placed(turn: OpenAITurn) -> Placed:
    item: Item = {"role": "assistant", "content": turn.content}
    if turn.calls:
        item["tool_calls"] = list(turn.calls)
    return Placed(turn.version, turn.ordinal, restore(item, turn.residue, _permitted))


def _let_go(carry: OpenAICarry, page: _Page) -> OpenAICarry:
    if carry.held is None:
        return carry
    page.items.append(_placed(carry.held))
    calls = tuple((call["id"], call["function"]["name"]) for call in carry.held.calls)
    return OpenAICarry(None, calls)


def _asked_by(result: ToolResult, unanswered: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    """Return the open call that `result` answers: by id, or by name where it gives no id."""
    for call in unanswered:
        if call[0] == result.call_id or (result.call_id is None and call[1] == result.name):
            return call
    return None


def _own_id(event: Event, index: int, result: ToolResult) -> str:
    return result.call_id or f"call_{event.message_id}_{index}"


def _user_content(message: InputMessage) -> JsonValue:
    if not message.files:
        return message.text
    text = [] if message.text is None else [{"type": "text", "text": message.text}]
    return [*text, *map(_file_part, message.files)]


def _file_part(file: FileAttachment) -> Item:
    text = file_text(file)
    if text is not None:
        return {"type": "text", "text": text}
    mime_type = file.mime_type or "application/octet-stream"
    uri = f"data:{mime_type};base64,{''.join(file.data.split())}"
    if mime_type.startswith("image/"):
        return {"type": "image_url", "image_url": {"url": uri}}
    return {"type": "file", "file": {"file_data": uri, "filename": file.filename or "file"}}


def _restored(event: Event, ordinal: int, item: Item) -> Item:
    return restore(item, residue_of(event, OpenAIView.name, ordinal), _permitted)


def _permitted(item: Item, key: str, value: JsonValue) -> bool:
    """Let a residue change what a model reads, never who answers whom."""
    match key:
        case "role":
            return bool(item["role"] == "system" and value == "developer")
        case "tool_call_id" | "agentlog":  # the latter only ever says what this view made
            return False
        case "tool_calls":
            same = call_ids(value) == call_ids(item.get("tool_calls"))
            return same and (value is None or isinstance(value, list))
        case "content":
            return _is_content(value) or (value is None and item["role"] == "assistant")
        case _:
            return True


def _is_content(value: JsonValue) -> bool:
    if isinstance(value, list):
        return all(isinstance(part, dict) and isinstance(part.get("type"), str) for part in value)
    return isinstance(value, str)
