"""Rules of Anthropic's Messages API."""

import re
from collections.abc import Mapping, Sequence

from agentlog.domain.json.values import JsonObject, object_at, text_at
from agentlog.projections.api_rules.rule import (
    WORD,
    Findings,
    Fit,
    Limits,
    Refusal,
    Rule,
    objects_at,
)

LIMITS = Limits(
    call_id=Fit(WORD, 1000), tool_name=Fit(WORD, 64), unique="conversation", cache_marks=4
)
SERVER_ID = Fit(re.compile(r"srvtoolu_[a-zA-Z0-9_]+"), 1000)
"""The id of a call that the provider runs."""
OF_USER = frozenset({"tool_result", "image", "document", "search_result", "container_upload"})
OF_ASSISTANT = frozenset({"tool_use", "server_tool_use", "thinking", "redacted_thinking"})
"""Types of blocks that one role alone has."""
UNMARKED = frozenset({"thinking", "redacted_thinking"})
"""Types of blocks that have no `cache_control`."""
IN_RESULTS = frozenset({"text", "image", "document", "search_result", "tool_reference"})
"""Types of blocks in a result."""
_MARKED = ("type", "cache_control")
KEYS: Mapping[str, frozenset[str]] = {
    "text": frozenset({*_MARKED, "text", "citations"}),
    "image": frozenset({*_MARKED, "source", "transformations"}),
    "document": frozenset({*_MARKED, "source", "title", "context", "citations"}),
    "search_result": frozenset({*_MARKED, "source", "title", "content", "citations"}),
    "tool_use": frozenset({*_MARKED, "id", "name", "input", "caller", "toolset_name"}),
    "server_tool_use": frozenset({*_MARKED, "id", "name", "input", "caller"}),
    "tool_result": frozenset({*_MARKED, "tool_use_id", "content", "is_error", "toolset_name"}),
    "thinking": frozenset({"type", "thinking", "signature"}),
    "redacted_thinking": frozenset({"type", "data"}),
}
"""The keys of blocks by their type, those of anthropic 2.14."""
_OTHERS = frozenset({"text", "mid_conv_system", "compaction", "fallback", "advisor_tool_result"})

_DOCS = "https://platform.claude.com/docs/en"
RULES: Mapping[str, Rule] = {
    "role": Rule(
        "a role is user or assistant; the system prompt stands apart", f"{_DOCS}/api/messages"
    ),
    "keys": Rule(
        "a message has role and content only",
        "https://github.com/RooCodeInc/Roo-Code/issues/11429",
    ),
    "block-keys": Rule(
        "a block has the keys of its type only",
        "https://github.com/anthropics/claude-code/issues/4378",
    ),
    "first": Rule("the first message is the user's", f"{_DOCS}/api/errors"),
    "content": Rule("content is a text or blocks, at least one", f"{_DOCS}/api/messages"),
    "blank": Rule(
        "a text has other characters than whitespace",
        "https://github.com/aaif-goose/goose/issues/7343",
    ),
    "answered": Rule(
        "each tool_use has a tool_result in the next message",
        "https://github.com/anthropics/claude-code/issues/12526",
    ),
    "asked": Rule(
        "each tool_result answers, once, a tool_use of the message before",
        "https://github.com/anthropics/claude-code/issues/13460",
    ),
    "before": Rule(
        "results stand first in their message",
        f"{_DOCS}/agents-and-tools/tool-use/handle-tool-calls",
    ),
    "unique": Rule(
        "ids of tool_use are unique in the conversation",
        "https://github.com/anthropics/claude-code/issues/28515",
    ),
    "id": Rule("an id matches ^[a-zA-Z0-9_-]+$", "https://github.com/maximhq/bifrost/issues/5097"),
    "server-id": Rule(
        "the id of a server_tool_use matches ^srvtoolu_[a-zA-Z0-9_]+$",
        "https://github.com/anthropics/claude-code/issues/64383",
    ),
    "server-asked": Rule(
        "the result of a server's tool stands after its call, in the same message",
        "https://github.com/anthropics/claude-code/issues/64383",
    ),
    "name": Rule(
        "a tool's name matches ^[a-zA-Z0-9_-]{1,64}$",
        f"{_DOCS}/agents-and-tools/tool-use/define-tools",
    ),
    "input": Rule("the input of a tool_use is an object", f"{_DOCS}/api/messages"),
    "block": Rule(
        "a block has a type of the API, and stands with its role", f"{_DOCS}/api/messages"
    ),
    "signature": Rule(
        "a thinking block has its signature, a redacted one its data",
        "https://github.com/code-yeongyu/oh-my-openagent/issues/2775",
    ),
    "thought-first": Rule(
        "a message with thinking blocks begins with one",
        "https://github.com/anthropics/claude-code/issues/20705",
    ),
    "thought-last": Rule(
        "the last message does not end with thinking",
        "https://github.com/router-for-me/CLIProxyAPI/issues/5321",
    ),
    "image": Rule(
        "an image in base64 is a PNG, JPEG, GIF or WebP", f"{_DOCS}/build-with-claude/vision"
    ),
    "document": Rule("a document in base64 is a PDF", f"{_DOCS}/build-with-claude/pdf-support"),
    "marks": Rule(
        "at most 4 blocks have cache_control",
        "https://github.com/tghamm/Anthropic.SDK/issues/50",
    ),
    "unmarked": Rule(
        "thinking blocks have no cache_control",
        "https://github.com/UKGovernmentBEIS/inspect_ai/pull/3967",
    ),
}


def takes_block(role: str, kind: object) -> bool:
    """Return whether a message of a role has blocks of a type."""
    if not isinstance(kind, str):
        return False
    if kind in OF_USER:
        return role == "user"
    if kind in OF_ASSISTANT or is_server_result(kind):
        return role == "assistant"
    return kind in _OTHERS


def is_server_result(kind: str) -> bool:
    """Return whether blocks of a type are results of the provider's own tools."""
    return kind.endswith("_tool_result") and kind != "tool_result"


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
