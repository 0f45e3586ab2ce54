"""Rules of the input of OpenAI's Responses API."""

from collections.abc import Mapping

from agentlog.domain.json.values import JsonObject
from agentlog.projections.api_rules.chat import OF_BOTH
from agentlog.projections.api_rules.rule import WORD, Fit, Limits, Rule

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
    **OF_BOTH,
    "kind": Rule("an item has a type of the API", _DOCS),
    "role": Rule("a role is assistant, system, developer or user", "Chevey339/kelivo#281"),
    "answered": Rule(
        "each call of a function or a tool of the client has an output after it",
        "openai/openai-agents-python#673",
    ),
    "asked": Rule("each output stands after its call", "james-6-23/codex2api#414"),
    "unique": Rule("ids of calls are unique, and each has one output", _DOCS),
    "id": Rule("a call_id has letters, digits, _ and -, 64 at most", "decolua/9router#393"),
    "item-id": Rule(
        "the id of an item has letters, digits, _ and -, 64 at most",
        "langchain-ai/langchainjs#11044, NousResearch/hermes-agent#73538",
    ),
    "prefix": Rule(
        "the id of a message begins with msg, of a function_call with fc, of reasoning with rs",
        "openai/codex#33176",
    ),
    "item-unique": Rule("no two items have one id", "vercel/ai#7883"),
    "part": Rule(
        "parts are input_text, input_image, input_file; an assistant's output_text, refusal", _DOCS
    ),
    "reasoning": Rule(
        "reasoning has an id or its encrypted content",
        "https://platform.openai.com/docs/guides/reasoning#keeping-reasoning-items-in-context",
    ),
    "led": Rule("what reasoning led to follows it: a call or an answer", "vercel/ai#7099"),
    "output": Rule("an output is a text or parts of inputs", _DOCS),
}


def is_of_model(item: JsonObject) -> bool:
    """Return whether an item is what a model wrote, or names such a one."""
    kind = kind_of(item)
    if kind == "message":
        return item.get("role") == "assistant"
    return kind in _OF_MODEL or kind in CALLS or kind in _RUN_THERE


def kind_of(item: JsonObject) -> str:
    """Return the type of an item, which messages need not have."""
    return str(item.get("type", "message"))
