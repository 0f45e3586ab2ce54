"""Retention rules: which threads are due for erasure.

Time is an argument; ages count from a thread's last event, by the store's clock.
"""

import re
import tomllib
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from agentlog.domain.errors import InvalidInput
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import JsonValue
from agentlog.domain.threads import Status

_UNITS = {"h": "hours", "d": "days", "w": "weeks"}
_AGE = re.compile(r"([1-9][0-9]{0,5})([hdw])\Z")
_MOST_BYTES = 2**16
_MOST_RULES = 100


class InvalidRules(InvalidInput):
    """A text says no rules of retention."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"{reason}; rules are TOML or JSON, as in "
            '[[rules]] older_than = "90d" reason = "kept for 90 days"'
        )
        self.reason = reason


def age_of(text: str) -> timedelta:
    """Return the duration of a text such as "12h", "90d" or "4w"; raises `ValueError`."""
    age = _AGE.match(text)
    if age is None:
        raise ValueError("say it in whole hours, days or weeks, 1 at least, as in 12h, 90d or 4w")
    return timedelta(**{_UNITS[age[2]]: int(age[1])})


def _is_age(text: str) -> str:
    age_of(text)
    return text


class RetentionRule(BaseModel):
    """A rule for threads to erase: a thread must match all conditions given.

    `metadata`: top-level keys and their scalar values; `threads`: prefixes of ids.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    older_than: Annotated[str, AfterValidator(_is_age)]
    reason: Annotated[str, StringConstraints(pattern=r"\S")]
    status: Status | None = None
    metadata: dict[str, str | int | float | bool] = Field(default_factory=dict)
    threads: str = ""

    def covers(
        self,
        thread_id: str,
        status: Status,
        metadata: Mapping[str, JsonValue],
        *,
        last: datetime,
        now: datetime,
    ) -> bool:
        """Return whether a thread whose last event came at `last` is due at `now`."""
        return (
            now - last > age_of(self.older_than)
            and thread_id.startswith(self.threads)
            and self.status in {None, status}
            and all(
                key in metadata and _same(metadata[key], value)
                for key, value in self.metadata.items()
            )
        )


class Rules(BaseModel):
    """Ordered rules: the first that covers a thread gives the reason."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    rules: Annotated[
        tuple[RetentionRule, ...], Field(min_length=1, max_length=_MOST_RULES, strict=False)
    ]


def parse_rules(text: str) -> Rules:
    """Return the rules of a text: JSON if it begins with a brace, else TOML.

    Raises:
        InvalidRules: it says none.
    """
    if len(text.encode(errors="replace")) > _MOST_BYTES:
        raise InvalidRules(f"more than {_MOST_BYTES:,} bytes")
    try:
        return Rules.model_validate(
            parse(text) if text.lstrip().startswith("{") else tomllib.loads(text)
        )
    except ValidationError as error:
        errors = error.errors()  # of a misspelt field, that it is none rather than what it is not
        first = next((flaw for flaw in errors if flaw["type"] == "extra_forbidden"), errors[0])
        where = ".".join(map(str, first["loc"]))
        is_unknown = first["type"] == "extra_forbidden"
        reason = "no such field" if is_unknown else first["msg"].removeprefix("Value error, ")
        raise InvalidRules(f"{where}: {reason}" if where else reason) from error
    except RecursionError as error:  # of tomllib
        raise InvalidRules("too many levels") from error
    except (InvalidInput, ValueError) as error:
        raise InvalidRules(str(error)) from error


def _same(actual: JsonValue, wanted: JsonValue) -> bool:
    """Return whether two scalars are equal: true is not 1, 1.0 is."""
    return isinstance(actual, bool) == isinstance(wanted, bool) and bool(actual == wanted)
