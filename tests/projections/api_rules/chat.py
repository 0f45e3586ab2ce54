"""Checks by the rules of the chat completions API."""

from collections.abc import Sequence

from agentlog.domain.json.values import JsonObject, object_at, objects_of, text_at
from agentlog.projections.api_rules.chat import AUDIO, LIMITS, PARTICIPANT, PARTS, RULES
from agentlog.projections.api_rules.rule import is_object_text
from tests.projections.api_rules.findings import Findings, Refusal, data_type, objects_at, repeated


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
