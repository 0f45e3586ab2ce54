"""Base of answers: JSON of an object by its attributes, described in the OpenAPI document."""

from datetime import UTC, datetime
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, PlainSerializer, WithJsonSchema
from pydantic.alias_generators import to_camel
from typing_extensions import TypedDict

T = TypeVar("T")


def time_text(time: datetime | None) -> str | None:
    """Return a time as RFC 3339 in UTC, with microseconds."""
    if time is None:
        return None
    return time.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


TimeText = Annotated[str | None, WithJsonSchema({"type": "string", "format": "date-time"})]
"""What `time_text` returns for what happened."""

Time = Annotated[datetime, PlainSerializer(time_text, return_type=TimeText)]


class Shape(BaseModel):
    """Fields in camelCase, read from attributes of the same names."""

    model_config = ConfigDict(alias_generator=to_camel, from_attributes=True, populate_by_name=True)

    @classmethod
    def of(cls, source: object) -> Any:  # noqa: ANN401 - the JSON that the class describes
        """Return an object as JSON."""
        return cls.model_validate(source).model_dump(by_alias=True)


class Page(TypedDict, Generic[T]):
    """A page of a list; `next` is the cursor of the page after it, if there is one."""

    items: list[T]
    next: str | None
