"""Rules of OpenAI's chat completions API, and of servers and gateways that speak it."""

import re
from collections.abc import Mapping, Sequence

from agentlog.domain.json.values import JsonObject, object_at, objects_of, text_at
from agentlog.projections.api_rules.rule import (
    WORD,
    Findings,
    Fit,
    Limits,
    Refusal,
    Rule,
    data_type,
    is_object_text,
    objects_at,
    repeated,
)

LIMITS = Limits(call_id=Fit(WORD, 40), tool_name=Fit(WORD, 64), unique="message")
PARTICIPANT = Fit(re.compile(r"[^\s<|\\/>]+"), 64)
"""The `name` of a message."""
AUDIO = frozenset({"wav", "mp3"})
PARTS: Mapping[str, frozenset[str]] = {
    "system": frozenset({"text"}),
    "developer": frozenset({"text"}),
    "tool": frozenset({"text"}),
    "user": frozenset({"text", "image_url", "input_audio", "file"}),
    "assistant": frozenset({"text", "refusal"}),
}
"""The types of parts that contents have, by role."""

_DOCS = "https://platform.openai.com/docs/api-reference/chat/create"
RULES: Mapping[str, Rule] = {
    "role": Rule("a role is system, developer, user, assistant or tool", _DOCS),
    "answered": Rule(
        "tool_calls are followed by a tool message for each id",
        "https://github.com/QwenLM/qwen-code/issues/869",
    ),
    "asked": Rule(
        "a tool message answers a call of the assistant's message before it",
        "https://github.com/langchain-ai/langchain/issues/21479",
    ),
    "unique": Rule("ids of calls are unique in their message", _DOCS),
    "id": Rule(
        "an id has letters, digits, _ and - (gateways pass it on to Anthropic), 40 at most",
        "https://github.com/tailcallhq/forgecode/issues/1142, "
        "https://github.com/camel-ai/camel/issues/2215",
    ),
    "name": Rule(
        "a function's name matches ^[a-zA-Z0-9_-]{1,64}$",
        "https://github.com/mcp-use/mcp-use/issues/90",
    ),
    "participant": Rule(r"a name matches ^[^\s<|\\/>]{1,64}$", _DOCS),
    "arguments": Rule(
        "arguments are the text of a JSON object",
        "https://github.com/microsoft/vscode/issues/268550, "
        "https://github.com/mateaix/mateclaw/issues/410",
    ),
    "content": Rule("content is a text or parts, at least one", _DOCS),
    "said": Rule("an assistant's message has content, tool_calls, refusal or audio", _DOCS),
    "part": Rule(
        "parts are texts; of a user also images, audio and files, of an assistant refusals",
        "https://github.com/OpenHands/OpenHands/issues/7700",
    ),
    "image": Rule(
        "an image is a PNG, JPEG, GIF or WebP",
        "https://platform.openai.com/docs/guides/images-vision#image-input-requirements",
    ),
    "file": Rule(
        "the data of a file is a PDF", "https://platform.openai.com/docs/guides/pdf-files"
    ),
    "audio": Rule("audio is wav or mp3", "https://platform.openai.com/docs/guides/audio"),
}


def refusals(items: Sequence[JsonObject]) -> list[Refusal]:
    """Return what the API refuses of messages; calls at the very end may stay open."""
    findings = Findings(RULES)
    unanswered: list[str] = []
    for n, item in enumerate(items):
        place, role = f"[{n}]", item.get("role")
        if role == "tool":
            call_id = text_at(item, "tool_call_id") or ""
            if call_id in unanswered:
                unanswered.remove(call_id)
            else:
                findings.refuse(f"{place}.tool_call_id", "asked")
        else:
            findings.unless(place, "answered", taken=not unanswered)
            calls = objects_of(item.get("tool_calls")) if role == "assistant" else []
            unanswered = [str(call.get("id")) for call in calls]
            _check_calls(findings, place, calls)
        if not isinstance(role, str) or role not in PARTS:
            findings.refuse(f"{place}.role", "role")
            continue
        if "name" in item:
            findings.unless(f"{place}.name", "participant", taken=PARTICIPANT.takes(item["name"]))
        _check_content(findings, place, role, item)
    return findings.refusals


def _check_calls(findings: Findings, place: str, calls: Sequence[JsonObject]) -> None:
    for n in repeated(call.get("id") for call in calls):
        findings.refuse(f"{place}.tool_calls[{n}].id", "unique")
    for n, call in enumerate(calls):
        at = f"{place}.tool_calls[{n}]"
        findings.unless(f"{at}.id", "id", taken=LIMITS.call_id.takes(call.get("id")))
        function = object_at(call, "function") or object_at(call, "custom")
        findings.unless(f"{at}.name", "name", taken=LIMITS.tool_name.takes(function.get("name")))
        if "custom" not in call:
            findings.unless(
                f"{at}.arguments", "arguments", taken=is_object_text(function.get("arguments"))
            )


def _check_content(findings: Findings, place: str, role: str, item: JsonObject) -> None:
    content = item.get("content")
    if content is None:
        stands_for_it = [*map(item.get, ("tool_calls", "refusal", "audio", "function_call"))]
        taken = role == "assistant" and any(stands_for_it)
        findings.unless(place, "said" if role == "assistant" else "content", taken=taken)
    elif not isinstance(content, str):
        findings.unless(
            f"{place}.content", "content", taken=isinstance(content, list) and content != []
        )
        for at, part in objects_at(content, f"{place}.content"):
            _check_part(findings, at, role, part)


def _check_part(findings: Findings, place: str, role: str, part: JsonObject) -> None:
    kind = part.get("type")
    findings.unless(place, "part", taken=isinstance(kind, str) and kind in PARTS[role])
    if kind == "image_url":
        media = data_type(text_at(object_at(part, "image_url"), "url") or "")
        findings.unless(place, "image", taken=media is None or media in LIMITS.images)
    elif kind == "file":
        media = data_type(text_at(object_at(part, "file"), "file_data") or "")
        findings.unless(place, "file", taken=media is None or media in LIMITS.documents)
    elif kind == "input_audio":
        sound = object_at(part, "input_audio").get("format")
        findings.unless(place, "audio", taken=isinstance(sound, str) and sound in AUDIO)
