"""Messages with parts, as OpenTelemetry's GenAI conventions have them, as drafts of ours.

Pydantic AI has the results of tools in messages of users, as `result` instead of `response`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from domain.json.text import JsonValue, print_bytes, print_text
from projections.readers.draft import Draft
from projections.readers.traces.otlp.span import unpacked
from projections.text_format import call_fields
from projections.view import Item

Role = Literal["system", "user", "assistant", "tool"]

_ROLES: Mapping[JsonValue, Role] = {
    "system": "system",
    "developer": "system",
    "assistant": "assistant",
    "model": "assistant",
    "tool": "tool",
}
_RESPONSE = "tool_call_response"
_DATA = re.compile(r"[A-Za-z0-9+/\r\n]*={0,2}")


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side said at once; `parts` are objects with a `type`."""

    role: Role
    parts: tuple[Item, ...]

    @property
    def digest(self) -> str:
        """A digest of what was said, the same wherever and however it is repeated.

        Thoughts are left out: few repeat them. Arguments count as values, not as they are spelled.
        """
        said = "".join(_said(part) for part in self.parts if _is_text(part))
        others = [_canonical(part) for part in self.parts if not _is_text(part)]
        found = [self.role, said, *(each for each in others if each is not None)]
        return sha256(print_bytes(found, sort_keys=True)).hexdigest()[:16]


def turns_of(message: Item) -> Iterator[Turn]:
    """Yield the turns of a message: its results by themselves, then the rest."""
    given = message.get("parts")
    listed = given if isinstance(given, list) else [] if given is None else [given]
    parts = [each if isinstance(each, dict) else {"content": each} for each in listed]
    if given is None and message.get("content") is not None:
        parts = [{"type": "text", "content": message["content"]}]
    role = message.get("role")
    found = _ROLES.get(role, "user") if isinstance(role, str) else "user"
    for part in parts:
        if part.get("type") == _RESPONSE:
            yield Turn("tool", (part,))
    rest = tuple(part for part in parts if part.get("type") != _RESPONSE)
    if rest:
        yield Turn(found, rest)


def drafts_of(turn: Turn, *, calls: str) -> Iterator[Draft]:
    """Yield the messages of a turn; none is blank, and what is not known is kept as `otel.part`.

    `calls` begins the ids of calls that have none.
    """
    match turn.role:
        case "system":
            said = "\n\n".join(_said(part) for part in turn.parts if _is_text(part))
            if said:
                yield {"type": "system", "text": said}
        case "user":
            yield from _input(turn)
        case "tool":
            yield from (
                {"type": "tool_results", "results": [result_of(part)]}
                for part in turn.parts
                if part.get("type") == _RESPONSE
            )
        case "assistant":
            yield from _answer(turn, calls)
    for part in turn.parts:
        if not _is_known(turn.role, part):
            yield {"type": "otel.part", "payload": {"role": turn.role, **part}}


def result_of(part: Item) -> Item:
    """Return the result of a call."""
    output = part.get("response", part.get("result"))
    found: Item = {"output": output}
    for ours, theirs in (("callId", "id"), ("name", "name")):
        if isinstance(part.get(theirs), str) and part[theirs]:
            found[ours] = part[theirs]
    return found


def call_of(part: Item, *, call_id: str) -> Item:
    """Return a call; arguments in a text are kept as they are spelled."""
    name, arguments = part.get("name"), part.get("arguments")
    name = name if isinstance(name, str) else "unknown"
    if isinstance(arguments, str):
        return {"id": call_id, **call_fields(name, arguments)}
    return {"id": call_id, "name": name, **({} if arguments is None else {"args": arguments})}


def call_id_of(part: Item) -> str | None:
    """Return the id of a call or of a result, if it has one."""
    found = part.get("id")
    return found if isinstance(found, str) and found else None


def _answer(turn: Turn, calls: str) -> Iterator[Draft]:
    asked: list[Item] = []
    for n, part in enumerate(turn.parts):
        match part.get("type"):
            case "reasoning" if _said(part):
                yield {"type": "reasoning", "title": "", "summary": _said(part)}
            case "text" if _said(part):
                yield {"type": "reply", "text": _said(part)}
            case "tool_call":
                asked.append(call_of(part, call_id=call_id_of(part) or f"{calls}-{n}"))
            case _:
                pass
    if asked:
        yield {"type": "tool_calls", "calls": asked}


def _input(turn: Turn) -> Iterator[Draft]:
    said = [_said(part) for part in turn.parts if _is_text(part)]
    files = [found for part in turn.parts if (found := _file(part)) is not None]
    draft: Draft = {"type": "input"}
    if said:
        draft["text"] = "\n\n".join(said)
    if files:
        draft["files"] = files
    if len(draft) > 1:
        yield draft


def _is_known(role: Role, part: Item) -> bool:
    match role, part.get("type"):
        case _, "text":
            return True
        case "assistant", "reasoning" | "tool_call":
            return True
        case "tool", "tool_call_response":
            return True
        case "user", "blob":
            return _file(part) is not None
        case _:
            return False


def _file(part: Item) -> Item | None:
    match part:
        case {"type": "blob", "content": str(data)} if _DATA.fullmatch(data):
            found: Item = {"data": data}
        case _:
            return None
    if isinstance(part.get("mime_type"), str):
        found["mimeType"] = part["mime_type"]
    return found


def _is_text(part: Item) -> bool:
    return part.get("type") == "text"


def _said(part: Item) -> str:
    """Return the text of a part; a value is printed as JSON."""
    content = part.get("content")
    return content if isinstance(content, str) else "" if content is None else print_text(content)


def _canonical(part: Item) -> JsonValue:
    match part:
        case {"type": "reasoning"}:
            return None
        case {"type": "tool_call", "name": name, **call}:
            return ["call", call.get("id"), name, unpacked(call.get("arguments"))]
        case {"type": "tool_call_response", **result}:
            return ["result", result.get("response", result.get("result"))]
        case _:
            return part
