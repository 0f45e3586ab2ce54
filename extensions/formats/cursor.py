"""Reader of Cursor's transcripts, `~/.cursor/projects/*/agent-transcripts/**/*.jsonl`.

A line is a message: `role`, and `message` with the blocks of its content. Results, times, ids and
figures are not in these files.
"""

from collections.abc import Iterator

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue
from agentlog.projections.readers.draft import UNNAMED_RESPONSE
from agentlog.projections.readers.fields import Fields
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.messages.anthropic import read_blocks
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.view import Item

_NAME = "cursor"
_SAYS = {"user": "input", "assistant": "reply", "system": "system"}


def _read(document: JsonValue) -> Iterator[History]:
    if not isinstance(document, list):
        raise InvalidMessage.at("", "no array of lines")
    reading = Reading(_NAME)
    for n, value in enumerate(document):
        _read_line(reading, Fields(value, f"[{n}]"), f"{UNNAMED_RESPONSE}{n}")
    yield reading.history(metadata={"agent": "cursor"})


def _read_line(reading: Reading, line: Fields, answer_id: str) -> None:
    match line.item:
        case {"role": str(role), "message": {"content": [_, *_] | str()}} if role in _SAYS:
            line.take("role")
            message = line.inner("message") or line
            of_draft: Item = {"metadata": {"responseId": answer_id}} if role == "assistant" else {}
            entry = Entry(reading, line, **of_draft)
            content = message.take("content")
            read_blocks(entry, content, message.within("content"), _SAYS[role])
        case _:
            reading.keep(line, "line")


def _is_line(value: JsonValue) -> bool:
    match value:
        case {"role": "user" | "assistant", "message": {"content": list(), **message}, **line}:
            return not {"type", "sessionId", "content"} & line.keys() and "role" not in message
        case _:
            return False


FORMAT = Format(_NAME, "Cursor transcripts", _read, is_item=_is_line, unit="transcript")
