"""Checks by the rules of Gemini's API."""

from collections.abc import Sequence

from agentlog.domain.json.values import JsonObject, object_at, text_at
from agentlog.extensions.formats.gemini.rules import KINDS, LIMITS, RULES, takes_media
from tests.projections.api_rules.findings import Findings, Refusal, objects_at


def refusals(items: Sequence[JsonObject]) -> list[Refusal]:
    """Return what the API refuses of contents; calls at the very end may stay open.

    A content of the role `system` is what the view shows for `systemInstruction`.
    """
    findings = Findings(RULES)
    unanswered: list[str] = []
    before: str | None = None
    for n, item in enumerate(items):
        place, role = f"[{n}]", item.get("role")
        if role == "system":
            continue
        findings.unless(f"{place}.role", "role", taken=role in {"user", "model"})
        parts = [*objects_at(item.get("parts"), f"{place}.parts")]
        findings.unless(f"{place}.parts", "parts", taken=bool(parts))
        calls = [_name(part, "functionCall") for _, part in parts if "functionCall" in part]
        names = [_name(part, "functionResponse") for _, part in parts if "functionResponse" in part]
        if names and not unanswered:
            findings.refuse(place, "asked")
        elif names != unanswered:
            findings.refuse(place, "answered")
        findings.unless(place, "turns", taken=not calls or before == "user")
        findings.unless(place, "first", taken=before is not None or role == "user")
        findings.unless(place, "role", taken=not (calls and role == "user"))
        unanswered, before = calls, str(role)
        for at, part in parts:
            _check_part(findings, at, part)
    return findings.refusals


def _name(part: JsonObject, key: str) -> str:
    return str(object_at(part, key).get("name"))


def _check_part(findings: Findings, place: str, part: JsonObject) -> None:
    kinds = KINDS & part.keys()
    findings.unless(place, "part", taken=len(kinds) == 1)
    if "text" in part:
        findings.unless(place, "blank", taken=text_at(part, "text") is not None)
    for key, value in (("functionCall", "args"), ("functionResponse", "response")):
        if key in part:
            function = object_at(part, key)
            findings.unless(
                f"{place}.name", "name", taken=LIMITS.tool_name.takes(function.get("name"))
            )
            findings.unless(place, "args", taken=isinstance(function.get(value, {}), dict))
    if "inlineData" in part:
        media = text_at(object_at(part, "inlineData"), "mimeType") or ""
        findings.unless(place, "media", taken=takes_media(media))
