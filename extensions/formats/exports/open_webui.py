"""Reader of Open WebUI's exports: a chat a record, its messages a tree.

Shapes: `backend/open_webui/models/chats.py` and `utils/middleware.py` of
github.com/open-webui/open-webui. Thoughts and calls stand as elements `details` in the text of an
answer; newer versions have it as items of OpenAI's Responses, `output`, beside that text.
"""

import re
from collections.abc import Iterator
from html import unescape

from agentlog.domain.errors import InvalidJson, InvalidMessage
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import JsonValue, array_of, object_at, object_of, text_at
from agentlog.extensions.formats.exports.branches import branches
from agentlog.projections.call_texts import call_fields
from agentlog.projections.readers.fields import (
    Fields,
    file_of_uri,
    id_of_uuid,
    milliseconds_of_seconds,
)
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.messages.responses_items import KNOWN, is_item, read_item
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.token_words import CHAT
from agentlog.projections.view import Item

_NAME = "open-webui"
_SAYS = {"user": "input", "assistant": "reply", "system": "system"}
_KNOWN = KNOWN | frozenset(
    """
    id parentId childrenIds role content timestamp model models modelName modelIdx done usage info
    sources citations statusHistory status_history followUps follow_ups files error output context
    lastSentence completedAt selectedModelId annotation favorite embeds code_executions merged
    feedbackId originalContent meta tags params history messages currentId chat title user_id
    created_at updated_at share_id archived pinned folder_id type url name size collection_name
    queue tasks summary last_read_at
    """.split()
)
_USAGE = CHAT._replace(
    input=f"{CHAT.input} input_tokens prompt_eval_count",
    output=f"{CHAT.output} output_tokens eval_count",
)
"""OpenAI's words, those of Responses, and Ollama's."""
_DETAILS = re.compile(r'<details type="(reasoning|tool_calls)"([^<>]*)>(.*?)</details>', re.DOTALL)
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
_SUMMARY = re.compile(r"\A\s*<summary>.*?</summary>\n?", re.DOTALL)
_NO_FIELD = object()
_QUOTE = re.compile(r"^> ?", re.MULTILINE)


def _read(document: JsonValue) -> Iterator[History]:
    whole = Fields(document, "")
    chat = whole.inner("chat") or whole
    history = chat.inner("history")
    messages = None if history is None else history.take("messages")
    nodes = {key: node for key, node in object_of(messages).items() if isinstance(node, dict)}
    if history is None or not isinstance(messages, dict) or len(nodes) != len(messages):
        raise InvalidMessage.at(chat.within("history"), "no object of messages")
    flat = chat.item.get("messages")
    if isinstance(flat, list) and all(item == nodes.get(_key(item)) for item in flat):
        chat.take("messages")  # the current branch again
    facts = whole.texts({"title": "title"}) or chat.texts({"title": "title"})
    chat.take_equal(facts)
    models = array_of(chat.item.get("models"))
    if len(models) == 1 and isinstance(models[0], str):
        facts["model"] = models[0]
    own_id = whole.text("id") or None
    parents = {key: text_at(node, "parentId") for key, node in nodes.items()}
    place = history.within("messages")
    listed = list(branches(parents, history.item.get("currentId")))
    for number, branch in enumerate(listed or [[]]):
        reading = Reading(_NAME, known=_KNOWN)
        params = object_at(chat.item, "params")
        if number == 0 and (prompt := text_at(params, "system")) is not None:
            chat.put("params", {key: params[key] for key in params if key != "system"})
            reading.add({"type": "system", "text": prompt})
        for key in branch:
            before = parents[key] if parents[key] in nodes else None
            _read_message(reading, Fields(nodes[key], f"{place}.{key}"), before)
        if number == 0:
            with reading.by_content():
                reading.keep_left(whole, "chat")
            yield reading.history(id=own_id, metadata=facts)
        else:
            left: Item = {**facts, "branchOf": parents[branch[0]]}
            named = None if own_id is None else f"{own_id}:{branch[0]}"
            yield reading.history(id=named, parent=own_id, metadata=left)


def _key(item: JsonValue) -> str:
    return str(object_of(item).get("id"))


def _read_message(reading: Reading, message: Fields, before: str | None) -> None:
    role, content = message.item.get("role"), message.item.get("content")
    says = _SAYS.get(role) if isinstance(role, str) else None
    of_draft: Item = {}
    if (own_id := id_of_uuid(message.item.get("id"))) is not None:
        message.take("id")
        of_draft["id"] = own_id
    if (at := milliseconds_of_seconds(message.item.get("timestamp"))) is not None:
        message.take("timestamp")
        of_draft["timestamp"] = at
    if says is None:
        reading.keep(message, "message", of_draft=of_draft)
        return
    message.take("role")
    message.take_equal({"parentId": before})
    if says == "reply":
        of_draft["metadata"] = {"responseId": str(message.item.get("id"))}
    entry = Entry(reading, message, **of_draft)
    if says == "reply":
        of_items = {key: of_draft[key] for key in of_draft if key != "id"}
        _read_answer(reading, entry, message, content, of_items)
    else:
        files = list(_files(message)) if says == "input" else []
        if isinstance(content, str) and (content or not files):
            message.take("content")
        text = {"text": content} if isinstance(content, str) and (content or not files) else {}
        if text or files:
            entry.add({"type": says, **text, **({"files": files} if files else {})})
    if not entry.count:
        entry.keep(message, "message", is_known=True)


def _files(message: Fields) -> Iterator[JsonValue]:
    """Take the files of a message whose contents stand in it."""
    files = message.item.get("files")
    if not isinstance(files, list):
        return
    others: list[JsonValue] = []
    for value in files:
        file = object_of(value)
        if (image := file_of_uri(file.get("url"), file.get("name"))) is None:
            others.append(value)
        else:
            taken = {"url": file["url"], "name": image.get("filename")}
            others.append({key: it for key, it in file.items() if it != taken.get(key, _NO_FIELD)})
            yield image
    message.put("files", others)


def _read_answer(
    reading: Reading, entry: Entry, message: Fields, content: JsonValue, of_items: Item
) -> None:
    counts = next((it for key in ("usage", "info") if (it := object_at(message.item, key))), {})
    response: Item = {"type": "llm_response"}
    if (model := message.text("model")) is not None:
        response["model"] = model
    if figures := _USAGE.figures(counts):
        response["usage"] = figures
    output = message.item.get("output")
    is_listed = isinstance(output, list) and output != [] and all(map(is_item, output))
    if is_listed:
        message.take("output")
    elif isinstance(content, str) and not _DETAILS.search(content):
        message.take("content")
    entry.add(response)
    if isinstance(output, list) and is_listed:
        for n, value in enumerate(output):
            item = Fields(value, f"{message.within('output')}[{n}]")
            read_item(Entry(reading, item, **of_items), item)
    elif isinstance(content, str):
        _read_text(entry, message.place, content)
    error = message.item.get("error")
    if isinstance(error, dict) and (text := text_at(error, "content")) is not None:
        entry.add({"type": "runtime_error", "error": text})


def _read_text(entry: Entry, place: str, content: str) -> None:
    """Add a text in which thoughts and calls stand as elements; such a text is kept beside too."""
    end = 0
    for number, element in enumerate(_DETAILS.finditer(content)):
        _reply(entry, content[end : element.start()].strip())
        end = element.end()
        attributes = {key: unescape(value) for key, value in _ATTRIBUTE.findall(element[2])}
        inner = _SUMMARY.sub("", unescape(element[3])).strip("\n")
        if element[1] == "reasoning":
            summary = _QUOTE.sub("", inner)
            entry.add({"type": "reasoning", "title": "", "summary": summary})
            continue
        call_id = attributes.get("id") or f"at:{place}[{number}]"
        name = attributes.get("name") or "unknown"
        call: Item = {"id": call_id, **call_fields(name, _json(attributes.get("arguments")))}
        entry.add({"type": "tool_calls", "calls": [call]})
        if attributes.get("done") == "true":
            output = _json(attributes.get("result")) or inner
            result: Item = {"callId": call_id, "name": name, "output": output}
            entry.add({"type": "tool_results", "results": [result]})
    _reply(entry, content[end:].strip() if end else content)


def _reply(entry: Entry, text: str) -> None:
    if text:
        entry.add({"type": "reply", "text": text})


def _json(text: str | None) -> JsonValue:
    """Return the value of JSON in an attribute; a text that is none as it is."""
    try:
        return parse(text or "null")
    except InvalidJson:
        return text


def _is_document(value: JsonValue) -> bool:
    chat = object_of(value).get("chat", value)
    nodes = object_at(object_at(object_of(chat), "history"), "messages")
    return bool(nodes) and all(
        isinstance(node, dict) and {"role", "parentId"} <= node.keys() for node in nodes.values()
    )


FORMAT = Format(_NAME, "Open WebUI exports", _read, _is_document, unit="chat")
