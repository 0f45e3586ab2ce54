"""Reader of Alpaca instructions, with the history and preferences of LLaMA-Factory."""

from collections.abc import Iterator

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.text import JsonValue
from agentlog.projections.readers.fields import Fields
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.reading import Reading

_KNOWN = ("input", "text", "id", "label", "images", "videos", "audios", "chosen", "rejected")
_ANSWERS = ("output", "chosen", "rejected")


def _is_record(value: JsonValue) -> bool:
    match value:
        case {"instruction": str()}:
            return any(isinstance(value.get(key), str) for key in _ANSWERS)
        case _:
            return False


def _read(document: JsonValue) -> Iterator[History]:
    record = Fields(document, "")
    instruction = record.text("instruction")
    if instruction is None:
        raise InvalidMessage.at("instruction", "missing or not a string")
    reading = Reading("alpaca", known=_KNOWN)
    if system := record.text("system"):
        reading.add({"type": "system", "text": system})
    if _is_history(record.item.get("history")):
        for asked, answered in record.take("history"):
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


def _is_history(value: JsonValue) -> bool:
    return isinstance(value, list) and all(map(_is_pair, value))


def _is_pair(value: JsonValue) -> bool:
    match value:
        case [str(), str()]:
            return True
        case _:
            return False


FORMAT = Format(
    "alpaca",
    "Alpaca instructions",
    _read,
    is_document=_is_record,
)
