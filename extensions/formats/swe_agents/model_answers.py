"""Answers of a model in mini-swe-agent's trajectories: chat completions and Responses."""

from agentlog.domain.json.values import JsonValue, array_of, object_of
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, amount_at, text_of
from agentlog.projections.readers.messages.calls import take_call, take_calls
from agentlog.projections.token_words import CHAT, RESPONSES
from agentlog.projections.view import Item


def figures_of(response: JsonValue, cost: float | None, model: str | None) -> Draft:
    """Return the figures of an answer; `model` is the one that was configured."""
    answer: Item = object_of(response)
    draft: Draft = {"type": "llm_response"}
    named = answer.get("model")
    if isinstance(named, str) or model is not None:
        draft["model"] = named if isinstance(named, str) else model
    match answer:
        case {"choices": [{"finish_reason": str(reason)}, *_]} | {"status": str(reason)}:
            draft["finishReason"] = reason
        case _:
            pass
    counted = object_of(answer.get("usage"))
    tokens = (RESPONSES if "input_tokens" in counted else CHAT).figures(counted)
    if tokens:
        draft["usage"] = tokens
    cost = cost or amount_at(counted, "cost")
    if cost:  # 0 stands for a cost that could not be told
        draft["costUsd"] = cost
    return draft


def answer_of(message: Fields) -> list[Draft]:
    """Return what a chat message of the model says, and the calls that it asks for."""
    drafts: list[Draft] = []
    thought = message.text("reasoning_content")
    thought = thought or text_of(message.item.get("thinking_blocks"), "thinking")
    if thought:
        drafts.append({"type": "reasoning", "title": "", "summary": thought})
    if text := content_of(message):
        drafts.append({"type": "reply", "text": text})
    if calls := take_calls(message.inners("tool_calls")):
        drafts.append({"type": "tool_calls", "calls": [*calls]})
    return drafts


def outputs_of(output: list[Fields]) -> tuple[list[Draft], list[Fields]]:
    """Return what the items of a response say, and those of a kind that is not known."""
    drafts: list[Draft] = []
    others: list[Fields] = []
    for item in output:
        kind = item.item.get("type")
        call = take_call(item, "call_id") if kind == "function_call" else None
        if call is not None:
            before = drafts.pop() if drafts and drafts[-1]["type"] == "tool_calls" else Draft()
            calls = [*array_of(before.get("calls")), call]
            drafts.append({"type": "tool_calls", "calls": calls})
        elif kind == "message" and (text := content_of(item)):
            drafts.append({"type": "reply", "text": text})
        elif kind == "reasoning":
            text = text_of(item.item.get("summary")) or text_of(item.item.get("content"))
            if text:
                drafts.append({"type": "reasoning", "title": "", "summary": text})
        elif kind != "message":
            others.append(item)
            item.take_equal(item.item)  # it is kept whole
        item.take("type")
    return drafts, others


def content_of(item: Fields) -> str | None:
    """Return the text of a content; parts stay beside it, but for a single plain one."""
    content = item.item.get("content")
    text = content if isinstance(content, str) else text_of(content)
    kinds = ("text", "input_text", "output_text")
    if content is text or content in [[{"type": kind, "text": text}] for kind in kinds]:
        item.take("content")
    return text


def rest_of(response: Item, message: Item) -> Item:
    """Return what a response says beside its figures, without the `message` that it repeats."""
    known = [key for key in ("id", "model") if isinstance(response.get(key), str)]
    rest = {key: value for key, value in response.items() if key not in known}
    match array_of(response.get("choices")):
        case [dict(choice)] if _repeats(choice.get("message"), message):
            rest["choices"] = [{key: choice[key] for key in choice if key != "message"}]
        case _:
            pass
    return rest


def _repeats(value: JsonValue, message: Item) -> bool:
    return isinstance(value, dict) and value.items() <= message.items()
