"""Reader of Anthropic's messages: requests, answers, and arrays of both; and of their blocks.

An answer is one model response: its messages share the id. `system` is the first message. Claude
Code's sessions and others have the same blocks.
"""

from collections.abc import Callable, Iterator

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import (
    JsonValue,
    array_of,
    object_at,
    object_of,
    objects_of,
    text_at,
    texts_of,
)
from agentlog.projections.readers.draft import UNNAMED_RESPONSE, Draft, with_templates
from agentlog.projections.readers.fields import Fields, file_of
from agentlog.projections.readers.history import Format, History, items_in
from agentlog.projections.readers.messages.calls import add_call
from agentlog.projections.readers.messages.content import ROLES, Kinds, read_content, says_of
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.token_words import ANTHROPIC
from agentlog.projections.view import Item
from agentlog.projections.views.anthropic.view import AnthropicOptions, AnthropicView

_VIEW = AnthropicView(AnthropicOptions(repair=False))
_OF_REQUESTS = frozenset(
    """
    max_tokens metadata model stop_sequences stream temperature thinking tool_choice tools top_k
    top_p
    """.split()
)
_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_KEPT = frozenset(
    """
    thinking redacted_thinking image document search_result container_upload compaction fallback
    mcp_tool_listing
    """.split()
)
"""Kinds of blocks without a message of the catalogue; `thinking` where its text is hidden."""
KNOWN = frozenset(
    """
    cache_control caller citations container context context_management data diagnostics is_error
    role server_name signature source stop_details stop_sequence title toolset_name
    transformations type usage
    """.split()
)
"""Fields of messages and blocks that are kept beside as a matter of course."""


def is_content(value: JsonValue) -> bool:
    """Return whether content has blocks that only Anthropic's messages have."""
    return isinstance(value, list) and any(map(_is_foreign_to_chat, value))


def _is_foreign_to_chat(block: JsonValue) -> bool:
    match block:
        case {"type": "tool_use" | "server_tool_use", "id": str(), "name": str(), "input": _}:
            return True
        case {"type": str(kind), "tool_use_id": str()}:
            return kind.endswith("tool_result")
        case {"type": "thinking", "thinking": str()}:
            return True
        case {"type": "redacted_thinking", "data": str()}:
            return True
        case {"type": "image" | "document", "source": {"type": str()}}:
            return True
        case _:
            return False


def read_blocks(
    entry: Entry,
    content: JsonValue,
    place: str,
    says: str,
    is_written: Callable[[str], bool] = lambda _: False,
) -> None:
    """Add a message for each block of `content`; `says` is the type of those with text.

    A text among the user's that a program wrote (`is_written`) is a `system` message.
    """

    def spoken(block: Fields, says: str) -> Draft | None:
        draft = draft_of(block, says)
        if says == "input" and draft is not None and is_written(text_at(draft, "text") or ""):
            return {**draft, "type": "system"}
        return draft

    if content not in ([], None):
        read_content(entry, content, place, says, Kinds(spoken, read_block))


def draft_of(block: Fields, says: str) -> Draft | None:
    """Return the text or file of a block, which is taken; None where it has neither."""
    match block.item:
        case {"type": "text", "text": str(text)}:
            block.drop("type", "text")
            return {"text": text}
        case {"type": "image" | "document", "source": {"type": "base64"}} if (
            says == "input" and (file := _file(block.item)) is not None
        ):
            block.drop("type", "source", *(["title"] if "filename" in file else []))
            return {"files": [file]}
        case {"type": "document", "source": {"type": "text", "data": str(text)}}:
            given = Fields(block.take("source"), f"{block.place}.source")
            given.take("data")
            block.put("source", given.left())
            return {"text": text}
        case _:
            return None


def _file(block: Item) -> Item | None:
    match object_at(block, "source"):
        case {"data": str(data), "media_type": str(kind), **rest} if rest == {"type": "base64"}:
            return file_of(data, kind, block.get("title"))
        case _:
            return None


def read_block(entry: Entry, block: Fields) -> None:
    """Add a message for a block that has neither text nor file."""
    match block.item:
        case {"type": "thinking", "thinking": str(text)} if text.strip():
            block.drop("type", "thinking")
            entry.add({"type": "reasoning", "title": "", "summary": text}, block)
        case {"type": str(kind), "name": str(name), "input": args} if kind in _CALLS:
            block.drop("name", "input", *(["type"] if kind == "tool_use" else []))
            add_call(entry, block, name, args)
        case {"type": str(kind), "tool_use_id": str(call_id)} if (
            kind.endswith("tool_result") and call_id
        ):
            entry.add({"type": "tool_results", "results": [_result(block, call_id)]}, block)
        case {"type": str(kind)}:
            entry.keep(block, kind, is_known=kind in _KEPT)
        case _:
            entry.keep(block, "block")


def _result(block: Fields, call_id: str) -> Item:
    block.drop("tool_use_id", *(["type"] if block.item["type"] == "tool_result" else []))
    content = block.take("content")
    match content:
        case [{"type": "text", "text": str(text), **rest}] if not rest:
            content = text
        case _:
            pass
    result: Item = {"callId": call_id, "output": content}
    match block.item.get("is_error"), content:
        case True, _:
            block.take("is_error")
            result["error"] = text_of(content)
        case False, _:
            block.take("is_error")
            result["error"] = None
        case _, {"type": str(kind), "error_code": str(code)} if kind.endswith("error"):
            result["error"] = code
        case _:
            pass
    return result


def text_of(content: JsonValue) -> str:
    """Return the text of content, its blocks on lines of their own."""
    if isinstance(content, str):
        return content
    return "\n".join(texts_of([block.get("text") for block in objects_of(content)]))


def answer(message: Fields) -> Draft | None:
    """Return the `llm_response` of an answer, or None if nothing is said of it.

    Model and stop reason are taken of it; the usage has more figures than the catalogue, and stays.
    """
    figures = ANTHROPIC.figures(message.item.get("usage"))
    draft: Draft = {"usage": figures} if figures else {}
    draft |= message.texts({"model": "model", "stop_reason": "finishReason"})
    return {"type": "llm_response", "provider": "anthropic", **draft} if draft else None


def _read(document: JsonValue) -> Iterator[History]:
    reading, facts = Reading("anthropic", known=KNOWN | _OF_REQUESTS), {}
    items, place = items_in(document), ""
    if isinstance(document, dict) and items is not None:
        place = "messages"
        if isinstance(document.get("model"), str):
            facts = {"model": document["model"]}
        _read_request(reading, Fields(document, ""))
    elif items is None and _is_message(document):
        items = [document]
    if items is None:
        raise InvalidMessage.at("", "has no messages")
    for index, item in enumerate(items):
        at = place if isinstance(document, dict) and not place else f"{place}[{index}]"
        message = Fields(item, at)
        first = len(reading.drafts)
        _read_message(reading, message, index)
        reading.drafts[first:] = with_templates(_VIEW, reading.drafts[first:], message.item)
    yield reading.history(metadata=facts)


def _read_request(reading: Reading, request: Fields) -> None:
    """Add the system prompt, or else a message that keeps the request's fields."""
    request.take("messages")
    system = request.item.get("system")
    entry = Entry(reading, request)
    if isinstance(system, str | list) and system:
        request.take("system")
        read_blocks(entry, system, "system", "system")
    elif left := request.left():
        entry.keep(Fields(left, ""), "request", is_known=True)
        reading.note(request, left)


def _read_message(reading: Reading, message: Fields, index: int) -> None:
    says = says_of(message.item.get("role"))
    if says is None or "content" not in message.item:
        reading.keep(message, "message")
        return
    message.take_equal({"role": ROLES[says]})
    of_draft: Item = {}
    if says == "reply":
        given = message.text("id")
        of_draft = {"metadata": {"responseId": given or f"{UNNAMED_RESPONSE}{index}"}}
    entry = Entry(reading, message, **of_draft)
    response = answer(message) if says == "reply" else None
    content = message.take("content")
    if message.item.get("type") == "message":
        message.take("type")
    if response is not None:
        entry.add(response)
    read_blocks(entry, content, f"{message.place}.content", says)
    if not entry.count:
        entry.keep(message, "message", is_known=True)


def _is_message(value: JsonValue) -> bool:
    """Return whether a value is a message that can be no other format's."""
    match value:
        case {"tool_calls": _} | {"parts": _}:
            return False
        case {"type": "message", "role": "assistant", "content": list(), "stop_reason": _}:
            return True
        case {"role": "user" | "assistant" | "system", "content": content, **rest}:
            return rest.get("type", "message") == "message" and is_content(content)
        case _:
            return False


def _is_document(value: JsonValue) -> bool:
    system = array_of(object_of(value).get("system"))
    items = items_in(value)
    if items is None:
        return False
    of_system = all(isinstance(block, dict) and block.get("type") == "text" for block in system)
    return any(map(_is_message, items)) or (system != [] and of_system)


FORMAT = Format("anthropic", "Anthropic messages", _read, _is_document, _is_message, generality=1)
