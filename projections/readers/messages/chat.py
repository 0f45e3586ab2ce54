"""Reader of OpenAI chat messages, as stored in agents' trajectories.

Also of the functions that tools replaced, whose calls had no ids, and of conversations in which
the role is the name of an agent, who then is the `actor` of its message.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agentlog.domain.errors import Flaw, InvalidMessage
from agentlog.domain.json.values import JsonValue, array_of, object_at, object_of, objects_of
from agentlog.projections.readers.draft import UNNAMED_RESPONSE, Draft, Reader
from agentlog.projections.readers.fields import file_of_uri
from agentlog.projections.readers.history import format_of_items
from agentlog.projections.readers.messages.calls import (
    RESULT_ROLES,
    calls_in,
    is_plain_call,
    result_of,
    unknown_fields,
)
from agentlog.projections.readers.messages.content import says_of
from agentlog.projections.view import Item
from agentlog.projections.views.openai import WHOLE, OpenAIOptions, OpenAIView


class _Chat:
    """Reads the items of one history: a result without an id answers a call before it."""

    def __init__(self) -> None:
        self._open: dict[str, str] = {}

    def read(self, item: Item, index: int) -> Sequence[Draft]:
        role = item.get("role")
        match role.lower() if isinstance(role, str) else role:
            case "system" | "developer":
                draft: Draft = {"type": "system", "text": _text(item)}
                return [draft if draft["text"] or not _hides(item) else _whole(item)]
            case str(word) if says_of(word) == "input":
                self._open = {}
                return [_spoken(item, _input(item))]
            case "assistant":
                return [_spoken(item, draft) for draft in self._assistant(item, index)]
            case str(word) if word in RESULT_ROLES:
                result = result_of(item, index, _output(item), self._open)
                return [{"type": "tool_results", "results": [result]}]
            case str(word) if word and "content" in item:  # the name of an agent
                return [_by(str(role), draft) for draft in self._assistant(item, index)]
            case _:
                known = ", ".join(_ROLES)
                raise InvalidMessage([Flaw("role", f"{role!r} is none: use one of {known}")])

    def _assistant(self, item: Item, index: int) -> Sequence[Draft]:
        calls = calls_in(item, index)
        self._open = {str(call["id"]): str(call["name"]) for call in calls}
        text, hides = _text(item), _hides(item)
        drafts: list[Draft] = []
        if text or (item.get("content") is not None and not hides) or not (calls or hides):
            drafts.append({"type": "reply", "text": text})
        if calls:
            drafts.append({"type": "tool_calls", "calls": [*calls]})
        if len(drafts) > 1:  # one model response: the view joins what shares its id
            metadata: Item = {"responseId": f"{UNNAMED_RESPONSE}{index}"}
            return [{**draft, "metadata": metadata} for draft in drafts]
        return drafts or [_whole(item)]


def _spoken(item: Item, draft: Draft) -> Draft:
    """Return a message with who speaks, where the item names them."""
    name = item.get("name")
    return _by(name, draft) if isinstance(name, str) and name else draft


def _by(name: str, draft: Draft) -> Draft:
    return {**draft, "metadata": {**object_at(draft, "metadata"), "actor": name}}


def _input(item: Item) -> Draft:
    content = item.get("content")
    parts = array_of(content)
    files = [file for part in parts if (file := _file(part)) is not None]
    text = _text(item)
    if not text and not files and _hides(item):
        return _whole(item)
    draft: Draft = {"type": "input"}
    if not files or any(map(_is_text, parts)):
        draft["text"] = text
    if files:
        draft["files"] = [*files]
    return draft


def _whole(item: Item) -> Draft:
    """Return the message for an item of which no other message would show anything."""
    return {"type": WHOLE, "payload": item}


def _hides(item: Item) -> bool:
    """Return whether an item has more than text that its message would not show."""
    content = item.get("content")
    if isinstance(content, list):
        return not all(_is_text(part) or _is_refusal(part) for part in content)
    beside = (value for key, value in item.items() if key not in _SHOWN)
    return content is None and any(value not in (None, [], {}) for value in beside)


def _file(part: JsonValue) -> Item | None:
    """Return the file of a part; references and parts without bytes stay in the residue."""
    match part:
        case {"type": "image_url", "image_url": {"url": uri}}:
            return file_of_uri(uri)
        case {"type": "file", "file": {"file_data": uri, "filename": filename}}:
            return file_of_uri(uri, filename)
        case {"type": "file", "file": {"file_data": uri}}:
            return file_of_uri(uri)
        case _:
            return None


def _output(item: Item) -> JsonValue:
    """Return what a tool gave back: its text, or the parts where none is a text."""
    text = _text(item)
    return item["content"] if not text and _hides(item) and item.get("content") else text


def _text(item: Item) -> str:
    match item.get("content"):
        case str(text):
            return text
        case None:
            refusal = item.get("refusal")
            return refusal if isinstance(refusal, str) else ""
        case list(parts):
            return "".join(map(_text_of, parts)) or _refusal(parts)
        case _:
            raise InvalidMessage([Flaw("content", "neither a string nor an array of parts")])


def _refusal(parts: Sequence[JsonValue]) -> str:
    return "".join(str(part["refusal"]) for part in objects_of([*parts]) if _is_refusal(part))


def _is_text(part: JsonValue) -> bool:
    match part:
        case {"type": "text", "text": str()} | {"type": "text", "value": str()}:
            return True
        case {"text": str(), **rest}:  # some programs leave the type out
            return "type" not in rest
        case _:
            return False


def _text_of(part: JsonValue) -> str:
    """Return the text of a part, empty where it has none; some programs write `value`."""
    match part:
        case {"type": "text", "text": str(text)} | {"type": "text", "value": str(text)}:
            return text
        case {"text": str(text), **rest} if "type" not in rest:
            return text
        case _:
            return ""


def _is_refusal(part: JsonValue) -> bool:
    match part:
        case {"refusal": str()}:
            return True
        case _:
            return False


def _unknown(item: Item, drafts: Sequence[Draft]) -> Iterator[tuple[str, str]]:
    """Yield fields, parts and fields of calls that the API's types do not have."""
    if drafts[0]["type"] == WHOLE:
        yield "", f"message of {item['role']} without text"
    for key, value in item.items():
        if key not in _KNOWN and value is not None:
            yield key, f"field {key!r}"
    for n, part in enumerate(array_of(item.get("content"))):
        kind = part.get("type") if isinstance(part, dict) else None
        if kind not in _PARTS and not _is_text(part):
            named = repr(kind[:64]) if isinstance(kind, str) else "without a type"
            yield f"content[{n}]", f"part {named}"
    yield from unknown_fields(item)


def _is_plain(item: Item) -> bool:
    """Return whether an item has only the fields and types that the view writes."""
    # runs for every item: `match` patterns take 3x as long
    keys, role, content = item.keys(), item.get("role"), item.get("content")
    if keys == _OF_TEXT:
        return type(content) is str and role in _WITH_TEXT
    if keys == _OF_CALLS:
        calls = item["tool_calls"]
        known = role == "assistant" and (content is None or type(content) is str)
        return known and type(calls) is list and calls != [] and all(map(is_plain_call, calls))
    if keys in _OF_RESULTS:
        call_id, name = item["tool_call_id"], item.get("name", "")
        texts = type(call_id) is type(content) is type(name) is str
        return texts and role == "tool" and call_id != ""
    return False


_ROLES = ("system", "developer", "user", "assistant", *sorted(RESULT_ROLES))
_OF_TEXT = {"role", "content"}
_OF_CALLS = _OF_TEXT | {"tool_calls"}
_OF_RESULTS = (_OF_TEXT | {"tool_call_id", "name"}, _OF_TEXT | {"tool_call_id"})
_SHOWN = _OF_TEXT | {"name", "refusal", "tool_calls", "tool_call_id", "function_call"}
_KNOWN = _SHOWN | {"annotations", "audio", "tool_name"}
_PARTS = ("text", "image_url", "input_audio", "file", "refusal")  # not a set: may be unhashable
_WITH_TEXT = ("system", "user", "assistant")  # not a set: a role may be unhashable

READER = Reader(
    "openai",
    lambda: _Chat().read,
    OpenAIView(OpenAIOptions(foreign=True, repair=False)),
    _is_plain,
    _unknown,
)


def _has_role(value: JsonValue) -> bool:
    match value:
        case {"role": str(role)}:
            return role in _ROLES
        case _:
            return False


def _is_message(value: JsonValue) -> bool:
    return _has_role(value) and any(
        key in object_of(value) for key in ("content", "tool_calls", "function_call")
    )


_FACTS = ("tools", "parallel_tool_calls")
"""Of a line of fine-tuning data, or of a request to the API."""

FORMAT = replace(
    format_of_items(READER, "OpenAI chat messages", _is_message, generality=2, facts=_FACTS),
    excludes=lambda value: not _has_role(value),
)
