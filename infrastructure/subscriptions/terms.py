"""What callers say of a subscription: how it is made, pulled, acknowledged and refused."""

import re
from dataclasses import replace
from difflib import get_close_matches
from typing import Annotated

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from agentlog.domain.catalogue import FACT_TYPES, MESSAGE_TYPES, stored_type, validate
from agentlog.domain.fields import CustomType, Model, Number
from agentlog.domain.json.values import JsonObject, object_at, text_at, texts_of
from agentlog.domain.points_in_time import BIGGEST
from agentlog.infrastructure.subscriptions.conditions import AUDIT_BROKEN, CONDITIONS
from agentlog.infrastructure.subscriptions.subscription import Filter, InvalidSubscription
from agentlog.projections.filters.grammar import MOST_CHARACTERS, parse_filter

NAME_PATTERN = r"^[A-Za-z0-9_-]{1,64}$"
USUAL_ATTEMPTS = 10

_MOST_ERROR = 500
_THREADS_PATTERN = r"[A-Za-z0-9._:~-]{1,128}"
_TYPES = (*MESSAGE_TYPES, *FACT_TYPES, *CONDITIONS)
_CUSTOM = TypeAdapter[str](CustomType)


def _type(spelling: str) -> str:
    name = stored_type(spelling)
    if name in _TYPES:
        return name
    if "." in name:
        try:
            return _CUSTOM.validate_python(name)
        except ValidationError as error:
            raise ValueError(
                f"{name[:64]!r} is no type: one of your own is named as vendor.name"
            ) from error
    near = get_close_matches(name[:64], _TYPES, n=1)
    way = f"the nearest is {near[0]}" if near else f"use {', '.join(_TYPES)}, or vendor.name"
    raise ValueError(f"{name[:64]!r} is no type of event: {way}")


def _filter_in(text: str) -> Filter:
    wanted = Filter.of(parse_filter(text, "log"))
    types = None if wanted.types is None else tuple(dict.fromkeys(map(_type, wanted.types)))
    if wanted.threads is not None and not re.fullmatch(_THREADS_PATTERN, wanted.threads):
        raise ValueError("thread: is how ids of threads begin, as thread:run-*")
    if AUDIT_BROKEN in (types or ()) and (wanted.threads is not None or wanted.metadata):
        raise ValueError(f"{AUDIT_BROKEN} is of the whole log: leave thread: and metadata out")
    return replace(wanted, types=types)


class WebhookTerms(Model):
    """Where deliveries are posted to."""

    url: Annotated[str, Field(json_schema_extra={"format": "uri", "maxLength": 2048})]
    content: Annotated[
        bool, Field(description="Whether the message itself is posted, not its place alone.")
    ] = False


class SubscriptionBody(Model):
    """What a subscription is made of."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"name": "approvals", "filter": "type:approval_request thread:support-*"}]
        }
    )

    name: Annotated[str, Field(pattern=NAME_PATTERN)]
    filter: Annotated[
        str,
        AfterValidator(lambda text: _filter_in(text) and text),
        Field(
            max_length=MOST_CHARACTERS,
            description="Terms that must hold of the event: `type:` with its type or one of the "
            f"conditions {', '.join(CONDITIONS)}, `thread:` with how ids of threads begin, and "
            "`metadata.KEY:` of the thread's metadata.",
        ),
    ] = ""
    begin: Annotated[
        str,
        Field(
            alias="from",
            pattern="^(now|start|@[0-9]{1,18})$",
            description="After which event it begins: a position as @345.",
        ),
    ] = "now"
    max_attempts: Annotated[
        int, Field(ge=1, le=100, description="After which a delivery is parked.")
    ] = USUAL_ATTEMPTS
    webhook: WebhookTerms | None = None

    @model_validator(mode="before")
    @classmethod
    def _refuse_old(cls, fields: JsonObject) -> JsonObject:
        """Say for one version what to write for fields of before."""
        old = [name for name in ("types", "threads", "metadata") if name in fields]
        if old:
            types, threads = texts_of(fields.get("types")), text_at(fields, "threads")
            spelled = Filter(tuple(types) or None, threads, object_at(fields, "metadata")).text
            raise InvalidSubscription(", ".join(old), f"write filter: {spelled}")
        return fields

    @property
    def wanted(self) -> Filter:
        """What the filter asks for."""
        return _filter_in(self.filter)


class PullBody(Model):
    """How many deliveries a consumer takes, for how long, and how long it waits for the first."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"limit": 10, "seconds": 30}]})

    limit: Annotated[int, Field(ge=1, le=100)] = 10
    seconds: Annotated[Number, Field(ge=1, le=3600, description="How long they are yours.")] = 30
    wait: Annotated[
        Number,
        Field(ge=0, le=30, description="Seconds to wait for the first, where there is none."),
    ] = 0


class ParkedBody(Model):
    """Which deliveries."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ids": [7]}]})

    ids: Annotated[
        list[Annotated[int, Field(ge=0, le=BIGGEST)]] | None,
        Field(min_length=1, max_length=1000, description="Of deliveries; all without it."),
    ] = None


class AckBody(ParkedBody):
    """Which deliveries of a lease are done."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"lease": "0123456789abcdef"}]})

    lease: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]


class NackBody(AckBody):
    """Which deliveries of a lease failed, why, and when they are due again."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"lease": "0123456789abcdef", "ids": [7], "error": "no such order"}]
        }
    )

    error: Annotated[
        str | None,
        AfterValidator(lambda text: text and text.replace("\x00", "\ufffd")[:_MOST_ERROR]),
        Field(description="Why, as the list of parked ones shows it."),
    ] = None
    seconds: Annotated[Number, Field(ge=0, le=86_400)] = 5
    park: Annotated[bool, Field(description="No further attempt.")] = False


def terms_of(fields: JsonObject) -> SubscriptionBody:
    """Return the terms in a JSON object; raises `InvalidSubscription`."""
    return validate(SubscriptionBody, fields, InvalidSubscription)
