"""What Anthropic's API takes: the rules of its messages, and the types of the anthropic package."""

from collections.abc import Sequence
from typing import Any

from anthropic.types import MessageCreateParams, MessageParam
from pydantic import TypeAdapter

from agentlog.projections.view import Item
from tests.typed_dicts import check_typed

_PARAM: TypeAdapter[Any] = TypeAdapter(MessageParam)
_REQUEST: TypeAdapter[Any] = TypeAdapter(MessageCreateParams)


def why_refused(items: Sequence[Item]) -> str | None:
    """Say why the API would refuse these messages; calls at the very end may stay open."""
    messages: list[Any] = [item for item in items if item["role"] != "system"]
    if messages and messages[0]["role"] != "user":
        return "the first message is not the user's"
    asked: list[str] = []
    for at, message in enumerate(messages):
        blocks = blocks_of(message)
        if not blocks:
            return f"[{at}] is empty"
        if any(block["type"] == "text" and not block["text"].strip() for block in blocks):
            return f"[{at}] has an empty text"
        answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if sorted(answered) != sorted(asked):
            return f"[{at}] answers {answered}, and is asked {asked}"
        if any(block["type"] != "tool_result" for block in blocks[: len(answered)]):
            return f"[{at}] has something before its results"
        if answered and message["role"] != "user":
            return f"[{at}] has results that are not the user's"
        if any(block["type"] == "thinking" and not block["signature"] for block in blocks):
            return f"[{at}] has a thought without signature"
        asked = [block["id"] for block in blocks if block["type"] == "tool_use"]
        if asked and message["role"] != "assistant":
            return f"[{at}] has calls that are not the assistant's"
    return None


def blocks_of(message: Any) -> list[Any]:
    """Return the blocks of a message."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def check_types(item: Item) -> None:
    """Raise where the types of the package do not take a message."""
    check_typed(_PARAM, item)


def check_request(body: Item) -> None:
    """Raise where the types of the package do not take a request."""
    check_typed(_REQUEST, body)
