"""Turns: what each side said at once, from the messages that their readers made."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Literal

from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue, objects_of, text_at
from agentlog.extensions.traces.projections.readers.contexts import node_of
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import unpacked
from agentlog.projections.readers.messages.calls import UNNAMED

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True)
class Turn:
    """What one side said at once; each of `drafts` has one text, call or result.

    The assistant's texts are a turn, and each call of a tool is one after them: wires differ in
    what they put together. Thoughts belong to what comes after them.
    """

    role: Role
    drafts: tuple[Draft, ...]

    @cached_property
    def digest(self) -> str:
        """A digest of what was said, the same wherever and however it is repeated.

        Thoughts are left out: few repeat them. Arguments count as values, not as they are spelled,
        and calls without their ids: some wires have two for a call.
        """
        text = "".join(text_at(draft, "text") or "" for draft in self.drafts)
        others = [
            canonical for draft in self.drafts if (canonical := _canonical(draft)) is not None
        ]
        hashed = [self.role, text, *others]
        return sha256(print_bytes(hashed, sort_keys=True)).hexdigest()[:16]

    @property
    def call_ids(self) -> list[str]:
        """The ids of its calls, or of its result; calls and results may lack one."""
        ids = (call_id_of(draft) for draft in self.drafts)
        return [call_id for call_id in ids if call_id is not None]


@dataclass(slots=True)
class NewTurns:
    """Turns of one side that a thread does not have yet, as it says them: in one message.

    `nodes` are those that they add to the tree of contexts, each by the one before and its digest;
    `last` is the last of them.
    """

    role: Role
    drafts: list[Draft]
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
        and any(draft["type"] == "tool_calls" for draft in turn.drafts)
    ):
        previous.drafts += turn.drafts
        previous.nodes += nodes
        previous.last = node
    else:
        listed.append(NewTurns(turn.role, list(turn.drafts), nodes, node))


def turns_of(drafts: Sequence[Draft], role: Role) -> Iterator[Turn]:
    """Yield the turns of one message: its results by themselves, then what else it says."""
    others: list[Draft] = []
    for draft in drafts:
        if draft["type"] == "tool_results":
            yield Turn("tool", (draft,))
        else:
            others.append(draft)
    if role == "assistant":
        yield from _answer_turns(sorted(_opened(others), key=lambda draft: not _is_said(draft)))
    elif others:
        yield Turn(role, tuple(others))


def _answer_turns(drafts: Iterable[Draft]) -> Iterator[Turn]:
    turn: list[Draft] = []
    last: Draft | None = None  # that is no thought
    for draft in drafts:
        if last is not None and not (_is_text(draft) and _is_text(last)):
            yield Turn("assistant", tuple(turn))
            turn, last = [], None
        turn.append(draft)
        last = last if is_thought(draft) else draft
    if turn:
        yield Turn("assistant", tuple(turn))


def _opened(drafts: Sequence[Draft]) -> Iterator[Draft]:
    """Yield what an answer says: calls that are there twice once, and items of an API opened.

    LangChain has a call of the Responses API in the content and beside it; OpenLLMetry prints what
    is in the content as text, thoughts too.
    """
    beside = {call_id_of(draft) for draft in drafts if draft["type"] == "tool_calls"}
    calls: set[str | None] = set()
    for draft in drafts:
        call_id = call_id_of(draft)
        match unpacked(draft["text"]) if _is_text(draft) else None:
            case {"type": "function_call", "call_id": str(named)} if named in beside:
                pass
            case {"type": "reasoning", "id": str(), "summary": list(summary)}:
                texts = (text_at(part, "text") for part in objects_of(summary))
                yield from (thought(text) for text in texts if text)
            case _ if call_id is None or call_id not in calls:
                yield draft
            case _:
                pass
        calls.add(call_id)


def thought(text: str) -> Draft:
    """Return the message of a thought."""
    return {"type": "reasoning", "title": "", "summary": text}


def call_id_of(draft: Draft) -> str | None:
    """Return the id of a call or of a result, if it has one of its own."""
    # not `match`: each message of each context comes by here
    items, key = draft.get("calls"), "id"
    if items is None:
        items, key = draft.get("results"), "callId"
    if not (isinstance(items, list) and len(items) == 1 and isinstance(items[0], dict)):
        return None
    call_id = items[0].get(key)
    if not isinstance(call_id, str) or (key == "id" and call_id.startswith(UNNAMED)):
        return None
    return call_id


def _is_text(draft: Draft) -> bool:
    return str(draft["type"]) == "reply"


def is_thought(draft: Draft) -> bool:
    """Return whether a message is a thought."""
    return str(draft["type"]) == "reasoning"


def _is_said(draft: Draft) -> bool:
    return _is_text(draft) or is_thought(draft)


def _canonical(draft: Draft) -> JsonValue:
    """Return what a message says beside its text, None if nothing that a digest counts."""
    match draft:
        case {"type": "reasoning" | "reply"}:
            return None
        case {"calls": [dict(call)]}:
            return ["call", call["name"], call.get("args", call.get("argumentsText"))]
        case {"results": [dict(result)]}:
            return ["result", result.get("output")]
        case {"payload": payload}:
            return payload
        case {"files": files}:
            return files
        case {"text": _}:
            return None
        case _:
            return draft


def is_of_context(turn: Turn) -> bool:
    """Return whether a turn takes part in a context; of results only those without an id."""
    if turn.role == "tool":
        return call_id_of(turn.drafts[0]) is None
    return turn.role != "system"
