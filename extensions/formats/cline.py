"""Reader of Cline's tasks: what was sent to the model, with the figures and times of the page.

A task is a folder with `api_conversation_history.json` (Anthropic's messages) and
`ui_messages.json`; both are joined to one object. A request of the page (`api_req_started`) has
tokens and cost, and in `conversationHistoryIndex` the place of the message before it (shapes:
`src/shared/ExtensionMessage.ts` of github.com/cline/cline).
"""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import partial

from agentlog.domain.errors import InvalidJson, InvalidMessage
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import JsonValue, object_of
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, amount_at
from agentlog.projections.readers.history import (
    Format,
    History,
    JoinedFiles,
    ReadFile,
    folder_of,
    within,
)
from agentlog.projections.readers.messages.anthropic import KNOWN, read_blocks
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.token_words import TokenWords
from agentlog.projections.view import Item

_HISTORY, _PAGE = "api_conversation_history", "ui_messages"
"""The files of a task, without their suffix: the fields of a document."""

CUT = "conversationHistoryDeletedRange"
"""The first and the last message that a request was sent without."""
_KNOWN = KNOWN | {
    _PAGE,
    CUT,
    "conversationHistoryIndex",
    *("metrics modelInfo providerId mode ts id call_id reasoning_details summary").split(),
}
_SAYS = {"user": "input", "assistant": "reply"}
_FIGURES = TokenWords(
    "tokensIn", "tokensOut", read="cacheReads", written="cacheWrites", cache_beside=True
)
_METRICS = TokenWords("tokens.prompt", "tokens.completion", tool="tokens.cached")
"""Of an answer itself; here `cached` are those that were read and written, beside the prompt."""
_LAST_TIME = 253_402_300_799_999


def _read(document: JsonValue) -> Iterator[History]:
    whole = Fields(document, "")
    messages, page = whole.item.get(_HISTORY), whole.item.get(_PAGE)
    if not isinstance(messages, list) or not isinstance(page, list):
        raise InvalidMessage.at("", f"no {_HISTORY} and {_PAGE}")
    whole.take(_HISTORY)
    reading = Reading("cline", known=_KNOWN)
    requests, times, cuts = _requests(page), _times(page), _cuts(page)
    for n, value in enumerate(messages):
        message = Fields(value, f"{_HISTORY}[{n}]")
        if cuts and isinstance(value, dict):
            message.put("conversationHistoryIndex", n)
            message.put(CUT, cuts.get(n))
        of_draft: Draft = {}
        if (at := _time(message.item) or times.get(n)) is not None:
            of_draft["timestamp"] = at
            message.take_equal({"ts": at})
        _read_message(reading, message, n, requests.get(n, {}), of_draft)
    with reading.by_content():
        reading.keep_left(whole, _PAGE)
    yield reading.history(metadata={"agent": "cline"})


def _read_message(
    reading: Reading, message: Fields, n: int, request: Item, of_draft: Draft
) -> None:
    role, content = message.item.get("role"), message.item.get("content")
    says = _SAYS.get(role) if isinstance(role, str) else None
    if says is None or not isinstance(content, str | list) or not content:
        reading.keep(message, "message", of_draft=of_draft)
        return
    message.drop("role", "content")
    if says == "reply":
        of_draft = {**of_draft, "metadata": {"responseId": f"import-{n}"}}
    entry = Entry(reading, message, **of_draft)
    if says == "reply" and (response := _response(message, request)) is not None:
        entry.add(response)
    read_blocks(entry, content, message.within("content"), says, _is_written)


def _is_written(text: str) -> bool:
    """Return whether Cline wrote a text of the user."""
    return text.startswith("<environment_details>")


def _response(message: Fields, request: Item) -> Draft | None:
    """Return the figures of an answer: the page's, which have all, else its own."""
    draft: Draft = {}
    info = object_of(message.item.get("modelInfo") or request.get("modelInfo"))
    match info:
        case {"modelId": str(model)}:
            draft["model"] = model
            if isinstance(provider := info.get("providerId"), str):
                draft["provider"] = provider
        case _:
            pass
    metrics = object_of(message.item.get("metrics"))
    if figures := _FIGURES.figures(request) or _METRICS.figures(metrics):
        draft["usage"] = figures
    if cost := amount_at(request, "cost") or amount_at(metrics, "cost"):
        draft["costUsd"] = cost
    return {"type": "llm_response", **draft} if draft else None


def _requests(page: list[JsonValue]) -> dict[int, Item]:
    """Return what the page says of requests, by the place of the answer; the last try counts."""
    requests: dict[int, Item] = {}
    for message in page:
        match fields := object_of(message):
            case {"say": "api_req_started", "text": str(text)} if (
                before := _before(message)
            ) is not None:
                try:
                    figures = parse(text)
                except InvalidJson:
                    continue
                if isinstance(figures, dict):
                    requests[before + 2] = {**figures, "modelInfo": fields.get("modelInfo")}
            case _:
                pass
    return requests


def _cuts(page: list[JsonValue]) -> Mapping[int, JsonValue]:
    """Return which messages a request was sent without, by the place of its own message."""
    cuts: dict[int, JsonValue] = {}
    for message in page:
        before, fields = _before(message), object_of(message)
        if before is not None and fields.get("say") == "api_req_started" and fields.get(CUT):
            cuts[before + 1] = fields[CUT]
    return cuts


def _times(page: list[JsonValue]) -> Mapping[int, int]:
    """Return the times of messages by their place: of the request, and of what came first of it."""
    times: dict[int, int] = {}
    for message in page:
        before = _before(message)
        at = _time(message) if isinstance(message, dict) else None
        if before is None or at is None or not isinstance(message, dict):
            continue
        if message.get("say") == "api_req_started":
            times[before + 1] = at
        elif before >= 0:
            times.setdefault(before + 1, at)
    return times


def _before(message: JsonValue) -> int | None:
    """Return the place of the message before what the page says."""
    index = message.get("conversationHistoryIndex") if isinstance(message, dict) else None
    return index if isinstance(index, int) and not isinstance(index, bool) else None


def _time(item: Item) -> int | None:
    at = item.get("ts")
    if isinstance(at, bool) or not isinstance(at, int) or not 0 <= at <= _LAST_TIME:
        return None
    return at


def _is_document(value: JsonValue) -> bool:
    match value:
        case {"api_conversation_history": list(), "ui_messages": list()}:
            return True
        case _:
            return False


def _join(paths: AbstractSet[str]) -> Iterator[JoinedFiles]:
    """Yield the tasks of which both files are there."""
    for history in paths:
        folder = folder_of(history)
        page = within(folder, f"{_PAGE}.json")
        if history == within(folder, f"{_HISTORY}.json") and page in paths:
            yield JoinedFiles(folder, (history, page), partial(_task, history, page))


def _task(history: str, page: str, content: ReadFile) -> bytes:
    return b'{"%b": %b, "%b": %b}' % (
        *(_HISTORY.encode(), content(history)),
        *(_PAGE.encode(), content(page)),
    )


FORMAT = Format("cline", "Cline tasks", _read, _is_document, unit="task", join=_join)
