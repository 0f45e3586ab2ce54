"""Items of other programs' formats, appended to a thread as they are."""

from collections.abc import Callable, Mapping, Sequence

from agentlog.domain.errors import Flaw, InvalidMessage, UnknownFormat
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import JsonValue, object_at, object_of, text_at
from agentlog.projections.readers.agents import adk
from agentlog.projections.readers.agents.claude_code import session as claude_code
from agentlog.projections.readers.draft import UNNAMED_RESPONSE, Draft
from agentlog.projections.readers.history import Format, OngoingHistory
from agentlog.projections.readers.messages import anthropic, chat, pydantic_ai, responses

FORMATS: Mapping[str, Format] = {
    source.name: source for source in (anthropic.FORMAT, chat.FORMAT, responses.FORMAT)
}
"""Those whose items say all by themselves, and which a view of the same name gives back."""
ONGOING: Mapping[str, Callable[[], OngoingHistory]] = {
    source.name: source.begin
    for source in (adk.FORMAT, claude_code.FORMAT, pydantic_ai.FORMAT)
    if source.begin is not None
}
"""Those whose items depend on those before; the view `source` gives them back."""
KNOWN = (*FORMATS, *ONGOING)


def read_appended(
    name: str,
    items: Sequence[JsonValue],
    *,
    key: str | None,
    new_id: Callable[[], str],
    within: str = "messages",
) -> list[Draft]:
    """Return the messages of items, each with its id, as an import reads them.

    `within` is the place of the items in what the caller sent, for errors. Ids are made of `key`,
    where the caller gives one: the same in each retry. Else they are made of the item's own id, and
    those of items without one are new.

    Raises:
        UnknownFormat: no format has that name, or its items cannot be read one by one.
        InvalidMessage: naming the place of an item that cannot be read, or is none.
    """
    if name not in FORMATS:
        raise UnknownFormat(name, known=KNOWN)
    return [
        draft
        for index, item in enumerate(items)
        for draft in _read(
            FORMATS[name],
            item,
            f"{within}[{index}]",
            () if key is None else (key, str(index)),
            new_id,
        )
    ]


def _read(
    chosen: Format,
    item: JsonValue,
    place: str,
    given: tuple[str, ...],
    new_id: Callable[[], str],
) -> list[Draft]:
    """Return the messages of an item; `given` are what their ids are made of, empty for its own."""
    try:
        (history,) = chosen.read([item])
    except InvalidMessage as error:
        flaws = [Flaw(_within(place, flaw.place), flaw.reason) for flaw in error.flaws]
        raise InvalidMessage(flaws) from error
    fields = object_of(item)
    if text_at(fields, "type", "role") is None:
        raise InvalidMessage.at(place, f"no item of {chosen.name}: it has no type and no role")
    own_id = text_at(fields, "id")
    parts = given or (() if own_id is None else (chosen.name, own_id))
    drafts = [
        {"id": derived_message_id(*parts, number) if parts else new_id(), **draft}
        for number, draft in enumerate(history.drafts)
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
