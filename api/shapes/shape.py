"""Base of answers: JSON of an object by its attributes, described in the OpenAPI document."""

from collections.abc import Hashable
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, Generic, TypeVar, cast

from pydantic import BaseModel, ConfigDict, PlainSerializer, WithJsonSchema
from pydantic.alias_generators import to_camel, to_snake
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
    def of(cls, source: object, /, **values: object) -> Any:  # noqa: ANN401 - the JSON that the class describes
        """Return an object as JSON; fields with a value in `values` are not read from it."""
        if values:
            source = {
                name: values[name] if name in values else getattr(source, name)
                for name in cls.model_fields
            }
        return cls.model_validate(source).model_dump(by_alias=True)


def shaped(shape: type[T], source: object, /, **values: object) -> T:
    """Return what a `TypedDict` names: its `values`, and else the attributes of `source`.

    Raises:
        TypeError: the `TypedDict` has no such value.
    """
    names = _attributes(cast("Hashable", shape))
    if values.keys() - names.keys():
        raise TypeError(f"{shape.__name__} has no {', '.join(values.keys() - names.keys())}")
    fields = {key: values[key] if key in values else getattr(source, names[key]) for key in names}
    return cast("T", fields)


@cache
def _attributes(shape: Hashable) -> dict[str, str]:
    return {key: to_snake(key) for key in shape.__annotations__}


class Page(TypedDict, Generic[T]):
    """A page of a list; `next` is the cursor of the page after it, if there is one."""

    items: list[T]
    next: str | None
