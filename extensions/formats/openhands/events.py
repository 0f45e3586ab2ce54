"""Messages of each event of an OpenHands conversation."""

from collections.abc import Callable, Mapping

from agentlog.domain.json.values import JsonValue, array_of
from agentlog.projections.call_texts import call_fields, value_text
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, file_of_uri, text_of
from agentlog.projections.view import Item

CallFields = dict[str, Item]
"""The calls of a conversation by their ids: readers note them as they come."""


def _system(event: Fields, _: CallFields) -> list[Draft]:
    parts = [event.inner(key) for key in ("system_prompt", "dynamic_context")]
    texts = [text for part in parts if part is not None and (text := part.text("text"))]
    for part in parts:
        if part is not None:
            part.take_equal({"cache_prompt": False, "type": "text"})
    return [{"type": "system", "text": "\n\n".join(texts)}] if texts else []


def _message(event: Fields, _: CallFields) -> list[Draft]:
    message = event.inner("llm_message")
    if message is None:
        return []
    drafts, text = _reasoning(message), _text(message, "content")
    match message.item.get("role"), event.item.get("source"):
        case "assistant", source:
            kind, usual = "reply", source == "agent"
        case "user", "user":
            kind, usual = "input", True
        case "user" | "system", _:
            kind, usual = "system", False
        case _:
            return []
    if usual:
        event.take("source")
        message.take("role")
    message.take_equal(_USUAL)
    draft: Draft = {"type": kind, "text": text} if text else {}
    if kind == "input" and (files := _images(message, text)):
        draft |= {"type": kind, "files": [*files]}
    return [*drafts, draft] if draft else drafts


def _images(message: Fields, text: str | None) -> list[Item]:
    """Take the images of a message whose bytes are in it."""
    parts = message.item.get("content")
    files, rest = list[Item](), list[JsonValue]()
    for part in array_of(parts):
        match part:
            case {"type": "image", "cache_prompt": False, "image_urls": [*urls], **more} if (
                not more
            ):
                from_urls = [file_of_uri(url) for url in urls]
            case _:
                from_urls = []
        files += (file for file in from_urls if file is not None)
        if None in from_urls or not from_urls:
            rest.append(part)
    if files:
        message.take("content")
        if rest != ([] if text is None else _plain(text)):
            message.put("content", rest)
    return files


def _action(event: Fields, calls: CallFields) -> list[Draft]:
    call = event.item.get("tool_call")
    match call, event.item.get("tool_call_id"):
        case {"name": str(name), "arguments": str(text)}, str(call_id) if call_id:
            fields = call_fields(name, text)
        case _:
            return []
    calls[call_id] = fields
    drafts, thought = _reasoning(event), _text(event, "thought")
    if thought:
        drafts.append({"type": "reply", "text": thought})
    event.take("tool_call_id")
    event.take_equal({"tool_name": name})
    if (inner := event.inner("tool_call")) is not None:
        inner.take_equal({"id": call_id, "name": name, "arguments": text})
    action, args = event.item.get("action"), fields.get("args")
    if isinstance(action, dict) and isinstance(args, dict):  # it has the defaults of the tool too
        rest = {
            key: value for key, value in action.items() if key not in args or args[key] != value
        }
        event.put("action", rest)
    return [*drafts, {"type": "tool_calls", "calls": [{"id": call_id, **fields}]}]


def _observation(event: Fields, calls: CallFields) -> list[Draft]:
    observation = event.item.get("observation")
    if not isinstance(observation, dict):
        return []
    failed, content = observation.get("is_error"), observation.get("content")
    text = text_of(content)
    output: JsonValue = event.take("observation")
    if isinstance(content, list):
        output = content if text is None else text
        known = {"content"} if text is None or content == _plain(text) else set[str]()
        known |= {"is_error"} if isinstance(failed, bool) else set()
        event.put("observation", {key: observation[key] for key in observation if key not in known})
    fields: Item = {"output": output}
    if isinstance(failed, bool):
        fields["error"] = value_text(output) if failed else None
    if failed is True and isinstance(output, str):
        fields["output"] = None
    call_id = event.item.get("tool_call_id")
    drafts = _results(event, fields)
    if observation.get("kind") != "TaskObservation" or not _is_text(observation.get("task_id")):
        return drafts
    args = _args(calls, call_id)
    prompt = args.get("prompt") if isinstance(args, dict) else None
    worker = {"workerId": observation["task_id"]}
    objective = prompt if isinstance(prompt, str) else ""
    return [
        {"type": "worker_spawned", **worker, "objective": objective},
        {"type": "worker_result", **worker, "output": output},
        *drafts,
    ]


def _rejection(event: Fields, calls: CallFields) -> list[Draft]:
    reason, call_id = event.text("rejection_reason"), event.item.get("tool_call_id")
    if reason is None:
        return []
    tool = event.item.get("tool_name")
    drafts = _results(event, {"output": None, "error": reason})
    source = event.item.get("rejection_source", "user")
    if source != "user" or not _is_text(call_id) or not isinstance(tool, str):
        return drafts
    args = _args(calls, call_id)
    return [
        {"type": "approval_request", "callId": call_id, "tool": tool, "args": args},
        {"type": "approval_response", "callId": call_id, "approved": False, "reason": reason},
        *drafts,
    ]


def _agent_error(event: Fields, _: CallFields) -> list[Draft]:
    error = event.text("error")
    return [] if error is None else _results(event, {"output": None, "error": error})


def _error(event: Fields, _: CallFields) -> list[Draft]:
    texts = [text for key in ("code", "detail") if (text := event.text(key))]
    return [{"type": "runtime_error", "error": ": ".join(texts)}] if texts else []


def _results(event: Fields, fields: Item) -> list[Draft]:
    result = dict(fields)
    for theirs, ours in (("tool_call_id", "callId"), ("tool_name", "name")):
        if text := event.text(theirs):
            result[ours] = text
    return [{"type": "tool_results", "results": [result]}]


def _tool_of_agent(event: Fields, calls: CallFields) -> list[Draft]:
    """Return the call and result of an agent behind ACP, once it has ended."""
    match event.item:
        case {
            "tool_call_id": str(call_id),
            "title": str(title),
            "status": "completed" | "failed" as status,
        } if call_id and call_id not in calls:
            pass
        case _:
            return []
    for key in ("tool_call_id", "title"):
        event.take(key)
    event.take_equal({"is_error": status == "failed"})
    output = event.take("raw_output")
    error = (value_text(output) or status) if status == "failed" else None
    calls[call_id] = call = {"id": call_id, "name": title, "args": event.take("raw_input")}
    result = {"callId": call_id, "name": title, "output": output, "error": error}
    return [{"type": "tool_calls", "calls": [call]}, {"type": "tool_results", "results": [result]}]


def _reasoning(fields: Fields) -> list[Draft]:
    text = fields.text("reasoning_content")
    text = text or text_of(fields.item.get("thinking_blocks"), "thinking")
    return [{"type": "reasoning", "title": "", "summary": text}] if text else []


def _text(fields: Fields, key: str) -> str | None:
    """Return the text of content parts; they stay beside it, but for a single plain one."""
    text = text_of(fields.item.get(key))
    if text is not None and fields.item[key] == _plain(text):
        fields.take(key)
    return text


def _plain(text: str) -> list[Item]:
    return [{"cache_prompt": False, "type": "text", "text": text}]


_USUAL: Item = {
    "thought": [],
    "thinking_blocks": [],
    "extended_content": [],
    "activated_skills": [],
}


def _args(calls: CallFields, call_id: JsonValue) -> JsonValue:
    """Return the arguments of a call, None if it is not known."""
    return calls.get(call_id, {}).get("args") if isinstance(call_id, str) else None


def _is_text(value: JsonValue) -> bool:
    return isinstance(value, str) and value != ""


USUAL: Mapping[str, Item] = {
    kind: {**_USUAL, "source": source}
    for source, kinds in {
        "agent": ("SystemPromptEvent", "ActionEvent", "AgentErrorEvent", "ACPToolCallEvent"),
        "environment": ("ObservationEvent", "UserRejectObservation", "ConversationErrorEvent"),
        None: ("MessageEvent",),
    }.items()
    for kind in kinds
}
"""Fields of an event by its kind that say nothing."""

READ: Mapping[str, Callable[[Fields, CallFields], list[Draft]]] = {
    "SystemPromptEvent": _system,
    "MessageEvent": _message,
    "ActionEvent": _action,
    "ObservationEvent": _observation,
    "UserRejectObservation": _rejection,
    "AgentErrorEvent": _agent_error,
    "ConversationErrorEvent": _error,
    "ACPToolCallEvent": _tool_of_agent,
}
"""Readers of an event by its kind: they return no message where they cannot make any of it."""
