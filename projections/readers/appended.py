"""Items of other programs' formats, appended to a thread as they are."""

from collections.abc import Callable, Sequence

from agentlog.domain.errors import Flaw, InvalidMessage, UnknownFormat
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import JsonValue, object_at, object_of, text_at
from agentlog.extension import Registry
from agentlog.projections.readers.draft import UNNAMED_RESPONSE, Draft, Unmapped
from agentlog.projections.readers.history import Format, History, OngoingHistory

APPENDABLE: Registry[Format] = Registry(
    "appendable",
    {
        "anthropic": "agentlog.projections.readers.messages.anthropic:FORMAT",
        "openai": "agentlog.projections.readers.messages.chat:FORMAT",
        "responses": "agentlog.projections.readers.messages.responses:FORMAT",
    },
)
"""Formats whose items are read one by one.

Where a format has `begin`, its items depend on those before, and the view `source` gives them back;
else each says all by itself, and the view of the same name gives it back.
"""


def read_appended(  # noqa: PLR0913 - what a request consists of
    name: str,
    items: Sequence[JsonValue],
    *,
    key: str | None,
    new_id: Callable[[], str],
    within: str = "messages",
    aside: list[Unmapped] | None = None,
) -> list[Draft]:
    """Return the messages of items, each with its id, as an import reads them.

    What the reader keeps without knowing it is added to `aside`. `within` is the place of the items
    in what the caller sent, for errors. Ids are made of `key`, where the caller gives one: the same
    in each retry. Else they are made of the item's own id, and those of items without one are new.

    Raises:
        UnknownFormat: no format has that name, or its items cannot be read one by one.
        InvalidMessage: naming the place of an item that cannot be read, or is none.
    """
    chosen = APPENDABLE.get(name)
    if chosen is None or chosen.begin is not None:
        raise UnknownFormat(name, known=tuple(APPENDABLE))
    drafts: list[Draft] = []
    for index, item in enumerate(items):
        place, parts = f"{within}[{index}]", () if key is None else (key, str(index))
        history = _read(chosen, item, place)
        drafts += _with_ids(chosen, item, history.drafts, parts, new_id)
        if aside is not None:
            aside += [Unmapped(_within(place, part.place), part.what) for part in history.unmapped]
    return drafts


def begin_of(name: str) -> Callable[[], OngoingHistory] | None:
    """Return how a history begins whose items depend on those before; None of other formats."""
    chosen = APPENDABLE.get(name)
    return None if chosen is None else chosen.begin


def _read(chosen: Format, item: JsonValue, place: str) -> History:
    """Return what an item says by itself."""
    if isinstance(item, dict) and "role" in item and chosen.excludes(item):
        raise InvalidMessage.at(f"{place}.role", f"{item['role']!r} is none of {chosen.name}")
    try:
        (history,) = chosen.read([item])
    except InvalidMessage as error:
        flaws = [Flaw(_within(place, flaw.place), flaw.reason) for flaw in error.flaws]
        raise InvalidMessage(flaws) from error
    if text_at(object_of(item), "type", "role") is None:
        raise InvalidMessage.at(place, f"no item of {chosen.name}: it has no type and no role")
    return history


def _with_ids(
    chosen: Format,
    item: JsonValue,
    read: Sequence[Draft],
    given: tuple[str, ...],
    new_id: Callable[[], str],
) -> list[Draft]:
    """Return the messages of an item; `given` are what their ids are made of, empty for its own."""
    own_id = text_at(object_of(item), "id")
    parts = given or (() if own_id is None else (chosen.name, own_id))
    drafts = [
        {"id": derived_message_id(*parts, number) if parts else new_id(), **draft}
        for number, draft in enumerate(read)
    ]
    return [_of_response(draft, str(drafts[0]["id"])) for draft in drafts]


def _within(place: str, inner: str) -> str:
    """Return a place in a document of one item as the place of that item among others."""
    return place + inner.removeprefix("messages").removeprefix("[0]")


def _of_response(draft: Draft, name: str) -> Draft:
    """Return a message whose response has this name, if the reader named it by its place."""
    metadata = object_at(draft, "metadata")
    if (text_at(metadata, "responseId") or "").startswith(UNNAMED_RESPONSE):
        return {**draft, "metadata": {**metadata, "responseId": UNNAMED_RESPONSE + name}}
    return draft
