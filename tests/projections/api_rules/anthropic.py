"""Checks by the rules of Anthropic's Messages API."""

from collections.abc import Sequence

from agentlog.domain.json.values import JsonObject, object_at, text_at
from agentlog.projections.api_rules.anthropic import (
    IN_RESULTS,
    KEYS,
    LIMITS,
    RULES,
    SERVER_ID,
    UNMARKED,
    is_server_result,
    takes_block,
)
from tests.projections.api_rules.findings import Findings, Refusal, objects_at


def refusals(items: Sequence[JsonObject]) -> list[Refusal]:
    """Return what the API refuses of messages; calls at the very end may stay open.

    Messages of the role `system` are those that the view shows for the prompt.
    """
    findings = Findings(RULES)
    used: set[str] = set()
    unanswered: list[str] = []
    is_first, marks = True, 0
    last = max((n for n, item in enumerate(items) if item.get("role") != "system"), default=0)
    for n, item in enumerate(items):
        place, role = f"[{n}]", item.get("role")
        if role == "system":
            continue
        if role not in {"user", "assistant"}:
            findings.refuse(f"{place}.role", "role")
            continue
        findings.unless(place, "keys", taken=item.keys() <= {"role", "content"})
        findings.unless(place, "first", taken=not is_first or role == "user")
        is_first = False
        blocks = _blocks(findings, place, item)
        _check_results(findings, place, blocks, unanswered)
        unanswered = [str(b.get("id")) for _, b in blocks if b.get("type") == "tool_use"]
        thoughts = [block.get("type") in UNMARKED for _, block in blocks]
        findings.unless(place, "thought-first", taken=not any(thoughts) or thoughts[0])
        if n == last:
            findings.unless(place, "thought-last", taken=not any(thoughts[-1:]))
            said = text_at(blocks[-1][1], "text") if role == "assistant" and blocks else None
            findings.unless(place, "trailing", taken=said is None or said == said.rstrip())
        _check_calls(findings, str(role), blocks, used)
        for at, block in blocks:
            marks = _check_all(findings, at, block, marks)
    return findings.refusals


def _blocks(findings: Findings, place: str, item: JsonObject) -> Sequence[tuple[str, JsonObject]]:
    content = item.get("content")
    if isinstance(content, str):
        return [(f"{place}.content", {"type": "text", "text": content})]
    blocks = [*objects_at(content, f"{place}.content")]
    findings.unless(f"{place}.content", "content", taken=bool(blocks))
    return blocks


def _check_results(
    findings: Findings,
    place: str,
    blocks: Sequence[tuple[str, JsonObject]],
    unanswered: Sequence[str],
) -> None:
    waiting = [*unanswered]
    others = 0
    for at, block in blocks:
        if block.get("type") != "tool_result":
            others += 1
            continue
        call_id = str(block.get("tool_use_id"))
        if call_id in waiting:
            waiting.remove(call_id)
        else:
            findings.refuse(f"{at}.tool_use_id", "asked")
        findings.unless(at, "before", taken=not others)
    findings.unless(place, "answered", taken=not waiting)


def _check_calls(
    findings: Findings, role: str, blocks: Sequence[tuple[str, JsonObject]], used: set[str]
) -> None:
    servers: set[str] = set()
    for at, block in blocks:
        kind = block.get("type")
        findings.unless(at, "block", taken=takes_block(role, kind))
        if kind in {"tool_use", "server_tool_use"}:
            _check_call(findings, at, block, used)
            servers.add(str(block.get("id")))
        elif isinstance(kind, str) and is_server_result(kind):
            taken = block.get("tool_use_id") in servers
            findings.unless(f"{at}.tool_use_id", "server-asked", taken=taken)


def _check_all(findings: Findings, place: str, block: JsonObject, marks: int) -> int:
    """Check a block and those in it; return how many marks of caches there are up to it."""
    inside = [*objects_at(block.get("content"), f"{place}.content")]
    for at, inner in [(place, block), *inside]:
        _check_block(findings, at, inner)
        if inner.get("cache_control") is not None:
            marks += 1
            findings.unless(at, "marks", taken=marks <= (LIMITS.cache_marks or 0))
    if block.get("type") == "tool_result":
        for at, inner in inside:
            findings.unless(at, "block", taken=inner.get("type") in IN_RESULTS)
    return marks


def _check_call(findings: Findings, place: str, block: JsonObject, used: set[str]) -> None:
    call_id = str(block.get("id"))
    if block.get("type") == "tool_use":
        findings.unless(f"{place}.id", "id", taken=LIMITS.call_id.takes(block.get("id")))
    else:
        findings.unless(f"{place}.id", "server-id", taken=SERVER_ID.takes(block.get("id")))
    findings.unless(f"{place}.id", "unique", taken=call_id not in used)
    used.add(call_id)
    findings.unless(f"{place}.name", "name", taken=LIMITS.tool_name.takes(block.get("name")))
    findings.unless(f"{place}.input", "input", taken=isinstance(block.get("input"), dict))


def _check_block(findings: Findings, place: str, block: JsonObject) -> None:
    """Check what a block says, in a message or in a result."""
    kind, source = block.get("type"), object_at(block, "source")
    is_encoded = source.get("type") == "base64"
    match kind:
        case "text":
            findings.unless(place, "blank", taken=bool((text_at(block, "text") or "").strip()))
        case "thinking":
            findings.unless(place, "signature", taken=text_at(block, "signature") is not None)
        case "redacted_thinking":
            findings.unless(place, "signature", taken=text_at(block, "data") is not None)
        case "image" if is_encoded:
            findings.unless(place, "image", taken=source.get("media_type") in LIMITS.images)
        case "document" if is_encoded:
            taken = source.get("media_type") in LIMITS.documents
            findings.unless(place, "document", taken=taken)
        case _:
            pass
    if kind in UNMARKED:
        findings.unless(place, "unmarked", taken=block.get("cache_control") is None)
    elif isinstance(kind, str) and kind in KEYS:
        findings.unless(place, "block-keys", taken=block.keys() <= KEYS[kind])
