"""What callers say of a subscription: how it is made, pulled, acknowledged and refused."""

from difflib import get_close_matches
from typing import Annotated, Self

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from agentlog.domain.catalogue import FACT_TYPES, MESSAGE_TYPES, stored_type, validate
from agentlog.domain.fields import CustomType, Json, Model, Number
from agentlog.domain.json.values import JsonObject
from agentlog.domain.points_in_time import BIGGEST
from agentlog.infrastructure.subscriptions.conditions import AUDIT_BROKEN, CONDITIONS
from agentlog.infrastructure.subscriptions.subscription import InvalidSubscription

NAME_PATTERN = r"^[A-Za-z0-9_-]{1,64}$"
USUAL_ATTEMPTS = 10

_MOST_ERROR = 500
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


def _scalars(metadata: JsonObject) -> JsonObject:
    for key, value in metadata.items():
        if isinstance(value, dict | list):
            raise ValueError(f"{key[:64]}: send a string, number, true or null")  # noqa: TRY004 - pydantic's
    return metadata


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
            "examples": [
                {"name": "approvals", "types": ["approval_request"], "threads": "support-"}
            ]
        }
    )

    name: Annotated[str, Field(pattern=NAME_PATTERN)]
    types: Annotated[
        list[Annotated[str, AfterValidator(_type)]] | None,
        Field(
            min_length=1,
            max_length=100,
            description="Of events, as tool_calls, thread.closed or vendor.name, and "
            f"conditions: {', '.join(CONDITIONS)}. All events without it.",
        ),
    ] = None
    threads: Annotated[
        str | None,
        Field(pattern=r"^[A-Za-z0-9._:~-]{1,128}$", description="How the ids of threads begin."),
    ] = None
    metadata: Annotated[
        Annotated[dict[str, Json], Field(min_length=1, max_length=20), AfterValidator(_scalars)]
        | None,
        Field(
            description="Top-level keys of the thread's metadata, and their values.",
            json_schema_extra={
                "additionalProperties": {"type": ["string", "number", "boolean", "null"]}
            },
        ),
    ] = None
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

    @model_validator(mode="after")
    def _check_audits(self) -> Self:
        if AUDIT_BROKEN in (self.types or ()) and (self.threads is not None or self.metadata):
            raise ValueError(f"{AUDIT_BROKEN} is of the whole log: leave threads and metadata out")
        return self


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
