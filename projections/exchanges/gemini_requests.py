"""Gemini's requests as the other APIs write theirs.

Model and form of the answer stand in the path, names of fields come in camel or in snake case, and
calls have no ids, or such as their client made up when it had the answer.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import quote, unquote

from agentlog.domain.json.values import (
    JsonObject,
    JsonValue,
    object_at,
    object_of,
    objects_of,
    text_at,
)

PATH = re.compile(r"/(?:models|tunedModels|endpoints)/[^/:]+:(?:stream)?[gG]enerateContent\Z")
_OF_PATH = frozenset({"model", "stream"})
_FREE = frozenset(
    "args response parameters parametersJsonSchema responseSchema responseJsonSchema labels".split()
)
"""Fields whose value has names of the user's."""
_UNDERSCORE = re.compile(r"_([a-z])")


def opened(path: str, body: JsonObject) -> JsonObject:
    """Return a request's fields in camel case, and beside them what its path says.

    `stream` is true for server-sent events, "array" for a JSON array that comes in pieces.
    """
    place, _, query = path.partition("?")
    model, _, method = place.rpartition("/")[2].partition(":")
    fields = object_of(_in_camel_case(body))
    fields["model"] = unquote(model)
    if method.startswith("stream"):
        fields["stream"] = True if "alt=sse" in query.split("&") else "array"
    return fields


def closed(path: str, fields: JsonObject) -> tuple[str, JsonObject]:
    """Return the path and the body of a request that was opened, and changed then."""
    place, mark, query = path.partition("?")
    folder, _, name = place.rpartition("/")
    model = text_at(fields, "model") or unquote(name.partition(":")[0])
    method = "streamGenerateContent" if fields.get("stream") else "generateContent"
    body = {key: value for key, value in fields.items() if key not in _OF_PATH}
    return f"{folder}/{quote(model, safe='')}:{method}{mark}{query}", body


def _in_camel_case(value: JsonValue) -> JsonValue:
    match value:
        case list():
            return [_in_camel_case(inner) for inner in value]
        case dict():
            fields = {_camel_case(key): inner for key, inner in value.items()}
            return {
                key: inner if key in _FREE else _in_camel_case(inner)
                for key, inner in fields.items()
            }
        case _:
            return value


def _camel_case(name: str) -> str:
    return _UNDERSCORE.sub(lambda match: match[1].upper(), name)


def plain_contents(contents: Sequence[JsonObject]) -> list[JsonObject]:
    """Return a conversation whose calls are named by their number, and results by their calls.

    A result belongs to the open call of its id, else to the first one of its name. Of an output
    that its client wrapped it is the output alone.
    """
    calls = _Calls()
    return [calls.named(content) for content in contents]


def plain_answer(contents: Sequence[JsonObject], answer: JsonObject) -> JsonObject:
    """Return the answer to a conversation, its calls named as when they are sent back in it."""
    candidates: list[JsonValue] = []
    for candidate in objects_of(answer.get("candidates")):
        content: JsonObject = {"role": "model", **object_at(candidate, "content")}
        named = plain_contents([*contents, content])[-1]
        candidates.append({**candidate, "content": named} if "content" in candidate else candidate)
    return {**answer, "candidates": candidates}


class _OpenCall(NamedTuple):
    name: str | None
    own_id: str | None
    made_id: str


@dataclass(slots=True)
class _Calls:
    """The calls of a conversation so far."""

    count: int = 0
    open: list[_OpenCall] = field(default_factory=list)

    def named(self, content: JsonObject) -> JsonObject:
        parts = content.get("parts")
        if not isinstance(parts, list):
            return {"role": "user", **content}
        return {"role": "user", **content, "parts": [self._part(part) for part in parts]}

    def _part(self, part: JsonValue) -> JsonValue:
        fields = object_of(part)
        match fields:
            case {"functionCall": dict(call)}:
                self.count += 1
                made = f"call-{self.count}"
                self.open.append(_OpenCall(text_at(call, "name"), text_at(call, "id"), made))
                return {**fields, "functionCall": {**call, "id": made}}
            case {"functionResponse": dict(result)}:
                answered = self._close(text_at(result, "name"), text_at(result, "id"))
                own: JsonObject = {} if answered is None else {"id": answered}
                match result.get("response"):
                    case {"output": output, **rest} | {"result": output, **rest} if not rest:
                        own["response"] = output
                    case _:
                        pass
                return {**fields, "functionResponse": {**result, **own}}
            case _:
                return part

    def _close(self, name: str | None, own_id: str | None) -> str | None:
        """Close the call that a result answers, and return its id; None if none is open."""
        by_id = (call for call in self.open if own_id is not None and call.own_id == own_id)
        by_name = (call for call in self.open if call.name == name)
        call = next(by_id, None) or next(by_name, None)
        if call is None:
            return None
        self.open.remove(call)
        return call.made_id
