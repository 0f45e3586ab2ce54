"""What a chat API takes: the rules of its history, and the types of the openai package."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter

from agentlog.projections.view import Item
from tests.typed_dicts import check_typed

_PARAM: TypeAdapter[Any] = TypeAdapter(ChatCompletionMessageParam)


def why_unsafe(items: Sequence[Item]) -> str | None:
    """Say why a model's API would refuse these messages; calls at the very end may stay open."""
    at = 0
    while at < len(items):
        item = items[at]
        if item["role"] == "tool":
            return f"[{at}] answers {item['tool_call_id']!r}, which the turn before does not ask"
        at += 1
        asked = Counter(call["id"] for call in item.get("tool_calls") or ())
        while at < len(items) and items[at]["role"] == "tool":
            answered = items[at]["tool_call_id"]
            if not asked[answered]:
                return f"[{at}] answers {answered!r}, which is not open"
            asked[answered] -= 1
            at += 1
        if asked.total() and at < len(items):
            return f"[{at}] follows calls that are not answered"
    return None


def check_types(item: Item) -> None:
    """Raise where the types lack a key of the item, or one of its values; at any depth."""
    check_typed(_PARAM, item)
