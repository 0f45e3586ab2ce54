"""Rules of the contents of Gemini's generateContent."""

import re
from collections.abc import Mapping, Sequence

from agentlog.domain.json.values import JsonObject, object_at, text_at
from agentlog.projections.api_rules.rule import (
    Findings,
    Fit,
    Limits,
    Refusal,
    Rule,
    objects_at,
)

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
        "https://github.com/google-gemini/gemini-cli/issues/11814",
    ),
    "parts": Rule("a content has parts, each with its data", f"{_DOCS}/api/caching#Part"),
    "part": Rule("a part has one kind of data", f"{_DOCS}/api/caching#Part"),
    "blank": Rule(
        "a text is not empty",
        "https://github.com/google-gemini/deprecated-generative-ai-python/issues/697",
    ),
    "turns": Rule(
        "a turn with function calls stands after a user's or after function responses",
        "https://github.com/google-gemini/gemini-cli/issues/26486",
    ),
    "answered": Rule(
        "the next content has as many function responses as calls, of their names in order",
        "https://github.com/google-gemini/gemini-cli/issues/7410",
    ),
    "asked": Rule(
        "function responses stand right after their calls",
        "https://github.com/langchain-ai/langchain/issues/27799",
    ),
    "name": Rule(
        "a function's name begins with a letter or _, has letters, digits, _ . : -, 64 at most",
        "https://github.com/kaitranntt/ccs/issues/25",
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
