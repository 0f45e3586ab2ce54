"""Rules of the contents of Gemini's generateContent."""

import re
from collections.abc import Mapping

from agentlog.projections.api_rules.rule import Fit, Limits, Rule

LIMITS = Limits(
    call_id=Fit(re.compile(r".+", re.DOTALL), 1000),
    tool_name=Fit(re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]*"), 64),
    unique=None,
    images=frozenset({"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"}),
    documents=frozenset({"application/pdf", "text/plain"}),
)
SOUNDS_AND_FILMS = re.compile(
    r"audio/(wav|x-wav|mp3|mpeg|aiff|aac|ogg|flac|m4a|opus|pcm|webm)|"
    r"video/(mp4|mpeg|mov|quicktime|avi|x-flv|mpg|webm|wmv|3gpp|mpegps)"
)
DATA = ("text", "inlineData", "fileData", "functionCall", "functionResponse")
"""What a part has one of, with `executableCode`, `codeExecutionResult`, `toolCall`."""
KINDS = frozenset({*DATA, "executableCode", "codeExecutionResult", "toolCall", "toolResponse"})

_DOCS = "https://ai.google.dev"
RULES: Mapping[str, Rule] = {
    "role": Rule("a role is user or model", f"{_DOCS}/api/caching#Content"),
    "first": Rule(
        "a function call comes after a user's turn or a function response turn, not first",
        "google-gemini/gemini-cli#11814",
    ),
    "parts": Rule("a content has parts, each with its data", f"{_DOCS}/api/caching#Part"),
    "part": Rule("a part has one kind of data", f"{_DOCS}/api/caching#Part"),
    "blank": Rule("a text is not empty", "google-gemini/deprecated-generative-ai-python#697"),
    "turns": Rule(
        "a turn with function calls stands after a user's or after function responses",
        "google-gemini/gemini-cli#26486",
    ),
    "answered": Rule(
        "the next content has as many function responses as calls, of their names in order",
        "google-gemini/gemini-cli#7410",
    ),
    "asked": Rule(
        "function responses stand right after their calls", "langchain-ai/langchain#27799"
    ),
    "name": Rule(
        "a function's name begins with a letter or _, has letters, digits, _ . : -, 64 at most",
        "kaitranntt/ccs#25",
    ),
    "args": Rule("args and response are objects", f"{_DOCS}/api/caching#FunctionCall"),
    "media": Rule(
        "inline data is an image, audio, a video, a PDF or a text that Gemini reads",
        f"{_DOCS}/gemini-api/docs/file-input-methods",
    ),
}


def takes_media(media: str) -> bool:
    """Return whether a part may have data of a media type."""
    return (
        media in LIMITS.images
        or media in LIMITS.documents
        or SOUNDS_AND_FILMS.fullmatch(media) is not None
    )
