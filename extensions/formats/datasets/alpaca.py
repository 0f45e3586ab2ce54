"""Reader of Alpaca instructions, with the history and preferences of LLaMA-Factory."""

from collections.abc import Iterator

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue, array_of, object_of, texts_of
from agentlog.projections.readers.fields import Fields
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.reading import Reading

_KNOWN = ("input", "text", "id", "label", "images", "videos", "audios", "chosen", "rejected")
_PAIR = 2  # what was asked, and the answer
_ANSWERS = ("output", "chosen", "rejected")


def _is_record(value: JsonValue) -> bool:
    record = object_of(value)
    answers = (record.get(key) for key in _ANSWERS)
    return isinstance(record.get("instruction"), str) and texts_of([*answers]) != []


def _read(document: JsonValue) -> Iterator[History]:
    record = Fields(document, "")
    instruction = record.text("instruction")
    if instruction is None:
        raise InvalidMessage.at("instruction", "missing or not a string")
    reading = Reading("alpaca", known=_KNOWN)
    if system := record.text("system"):
        reading.add({"type": "system", "text": system})
    turns = [texts_of(pair) for pair in array_of(record.item.get("history"))]
    if turns == record.item.get("history") and all(len(pair) == _PAIR for pair in turns):
        record.take("history")
        for asked, answered in turns:
            reading.add({"type": "input", "text": asked})
            reading.add({"type": "reply", "text": answered})
    more = record.item.get("input")
    text = f"{instruction}\n{more}" if isinstance(more, str) and more else instruction
    if more == "":
        record.take("input")
    output = record.text("output")
    reading.add({"type": "input", "text": text}, record)
    if output is not None:
        reading.add({"type": "reply", "text": output})
    yield reading.history()


FORMAT = Format(
    "alpaca",
    "Alpaca instructions",
    _read,
    is_document=_is_record,
)
