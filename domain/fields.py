"""Types of the fields of messages and facts, and the model of both.

Extra fields are refused. In Python both spellings of a field work, in JSON only the alias. Numbers
and texts stay as they were written (see `domain.json.text`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetPydanticSchema,
    StringConstraints,
)
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo
from pydantic_core.core_schema import any_schema

from agentlog.domain.identifiers import MESSAGE_ID_PATTERN, THREAD_ID_PATTERN
from agentlog.domain.json.values import JsonValue

Json = Annotated[JsonValue, GetPydanticSchema(lambda _source, _handler: any_schema())]
"""Any JSON value, as `domain.json.text.parse` returns it: not validated again."""

Number = float
"""Strict: an integer or a decimal, no string and no boolean."""


def _not_dots(thread_id: str) -> str:
    if thread_id in {".", ".."}:
        raise ValueError("'.' and '..' are no thread ids: a URL path would swallow them")
    return thread_id


MessageId = Annotated[str, StringConstraints(pattern=MESSAGE_ID_PATTERN)]
ThreadId = Annotated[str, StringConstraints(pattern=THREAD_ID_PATTERN), AfterValidator(_not_dots)]
CallId = Annotated[str, StringConstraints(min_length=1)]
Timestamp = Annotated[int, Field(ge=0, le=253_402_300_799_999)]
"""Milliseconds since the epoch by the producer's clock, up to the year 9999."""


def _not_reserved(type_name: str) -> str:
    if type_name.startswith("thread."):
        raise ValueError("types that begin with 'thread.' are the log's own: choose another vendor")
    return type_name


CustomType = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z][a-z0-9_-]*(\.[A-Za-z0-9_-]+)+$", max_length=128),
    AfterValidator(_not_reserved),
]
Count = Annotated[int, Field(ge=0)]


REDACTED = "[redacted]"
"""Replaces an erased text."""


@dataclass(frozen=True, slots=True)
class Content:
    """Marks a field that a redaction erases; fields without it are ids and figures, and stay.

    `left` takes the place of the content; of objects of a model that marks fields itself, those are
    erased one by one, whether the field is marked or not.
    """

    left: JsonValue = REDACTED
    null: Literal["dropped", "kept", "replaced", "added"] = "dropped"
    """What becomes of a null: replaced where it is a value; added where the field is absent too."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """Marks a field that a redaction removes."""


Text = Annotated[str, Content()]
OptionalText = Annotated[str | None, Content()]
DroppedText = Annotated[str | None, Dropped()]

Kind = Literal["call", "approval", "worker"]
"""What may be asked for and answered once."""


@dataclass(frozen=True, slots=True)
class Asks:
    """Marks the id of something that the message asks for."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class Answers:
    """Marks the id of what the message answers."""

    kind: Kind


_Mark = TypeVar("_Mark", Content, Dropped, Asks, Answers)


class Model(BaseModel):
    """A frozen value whose JSON has camel-case keys and no others than it names."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        alias_generator=to_camel,
        validate_by_alias=True,
        validate_by_name=True,
        serialize_by_alias=True,
        protected_namespaces=(),
        hide_input_in_errors=True,
        defer_build=True,  # a command that validates none starts sooner
    )


def mark_of(field: FieldInfo, kind: type[_Mark]) -> _Mark | None:
    """Return the mark of this kind on a field."""
    return next((mark for mark in field.metadata if isinstance(mark, kind)), None)


def models_in(annotation: object) -> Iterator[type[Model]]:
    """Yield the models in a field's annotation."""
    if isinstance(annotation, type) and issubclass(annotation, Model):
        yield annotation
    for part in get_args(annotation):
        yield from models_in(part)
