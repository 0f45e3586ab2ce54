"""Log events of Claude Code and Codex: each tells one thing of a run, as their spans may too.

They have no contexts: a prompt, the figures of an answer, its text, a run of a tool. Claude Code
writes bodies, too, if it is told to. That of a request is cut off in all but the shortest sessions,
so it stays a record. Recorded with Claude Code 2.1.197 and Codex 0.171.0; older versions of both
have numbers as texts.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256

from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue, object_at, object_of, objects_of, text_at
from agentlog.extensions.traces.projections.readers.dialects.claude_code import USAGE
from agentlog.extensions.traces.projections.readers.dialects.contents import left_of
from agentlog.extensions.traces.projections.readers.span import (
    LOG,
    Span,
    ids,
    known,
    milliseconds,
    tool_run,
)
from agentlog.projections.readers.fields import unpacked
from agentlog.projections.token_words import TokenWords
from agentlog.projections.view import Item

_REDACTED = ("<REDACTED>", "[REDACTED]")
_CODEX_USAGE = TokenWords(
    "input_token_count",
    "output_token_count",
    read="cached_token_count",
    written="cache_write_token_count",
    thoughts="reasoning_token_count",
)


def name_of(record: Item) -> str:
    """Return the name of an agent's event; empty where a record is none that is read."""
    attributes = object_at(record, "attributes")
    name = text_at(attributes, "event.name") or ""
    if text_at(record, "body") == f"claude_code.{name}":
        name = f"claude_code.{name}"
    is_read = name != "codex.sse_event" or _CODEX_USAGE.input in attributes
    return name if name in _READERS and is_read else ""


def read(record: Item) -> Span:
    """Return the row of an event that `name_of` knows."""
    attributes = object_at(record, "attributes")
    at = milliseconds(record.get("timeUnixNano") or record.get("observedTimeUnixNano"))
    took = _number(attributes.get("duration_ms"))
    row = Span(
        **ids(record),
        kind="event",
        begin=at if took is None else max(0, at - round(took)),
        end=at,
        agent=text_at(attributes, "agent.name"),
        records={sha256(print_bytes(record, sort_keys=True)).hexdigest(): record},
        record_type=LOG,
        is_log=True,
        teller="event",
    )
    row, names = _READERS[name_of(record)](row, attributes)
    return replace(row, left=left_of(attributes, names))


_Row = tuple[Span, set[str]]
"""A row, and the attributes that it is read from."""


def _prompt(row: Span, attributes: Item) -> _Row:
    return replace(row, inputs=_message("user", attributes.get("prompt"))), {"prompt"}


def _system(row: Span, attributes: Item) -> _Row:
    key = "system_prompt"
    return replace(row, inputs=_message("system", attributes.get(key))), {key}


def _reply(row: Span, attributes: Item) -> _Row:
    return replace(row, outputs=_message("assistant", attributes.get("response"))), {"response"}


def _message(role: str, text: JsonValue) -> list[Item]:
    return [] if text in (None, "", *_REDACTED) else [{"role": role, "content": text}]


def _figures(words: TokenWords, provider: str | None) -> Callable[[Span, Item], _Row]:
    def read_figures(row: Span, attributes: Item) -> _Row:
        response = known(
            model=text_at(attributes, "model"),
            provider=provider,
            usage=words.figures({key: _number(value) for key, value in attributes.items()}),
            costUsd=_number(attributes.get("cost_usd")),
        )
        begin = row.begin if row.begin != row.end else None
        return replace(row, response=response, begin=begin), set()

    return read_figures


def _body(row: Span, attributes: Item) -> _Row:
    body = object_of(unpacked(attributes.get("body")))
    content: list[JsonValue] = [
        block for block in objects_of(body.get("content")) if block.get("thinking") not in _REDACTED
    ]
    outputs: list[Item] = [{**body, "content": content}] if content else []
    return replace(row, outputs=outputs, teller="body"), {"body"} if content else set()


def _tool(row: Span, attributes: Item) -> _Row:
    arguments, output = ("tool_input", "arguments"), attributes.get("output")
    failed = str(attributes.get("success")).lower() == "false"
    run = tool_run(
        text_at(attributes, "tool_name") or "unknown",
        call_id=text_at(attributes, "tool_use_id", "call_id"),
        arguments=next((unpacked(attributes[key]) for key in arguments if key in attributes), None),
        output=output,
    )
    reason = text_at(attributes, "error", "error_type") or "failed"
    return replace(row, tool=replace(run, error=reason if failed else None)), {*arguments, "output"}


def _error(row: Span, attributes: Item) -> _Row:
    return replace(row, error=text_at(attributes, "error") or "failed"), {"error"}


def _record(row: Span, _: Item) -> _Row:
    return row, set()


def _number(value: JsonValue) -> int | float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return (
            (int(value) if value.isdigit() else float(value)) if isinstance(value, str) else value
        )
    except ValueError:
        return None


_READERS: Mapping[str, Callable[[Span, Item], _Row]] = {
    "claude_code.user_prompt": _prompt,
    "claude_code.system_prompt": _system,
    "claude_code.api_request": _figures(USAGE, "anthropic"),
    "claude_code.assistant_response": _reply,
    "claude_code.api_request_body": _record,
    "claude_code.api_response_body": _body,
    "claude_code.tool_decision": _record,
    "claude_code.tool_result": _tool,
    "claude_code.api_error": _error,
    "codex.user_prompt": _prompt,
    "codex.sse_event": _figures(_CODEX_USAGE, None),
    "codex.tool_decision": _record,
    "codex.tool_result": _tool,
}
