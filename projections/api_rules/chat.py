"""Rules of OpenAI's chat completions API, and of servers and gateways that speak it."""

import re
from collections.abc import Mapping

from agentlog.projections.api_rules.rule import WORD, Fit, Limits, Rule

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
OF_BOTH: Mapping[str, Rule] = {
    "name": Rule("a function's name matches ^[a-zA-Z0-9_-]{1,64}$", "mcp-use/mcp-use#90"),
    "arguments": Rule(
        "arguments are the text of a JSON object", "microsoft/vscode#268550, mateaix/mateclaw#410"
    ),
    "content": Rule("content is a text or parts, at least one", _DOCS),
    "image": Rule(
        "an image is a PNG, JPEG, GIF or WebP",
        "https://platform.openai.com/docs/guides/images-vision#image-input-requirements",
    ),
    "file": Rule(
        "the data of a file is a PDF", "https://platform.openai.com/docs/guides/pdf-files"
    ),
}
"""Rules of the Responses API too."""
RULES: Mapping[str, Rule] = {
    **OF_BOTH,
    "role": Rule("a role is system, developer, user, assistant or tool", _DOCS),
    "answered": Rule(
        "tool_calls are followed by a tool message for each id", "QwenLM/qwen-code#869"
    ),
    "asked": Rule(
        "a tool message answers a call of the assistant's message before it",
        "langchain-ai/langchain#33838",
    ),
    "unique": Rule("ids of calls are unique in their message", _DOCS),
    "id": Rule(
        "an id has letters, digits, _ and - (gateways pass it on to Anthropic), 40 at most",
        "tailcallhq/forgecode#1142, camel-ai/camel#2215",
    ),
    "participant": Rule(r"a name matches ^[^\s<|\\/>]{1,64}$", _DOCS),
    "said": Rule("an assistant's message has content, tool_calls, refusal or audio", _DOCS),
    "part": Rule(
        "parts are texts; of a user also images, audio and files, of an assistant refusals",
        "OpenHands/OpenHands#7700",
    ),
    "audio": Rule("audio is wav or mp3", "https://platform.openai.com/docs/guides/audio"),
}
