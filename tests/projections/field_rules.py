"""A second judge: two APIs' rules once more, written apart from ours, by their own 400 errors."""

import re
from collections.abc import Sequence
from typing import Any

_ID = re.compile(r"[a-zA-Z0-9_-]+")
_IMAGES = {"image/jpeg", "image/png", "image/gif", "image/webp"}


def why_openai_refuses(messages: Sequence[Any]) -> list[str]:
    """Say what chat completions would refuse; calls at the very end may stay open."""
    why: list[str] = []
    waiting: list[str] = []
    for n, message in enumerate(messages):
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                why.append(f"[{n}] messages with role tool must be a response to tool_calls")
            else:
                waiting.remove(message["tool_call_id"])
            if message.get("content") is None:
                why.append(f"[{n}] content is null")
            continue
        if waiting:
            why.append(f"[{n}] tool_calls must be followed by tool messages: {waiting}")
        waiting = [call["id"] for call in message.get("tool_calls") or ()]
        if len(set(waiting)) < len(waiting) or any(len(call_id) > 40 for call_id in waiting):
            why.append(f"[{n}] ids: {waiting}")
        instead = [message.get(key) for key in ("tool_calls", "refusal", "audio")]
        if message.get("content") is None and not (message["role"] == "assistant" and any(instead)):
            why.append(f"[{n}] content is null")
    return why


def why_anthropic_refuses(messages: Sequence[Any]) -> list[str]:
    """Say what Anthropic's API would refuse; calls at the very end may stay open."""
    why: list[str] = []
    seen: set[str] = set()
    waiting: list[str] = []
    marks = 0
    spoken = [message for message in messages if message["role"] != "system"]
    if spoken and spoken[0]["role"] != "user":
        why.append("first message must use the user role")
    for n, message in enumerate(spoken):
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        answered = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
        if sorted(answered) != sorted(waiting):
            why.append(f"[{n}] results {answered} for {waiting}")
        if any(block["type"] != "tool_result" for block in blocks[: len(answered)]):
            why.append(f"[{n}] results are not first")
        waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]
        for block in blocks:
            inside = block.get("content")
            marks += "cache_control" in block
            for inner in [block, *(inside if isinstance(inside, list) else ())]:
                why += _why_block(n, inner)
            if block["type"] in {"tool_use", "server_tool_use"}:
                if not _ID.fullmatch(block["id"]) or block["id"] in seen:
                    why.append(f"[{n}] id {block['id']!r}")
                seen.add(block["id"])
    return [*why, *(["more than 4 marks"] if marks > 4 else [])]


def _why_block(n: int, block: Any) -> list[str]:
    source = block.get("source")
    media = source.get("media_type") if isinstance(source, dict) else None
    is_data = isinstance(source, dict) and source.get("type") == "base64"
    if block["type"] == "text" and not block["text"].strip():
        return [f"[{n}] text content blocks must contain non-whitespace text"]
    if block["type"] == "image" and is_data and media not in _IMAGES:
        return [f"[{n}] image {media}"]
    if block["type"] == "document" and is_data and media != "application/pdf":
        return [f"[{n}] document {media}"]
    if block["type"] == "tool_use" and not isinstance(block["input"], dict):
        return [f"[{n}] input should be a valid dictionary"]
    return []
