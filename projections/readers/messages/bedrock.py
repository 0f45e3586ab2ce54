"""Reader of the messages of Amazon Bedrock's Converse API, of its requests and of its answers.

Shapes: docs.aws.amazon.com/bedrock/latest/APIReference, `API_runtime_Message`, `_ContentBlock`,
`_ToolResultBlock`, `_Converse`.
"""

from collections.abc import Iterator

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue
from agentlog.projections.call_texts import value_text
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, file_of
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.messages.calls import add_call
from agentlog.projections.readers.messages.content import (
    ROLES,
    Kinds,
    add_prompt,
    read_content,
    says_of,
)
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.token_words import BEDROCK
from agentlog.projections.view import Item

_KEPT = frozenset(
    {"audio", "cachePoint", "citationsContent", "document", "guardContent", "image", "video"}
)
_KNOWN = """
    modelId inferenceConfig toolConfig usage metrics ResponseMetadata status signature
    """.split()
_BLOCKS = _KEPT | {"text", "toolUse", "toolResult", "reasoningContent"}


def _read(document: JsonValue) -> Iterator[History]:
    reading = Reading("bedrock", known=_KNOWN)
    match document:
        case list(messages):
            _read_messages(reading, messages, "")
        case {"messages": list(messages)}:
            whole = Fields(document, "")
            whole.take("messages")
            add_prompt(reading, whole, "system", whole.item.get("system"))
            reading.keep_left(whole, "request")
            _read_messages(reading, messages, "messages")
        case {"output": {"message": dict()}}:
            _read_answer(reading, Fields(document, ""))
        case _:
            raise InvalidMessage.at("", "no messages of Bedrock's Converse")
    yield reading.history()


def _read_messages(reading: Reading, messages: list[JsonValue], place: str) -> None:
    for n, value in enumerate(messages):
        _read_message(reading, Fields(value, f"{place}[{n}]"), f"import-{n}")


def _read_answer(reading: Reading, whole: Fields) -> None:
    output = Fields(whole.take("output"), "output")
    message = Fields(output.take("message"), "output.message")
    whole.put("output", output.left())
    draft: Draft = {"type": "llm_response", "provider": "aws.bedrock"}
    if (reason := whole.text("stopReason")) is not None:
        draft["finishReason"] = reason
    if figures := BEDROCK.figures(whole.item.get("usage")):
        draft["usage"] = figures
    match whole.item.get("metrics"):
        case {"latencyMs": int(latency)} if latency >= 0 and not isinstance(latency, bool):
            draft["latencyMs"] = latency
        case _:
            pass
    if whole.item["output"] == {"message": message.item}:
        whole.take("output")
    reading.add({**draft, "metadata": {"responseId": "import-0"}}, whole)
    _read_message(reading, message, "import-0")


def _read_message(reading: Reading, message: Fields, response_id: str) -> None:
    says, content = says_of(message.item.get("role")), message.item.get("content")
    if says is None or not isinstance(content, list) or not content:
        reading.keep(message, "message")
        return
    message.drop("content")
    message.take_equal({"role": ROLES[says]})
    of_draft: Draft = {"metadata": {"responseId": response_id}} if says == "reply" else {}
    entry = Entry(reading, message, **of_draft)
    read_content(entry, content, f"{message.place}.content", says, _KINDS)


def _draft_of(block: Fields, says: str) -> Draft | None:
    match block.item:
        case {"text": str(text)}:
            block.take("text")
            return {"text": text}
        case {"image": {"format": str(kind), "source": {"bytes": data, **more}, **rest}} if (
            says == "input" and not more and not rest
        ):
            file = file_of(data, f"image/{kind}")
            if file is None:
                return None
            block.take("image")
            return {"files": [file]}
        case _:
            return None


def is_block(value: JsonValue) -> bool:
    """Return whether a value is a call, a result or a thought of Bedrock's: it has no type."""
    match value:
        case {"type": _}:
            return False
        case {"toolUse": dict()} | {"toolResult": dict()} | {"reasoningContent": dict()}:
            return True
        case _:
            return False


def read_block(entry: Entry, block: Fields) -> None:
    """Add the message of a block that has neither text nor file."""
    match block.item:
        case {"toolUse": {"toolUseId": str(), "name": str(name), "input": args}}:
            call = Fields(block.take("toolUse"), f"{block.place}.toolUse")
            call.drop("name", "input")
            add_call(entry, call, name, args, block, key="toolUseId")
        case {"toolResult": {"toolUseId": str(call_id), "content": list(content)}} if call_id:
            result = Fields(block.take("toolResult"), f"{block.place}.toolResult")
            result.drop("toolUseId", "content")
            answer = {"callId": call_id, **_outcome(result, _output(content))}
            entry.add({"type": "tool_results", "results": [answer]}, result, block)
        case {"reasoningContent": {"reasoningText": {"text": str(text)}}} if text:
            thought = Fields(block.take("reasoningContent"), f"{block.place}.reasoningContent")
            inner = thought.inner("reasoningText") or thought
            inner.take("text")
            entry.add({"type": "reasoning", "title": "", "summary": text}, thought, block)
        case item:
            kind = next(iter(item), "block")
            is_known = kind in _KEPT or kind == "reasoningContent"
            entry.keep(block, kind, is_known=is_known)


def _output(content: list[JsonValue]) -> JsonValue:
    match content:
        case [{"text": str(text), **rest}] if not rest:
            return text
        case [{"json": value, **rest}] if not rest:
            return value
        case _:
            return content


def _outcome(result: Fields, output: JsonValue) -> Item:
    match result.item.get("status"):
        case "error":
            return {"output": output, "error": value_text(output)}
        case "success":
            return {"output": output, "error": None}
        case _:
            return {"output": output}


_KINDS = Kinds(_draft_of, read_block)


def _is_message(value: JsonValue) -> bool:
    """Return whether a value is a message that only Bedrock has: its blocks have no type."""
    match value:
        case {"role": "user" | "assistant", "content": [_, *_] as blocks}:
            plain = [block for block in blocks if isinstance(block, dict) and "type" not in block]
            return len(plain) == len(blocks) and any(map(_BLOCKS.intersection, plain))
        case _:
            return False


def _is_document(value: JsonValue) -> bool:
    match value:
        case {"messages": [_, *_] as messages}:
            return all(map(_is_message, messages))
        case {"output": {"message": message}, "stopReason": str()}:
            return _is_message(message)
        case _:
            return False


FORMAT = Format(
    "bedrock", "Amazon Bedrock messages", _read, _is_document, _is_message, unit="conversation"
)
