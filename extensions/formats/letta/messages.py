"""Messages of Letta's agent files, as its database has them."""

from collections.abc import Iterable, Iterator, Mapping

from agentlog.domain.errors import InvalidJson
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import JsonValue, object_of
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, milliseconds
from agentlog.projections.readers.messages.calls import take_call
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.readers.wires.letta import result_fields
from agentlog.projections.readers.wires.letta_parts import image_file, input_draft
from agentlog.projections.view import Item

KNOWN = frozenset(
    """
    agent_id approval_request_id approve batch_item_id content created_at data denial_reason
    description detail func_response group_id id is_native is_template label limit metadata
    metadata_ model name otid preserve_on_migration read_only role sender_id signature status
    stderr stdout summary tool_call_id tool_return type updated_at
    """.split()
)
"""Fields of messages, their parts and blocks of memory that are kept beside anyway."""

_STATUS: Mapping[JsonValue, str] = {"OK": "success", "Failed": "error"}


class Messages:
    """Reads an agent's messages in their order.

    With `thinks_in_text` the text beside calls is a thought: such agents speak by a tool.
    """

    def __init__(self, reading: Reading, *, thinks_in_text: bool) -> None:
        self._reading = reading
        self._thinks_in_text = thinks_in_text
        self._asked: dict[str, list[str]] = {}

    def read(self, message: Fields, number: int) -> None:
        """Add the messages for one message of the file; `number` is its place there."""
        without_nulls(message)
        role = message.item.get("role")
        if role in ("system", "user", "assistant", "tool"):
            message.take("role")
        if message.item.get("type") == "message":
            message.take("type")
        at = milliseconds(message.item.get("created_at"))
        of_draft: Draft = {} if at is None else {"timestamp": at}
        answers = role == "assistant" or (role == "approval" and "tool_calls" in message.left())
        if answers:
            of_draft["metadata"] = {"responseId": f"message-{number}"}
        entry = Entry(self._reading, message, **of_draft)
        match role:
            case "system":
                _say(entry, list(_parts(message)), "system")
            case "user":
                _hear(entry, message)
            case "assistant" | "approval" if answers:
                self._answer(entry, message, asks=role == "approval")
            case "approval":
                self._decide(entry, message)
            case "tool":
                _return(entry, message)
            case _:
                pass
        if entry.count == 0:
            entry.keep(message, str(role), is_known=role == "summary")

    def _answer(self, entry: Entry, message: Fields, *, asks: bool) -> None:
        asked, parts = list(message.items("tool_calls")), list(_parts(message))
        if (asked or parts) and (model := message.text("model")) is not None:
            entry.add({"type": "llm_response", "model": model})
        _say(entry, parts, "reasoning" if self._thinks_in_text and asked else "reply")
        calls = _read_calls(entry, asked)
        for call in calls if asks else ():
            args = call.get("args", call.get("argumentsText"))
            request = {"callId": call["id"], "tool": call["name"], "args": args}
            entry.add({"type": "approval_request", **request})
        if calls and isinstance(request_id := message.item.get("id"), str):
            self._asked[request_id] = [str(call["id"]) for call in calls]

    def _decide(self, entry: Entry, message: Fields) -> None:
        """Add a person's decisions; what a tool returned in place of one is an approval."""
        listed = list(message.items("approvals"))
        for part in listed:
            match part.item:
                case {"tool_call_id": str(call_id), "approve": bool(approved)} if call_id:
                    part.take("approve")
                    reason = part.text("reason")
                case {"tool_call_id": str(call_id), "status": "success" | "error"} if call_id:
                    approved, reason = True, None
                case _:
                    entry.keep(part, "approval")
                    continue
            part.take("tool_call_id")
            entry.add(_response(call_id, approved=approved, reason=reason), part)
        decided, request = message.item.get("approve"), message.item.get("approval_request_id")
        if listed or not isinstance(decided, bool) or not isinstance(request, str) or not request:
            return
        reason = message.text("denial_reason")
        for call_id in self._asked.get(request, [request]):
            entry.add(_response(call_id, approved=decided, reason=reason))


def without_nulls(fields: Fields) -> None:
    """Take the fields that are null or empty."""
    for key in [key for key, value in fields.item.items() if value in (None, [], {})]:
        fields.take(key)


def _parts(message: Fields) -> Iterator[Fields]:
    """Take the content, and yield its parts but for empty texts; a text is one."""
    content = message.take("content")
    if content is None:
        return
    listed = content if isinstance(content, list) else [content]
    for n, piece in enumerate(listed):
        wrapped: Item = {"type": "text", "text": piece}
        if not isinstance(piece, str):
            wrapped = piece if isinstance(piece, dict) else {"value": piece}
        part = Fields(wrapped, f"{message.place}.content[{n}]")
        without_nulls(part)
        if part.item != {"type": "text", "text": ""}:
            yield part


def _say(entry: Entry, parts: Iterable[Fields], says: str) -> None:
    """Add a message for each part of the content; `says` is the type of those with text."""
    for part in parts:
        kind, text = part.item.get("type"), part.item.get("text")
        if kind == "reasoning":
            text = part.item.get("reasoning")
        is_empty = kind == "text" and text == ""
        if kind not in ("text", "reasoning") or not isinstance(text, str) or is_empty:
            _keep(entry, part)
            continue
        part.take("type")
        part.take("text" if kind == "text" else "reasoning")
        if "reasoning" in (kind, says):
            entry.add({"type": "reasoning", "title": "", "summary": text}, part)
        else:
            entry.add({"type": says, "text": text}, part)


def _read_calls(entry: Entry, asked: Iterable[Fields]) -> list[Item]:
    """Add the calls of an answer as one message, and return them."""
    calls: list[Item] = []
    parts: list[Fields] = []
    for part in asked:
        call = take_call(part)
        if call is None:
            entry.keep(part, "tool_call")
        else:
            calls.append(call)
            parts.append(part)
    if calls:
        entry.add({"type": "tool_calls", "calls": [*calls]}, *parts)
    return calls


def _hear(entry: Entry, message: Fields) -> None:
    """Add what a user says as one input, its files with it."""
    parts = list(_parts(message))
    known = [part for part in parts if _is_input(part.item)]
    if known:
        draft = input_draft({"content": [part.item for part in known]})
        for part in known:
            part.take("type")
            part.text("text")
            if image_file(part.item) is not None and (source := part.inner("source")) is not None:
                without_nulls(source)
                source.drop("type", "media_type", "data")
        entry.add(draft, *known)
    for part in parts:
        if part not in known:
            _keep(entry, part)


def _return(entry: Entry, message: Fields) -> None:
    """Add the results of calls; files of the first version have only the content."""
    parts = list(_parts(message))
    text = "".join(str(part.item["text"]) for part in parts if _is_text(part.item))
    returns = list(message.items("tool_returns"))
    listed = returns or [Fields({}, message.place)]
    if parts or returns:
        results = [_result(returned, message, text) for returned in listed]
        if len(results) == 1 and isinstance(message.item.get("name"), str):
            results[0]["name"] = message.take("name")
        if "content" in message.item and text not in [
            result["error"] if result.get("error") else result["output"] for result in results
        ]:
            message.put("content", message.item["content"])
        texts = [part for part in parts if _is_text(part.item)]
        for part in texts:
            part.drop("type", "text")
        entry.add({"type": "tool_results", "results": [*results]}, *returns, *texts)
    for part in parts:
        if not _is_text(part.item):
            _keep(entry, part)


def _result(returned: Fields, message: Fields, text: str) -> Item:
    """Return a result; an error without the frame that Letta puts around it, which is kept."""
    output = returned.item.get("func_response")
    if output is None:
        output = text
    framed = _framed(output)
    status = returned.item.get("status") or _STATUS.get(framed.get("status"))
    call_id = returned.text("tool_call_id") or message.text("tool_call_id")
    if status == "error" and isinstance(framed.get("message"), str):
        output = framed["message"]
    else:
        returned.take("func_response")
    result = result_fields(call_id or "", status, output)
    if not call_id:
        del result["callId"]
    return result


def _framed(output: JsonValue) -> Item:
    """Return the object in a result's text, as `{"status": "OK", "message": ...}`; else {}."""
    try:
        value = object_of(parse(output)) if isinstance(output, str) else {}
    except InvalidJson:
        value = {}
    return value if isinstance(value.get("status"), str) and "message" in value else {}


def _response(call_id: str, *, approved: bool, reason: str | None) -> Draft:
    draft: Draft = {"type": "approval_response", "callId": call_id, "approved": approved}
    return draft if reason is None else {**draft, "reason": reason}


def _is_text(part: Item) -> bool:
    return part.get("type") == "text" and isinstance(part.get("text"), str)


def _is_input(part: Item) -> bool:
    return _is_text(part) or (part.get("type") == "image" and image_file(part) is not None)


def _keep(entry: Entry, part: Fields) -> None:
    kind = part.item.get("type")
    known = isinstance(kind, str) and kind.endswith("_reasoning")
    entry.keep(part, kind if isinstance(kind, str) else "part", is_known=known)
