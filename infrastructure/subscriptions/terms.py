"""What a subscription is to be, read from the JSON that asks for it."""

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from agentlog.domain.catalogue import FACT_TYPES, MESSAGE_TYPES, stored_type
from agentlog.domain.fields import CustomType
from agentlog.domain.json.values import JsonObject, JsonValue
from agentlog.domain.points_in_time import BIGGEST, number_in
from agentlog.infrastructure.subscriptions.conditions import AUDIT_BROKEN, CONDITIONS
from agentlog.infrastructure.subscriptions.subscription import (
    Filter,
    InvalidSubscription,
    Webhook,
)

NAME_PATTERN = r"^[A-Za-z0-9_-]{1,64}$"
THREADS_PATTERN = r"^[A-Za-z0-9._:~-]{1,128}$"
FIELDS = ("name", "types", "threads", "metadata", "from", "maxAttempts", "webhook")
LEASE_PATTERN = r"^[0-9a-f]{16}$"
MOST_TYPES, MOST_KEYS, MOST_ATTEMPTS, MOST_PULLED, MOST_IDS = 100, 20, 100, 100, 1000
MOST_ERROR, MOST_WAIT = 500, 30
USUAL_ATTEMPTS = 10

Start = int | Literal["start", "now"]
"""A position after which it begins, or an end of the log."""

_TYPES = (*MESSAGE_TYPES, *FACT_TYPES, *CONDITIONS)
_CUSTOM = TypeAdapter[str](CustomType)


@dataclass(frozen=True, slots=True)
class Terms:
    """What a subscription is made of."""

    name: str
    filter: Filter
    start: Start
    max_attempts: int
    webhook: Webhook | None


def terms_of(fields: JsonObject) -> Terms:
    """Return the terms in a JSON object; raises `InvalidSubscription`."""
    unknown = [name for name in fields if name not in FIELDS]
    if unknown:
        raise InvalidSubscription(unknown[0][:64], f"no such field: use {', '.join(FIELDS)}")
    name = fields.get("name")
    if not isinstance(name, str) or not re.match(NAME_PATTERN, name):
        raise InvalidSubscription("name", "send 1 to 64 letters, digits, _ or -")
    threads = fields.get("threads")
    if threads is not None and not (
        isinstance(threads, str) and re.match(THREADS_PATTERN, threads)
    ):
        raise InvalidSubscription("threads", "send how the ids of threads begin")
    wanted = Filter(_types(fields.get("types")), threads, _metadata(fields.get("metadata")))
    if AUDIT_BROKEN in (wanted.types or ()) and (threads is not None or wanted.metadata):
        reason = f"{AUDIT_BROKEN} is of the whole log: leave threads and metadata out"
        raise InvalidSubscription("types", reason)
    return Terms(
        name,
        wanted,
        _start(fields.get("from", "now")),
        _attempts(fields.get("maxAttempts", USUAL_ATTEMPTS)),
        _webhook(fields.get("webhook")),
    )


def _types(value: JsonValue) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not 0 < len(value) <= MOST_TYPES:
        raise InvalidSubscription("types", f"send a list of 1 to {MOST_TYPES} types of events")
    return tuple({_type(name, f"types[{index}]"): None for index, name in enumerate(value)})


def _type(value: JsonValue, place: str) -> str:
    if not isinstance(value, str):
        raise InvalidSubscription(place, "send the name of a type, as tool_calls")
    name = stored_type(value)
    if name in _TYPES:
        return name
    if "." in name:
        try:
            return _CUSTOM.validate_python(name)
        except ValidationError as error:
            raise InvalidSubscription(
                place, f"{name[:64]!r} is no type: one of your own is named as vendor.name"
            ) from error
    near = get_close_matches(name[:64], _TYPES, n=1)
    way = f"the nearest is {near[0]}" if near else f"use {', '.join(_TYPES)}, or vendor.name"
    raise InvalidSubscription(place, f"{name[:64]!r} is no type of event: {way}")


def _metadata(value: JsonValue) -> JsonObject:
    if value is None:
        return {}
    if not isinstance(value, dict) or not 0 < len(value) <= MOST_KEYS:
        raise InvalidSubscription("metadata", f"send an object of 1 to {MOST_KEYS} keys")
    for key, wanted in value.items():
        if isinstance(wanted, dict | list):
            raise InvalidSubscription(f"metadata.{key[:64]}", "send a string, number, true or null")
    return value


def _start(value: JsonValue) -> Start:
    match value:
        case "now" | "start":
            return value
        case str(text) if text.startswith("@") and (position := number_in(text[1:])) is not None:
            return position
        case _:
            raise InvalidSubscription("from", "send now, start, or a position as @345")


def _webhook(value: JsonValue) -> Webhook | None:
    match value:
        case None:
            return None
        case {"url": str(url), **more} if not more.keys() - {"content"}:
            content = more.get("content", False)
            if isinstance(content, bool):
                return Webhook(url, content=content)
    raise InvalidSubscription("webhook", 'send {"url": "https://…", "content": true or false}')


def _attempts(value: JsonValue) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MOST_ATTEMPTS:
        return value
    raise InvalidSubscription("maxAttempts", f"send a number from 1 to {MOST_ATTEMPTS}")


@dataclass(frozen=True, slots=True)
class Pull:
    """How many deliveries a consumer takes, for how long, and how long it waits for the first."""

    limit: int
    seconds: float
    wait: float


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why deliveries failed, and when they are due again."""

    error: str | None
    seconds: float
    park: bool


def pull_in(fields: JsonObject) -> Pull:
    """Return what a consumer asks for; raises `InvalidSubscription`."""
    return Pull(
        int(_number(fields, "limit", usual=10, least=1, most=MOST_PULLED, whole=True)),
        _number(fields, "seconds", usual=30, least=1, most=3600),
        _number(fields, "wait", usual=0, least=0, most=MOST_WAIT),
    )


def refusal_in(fields: JsonObject) -> Refusal:
    """Return why deliveries failed; raises `InvalidSubscription`."""
    error, park = fields.get("error"), fields.get("park", False)
    if not isinstance(error, str | None):
        raise InvalidSubscription("error", "send a text")
    if not isinstance(park, bool):
        raise InvalidSubscription("park", "send true or false")
    reason = None if error is None else error.replace("\x00", "\ufffd")[:MOST_ERROR]
    return Refusal(reason, _number(fields, "seconds", usual=5, least=0, most=86_400), park)


def lease_in(fields: JsonObject) -> str:
    """Return the lease that is named; raises `InvalidSubscription`."""
    lease = fields.get("lease")
    if not isinstance(lease, str) or not re.match(LEASE_PATTERN, lease):
        raise InvalidSubscription("lease", "send the `lease` of what was pulled")
    return lease


def ids_in(fields: JsonObject) -> list[int] | None:
    """Return the ids of deliveries that are named, None for all; raises `InvalidSubscription`."""
    ids = fields.get("ids")
    if ids is None:
        return None
    if not isinstance(ids, list) or not 0 < len(ids) <= MOST_IDS:
        raise InvalidSubscription("ids", f"send a list of 1 to {MOST_IDS} ids of deliveries")
    for index, number in enumerate(ids):
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= BIGGEST:
            raise InvalidSubscription(f"ids[{index}]", "send the `id` of a delivery")
    return [number for number in ids if isinstance(number, int)]


def _number(  # noqa: PLR0913 - a range
    fields: JsonObject, name: str, *, usual: int, least: int, most: int, whole: bool = False
) -> float:
    number = fields.get(name, usual)
    kind = int if whole else int | float
    if isinstance(number, kind) and not isinstance(number, bool) and least <= number <= most:
        return float(number)
    raise InvalidSubscription(name, f"send a number from {least} to {most}")
