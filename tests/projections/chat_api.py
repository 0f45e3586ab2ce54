"""What a chat API takes: the rules of its history, and the types of the openai package."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter

from projections.view import Item

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
    checked = _PARAM.validate_python(item)
    for value in checked.values():  # what is iterable is only checked when walked
        if not isinstance(value, str | dict) and value is not None:
            list(value)
