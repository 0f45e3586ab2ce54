"""Blocks of memory of Letta's agents: as prompts show them, and as calls change them."""

import re
from collections.abc import Iterator

from agentlog.domain.json.values import JsonObject, JsonValue, text_at
from agentlog.extensions.formats.documents import Documents
from agentlog.extensions.formats.json_patch import Failure

MEMORY = "memory"
_MOST_BLOCKS = 64
_OLD_BLOCK = re.compile(r'<(\w{1,100}) characters="\d{1,9}/\d{1,9}">\n')


def in_prompt(text: str) -> JsonObject:
    """Return the blocks that a system prompt of Letta's shows, by label."""
    if "<memory_blocks>" in text:
        return dict(_new_blocks(text))
    return dict(_old_blocks(text)) if 'characters="' in text else {}


def _new_blocks(text: str) -> Iterator[tuple[str, JsonValue]]:
    place = text.index("<memory_blocks>")
    for _ in range(_MOST_BLOCKS):
        begin = text.find("<value>", place)
        end = text.find("</value>\n</", begin)
        if begin < 0 or end < 0:
            return
        label_begin = end + len("</value>\n</")
        label_end = text.find(">", label_begin)
        if label_end < 0:
            return
        value = text[begin + len("<value>") : end].removeprefix("\n").removesuffix("\n")
        yield text[label_begin:label_end], value
        place = label_end


def _old_blocks(text: str) -> Iterator[tuple[str, JsonValue]]:
    for count, match in enumerate(_OLD_BLOCK.finditer(text)):
        end = text.find(f"</{match[1]}>", match.end())
        if end < 0 or count >= _MOST_BLOCKS:
            return
        yield match[1], text[match.end() : end].removesuffix("\n")


def changed(documents: Documents, operation: JsonObject) -> tuple[Documents, list[Failure]]:
    """Return the documents after a call that changes a block, which is null if it is not known."""
    label = text_at(operation, "label")
    if label is None:
        return documents, [Failure(MEMORY, "the call names no block")]
    before = documents.members(MEMORY).get(label)
    text = _after(before if isinstance(before, str) else None, operation)
    after, failures = documents.changed(MEMORY, {label: text})
    if text is None:
        failures.append(Failure(f"{MEMORY}.{label}"[:200], "its text before is not on record"))
    return after, failures


def _after(text: str | None, operation: JsonObject) -> str | None:
    old, new = text_at(operation, "old") or "", text_at(operation, "new") or ""
    how, line = operation.get("how"), operation.get("line")
    if how == "set":
        return new
    if text is None or (how == "replace" and (not old or old not in text)):
        return None
    if how == "replace":
        return text.replace(old, new, 1)
    lines = text.split("\n")
    is_place = how == "insert" and isinstance(line, int) and 0 <= line < len(lines)
    place = int(str(line)) if is_place else len(lines)
    return "\n".join([*lines[:place], new, *lines[place:]]) if text else new
