"""Rules of Anthropic's Messages API."""

import re
from collections.abc import Mapping

from agentlog.projections.api_rules.rule import WORD, Fit, Limits, Rule

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
_MESSAGES = f"{_DOCS}/api/messages"
RULES: Mapping[str, Rule] = {
    "role": Rule("a role is user or assistant; the system prompt stands apart", _MESSAGES),
    "keys": Rule("a message has role and content only", "RooCodeInc/Roo-Code#11429"),
    "block-keys": Rule("a block has the keys of its type only", "anthropics/claude-code#4378"),
    "first": Rule("the first message is the user's", f"{_DOCS}/api/errors"),
    "content": Rule("content is a text or blocks, at least one", _MESSAGES),
    "blank": Rule("a text has other characters than whitespace", "aaif-goose/goose#7343"),
    "answered": Rule(
        "each tool_use has a tool_result in the next message", "anthropics/claude-code#12526"
    ),
    "asked": Rule(
        "each tool_result answers, once, a tool_use of the message before",
        "anthropics/claude-code#13460",
    ),
    "before": Rule(
        "results stand first in their message",
        f"{_DOCS}/agents-and-tools/tool-use/handle-tool-calls",
    ),
    "unique": Rule(
        "ids of tool_use are unique in the conversation", "anthropics/claude-code#28515"
    ),
    "id": Rule("an id matches ^[a-zA-Z0-9_-]+$", "maximhq/bifrost#5097"),
    "server-id": Rule(
        "the id of a server_tool_use matches ^srvtoolu_[a-zA-Z0-9_]+$",
        "anthropics/claude-code#64383",
    ),
    "server-asked": Rule(
        "the result of a server's tool stands after its call, in the same message",
        "anthropics/claude-code#64383",
    ),
    "name": Rule(
        "a tool's name matches ^[a-zA-Z0-9_-]{1,64}$",
        f"{_DOCS}/agents-and-tools/tool-use/define-tools",
    ),
    "input": Rule("the input of a tool_use is an object", _MESSAGES),
    "block": Rule("a block has a type of the API, and stands with its role", _MESSAGES),
    "signature": Rule(
        "a thinking block has its signature, a redacted one its data",
        "code-yeongyu/oh-my-openagent#2775",
    ),
    "thought-first": Rule(
        "a message with thinking blocks begins with one", "anthropics/claude-code#20705"
    ),
    "thought-last": Rule(
        "the last message does not end with thinking", "router-for-me/CLIProxyAPI#5321"
    ),
    "trailing": Rule(
        "the last message, if it is the model's, does not end with whitespace",
        "langchain-ai/langchain#35071",
    ),
    "image": Rule(
        "an image in base64 is a PNG, JPEG, GIF or WebP", f"{_DOCS}/build-with-claude/vision"
    ),
    "document": Rule("a document in base64 is a PDF", f"{_DOCS}/build-with-claude/pdf-support"),
    "marks": Rule("at most 4 blocks have cache_control", "tghamm/Anthropic.SDK#50"),
    "unmarked": Rule("thinking blocks have no cache_control", "UKGovernmentBEIS/inspect_ai#3967"),
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
