"""Keys of requests, by which a replay finds the recorded answer of one.

Two runs of one command differ in what says nothing: ids, marks of caches, the order in which
results came, folders and dates. Each key leaves out more than the one before; no key measures how
alike two requests are, since that would serve the answer of another.

The rules are version 1; they are after what OrcaReplay and real clients showed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Literal, NamedTuple

from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonObject, JsonValue, array_of, object_of, text_at
from agentlog.projections.exchanges.exchange import Exchange
from agentlog.projections.exchanges.requests import Api, canonical_item, declared_tools, request_of

Rung = Literal["exact", "normalised", "outputs"]
"""How a request was found: equal but for ids and marks; but for values of the machine, dates and
ids in texts; but for what tools gave back."""
RUNGS: tuple[Rung, ...] = ("exact", "normalised", "outputs")

_NOT_ASKED = frozenset(
    "metadata client_metadata prompt_cache_key safety_identifier user service_tier stream_options "
    "store".split()
)
"""Fields of a request that say nothing of what a model is asked."""
_CALL_IDS = frozenset({"tool_call_id", "tool_use_id", "call_id"})
_CALLS = frozenset({"function", "tool_use", "function_call", "custom_tool_call", "custom"})
_OUTPUT = "<tool output>"
_OUTPUTS = frozenset({"content", "output", "functionResponse"})
_BLOCKS = ("content", "parts")
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_NO_NAME = re.compile(r"[^A-Za-z0-9]")

_PATTERNS: Sequence[tuple[re.Pattern[str], str]] = (
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE), "<uuid>"),
    (re.compile(r"\b20\d\d-[01]\d-[0-3]\d(?:[T ][0-2]\d:[0-5]\d(?::[\d.]+)?Z?)?"), "<date>"),
    (re.compile(rf"\b(?:[A-Z][a-z]+day, )?(?:{_MONTHS}) \d{{1,2}}, 20\d\d\b"), "<date>"),
    (re.compile(r"\bChunk ID: [0-9a-f]+"), "Chunk ID: <id>"),  # Codex
    (re.compile(r"\bWall time: [\d.]+"), "Wall time: <time>"),
    (re.compile(r"\bProcess Group PGID: \d+"), "Process Group PGID: <id>"),  # Gemini CLI
    (re.compile(r"\bagentId: \w+"), "agentId: <id>"),  # Claude Code
    (re.compile(r"\bSendMessage with to: '\w+'"), "SendMessage with to: '<id>'"),
    (re.compile(r"\bduration_ms: \d+"), "duration_ms: <time>"),
    (re.compile(r"\[masked: ([a-z-]+), \d+\]"), r"[masked: \1]"),
)


class KeyedRequest(NamedTuple):
    """A request with its keys, from the strictest, and the parts that a difference names."""

    keys: tuple[bytes, ...]
    parts: Mapping[str, JsonValue]


def keyed(exchange: Exchange, values: Mapping[str, str]) -> KeyedRequest:
    """Return a request with its keys; `values` are the texts of the machine that it was sent on."""
    api = exchange.api
    if api is None:
        digest = sha256(exchange.request).hexdigest()
        key = f"{exchange.method} {exchange.path} {digest}".encode()
        return KeyedRequest((key,), {"path": exchange.path, "body": digest})
    exact = _canonical(api, exchange.body)
    replaced = {key: _replaced(value, _patterns(values)) for key, value in exact.items()}
    masked = {key: _masked(value) for key, value in replaced.items()}
    forms = (exact, replaced, masked)
    return KeyedRequest(
        tuple(sha256(print_bytes([api, form], sort_keys=True)).digest() for form in forms),
        {"api": api, **replaced},
    )


def exact_parts(exchange: Exchange) -> Mapping[str, JsonValue]:
    """Return the parts of a request that the strictest key compares."""
    return {} if exchange.api is None else _canonical(exchange.api, exchange.body)


def first_difference(
    recorded: Mapping[str, JsonValue], asked: Mapping[str, JsonValue]
) -> tuple[str, JsonValue, JsonValue] | None:
    """Return the place of the first part that differs, and both forms of it."""
    names = [*_FIRST, *sorted({*recorded, *asked}.difference(_FIRST))]
    for name in names:
        one, other = recorded.get(name), asked.get(name)
        if one == other:
            continue
        if isinstance(one, list) and isinstance(other, list):
            for place in range(max(len(one), len(other))):
                left = one[place] if place < len(one) else None
                right = other[place] if place < len(other) else None
                if left != right:
                    return f"{name}[{place}]", left, right
        return name, one, other
    return None


_FIRST = ("api", "model", "tools")
"""What is named first in a difference."""


def common_items(recorded: Mapping[str, JsonValue], asked: Mapping[str, JsonValue]) -> int:
    """Return how many items of two conversations are equal from their beginning."""
    count = 0
    for one, other in zip(
        array_of(recorded.get("items")), array_of(asked.get("items")), strict=False
    ):
        if one != other:
            break
        count += 1
    return count


def is_of_lane(recorded: KeyedRequest, asked: KeyedRequest) -> bool:
    """Return whether a request goes on with the conversation of a recorded one.

    Both offer tools or both do not, and both begin with the same message of a user. A conversation
    that the provider keeps is not sent again.
    """
    if bool(recorded.parts.get("tools")) != bool(asked.parts.get("tools")):
        return False
    if "previous_response_id" in asked.parts:
        return True
    return _first_of_user(recorded) == _first_of_user(asked)


def _first_of_user(request: KeyedRequest) -> JsonValue:
    items = map(object_of, array_of(request.parts.get("items")))
    return next((item for item in items if item.get("role") == "user"), None)


def _canonical(api: Api, body: JsonObject) -> dict[str, JsonValue]:
    """Return the parts of a request with ids as numbers, and results in the order of calls."""
    request = request_of(api, body)
    ids: dict[str, str] = {}
    items = [_with_numbers(canonical_item(api, item), ids) for item in request.items]
    ordered = [_ordered_blocks(item) for item in _ordered_results(items)]
    tools = sorted(declared_tools(request.beside.get("tools")), key=tool_name)
    beside = {key: value for key, value in request.beside.items() if key not in _NOT_ASKED}
    prompt = canonical_item(api, {"content": request.prompt}).get("content")
    parts: dict[str, JsonValue] = {**beside, "items": [*ordered], "prompt": prompt}
    return {**parts, "tools": [_without_marks(tool) for tool in tools]}


def _without_marks(tool: JsonValue) -> JsonValue:
    return {key: value for key, value in object_of(tool).items() if key != "cache_control"}


def tool_name(tool: JsonValue) -> str:
    """Return the name of a tool of a request; empty where it has none."""
    fields = object_of(tool)
    return text_at(object_of(fields.get("function")), "name") or text_at(fields, "name") or ""


def renumbered(item: JsonValue) -> JsonValue:
    """Return an item whose ids of calls are numbered by their first appearance in it."""
    return _with_numbers(item, {})


def _with_numbers(value: JsonValue, ids: dict[str, str]) -> JsonValue:
    """Return a value whose ids of calls are numbers, by their first appearance."""
    match value:
        case list():
            return [_with_numbers(inner, ids) for inner in value]
        case dict():
            is_call = value.get("type") in _CALLS
            fields: JsonObject = {}
            for key, inner in value.items():
                if isinstance(inner, str) and (key in _CALL_IDS or (key == "id" and is_call)):
                    fields[key] = ids.setdefault(inner, f"<call {len(ids) + 1:06}>")
                else:
                    fields[key] = _with_numbers(inner, ids)
            return fields
        case _:
            return value


def _ordered_results(items: Sequence[JsonValue]) -> Iterator[JsonValue]:
    """Yield items, those that are results of one turn in the order of their calls."""
    results: list[JsonValue] = []
    for item in items:
        if call_of_result(item) is not None:
            results.append(item)
            continue
        yield from sorted(results, key=_order)
        results = []
        yield item
    yield from sorted(results, key=_order)


def _ordered_blocks(item: JsonValue) -> JsonValue:
    fields = object_of(item)
    ordered: JsonObject = {
        key: [*_ordered_results(blocks)]
        for key in _BLOCKS
        if isinstance(blocks := fields.get(key), list)
    }
    return {**fields, **ordered}


def call_of_result(item: JsonValue) -> str | None:
    """Return the call that an item or a block is the result of, None if it is no result."""
    fields = object_of(item)
    if fields.get("role") == "tool":
        return text_at(fields, "tool_call_id") or ""
    kind = fields.get("type")
    if kind == "tool_result":
        return text_at(fields, "tool_use_id") or ""
    if isinstance(kind, str) and kind.endswith("_call_output"):
        return text_at(fields, "call_id") or ""
    if isinstance(given := fields.get("functionResponse"), dict):
        return text_at(given, "id") or ""
    return None


def results_of(value: JsonValue) -> Iterator[str]:
    """Yield the calls whose results stand in a value."""
    call = call_of_result(value)
    if call is not None:
        yield call
    elif isinstance(value, list):
        for inner in value:
            yield from results_of(inner)
    elif isinstance(value, dict):
        yield from results_of([*value.values()])


def _order(item: JsonValue) -> str:
    return call_of_result(item) or ""


def _patterns(values: Mapping[str, str]) -> Sequence[tuple[re.Pattern[str], str]]:
    """Return what is replaced by named tokens: the longest values first, then patterns."""
    spelt = [
        (spelling, f"<{name}>")
        for name, value in values.items()
        for spelling in dict.fromkeys((value, _NO_NAME.sub("-", value)))  # Claude Code's folders
    ]
    spelt.sort(key=lambda pair: -len(pair[0]))
    known = [(re.compile(rf"{re.escape(value)}(?![\w])"), token) for value, token in spelt]
    return [*known, *_PATTERNS]


def _replaced(value: JsonValue, patterns: Sequence[tuple[re.Pattern[str], str]]) -> JsonValue:
    match value:
        case str():
            for pattern, token in patterns:
                value = pattern.sub(token, value)
            return value
        case list():
            return [_replaced(inner, patterns) for inner in value]
        case dict():
            return {key: _replaced(inner, patterns) for key, inner in value.items()}
        case _:
            return value


def _masked(value: JsonValue) -> JsonValue:
    """Return a value without what tools gave back."""
    match value:
        case list():
            return [_masked(inner) for inner in value]
        case dict() if call_of_result(value) is not None:
            return {
                key: _OUTPUT if key in _OUTPUTS else inner
                for key, inner in value.items()
                if key != "is_error"
            }
        case dict():
            return {key: _masked(inner) for key, inner in value.items()}
        case _:
            return value
