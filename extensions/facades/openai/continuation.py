"""Requests that continue a thread: its items go before theirs, since the provider has none."""

from collections.abc import Mapping
from typing import NamedTuple

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue, objects_of, text_at
from agentlog.domain.points_in_time import AtVersion, Moment
from agentlog.extensions.facades.openai.answers import find, responses_of
from agentlog.infrastructure.tenants import Tenant
from agentlog.infrastructure.views.results import Page
from agentlog.projections.exchanges.lanes import BESIDE
from agentlog.projections.view import Item
from agentlog.projections.views.responses.view import ResponsesView

_VIEW = ResponsesView()
_NAMES = ("conversation", "previous_response_id")
_WITHOUT_ID = frozenset({"function_call", "custom_tool_call"})


class Continuation(NamedTuple):
    """A request that continues a thread: its body, and how many items of that are the thread's.

    `thread_id` is None where it goes on from an answer that has others after it: then the whole is
    a thread of its own.
    """

    thread_id: str | None
    known: int
    body: bytes


def names_thread(fields: Mapping[str, JsonValue]) -> bool:
    """Return whether a request continues a thread."""
    return any(fields.get(name) is not None for name in _NAMES)


def continuation_of(tenant: Tenant, fields: Mapping[str, JsonValue]) -> Continuation:
    """Return how a request continues the thread that it names.

    Raises:
        NotThere: there is no such thread or answer.
        InvalidMessage: it names none, or both; or its input is none.
    """
    thread_id, goes_on, at = _place(tenant, fields)
    items: list[JsonValue] = [*_items(tenant, thread_id, at)]
    match fields.get("input"):
        case str(text):
            own: list[JsonValue] = [{"role": "user", "content": text}]
        case list(given):
            own = given
        case None:
            own = []
        case _:
            raise InvalidMessage.at("input", "neither a text nor an array of items")
    sent = {key: value for key, value in fields.items() if key not in _NAMES}
    body = print_bytes({**sent, "input": [*items, *own]})
    return Continuation(thread_id if goes_on else None, len(items), body)


def _place(tenant: Tenant, fields: Mapping[str, JsonValue]) -> tuple[str, bool, Moment | None]:
    """Return the thread, whether the request goes on at its end, and the moment it goes on from."""
    conversation, previous = (fields.get(name) for name in _NAMES)
    match conversation, previous:
        case ((str(thread_id) | {"id": str(thread_id)}), None):
            return thread_id, True, None
        case None, str(name):
            answer = find(responses_of, tenant, name, None)
            is_last = answer.end == len(answer.all_items)
            return answer.thread_id, is_last, AtVersion(answer.last_version)
        case None, _:
            raise InvalidMessage.at("previous_response_id", "not the id of a response")
        case _, None:
            raise InvalidMessage.at("conversation", "neither an id nor an object with one")
        case _:
            raise InvalidMessage.at("conversation", "send it or previous_response_id, not both")


def _items(tenant: Tenant, thread_id: str, at: Moment | None) -> list[Item]:
    """Return a thread's items as a provider takes them that knows none; raises `NotThere`."""
    page = tenant.views.view(thread_id, _VIEW, at=at)
    prompts = {
        event.version
        for event in tenant.threads.messages(thread_id, types=["system"])
        if event.metadata and BESIDE in event.metadata
    }
    printed = page.items if isinstance(page, Page) else ()
    items = (_sent(item.item) for item in printed if item.version not in prompts)
    return [item for item in items if item is not None]


def _sent(item: Item) -> Item | None:
    """Return an item without the ids by which its provider would look for it.

    Reasoning is nothing without them, unless its text is there, encrypted.
    """
    match item:
        case {"type": "reasoning"}:
            return item if text_at(item, "encrypted_content") else None
        case {"type": str(kind)} if kind in _WITHOUT_ID:
            return {key: value for key, value in item.items() if key != "id"}
        case {"role": "assistant", "content": list(parts)}:
            match objects_of(parts):
                case [{"type": "output_text", "text": str(text)}] if len(parts) == 1:
                    phase = {"phase": item["phase"]} if item.get("phase") else {}
                    return {"role": "assistant", "content": text, **phase}
            return item
        case _:
            return item
