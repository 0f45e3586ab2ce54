"""Base of answers: JSON of an object by its attributes, described in the OpenAPI document."""

from collections.abc import Hashable
from functools import cache
from typing import Any, Generic, TypeVar, cast

from pydantic import BaseModel, ConfigDict, TypeAdapter
from pydantic.alias_generators import to_camel, to_snake
from typing_extensions import TypedDict

T = TypeVar("T")


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


def shape_of(source: object) -> Any:  # noqa: ANN401 - the JSON that its class describes
    """Return an object of a class that is an answer by itself (`domain.json.answers`) as JSON."""
    return _adapter(cast("Hashable", type(source))).dump_python(source, by_alias=True)


@cache
def _adapter(kind: Any) -> TypeAdapter[object]:  # noqa: ANN401 - any class
    return TypeAdapter(kind)


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
