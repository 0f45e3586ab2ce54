"""Base of models: frozen, camelCase on the wire, unknown fields kept."""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Shape(BaseModel):
    """Fields of a newer service are kept as they come, and do no harm."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        frozen=True,
        extra="allow",
        defer_build=True,  # a program uses few of a hundred models
        protected_namespaces=(),
    )
