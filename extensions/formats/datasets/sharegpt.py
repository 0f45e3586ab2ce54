"""Reader of ShareGPT conversations, with the tool calls and preferences of LLaMA-Factory."""

import re
from collections.abc import Iterator, Mapping, Sequence

from agentlog.domain.errors import InvalidJson, InvalidMessage
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import JsonValue
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.messages.calls import call_of
from agentlog.projections.readers.reading import Reading
from agentlog.projections.view import Item

_SPEAKERS: Mapping[str, str] = {
    "system": "system",
    "human": "input",
    "user": "input",
    "gpt": "reply",
    "assistant": "reply",
    "chatgpt": "reply",
    "bing": "reply",
    "bard": "reply",
    "model": "reply",
    "function_call": "tool_calls",
    "tool_call": "tool_calls",
    "observation": "tool_results",
    "function_response": "tool_results",
    "tool_response": "tool_results",
    "tool": "tool_results",
}
_TURNS = ("conversations", "conversation", "items")
_KNOWN = ("from", "value", "id", "label", "tools", "images", "videos", "audios", "weight")

_CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
"""A call inside an answer, as Hermes' models write it."""


def _is_record(value: JsonValue) -> bool:
    if not isinstance(value, dict):
        return False
    turns = value.get(_key(value))
    return isinstance(turns, list) and turns != [] and all(map(_is_turn, turns))


def _is_turn(value: JsonValue) -> bool:
    match value:
        case {"from": str(), "value": _}:
            return True
        case _:
            return False


def _key(record: Item) -> str:
    """Return the key of a record's turns."""
    return next((key for key in _TURNS if key in record), _TURNS[0])


def _read(document: JsonValue) -> Iterator[History]:
    record = Fields(document, "")
    key = _key(record.item)
    turns = record.item.get(key)
    if not isinstance(turns, list):
        raise InvalidMessage.at(key, "not an array of turns")
    record.take(key)
    reading = _Turns("sharegpt", known=_KNOWN)
    if (system := record.text("system")) is not None and system:
        reading.add({"type": "system", "text": system})
    for number, turn in enumerate(turns):
        reading.turn(Fields(turn, f".{key}[{number}]"))
    with reading.by_content():
        for choice in ("chosen", "rejected"):
            if record.item.get(choice) is not None:
                answer = record.take(choice)
                answer = answer if isinstance(answer, dict) else {"value": answer}
                reading.keep(Fields(answer, f".{choice}"), choice, is_known=True)
        if left := record.left():
            reading.note(record, left)
            reading.keep(Fields(left, ""), "record", is_known=True)
    yield reading.history()


class _Turns(Reading):
    """Turns of one conversation; calls, which have no ids, get some, and results those of calls."""

    def __init__(self, wire: str, *, known: Sequence[str]) -> None:
        super().__init__(wire, known=known)
        self._made = 0
        self._open: list[Item] = []

    def turn(self, turn: Fields) -> None:
        speaker = turn.item.get("from")
        kind = _SPEAKERS.get(speaker.lower()) if isinstance(speaker, str) else None
        text = turn.item.get("value")
        if kind is None or not isinstance(text, str):
            self.keep(turn, str(speaker) if kind is None else "turn")
            return
        if kind == "tool_results":
            self._results(turn, text)
            return
        inside = _CALL.findall(text) if kind == "reply" else []
        calls = _calls([text] if kind == "tool_calls" else inside)
        if calls is None:
            self.keep(turn, str(speaker))
        elif calls:
            self._ask(turn, calls, _CALL.sub("", text).strip() if inside else "")
        else:
            turn.take("value")
            if speaker in {"system", "human", "gpt"}:
                turn.take("from")
            self.add({"type": kind, "text": text}, turn)

    def _ask(self, turn: Fields, calls: Sequence[Item], text: str) -> None:
        """Add calls, and what is said beside them; the turn's own text is kept as it was."""
        listed: list[Item] = [
            {"id": f"call-{self._made + n}", **call} for n, call in enumerate(calls, 1)
        ]
        self._made += len(calls)
        self._open = [*listed]
        answer: Draft = {"metadata": {"responseId": f"turn-{len(self.drafts)}"}} if text else {}
        if text:
            self.add({"type": "reply", "text": text, **answer})
        self.add({"type": "tool_calls", "calls": [*listed], **answer}, turn)

    def _results(self, turn: Fields, text: str) -> None:
        """Add results: of all open calls where there are as many, else of the first."""
        outputs = _listed(text)
        if len(outputs) < 2 or len(outputs) != len(self._open):  # noqa: PLR2004 - one is the text
            outputs = [text]
            turn.take("value")
        results: list[JsonValue] = []
        for output in outputs:
            call = self._open.pop(0) if self._open else None
            of_call = {} if call is None else {"callId": call["id"], "name": call["name"]}
            results.append({**of_call, "output": output})
        self.add({"type": "tool_results", "results": results}, turn)


def _calls(texts: Sequence[str]) -> Sequence[Item] | None:
    """Return the calls in texts, each a JSON object or several; None where one is no call."""
    turns: list[Item] = []
    for text in texts:
        for call in _listed(text) or [text]:
            read = call_of(call)
            if read is None:
                return None
            turns.append(read.fields)
    return turns


def _listed(text: str) -> list[JsonValue]:
    """Return the values of a JSON array, or the one value that a text is; none if it is no JSON."""
    try:
        value = parse(text)
    except InvalidJson:
        return []
    return value if isinstance(value, list) else [value]


FORMAT = Format(
    "sharegpt",
    "ShareGPT conversations",
    _read,
    is_document=_is_record,
    unit="conversation",
)
