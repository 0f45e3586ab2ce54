"""Reader of LangChain's messages in each form: `messages_to_dict`, `dumpd` (`lc`), plain fields.

Arguments are those that LangChain parsed; the model's own text of them is taken where it stands
in `additional_kwargs`.
"""

from collections.abc import Iterable, Iterator

from agentlog.domain.json.values import JsonValue, array_of, object_at, object_of
from agentlog.projections.call_texts import call_fields, value_text
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, id_of_uuid, text_of_id
from agentlog.projections.readers.history import Format, History, made_of
from agentlog.projections.readers.messages.blocks import read_blocks
from agentlog.projections.readers.messages.calls import (
    RESULT_ROLES,
    add_call,
    add_result,
    answer_unnamed,
    call_of,
)
from agentlog.projections.readers.reading import Entry, Reading, messages_of
from agentlog.projections.token_words import LANGCHAIN
from agentlog.projections.view import Item

KNOWN = frozenset(
    (
        "additional_kwargs artifact chunk_position content example id name invalid_tool_calls lc "
        "response_metadata role status tool_call_chunks tool_call_id tool_calls type "
        "usage_metadata annotations detail error extras index signature"
    ).split()
)
"""Fields of messages and blocks that are kept beside as a matter of course."""

_SAYS = {"human": "input", "user": "input", "ai": "reply", "assistant": "reply", "system": "system"}
_KINDS = RESULT_ROLES | {"human", "ai", "system", "chat", "remove"}
_CALL_KINDS = ("tool_call", "invalid_tool_call")


def read_message(reading: Reading, message: Fields, *, response_id: str | None) -> None:
    """Add the messages of one; `response_id` is that of a model's answer without its own.

    None says that the message is not the answer itself but told again: its figures stay beside.
    """
    kind, body = _opened(message)
    if body is None:
        reading.keep(message, "message")
        return
    says = _SAYS.get(kind)
    if kind == "chat" and isinstance(role := body.item.get("role"), str):
        says = _SAYS.get(role)
    items = [message] if body is message else [message, body]
    of_draft = _of_draft(body, response_id if says == "reply" else None)
    entry = Entry(reading, *items, **of_draft)
    if kind in RESULT_ROLES and "content" in body.item:
        _read_result(entry, body)
    elif says is not None:
        _read_spoken(entry, body, says, is_answer=response_id is not None)
    if not entry.count:
        reading.keep(message, kind, is_known=kind in _KINDS, of_draft=of_draft)


def _read_spoken(entry: Entry, body: Fields, says: str, *, is_answer: bool) -> None:
    called = _calls(body)
    content = body.take("content") if isinstance(body.item.get("content"), str | list) else ""
    if is_answer and says == "reply" and (response := response_of(body.item)):
        entry.add({"type": "llm_response", **response})
    ids = {str(call.item["id"]) for call in called if _is_named(call.item)}
    if content:
        read_blocks(entry, content, f"{body.place}.content", says, called=ids)
    for call in called:
        _read_call(entry, call, body.item, _told_again(call.item, content, body.place))


def _of_draft(body: Fields, response_id: str | None) -> Item:
    of_draft: Item = {}
    if message_id := id_of_uuid(body.item.get("id")):
        of_draft["id"] = message_id
    if response_id is not None:
        given = body.item.get("id")
        response_id = given if isinstance(given, str) and given else response_id
        of_draft["metadata"] = {"responseId": response_id}
    return of_draft


def _opened(message: Fields) -> tuple[str, Fields | None]:
    """Return the kind of a message and its fields; None if it is none."""
    match message.item:
        case {
            "lc": _,
            "type": "constructor",
            "id": [*_, str(name)] as path,
            "kwargs": dict(kwargs),
        }:
            message.drop("type", "kwargs")
            if message.item["lc"] == 1:  # else both stay
                message.drop("id")
                message.put("lc", path)
            kind = name.removesuffix("Chunk").removesuffix("Message")
            return kind.lower(), Fields(kwargs, f"{message.place}.kwargs")
        case {"type": str(kind), "data": dict(data)}:
            message.drop("type", "data")
            body = Fields(data, f"{message.place}.data")
        case {"type": str(kind), "content": _}:
            body = message
        case _:
            return "message", None
    body.take_equal({"type": kind})
    return kind.removesuffix("Chunk").removesuffix("Message").lower(), body


def _calls(body: Fields) -> list[Fields]:
    """Take the calls of an answer, also those whose arguments did not parse, and the old form."""
    calls = [*body.items("tool_calls"), *body.items("invalid_tool_calls")]
    match body.item.get("additional_kwargs"):
        case {"function_call": {"name": str(), "arguments": _} as call} if not calls:
            calls = [Fields(call, f"{body.place}.additional_kwargs.function_call")]
        case _:
            pass
    return calls


def _is_named(call: Item) -> bool:
    return isinstance(call.get("id"), str) and isinstance(call.get("name"), str)


def _told_again(call: Item, content: JsonValue, place: str) -> Iterator[Fields]:
    """Yield the blocks of content that tell a call again, without what the call says too."""
    args = call.get("args", call.get("arguments"))
    for n, block in enumerate(content if _is_named(call) and isinstance(content, list) else ()):
        match block:
            case {"type": "tool_use" | "tool_call" as kind, "id": call_id} if call_id == call["id"]:
                fields = Fields(block, f"{place}.content[{n}]")
                fields_of = {"type": kind, "id": call_id, "name": call["name"]}
                fields.take_equal({**fields_of, "input" if kind == "tool_use" else "args": args})
                yield fields
            case _:
                pass


def _read_call(entry: Entry, call: Fields, body: Item, again: Iterable[Fields]) -> None:
    name = call.item.get("name")
    if not isinstance(name, str):
        entry.keep(call, "call")
        return
    call.drop("name", *(["type"] if call.item.get("type") in _CALL_KINDS else []))
    key = "args" if "args" in call.item else "arguments"
    args, written = call.item.get(key), _written(body, call.item.get("id"))
    if written is None or args in (written, call_fields(name, written).get("args")):
        call.drop(key)
    add_call(entry, call, name, args if written is None else written, *again)


def _written(body: Item, call_id: JsonValue) -> str | None:
    """Return the arguments of a call as the model wrote them, None where they are not told."""
    for value in array_of(object_at(body, "additional_kwargs").get("tool_calls")):
        call = call_of(value)
        if call is not None and call.id == call_id and isinstance(call.arguments, str):
            return call.arguments
    return None


def _read_result(entry: Entry, body: Fields) -> None:
    output = body.take("content")
    result: Item = {"callId": text_of_id(body.take("tool_call_id")), "output": output}
    if isinstance(body.item.get("name"), str):
        result["name"] = body.take("name")
    match body.item.get("status"):
        case "error":
            result["error"] = value_text(output)
        case "success":
            result["error"] = None
        case _:
            pass
    add_result(entry, Fields({}, body.place), result)


def response_of(body: Item) -> Draft:
    """Return what a message says of a model's answer: fields of an `llm_response`."""
    metadata_given = body.get("response_metadata")
    metadata: Item = object_of(metadata_given)
    draft: Draft = {}
    for ours, keys in {
        "model": ("model_name", "model"),
        "provider": ("model_provider", "provider"),
        "finishReason": ("finish_reason", "stop_reason"),
    }.items():
        texts = (metadata.get(key) for key in keys)
        if (text := next((text for text in texts if isinstance(text, str)), None)) is not None:
            draft[ours] = text
    if figures := LANGCHAIN.figures(body.get("usage_metadata") or metadata.get("token_usage")):
        draft["usage"] = figures
    return draft


def is_message(value: JsonValue) -> bool:
    """Return whether a value is one of LangChain's messages."""
    match value:
        case {"lc": _, "type": "constructor", "id": [*_, str(name)], "kwargs": dict()}:
            return name.endswith(("Message", "MessageChunk"))
        case {"type": str(kind), "data": {"content": _}}:
            return _is_kind(kind)
        case {"type": str(kind), "content": _, "additional_kwargs": _} | {
            "type": str(kind),
            "content": _,
            "response_metadata": _,
        }:
            return _is_kind(kind)
        case _:
            return False


def _is_kind(kind: str) -> bool:
    return kind in _KINDS or kind.endswith("MessageChunk")


def _read(document: JsonValue) -> Iterator[History]:
    reading = Reading("langchain", known=KNOWN)
    ids: set[JsonValue] = set()
    for n, message in enumerate(messages_of(reading, document)):
        before = len(reading.drafts)
        read_message(reading, message, response_id=f"import-{n}")
        for draft in reading.drafts[before:]:
            if "id" in draft and draft["id"] in ids:
                del draft["id"]  # a message that is told twice
            ids.add(draft.get("id"))
    answer_unnamed(reading.drafts)
    yield reading.history()


FORMAT = Format("langchain", "LangChain messages", _read, made_of(is_message), is_message)
