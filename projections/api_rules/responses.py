"""Rules of the input of OpenAI's Responses API."""

from collections.abc import Mapping, Sequence

from agentlog.domain.json.values import JsonObject, text_at
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
)

LIMITS = Limits(call_id=Fit(WORD, 64), tool_name=Fit(WORD, 64), unique="conversation")
ITEM_ID = Fit(WORD, 64)
PREFIXES: Mapping[str, str] = {"message": "msg", "function_call": "fc", "reasoning": "rs"}
"""What ids begin with, by the types of items."""
CALLS: Mapping[str, str] = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
}
"""Types of calls of the client's functions and tools, and of their outputs."""
OUTPUTS: Mapping[str, str] = {output: call for call, output in CALLS.items()}
_OTHERS = frozenset(
    "message reasoning item_reference file_search_call web_search_call image_generation_call "
    "code_interpreter_call mcp_list_tools mcp_approval_request mcp_approval_response mcp_call "
    "local_shell_call local_shell_call_output tool_search_call tool_search_output computer_call "
    "computer_call_output shell_call shell_call_output apply_patch_call apply_patch_call_output "
    "configuration_update compaction compaction_trigger additional_tools program "
    "program_output".split()
)
KINDS = frozenset({*CALLS, *OUTPUTS, *_OTHERS})
"""Types of items, those of `ResponseInputItemParam` in openai 3.54."""
_RUN_THERE = frozenset(
    "file_search_call web_search_call image_generation_call code_interpreter_call mcp_list_tools "
    "mcp_approval_request mcp_call local_shell_call tool_search_call computer_call shell_call "
    "apply_patch_call program".split()
)
_OF_MODEL = frozenset({"reasoning", "item_reference", "compaction"})
ROLES = frozenset({"user", "system", "developer", "assistant"})
PARTS: Mapping[str, frozenset[str]] = {
    "assistant": frozenset({"output_text", "refusal"}),
    "user": frozenset({"input_text", "input_image", "input_file", "input_audio"}),
    "system": frozenset({"input_text", "input_image", "input_file"}),
    "developer": frozenset({"input_text", "input_image", "input_file"}),
}

_DOCS = "https://platform.openai.com/docs/api-reference/responses/create"
RULES: Mapping[str, Rule] = {
    "kind": Rule("an item has a type of the API", _DOCS),
    "role": Rule(
        "a role is assistant, system, developer or user",
        "https://github.com/Chevey339/kelivo/pull/281",
    ),
    "answered": Rule(
        "each call of a function or a tool of the client has an output after it",
        "https://github.com/openai/openai-agents-python/issues/873",
    ),
    "asked": Rule(
        "each output stands after its call",
        "https://github.com/james-6-23/codex2api/issues/414",
    ),
    "unique": Rule("ids of calls are unique, and each has one output", _DOCS),
    "id": Rule(
        "a call_id has letters, digits, _ and -, 64 at most",
        "https://github.com/decolua/9router/issues/393",
    ),
    "name": Rule(
        "a function's name matches ^[a-zA-Z0-9_-]{1,64}$",
        "https://github.com/mcp-use/mcp-use/issues/90",
    ),
    "arguments": Rule(
        "arguments are the text of a JSON object",
        "https://github.com/microsoft/vscode/issues/268550",
    ),
    "item-id": Rule(
        "the id of an item has letters, digits, _ and -, 64 at most",
        "https://github.com/langchain-ai/langchainjs/issues/11044, "
        "https://github.com/NousResearch/hermes-agent/pull/73538",
    ),
    "prefix": Rule(
        "the id of a message begins with msg, of a function_call with fc, of reasoning with rs",
        "https://github.com/openai/codex/issues/33176",
    ),
    "item-unique": Rule("no two items have one id", "https://github.com/vercel/ai/issues/7883"),
    "content": Rule("content is a text or parts, at least one", _DOCS),
    "part": Rule(
        "parts are input_text, input_image, input_file; an assistant's output_text, refusal", _DOCS
    ),
    "reasoning": Rule(
        "reasoning has an id or its encrypted content",
        "https://platform.openai.com/docs/guides/reasoning#keeping-reasoning-items-in-context",
    ),
    "led": Rule(
        "what reasoning led to follows it: a call or an answer",
        "https://github.com/vercel/ai/issues/7099",
    ),
    "output": Rule("an output is a text or parts of inputs", _DOCS),
    "image": Rule(
        "an image is a PNG, JPEG, GIF or WebP",
        "https://platform.openai.com/docs/guides/images-vision#image-input-requirements",
    ),
    "file": Rule(
        "the data of a file is a PDF", "https://platform.openai.com/docs/guides/pdf-files"
    ),
}


def refusals(items: Sequence[JsonObject]) -> list[Refusal]:
    """Return what the API refuses of items; calls that nothing follows may stay open."""
    findings = Findings(RULES)
    called: dict[str, str] = {}
    unanswered: dict[str, int] = {}
    ids: set[str] = set()
    last = max((n for n, item in enumerate(items) if _kind(item) not in CALLS), default=-1)
    for n, item in enumerate(items):
        place, kind = f"[{n}]", _kind(item)
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


def is_of_model(item: JsonObject) -> bool:
    """Return whether an item is what a model wrote, or names such a one."""
    kind = _kind(item)
    if kind == "message":
        return item.get("role") == "assistant"
    return kind in _OF_MODEL or kind in CALLS or kind in _RUN_THERE


def _kind(item: JsonObject) -> str:
    return str(item.get("type", "message"))


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
