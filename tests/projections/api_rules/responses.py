"""Checks by the rules of the Responses API."""

from collections.abc import Sequence

from agentlog.domain.json.values import JsonObject, text_at
from agentlog.projections.api_rules.responses import (
    CALLS,
    ITEM_ID,
    KINDS,
    LIMITS,
    OUTPUTS,
    PARTS,
    PREFIXES,
    ROLES,
    RULES,
    is_of_model,
    kind_of,
)
from agentlog.projections.api_rules.rule import is_object_text
from tests.projections.api_rules.findings import Findings, Refusal, data_type, objects_at


def refusals(items: Sequence[JsonObject]) -> list[Refusal]:
    """Return what the API refuses of items; calls that nothing follows may stay open."""
    findings = Findings(RULES)
    called: dict[str, str] = {}
    unanswered: dict[str, int] = {}
    ids: set[str] = set()
    last = max((n for n, item in enumerate(items) if kind_of(item) not in CALLS), default=-1)
    for n, item in enumerate(items):
        place, kind = f"[{n}]", kind_of(item)
        if kind not in KINDS:
            findings.refuse(f"{place}.type", "kind")
            continue
        if kind != "item_reference" and item.get("id") is not None:
            item_id = item["id"]
            findings.unless(f"{place}.id", "item-id", taken=ITEM_ID.takes(item_id))
            findings.unless(f"{place}.id", "item-unique", taken=item_id not in ids)
            taken = str(item_id).startswith(PREFIXES.get(kind, ""))
            findings.unless(f"{place}.id", "prefix", taken=taken)
            ids.add(str(item_id))
        if kind in CALLS or kind in OUTPUTS:
            call_id = str(item.get("call_id"))
            findings.unless(
                f"{place}.call_id", "id", taken=LIMITS.call_id.takes(item.get("call_id"))
            )
            if kind in CALLS:
                findings.unless(f"{place}.call_id", "unique", taken=call_id not in called)
                called[call_id] = kind
                unanswered[call_id] = n
            else:
                taken = called.get(call_id) == OUTPUTS[kind] and call_id in unanswered
                findings.unless(f"{place}.call_id", "asked", taken=taken)
                unanswered.pop(call_id, None)
        _check_item(findings, place, kind, item)
        if kind == "reasoning":
            following = items[n + 1] if n + 1 < len(items) else {}
            findings.unless(place, "led", taken=is_of_model(following))
    for n in unanswered.values():
        findings.unless(f"[{n}]", "answered", taken=n > last)
    return findings.refusals


def _check_item(findings: Findings, place: str, kind: str, item: JsonObject) -> None:
    match kind:
        case "message":
            role = str(item.get("role"))
            findings.unless(f"{place}.role", "role", taken=role in ROLES)
            _check_content(findings, f"{place}.content", item.get("content"), PARTS.get(role))
        case "function_call":
            taken = LIMITS.tool_name.takes(item.get("name"))
            findings.unless(f"{place}.name", "name", taken=taken)
            taken = is_object_text(item.get("arguments"))
            findings.unless(f"{place}.arguments", "arguments", taken=taken)
        case "function_call_output" | "custom_tool_call_output":
            output = item.get("output")
            findings.unless(f"{place}.output", "output", taken=isinstance(output, str | list))
            _check_parts(findings, f"{place}.output", output, PARTS["system"])
        case "reasoning":
            taken = text_at(item, "id", "encrypted_content") is not None
            findings.unless(f"{place}.id", "reasoning", taken=taken)
        case _:
            pass


def _check_content(
    findings: Findings, place: str, content: object, parts: frozenset[str] | None
) -> None:
    if isinstance(content, str):
        return
    findings.unless(place, "content", taken=isinstance(content, list) and content != [])
    _check_parts(findings, place, content, parts)


def _check_parts(
    findings: Findings, place: str, content: object, parts: frozenset[str] | None
) -> None:
    for at, part in objects_at(content if isinstance(content, list) else None, place):
        kind = part.get("type")
        taken = parts is None or (isinstance(kind, str) and kind in parts)
        findings.unless(at, "part", taken=taken)
        if kind == "input_image":
            media = data_type(text_at(part, "image_url") or "")
            findings.unless(at, "image", taken=media is None or media in LIMITS.images)
        elif kind == "input_file":
            media = data_type(text_at(part, "file_data") or "")
            findings.unless(at, "file", taken=media is None or media in LIMITS.documents)
