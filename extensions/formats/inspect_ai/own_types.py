"""Events of inspect_ai's logs."""

from collections.abc import Mapping

from agentlog.domain.json.values import JsonValue, object_of, objects_of, text_at
from agentlog.projections.call_texts import value_text
from agentlog.projections.own_types.registry import (
    MOST_PARTS,
    Fields,
    Mark,
    OwnTypes,
    Text,
    joined,
    mark,
    texts,
)
from agentlog.projections.view import Item

_GRADES: Mapping[JsonValue, str] = {"C": "correct", "I": "incorrect", "P": "partial", "N": "none"}


def _score(fields: Fields) -> str:
    score = object_of(fields.get("score"))
    by = text_at(fields, "scorer")
    answer = score.get("answer")
    return joined(_graded(score.get("value")), by, answer and f"answered {value_text(answer)}")


def _graded(value: JsonValue) -> str:
    grade = _GRADES.get(value) if isinstance(value, str) else None
    return value_text(value) if grade is None else f"{value_text(value)} ({grade})"


def _patch(fields: Fields) -> str:
    changes = objects_of(fields.get("changes"))
    paths = [" ".join(texts(change.get("op"), change.get("path"))) for change in changes]
    more = len(paths) - MOST_PARTS
    return ", ".join(paths[:MOST_PARTS]) + (f", {more} more" if more > 0 else "")


def _sandbox(fields: Fields) -> str:
    command, result = text_at(fields, "cmd"), fields.get("result")
    if command is None:
        return joined(text_at(fields, "action"), text_at(fields, "file"))
    return joined(command, f"exit {value_text(result)}" if result else None)


def _span(fields: Fields) -> str:
    kind, name = text_at(fields, "type"), text_at(fields, "name")
    return joined(text_at(fields, "action"), kind if kind != name else None, name)


def _sample(fields: Fields) -> str:
    scores = object_of(fields.get("scores")).items()
    return ", ".join(f"{name}: {_graded(object_of(score).get('value'))}" for name, score in scores)


def _eval(fields: Fields) -> str:
    run = object_of(fields.get("eval"))
    return joined(text_at(run, "task"), text_at(run, "model"), text_at(fields, "status"))


def _begin_span(fields: Fields) -> Item | None:
    kind, name = text_at(fields, "type"), text_at(fields, "name")
    names = [text for text in dict.fromkeys((kind, name)) if text]
    return mark("begin", text_at(fields, "id"), " ".join(names) or "span")


def _end_span(fields: Fields) -> Item | None:
    return mark("end", text_at(fields, "id"))


def _mark_step(fields: Fields) -> Item | None:
    begins = _begin_span(fields)
    if begins is None:
        return None
    return {
        **begins,
        "id": begins["name"],
        "mark": "end" if fields.get("action") == "end" else "begin",
    }


_TEXTS: Mapping[str, Text] = {
    "score": _score,
    "score_edit": _score,
    "state": _patch,
    "store": _patch,
    "sandbox": _sandbox,
    "span_begin": _span,
    "span_end": _span,
    "step": _span,
    "sample": _sample,
    "eval": _eval,
}
_MARKS: Mapping[str, Mark] = {
    "span_begin": _begin_span,
    "span_end": _end_span,
    "step": _mark_step,
}
OWN_TYPES = OwnTypes(_TEXTS, _MARKS)
