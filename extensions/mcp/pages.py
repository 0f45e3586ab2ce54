"""Sizes of results: a result goes into a model, so texts are cut and pages end early."""

from math import isfinite
from typing import TypeVar

from pydantic import BaseModel

from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonValue

MOST_BYTES = 16_000
"""Most bytes of a page as JSON. A result carries it twice, as structure and as escaped text."""

_LONGEST_TEXTS = (1000, 300, 80)
"""Characters of a text, at most; the next where an item is too large with the one before."""
_MOST_ITEMS = 50
_MOST_BITS = 1000

ItemT = TypeVar("ItemT")
ModelT = TypeVar("ModelT", bound=BaseModel)


def fitted(value: JsonValue, most_bytes: int = MOST_BYTES) -> JsonValue:
    """Return a value with its long texts and lists cut, each with a remark, to fit."""
    cut: JsonValue = None
    for longest in _LONGEST_TEXTS:
        cut = _cut(value, longest)
        if size_of(cut) <= most_bytes:
            return cut
    return cut_text(print_text(cut), most_bytes // 4)  # a character takes up to four bytes


def cut_text(text: str, longest: int) -> str:
    """Return a text's beginning, with a remark on the rest; lone surrogates are replaced."""
    shown = text if len(text) <= longest else text[:longest]
    clean = shown.encode("utf-8", "replace").decode() if not _is_clean(shown) else shown
    rest = len(text) - len(shown)
    return f"{clean} […{rest} more characters]" if rest else clean


def size_of(value: object) -> int:
    """Return the bytes of a value as JSON."""
    return len(print_text(value).encode("utf-8", "surrogatepass"))


def items_that_fit(items: list[ItemT], most_bytes: int = MOST_BYTES) -> list[ItemT]:
    """Return the first items that fit a page together; at least one, if there are any."""
    size = 0
    for index, item in enumerate(items):
        size += size_of(item)
        if index and size > most_bytes:
            return items[:index]
    return items


def models_that_fit(items: list[ModelT], most_bytes: int = MOST_BYTES) -> list[ModelT]:
    """Return what `items_that_fit` does, of models."""
    return items[: len(items_that_fit([item.model_dump() for item in items], most_bytes))]


def _cut(value: JsonValue, longest: int) -> JsonValue:
    match value:
        case str():
            return cut_text(value, longest)
        case list() if len(value) > _MOST_ITEMS:
            shown = [_cut(item, longest) for item in value[:_MOST_ITEMS]]
            return [*shown, f"[…{len(value) - _MOST_ITEMS} more items]"]
        case list():
            return [_cut(item, longest) for item in value]
        case dict():
            shown_keys = list(value)[:_MOST_ITEMS]
            cut = {cut_text(key, longest): _cut(value[key], longest) for key in shown_keys}
            rest = len(value) - len(shown_keys)
            return {**cut, "[…]": f"{rest} more keys"} if rest else cut
        case float() if not isfinite(value):  # 1e400, which JSON has and floats have not
            return print_text(value)
        case int() if value.bit_length() > _MOST_BITS:
            return cut_text(print_text(value), longest)
        case _:
            return value


def _is_clean(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
