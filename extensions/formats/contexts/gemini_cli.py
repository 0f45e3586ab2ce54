"""What rewinds of Gemini CLI leave of a context, and the histories that it sets anew."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from itertools import takewhile

from agentlog.domain.events import Event
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import objects_of, text_at
from agentlog.domain.messages import ToolCallsMessage
from agentlog.extensions.formats.gemini_cli import Session, results_of
from agentlog.extensions.formats.keeping import before
from agentlog.projections.context.drafts import event_of
from agentlog.projections.context.links import Again, Change, Link, LinkReader, Standing, nothing
from agentlog.projections.readers.fields import Fields, id_of_uuid
from agentlog.projections.view import Item


def gemini_cli_links() -> LinkReader:
    """Return what reads the rewinds of a session, and the histories that replace it.

    As `chatRecordingService.ts` loads it: a `$rewindTo` takes its message back and all after it, or
    all where it is not there; `$set` with `messages` has all that stands from there on, the same
    messages again where a session is resumed.
    """
    head, count = "", 0
    calls_of = dict[str, frozenset[str]]()  # the calls of each message, by its id

    def link(event: Event, fields: Item) -> Link | None:
        nonlocal head, count
        match fields:
            case {"$rewindTo": str(target)}:
                keeps = before(_name(target), or_all=False)
                return Link(sent=(), change=Change("rewind", keeps))
            case {"$set": {"messages": list(messages)}}:
                sent = partial(_again, objects_of(messages), {**calls_of})
                for message in objects_of(messages):
                    calls_of.setdefault(_key(message), frozenset())
                return Link(sent=sent, change=Change("compaction", nothing))
            case _ if event.response_id is not None:
                head, count = _name(event.response_id), 0
            case {"id": str(own_id)}:
                head, count = _name(own_id), 0
            case _ if event.message_id != derived_message_id(head, count + 1):
                head, count = event.message_id, 0
            case _:
                count += 1
        calls = event.message.calls if isinstance(event.message, ToolCallsMessage) else ()
        calls_of[head] = calls_of.get(head, frozenset()) | {call.id for call in calls}
        if event.type == "gemini-cli.user":
            keeps = partial(_with_results, event, fields)
            return Link(head, sent=(), change=Change("deletion", keeps))
        return Link(head)

    return link


def _with_results(event: Event, message: Item, standing: Sequence[Standing]) -> Sequence[Standing]:
    """Return what stands with the results of a message, where they do not stand with their calls.

    A history that was set anew between a call and its result has the call alone.
    """
    latest = takewhile(lambda s: s.event.type in {"tool_results", "tool_calls"}, reversed(standing))
    if any(s.event.type == "tool_results" for s in latest):
        return standing
    session = Session()
    session.add_line(Fields({**message, "type": "user"}, ""))
    made = (event_of(event, draft, n) for n, draft in enumerate(session.drafts))
    keys = frozenset({event.message_id})
    return [*standing, *(Standing(one, keys) for one in made if one is not None)]


def _again(messages: Sequence[Item], calls_of: Mapping[str, Collection[str]]) -> list[Item | Again]:
    """Return messages that are told again: by their ids where they were said before.

    Results stand with their calls then; they are told again under the id of their answer.
    """
    sent, session = dict[str, Again](), Session()
    there = {call for message in messages for call in calls_of.get(_key(message), ())}
    for n, message in enumerate(messages):
        key = _key(message)
        results = results_of(message.get("content"))
        is_said = key in calls_of or _name(key.removesuffix("_response")) in calls_of
        if is_said and (not results or there.issuperset(results)):
            sent.setdefault(key, Again(key))
        else:
            session.add_line(Fields(message, f"[{n}]"))
            sent[key] = Again(key, session.taken())
    return [*sent.values()]


def _key(message: Item) -> str:
    return _name(text_at(message, "id") or "")


def _name(own_id: str) -> str:
    return id_of_uuid(own_id) or own_id
