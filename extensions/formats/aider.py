"""Reader of Aider's history, `.aider.chat.history.md`: a thread for each start of Aider.

The file is the screen's text: what the user said after `#### `, what Aider said after `> `, all
else is the answer (`aider/io.py` and `split_chat_history_markdown` of the package `aider-chat`).
It has no calls, and times in local time without a zone.
"""

import re
from collections.abc import Iterator
from itertools import groupby

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.reading import Reading

_START = re.compile(r"^# aider chat started at (.+?)[ \t]*$", re.MULTILINE)
_MODEL = re.compile(r"^> (?:Main m|M)odel: (\S+)", re.MULTILINE)
_USER, _PROGRAM = "#### ", "> "


def _read(document: JsonValue) -> Iterator[History]:
    if not _is_document(document):
        raise InvalidMessage.at("", "no chat that Aider started")
    before, *sessions = _START.split(str(document))
    if before.strip():
        yield _history(before)
    for started, text in zip(sessions[::2], sessions[1::2], strict=True):
        yield _history(text, startedAt=started)


def _history(text: str, **facts: JsonValue) -> History:
    reading = Reading("aider")
    for mark, lines in groupby(text.splitlines(), _mark):
        texts = [line.removeprefix(mark).rstrip() for line in lines]
        if mark == _PROGRAM:  # it writes line by line: the next may come later
            for line in filter(None, texts):
                reading.add({"type": "log", "text": line})
        elif answer := "\n".join(texts).strip():
            reading.add({"type": "input" if mark == _USER else "reply", "text": answer})
    if model := _MODEL.search(text):
        facts["model"] = model[1]
    return reading.history(metadata={"agent": "aider", **facts})


def _mark(line: str) -> str:
    return next((mark for mark in (_USER, _PROGRAM) if line.startswith(mark)), "")


def _is_document(value: JsonValue) -> bool:
    return isinstance(value, str) and _START.search(value) is not None


FORMAT = Format(
    "aider",
    "Aider chat histories",
    _read,
    _is_document,
    unit="start of Aider",
    suffixes=(".aider.chat.history.md",),
    encoding="text",
)
