"""Texts of files in what tools gave back: numbered lines, and the windows of SWE-agent."""

import re
from collections.abc import Sequence

from agentlog.domain.json.values import JsonObject, JsonValue, object_at, text_at

_NUMBERED = re.compile(r"[ \t]*(\d{1,9})(?:→|\t|\| ?)(.*)")
_WINDOW = re.compile(r"\[File: (.{1,1000}?) \((\d{1,9}) lines total\)\]")
_LINE = re.compile(r"(\d{1,9}):(.*)")
_MOST_BEFORE = 5
"""Lines before the first numbered one."""


def whole_text(output: JsonValue, noted: JsonObject) -> str | None:
    """Return the text of a file that was read whole; None where it was not, or cannot be told.

    `noted` is what Claude Code notes of a result beside it.
    """
    file = object_at(noted, "file")
    text = file.get("content")
    if isinstance(text, str):
        is_whole = file.get("startLine") == 1 and file.get("numLines") == file.get("totalLines")
        return text if is_whole else None
    return _unnumbered(text_of(output).splitlines(), _NUMBERED)


def window(output: JsonValue) -> tuple[str, str | None] | None:
    """Return the file that a window of SWE-agent shows, and its text if it is there whole."""
    shown = text_of(output)
    match = _WINDOW.search(shown)
    if match is None:
        return None
    count = int(match[2])
    lines = shown[match.end() :].splitlines()[1 : count + 1]
    numbered = [_LINE.fullmatch(line) for line in lines]
    if len(lines) < count or any(m is None or int(m[1]) != n for n, m in enumerate(numbered, 1)):
        return match[1], None
    return match[1], "".join(f"{m[2]}\n" for m in numbered if m is not None)


def text_of(output: JsonValue) -> str:
    """Return the text of an output: a text, or the texts of its parts."""
    match output:
        case str():
            return output
        case [*parts]:
            return "\n".join(
                text for part in parts if isinstance(part, dict) and (text := text_at(part, "text"))
            )
        case dict():
            return text_at(output, "output", "content", "text") or ""
        case _:
            return ""


def _unnumbered(lines: Sequence[str], form: re.Pattern[str]) -> str | None:
    """Return the numbered lines, which begin with 1 near the first line; None where none do."""
    for begin in range(min(_MOST_BEFORE, len(lines))):
        match = form.fullmatch(lines[begin])
        if match is not None:
            break
    else:
        return None
    texts = list[str]()
    for number, line in enumerate(lines[begin:], 1):
        match = form.fullmatch(line)
        if match is None or int(match[1]) != number:
            break
        texts.append(f"{match[2]}\n")
    return "".join(texts) or None
