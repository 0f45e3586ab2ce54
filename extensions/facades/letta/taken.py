"""Messages that a client sends to an agent: they are recorded, and no agent answers."""

from collections.abc import Iterator

from agentlog.domain.drafts import Origin
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import JsonValue, text_at
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.wires.letta_parts import input_draft, parts_text
from agentlog.projections.residue import METADATA_KEY
from agentlog.projections.view import Item
from agentlog.projections.views.letta.view import LettaView

_KEPT = ("name", "otid", "sender_id")
"""Fields of a message that its item has again."""

ANSWER: Item = {
    "messages": [],
    "stop_reason": {"message_type": "stop_reason", "stop_reason": "end_turn"},
    "usage": {"message_type": "usage_statistics", "step_count": 0},
}
"""What is answered: nothing was run."""


def take_messages(threads: Threads, agent_id: str, fields: Item, origin: Origin) -> None:
    """Append what a client sends; an `otid` sent again is kept once.

    Raises:
        UnknownThread: there is no such agent.
        InvalidMessage: a message is none of a person's or program's.
    """
    threads.head(agent_id)
    drafts: list[JsonValue] = []
    for n, item in enumerate(_items(fields)):
        otid = text_at(item, "otid")
        for part, draft in enumerate(_drafts(item, f"messages[{n}]")):
            own = {} if otid is None else {"id": derived_message_id("letta", agent_id, otid, part)}
            drafts.append({**own, **draft})
    threads.writer.append(threads.request(agent_id, drafts, origin=origin))


def _items(fields: Item) -> Iterator[Item]:
    given = fields.get("messages")
    if given is None and fields.get("input") is not None:
        given = [{"role": "user", "content": fields["input"]}]
    if not isinstance(given, list) or not given:
        raise InvalidMessage.at("messages", "send messages, or input")
    for n, item in enumerate(given):
        if not isinstance(item, dict):
            raise InvalidMessage.at(f"messages[{n}]", "not an object")
        yield item


def _drafts(item: Item, place: str) -> Iterator[Draft]:
    kept: Item = {key: item[key] for key in _KEPT if isinstance(item.get(key), str)}
    residue: Item = {"metadata": {METADATA_KEY: {LettaView.name: [{"set": kept}]}}} if kept else {}
    try:
        match item:
            case {"type": "approval", "approvals": [*approvals]} if approvals:
                yield from (_approval(approval) for approval in approvals)
            case {"role": "user", "content": _}:
                yield {**input_draft(item), **residue}
            case {"role": "system", "content": _}:
                yield {"type": "system", "text": parts_text(item, "content"), **residue}
            case {"role": "assistant", "content": _}:
                yield {"type": "reply", "text": parts_text(item, "content"), **residue}
            case _:
                way = "send role user, system or assistant with a content, or approvals"
                raise InvalidMessage.at("", way)
    except InvalidMessage as error:
        raise error.within(place) from error


def _approval(approval: JsonValue) -> Draft:
    match approval:
        case {"tool_call_id": str(call_id), "approve": bool(approved), **more}:
            draft: Draft = {"type": "approval_response", "callId": call_id, "approved": approved}
            reason = more.get("reason")
            return {**draft, "reason": reason} if isinstance(reason, str) else draft
        case _:
            raise InvalidMessage.at("approvals", "each needs tool_call_id and approve")
