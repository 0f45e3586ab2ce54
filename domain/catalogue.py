"""Validates JSON against the message catalogue and lists every flaw."""

from collections.abc import Callable
from typing import TypeVar, cast, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from agentlog.domain.errors import Flaw, InvalidInput, InvalidMessage
from agentlog.domain.facts import Fact, Remark
from agentlog.domain.fields import Model, models_in
from agentlog.domain.json.places import path
from agentlog.domain.json.values import JsonValue
from agentlog.domain.messages import CustomMessage, KernelMessage, Message

M = TypeVar("M", bound=Model)
Refuse = Callable[[str, str], InvalidInput]
"""Makes an error of a place and what is wrong there."""

MESSAGE_TYPES: dict[str, type[KernelMessage]] = {
    cls.model_fields["type"].default: cls for cls in get_args(Message) if cls is not CustomMessage
}
"""The catalogue without custom messages: stable word → model."""

FACT_TYPES: dict[str, type[KernelMessage]] = {
    cls.model_fields["type"].default: cls for cls in get_args(Fact)
}

REMARK_TYPES = frozenset(cls.model_fields["type"].default for cls in get_args(Remark))
"""Facts that say something about the thread, and are no part of what happened in it."""

MOST_FLAWS = 100
"""Flaws reported per append, at most."""

MOST_ITEMS = 10_000
"""Calls, results or files of one message, at most; reporting flaws of more would take long."""

_SPELLINGS = {"tool-calls": "tool_calls", "tool-results": "tool_results"}


def stored_type(spelling: str) -> str:
    """Return a type's spelling in the log; kernel 0.6 and later write hyphens."""
    return _SPELLINGS.get(spelling, spelling)


def is_activity(type_name: str, version: int) -> bool:
    """Return whether an event counts for the time of a thread's last activity.

    Remarks do not: a run that someone looks at later has not gone on.
    """
    return version == 1 or type_name not in REMARK_TYPES


def model_of(type_name: str) -> type[KernelMessage]:
    """Return the model of a type in the log."""
    return MESSAGE_TYPES.get(type_name) or FACT_TYPES.get(type_name) or CustomMessage


def validate_message(raw: dict[str, JsonValue]) -> Message:
    """Return the message that `raw` is, `type` spelled as the log has it.

    Raises:
        InvalidMessage: with every flaw, each at its place.
    """
    type_name = raw.get("type")
    if not isinstance(type_name, str):
        raise InvalidMessage([Flaw("type", "missing: every message names its type")])
    if type_name in MESSAGE_TYPES:
        model = MESSAGE_TYPES[type_name]
    elif "." in type_name:
        model = CustomMessage
    else:
        known = ", ".join(sorted(MESSAGE_TYPES))
        raise InvalidMessage(
            [
                Flaw(
                    "type",
                    f"{type_name[:64]!r} is not in the catalogue: it has {known}; "
                    "a type of your own has a dot, as in 'vendor.name'",
                )
            ]
        )
    long = [Flaw(key, f"more than {MOST_ITEMS} items") for key in raw if _is_long(raw[key])]
    if long:
        raise InvalidMessage(long)
    return cast("Message", validate(model, raw))


def validate_fact(raw: dict[str, JsonValue]) -> Fact:
    """Return the thread's fact that `raw` is; raises `InvalidMessage`."""
    type_name = raw.get("type")
    if not isinstance(type_name, str) or type_name not in FACT_TYPES:
        raise InvalidMessage([Flaw("type", f"use one of {', '.join(FACT_TYPES)}")])
    return cast("Fact", validate(FACT_TYPES[type_name], raw))


def read_stored(type_name: str, raw: JsonValue) -> Message | Fact | None:
    """Return a stored message, or None where today's catalogue cannot read it.

    Older or newer versions may have written it. Views show such a message in their own way and
    never fail.
    """
    validator = model_of(type_name).__pydantic_validator__
    try:
        return cast("Message | Fact", validator.validate_python(raw, by_alias=True, by_name=False))
    except ValidationError:
        return None


def validate(model: type[M], raw: dict[str, JsonValue], refuse: Refuse | None = None) -> M:
    """Return what a model makes of `raw`.

    Raises:
        InvalidMessage: with every flaw; or what `refuse` makes of the first one's place and reason.
    """
    try:
        validator = model.__pydantic_validator__
        return cast("M", validator.validate_python(raw, by_alias=True, by_name=False))
    except ValidationError as error:
        if error.error_count() > MOST_FLAWS:  # formatting them takes long
            raise InvalidMessage.at("", f"{error.error_count()} flaws") from error
        details = error.errors(include_url=False)
        # pydantic also reports a list with a flawed item as too short: only the item is reported
        nested = {detail["loc"][0] for detail in details if len(detail["loc"]) > 1}
        news = [
            detail
            for detail in details
            if not (detail["type"] == "too_short" and detail["loc"][0] in nested)
            and not (detail["loc"][-1:] == ("str",) and _names_member(detail["loc"], -1))
        ]
        flaws = [_flaw(model, detail) for detail in news]
        if refuse is not None:
            raise refuse(flaws[0].place, flaws[0].reason) from error
        raise InvalidMessage(flaws) from error


def _is_long(value: JsonValue) -> bool:
    return isinstance(value, list) and len(value) > MOST_ITEMS


def _flaw(model: type[Model], detail: ErrorDetails) -> Flaw:
    loc = detail["loc"]
    keys = tuple(part for index, part in enumerate(loc) if not _names_member(loc, index))
    at = path(keys)
    match detail["type"]:
        case "too_short":
            return Flaw(at, "needs at least one item")
        case "extra_forbidden":
            owner = _owner(model, keys)
            known = ", ".join(field.alias or name for name, field in owner.model_fields.items())
            return Flaw(at, f"no such field: {owner.__name__} has {known}")
        case "missing":
            return Flaw(at, "missing")
        case "string_pattern_mismatch":
            names = [key for key in keys if isinstance(key, str)]
            return Flaw(at, _PATTERNS.get(names[-1], f"not of the form {detail['ctx']['pattern']}"))
        case "tuple_type":
            return Flaw(at, "not an array")
        case "model_type" if loc[-1] == "ToolError":
            return Flaw(at, "neither a string nor an object")
        case "model_type" | "dict_type":
            return Flaw(at, "not an object")
        case "value_error":
            return Flaw(at, str(detail["ctx"]["error"]))
        case _:
            return Flaw(at, detail["msg"][:1].lower() + detail["msg"][1:])


_ULID = "not a ULID: 26 characters of Crockford's base 32, in capitals"
_THREAD_ID = "not a thread id: use 1 to 128 of the characters A-Z a-z 0-9 . _ : ~ -"
_WORD = "empty, or with space around it or a line break in it"
_PATTERNS = {
    "id": _ULID,
    "importId": _ULID,
    "text": "empty",
    "add": _WORD,
    "remove": _WORD,
    "criterion": _WORD,
    "verdict": _WORD,
    "data": "not base64",
    "type": "not a type: a vendor in small letters, a dot and a name, as in 'vendor.name'",
    "threadId": _THREAD_ID,
    "parent": _THREAD_ID,
}


def _names_member(loc: tuple[str | int, ...], index: int) -> bool:
    """Return whether a part of a location names a member of the union that `results[].error` is."""
    return loc[0] == "results" and loc[:index][-1:] == ("error",) and len(loc[:index]) == 3  # noqa: PLR2004 - results, index, error


def _owner(model: type[Model], keys: tuple[str | int, ...]) -> type[Model]:
    """Return the model, `model` itself or one nested in it, that the last of `keys` belongs to."""
    for key in keys[:-1]:
        for name, field in model.model_fields.items():
            if key in (name, field.alias):
                model = next(models_in(field.annotation))
    return model
