"""Objects that HTTP and the command line show as they are: in camelCase, with times as texts."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import ConfigDict, PlainSerializer, WithJsonSchema, with_config
from pydantic.alias_generators import to_camel


def time_text(time: datetime | None) -> str | None:
    """Return a time as RFC 3339 in UTC, with microseconds."""
    if time is None:
        return None
    return time.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


TimeText = Annotated[str | None, WithJsonSchema({"type": "string", "format": "date-time"})]
"""What `time_text` returns for what happened."""

Time = Annotated[datetime, PlainSerializer(time_text, return_type=TimeText)]

ANSWER = ConfigDict(alias_generator=to_camel)

answer = with_config(ANSWER)
"""Marks a dataclass that is an answer: its fields and its docstring are those of the API."""
