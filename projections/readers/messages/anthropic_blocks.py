"""Content blocks of Anthropic's messages, as in the API and in Claude Code's sessions."""

from collections.abc import Callable, Sequence

from agentlog.domain.json.values import JsonValue, array_of, object_at, text_at
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, usage
from agentlog.projections.readers.files import file_of
from agentlog.projections.readers.messages.content import Kinds, read_content
from agentlog.projections.readers.reading import Entry
from agentlog.projections.view import Item

_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_KEPT = frozenset(
    {
        "thinking",
        "redacted_thinking",
        "image",
        "document",
        "search_result",
        "container_upload",
        "compaction",
        "fallback",
        "mcp_tool_listing",
    }
)
"""Kinds of blocks without a message of the catalogue; `thinking` where its text is hidden."""
_INPUTS = {
    name: name
    for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
}
_FIGURES = {"output_tokens": "outputTokens", "cache_read_input_tokens": "cachedInputTokens"}
_DETAILS = {"thinking_tokens": "reasoningTokens"}

KNOWN = frozenset(
    {
        "cache_control",
        "caller",
        "citations",
        "container",
        "context",
        "context_management",
        "data",
        "diagnostics",
        "is_error",
        "role",
        "server_name",
        "signature",
        "source",
        "stop_details",
        "stop_sequence",
        "title",
        "toolset_name",
        "transformations",
        "type",
        "usage",
    }
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

    def draft_of(block: Fields, says: str) -> Draft | None:
        draft = _draft_of(block, says)
        if says == "input" and draft is not None and is_written(text_at(draft, "text") or ""):
            return {**draft, "type": "system"}
        return draft

    if content not in ([], None):
        read_content(entry, content, place, says, Kinds(draft_of, _read_block))


def _draft_of(block: Fields, says: str) -> Draft | None:
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


def _read_block(entry: Entry, block: Fields) -> None:
    match block.item:
        case {"type": "thinking", "thinking": str(text)} if text.strip():
            block.drop("type", "thinking")
            entry.add({"type": "reasoning", "title": "", "summary": text}, block)
        case {"type": str(kind), "id": str(call_id), "name": str(name), "input": args} if (
            kind in _CALLS and call_id
        ):
            block.drop("id", "name", "input", *(["type"] if kind == "tool_use" else []))
            call = {"id": call_id, "name": name, "args": args}
            entry.add({"type": "tool_calls", "calls": [call]}, block)
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
    blocks: Sequence[JsonValue] = array_of(content)
    texts = [block["text"] for block in blocks if isinstance(block, dict) and "text" in block]
    return "\n".join(text for text in texts if isinstance(text, str))


def answer(message: Fields) -> Draft | None:
    """Return the `llm_response` of an answer, or None if nothing is said of it.

    Model and stop reason are taken of it; the usage has more figures than the catalogue, and stays.
    """
    counts = message.item.get("usage")
    figures: Item = {}
    if inputs := usage(counts, _INPUTS):  # cached tokens are not among Anthropic's `input_tokens`
        figures["inputTokens"] = sum(count for count in inputs.values() if isinstance(count, int))
    figures |= usage(counts, _FIGURES)
    if isinstance(counts, dict):
        figures |= usage(counts.get("output_tokens_details"), _DETAILS)
    draft: Draft = {"usage": figures} if figures else {}
    for theirs, ours in (("model", "model"), ("stop_reason", "finishReason")):
        if (text := message.text(theirs)) is not None:
            draft[ours] = text
    return {"type": "llm_response", "provider": "anthropic", **draft} if draft else None
