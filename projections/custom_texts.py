"""What a message of an own type says in a line: the score of a sample, the command of a sandbox.

Readers keep what the catalogue has no message for as `WIRE.KIND`, its payload the object as it
came. A kind without a text of its own says what distinguishes its payload: no ids, nothing empty.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from agentlog.domain.errors import InvalidJson
from agentlog.domain.json.shortened import beginnings
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import JsonValue, array_of, object_of, objects_of, text_at
from agentlog.projections.call_texts import value_text

LONGEST = 200
"""Characters of a text."""

_MOST_PARTS = 4
_PLACES = re.compile(
    r"(?:^|_)(?:u?u?id|hash|digest|timestamp|ordinal|version|working_start|cwd)$|[a-z]Id$"
    r"|^(?:event|type|isSidechain|isMeta|userType|entrypoint|gitBranch|parentUuid)$"
)
_UUID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
_GRADES: Mapping[JsonValue, str] = {"C": "correct", "I": "incorrect", "P": "partial", "N": "none"}

Fields = Mapping[str, JsonValue]


def custom_text(type_name: str, payload: JsonValue) -> str:
    """Return what a message of an own type says, on one line; empty where it says nothing."""
    short = beginnings(payload, LONGEST)
    fields = object_of(short)
    text = TEXTS.get(type_name, _distinguishing)(fields) if fields else value_text(short or "")
    return " ".join(text.split())[:LONGEST]


def _distinguishing(fields: Fields) -> str:
    """Return the fields that say something, plain ones first; those of an envelope's content."""
    inner = object_of(fields.get("payload") or fields.get("attachment"))
    members = [(name, value) for name, value in (inner or fields).items() if _says(name, value)]
    plain = [part for part in members if not isinstance(part[1], dict | list)]
    nested = [part for part in members if isinstance(part[1], dict | list)]
    parts = [*plain, *nested][:_MOST_PARTS]
    return ", ".join(f"{name}: {value_text(value)}" for name, value in parts)


def _says(name: str, value: JsonValue) -> bool:
    if value is None or value is False or value in ("", [], {}) or _PLACES.search(name):
        return False
    return not (isinstance(value, str) and _UUID.fullmatch(value))


def _score(fields: Fields) -> str:
    score = object_of(fields.get("score"))
    by = text_at(fields, "scorer")
    answer = score.get("answer")
    return _joined(_graded(score.get("value")), by, answer and f"answered {value_text(answer)}")


def _graded(value: JsonValue) -> str:
    grade = _GRADES.get(value) if isinstance(value, str) else None
    return value_text(value) if grade is None else f"{value_text(value)} ({grade})"


def _patch(fields: Fields) -> str:
    changes = objects_of(fields.get("changes"))
    paths = [" ".join(_texts(change.get("op"), change.get("path"))) for change in changes]
    more = len(paths) - _MOST_PARTS
    return ", ".join(paths[:_MOST_PARTS]) + (f", {more} more" if more > 0 else "")


def _sandbox(fields: Fields) -> str:
    command, result = text_at(fields, "cmd"), fields.get("result")
    if command is None:
        return _joined(text_at(fields, "action"), text_at(fields, "file"))
    return _joined(command, f"exit {value_text(result)}" if result else None)


def _span(fields: Fields) -> str:
    kind, name = text_at(fields, "type"), text_at(fields, "name")
    return _joined(text_at(fields, "action"), kind if kind != name else None, name)


def _sample(fields: Fields) -> str:
    scores = object_of(fields.get("scores")).items()
    return ", ".join(f"{name}: {_graded(object_of(score).get('value'))}" for name, score in scores)


def _eval(fields: Fields) -> str:
    run = object_of(fields.get("eval"))
    return _joined(text_at(run, "task"), text_at(run, "model"), text_at(fields, "status"))


def _editor(fields: Fields) -> str:
    """Return the file and folder of SWE-agent's editor: its state is JSON in a text."""
    try:
        state = object_of(parse(text_at(fields, "state") or "null"))
    except InvalidJson:
        state = object_of(None)
    return _distinguishing(state or fields)


def _content(fields: Fields) -> str:
    parts = " ".join(_texts(*(part.get("text") for part in objects_of(fields.get("content")))))
    text = text_at(fields, "content") or parts
    return text or _distinguishing(fields)


def _agent(fields: Fields) -> str:
    model = text_at(object_of(fields.get("llm_config")), "model")
    return _joined(text_at(fields, "name"), model, text_at(fields, "description"))


def _block(fields: Fields) -> str:
    return _joined(text_at(fields, "label"), text_at(fields, "value"))


def _checkpoint(fields: Fields) -> str:
    about = object_of(fields.get("metadata"))
    step, source = about.get("step"), text_at(about, "source")
    names = ", ".join(object_of(fields.get("values")))
    return _joined(None if step is None else f"step {value_text(step)}", source, names)


def _writes(fields: Fields) -> str:
    written = [part for write in array_of(fields.get("writes")) for part in array_of(write)[1:2]]
    return _joined(text_at(fields, "path"), ", ".join(_texts(*written)))


def _joined(*parts: JsonValue) -> str:
    return " · ".join(_texts(*parts))


def _texts(*parts: JsonValue) -> Iterator[str]:
    for part in parts:
        if isinstance(part, str) and part:
            yield part


TEXTS: Mapping[str, Callable[[Fields], str]] = {
    "inspect.score": _score,
    "inspect.score_edit": _score,
    "inspect.state": _patch,
    "inspect.store": _patch,
    "inspect.sandbox": _sandbox,
    "inspect.span_begin": _span,
    "inspect.span_end": _span,
    "inspect.step": _span,
    "inspect.sample": _sample,
    "inspect.eval": _eval,
    "swe-agent.step": _editor,
    "swe-agent.demonstration": _content,
    "letta-agent.agent": _agent,
    "letta-agent.block": _block,
    "letta-agent.summary": _content,
    "langgraph.checkpoint": _checkpoint,
    "langgraph.writes": _writes,
}
