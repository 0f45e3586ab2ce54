"""What was said in a context, turn by turn, from messages with parts.

Pydantic AI has the results of tools in messages of users, as `result` instead of `response`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Literal

from agentlog.domain.json.text import JsonValue, print_bytes, print_text
from agentlog.projections.readers.spans.otlp.contexts import node_of
from agentlog.projections.readers.spans.otlp.span import unpacked
from agentlog.projections.view import Item

Role = Literal["system", "user", "assistant", "tool"]

_ROLES: Mapping[JsonValue, Role] = {
    "system": "system",
    "developer": "system",
    "assistant": "assistant",
    "model": "assistant",
    "tool": "tool",
}
RESPONSE = "tool_call_response"


@dataclass(frozen=True)
class Turn:
    """What one side said at once; `parts` are objects with a `type`.

    The assistant's texts are a turn, and each call of a tool is one after them: wires differ in
    what they put together. Thoughts belong to what comes after them.
    """

    role: Role
    parts: tuple[Item, ...]

    @cached_property
    def digest(self) -> str:
        """A digest of what was said, the same wherever and however it is repeated.

        Thoughts are left out: few repeat them. Arguments count as values, not as they are spelled,
        and calls without their ids: some wires have two for a call.
        """
        text = "".join(text_in(part) for part in self.parts if is_text(part))
        others = [_canonical(part) for part in self.parts if not is_text(part)]
        hashed = [self.role, text, *(other for other in others if other is not None)]
        return sha256(print_bytes(hashed, sort_keys=True)).hexdigest()[:16]


@dataclass(slots=True)
class NewTurns:
    """Turns of one side that a thread does not have yet, as it says them: in one message.

    `nodes` are those that they add to the tree of contexts, each by the one before and its digest;
    `last` is the last of them.
    """

    role: Role
    parts: list[Item]
    nodes: list[JsonValue]
    last: str | None


def add_new(listed: list[NewTurns], turn: Turn, before: str | None) -> None:
    """Add a turn, which follows the node `before` of a context, or is of none.

    Calls join what the assistant said before them.
    """
    nodes: list[JsonValue] = [] if before is None else [[before, turn.digest]]
    node = None if before is None else node_of(before, turn.digest)
    previous = listed[-1] if listed else None
    if (
        previous is not None
        and turn.role == previous.role == "assistant"
        and before == previous.last
        and any(part.get("type") == "tool_call" for part in turn.parts)
    ):
        previous.parts += turn.parts
        previous.nodes += nodes
        previous.last = node
    else:
        listed.append(NewTurns(turn.role, list(turn.parts), nodes, node))


def turns_of(messages: Iterable[Item], *, is_answer: bool = False) -> Iterator[Turn]:
    """Yield the turns of messages: of each its results by themselves, then the rest.

    An answer is the assistant's, whatever role it has or lacks.
    """
    thoughts: list[Item] = []
    for message in messages:
        role = message.get("role")
        speaker = _ROLES.get(role, "user") if isinstance(role, str) else "user"
        for turn in _turns_of(message, "assistant" if is_answer else speaker):
            if turn.role == "assistant" and all(map(_is_thought, turn.parts)):
                thoughts += turn.parts
            elif thoughts and turn.role == "assistant":
                yield Turn("assistant", (*thoughts, *turn.parts))
                thoughts = []
            else:
                yield turn
    if thoughts:
        yield Turn("assistant", tuple(thoughts))


def _turns_of(message: Item, role: Role) -> Iterator[Turn]:
    given = message.get("parts")
    listed = given if isinstance(given, list) else [] if given is None else [given]
    parts = [part if isinstance(part, dict) else {"content": part} for part in listed]
    if given is None and message.get("content") is not None:
        parts = [{"type": "text", "content": message["content"]}]
    for part in parts:
        if part.get("type") == RESPONSE:
            yield Turn("tool", (part,))
    others = [part for part in parts if part.get("type") != RESPONSE]
    if role == "assistant":
        said_first = sorted(_opened(others), key=lambda part: not _is_said(part))
        yield from _answer_turns(said_first)
    elif others:
        yield Turn(role, tuple(others))


def _answer_turns(parts: Iterable[Item]) -> Iterator[Turn]:
    turn: list[Item] = []
    last: Item | None = None  # that is no thought
    for part in parts:
        if last is not None and not (is_text(part) and is_text(last)):
            yield Turn("assistant", tuple(turn))
            turn, last = [], None
        turn.append(part)
        last = last if _is_thought(part) else part
    if turn:
        yield Turn("assistant", tuple(turn))


def _opened(parts: Iterable[Item]) -> Iterator[Item]:
    """Yield the parts of an answer: calls that are there twice once, and items of an API opened.

    LangChain has a call of the Responses API in the content and beside it; OpenLLMetry prints what
    is in the content as text, thoughts too.
    """
    listed = list(parts)
    beside = {call_id_of(part) for part in listed if part.get("type") == "tool_call"}
    calls: set[str | None] = set()
    for part in listed:
        named = call_id_of(part) if part.get("type") == "tool_call" else None
        match unpacked(part.get("content")) if is_text(part) else None:
            case {"type": "function_call", "call_id": str(call_id)} if call_id in beside:
                pass
            case {"type": "reasoning", "id": str(), "summary": list(summary)}:
                yield from ({"type": "reasoning", "content": part.get("text")} for part in summary)
            case _ if named is None or named not in calls:
                yield part
            case _:
                pass
        calls.add(named)


def call_id_of(part: Item) -> str | None:
    """Return the id of a call or of a result, if it has one."""
    part_id = part.get("id")
    return part_id if isinstance(part_id, str) and part_id else None


def is_text(part: Item) -> bool:
    """Return whether a part is a text."""
    return part.get("type") == "text"


def _is_said(part: Item) -> bool:
    return is_text(part) or _is_thought(part)


def _is_thought(part: Item) -> bool:
    return part.get("type") == "reasoning"


def text_in(part: Item) -> str:
    """Return the text of a part; a value is printed as JSON."""
    content = part.get("content")
    return content if isinstance(content, str) else "" if content is None else print_text(content)


def _canonical(part: Item) -> JsonValue:
    match part:
        case {"type": "reasoning"}:
            return None
        case {"type": "tool_call", "name": name, **call}:
            return ["call", name, unpacked(call.get("arguments"))]
        case {"type": "tool_call_response", **result}:
            return ["result", result.get("response", result.get("result"))]
        case _:
            return part
