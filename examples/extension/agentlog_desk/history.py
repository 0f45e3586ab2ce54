"""The format `desk`: `{"desk": "north", "turns": [{"who": "user", "text": "Hi."}]}`."""

from collections.abc import Iterator

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue, object_of, text_at
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.history import Format, History


def _is_document(value: JsonValue) -> bool:
    return text_at(object_of(value), "desk") is not None


def _read(document: JsonValue) -> Iterator[History]:
    fields = object_of(document)
    desk, turns = text_at(fields, "desk"), fields.get("turns")
    if desk is None or not isinstance(turns, list):
        raise InvalidMessage.at("turns", "no history of Desk")
    beside = {key: value for key, value in fields.items() if key not in {"desk", "turns"}}
    yield History([_draft(turn) for turn in turns], metadata={"desk": desk}, beside=beside)


def _draft(turn: JsonValue) -> Draft:
    """Return the message of a turn; one of an own type with all of it, where it has more."""
    match turn:
        case {"who": "user", "text": str(text), **more} if not more:
            return {"type": "input", "text": text}
        case {"who": "desk", "text": str(text), **more} if not more:
            return {"type": "reply", "text": text}
        case _:
            return {"type": "desk.turn", "payload": turn}


FORMAT = Format("desk", "Desk histories", _read, _is_document)
